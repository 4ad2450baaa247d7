"""The odds that a browser works out, in plain Python, against the engine's."""

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from sim.axis_allies.editions import EDITIONS
from sim.axis_allies.odds.engine import solve
from sim.axis_allies.parse import parse_question, share_text
from sim.axis_allies.question import NEVER, Withdrawal
from sim.axis_allies.requests import OddsRequest
from sim.axis_allies.small_odds import SmallBattle, expect_small, small_answer
from sim.core.errors import RuleError
from tests.sim.axis_allies.builders import Battle, battles
from tests.sim.axis_allies.enumerate_losses import Rules
from tests.sim.axis_allies.test_odds_editions import (
    BESIDE,
    ESCORT,
    FLEET,
    NEAR,
    OPENING,
    asked,
    finals,
    withdrawals,
)
from tests.tables import kept_table, kept_texts

LARGEST = kept_texts(__file__, "largest")


def agrees(request: OddsRequest) -> None:
    """Require the engine's chance of every pair of armies that may be left, and its number of rounds."""
    battle = SmallBattle(request)
    chances: dict[tuple[frozenset[tuple[str, int]], ...], float] = {}
    found, rounds = battle.fight()
    for pair, chance in found.items():
        kinds = (order.with_counts(counts).kinds for order, counts in zip(battle.orders.values(), pair, strict=True))
        named = tuple(frozenset((str(slot), count) for slot, count in each.items() if count) for each in kinds)
        chances[named] = chances.get(named, 0.0) + chance
    solution = solve(request.terms(), course=False)
    expected = finals(solution)
    both = dict.fromkeys([*chances, *expected], 0.0)
    assert both | chances == pytest.approx(both | expected, abs=NEAR)
    assert rounds == pytest.approx(solution.mean_rounds, abs=NEAR)
    assert battle.told(found)[0]["Attacker"] == pytest.approx(
        float(solution.chances[solution.won(must_take=request.must_take)].sum()), abs=NEAR
    )


@settings(max_examples=60, deadline=None)
@given(battles(), st.just(NEVER) | withdrawals, st.none() | st.integers(1, 4))
@example((OPENING, Rules(edition="revised", low_luck=True)), NEVER, None)
@example((BESIDE, Rules(edition="1942")), Withdrawal(below=2), None)
@example((FLEET, Rules(edition="1942")), Withdrawal(only_air=True), None)
@example((ESCORT, Rules(edition="1942")), NEVER, 2)
def test_small_battles_are_the_engines(battle: Battle, withdrawal: Withdrawal, rounds: int | None) -> None:
    try:
        request = asked(*battle).model_copy(update={"stop_after": rounds, "withdrawal": withdrawal})
        withdrawal.check(request.attacker, request.defender)
    except RuleError:
        assume(False)  # noqa: FBT003  # the only way to say it
    agrees(request)


@pytest.mark.parametrize("edition", EDITIONS)
def test_twelve_a_side_of_every_edition_are_the_engines(edition: str) -> None:
    question = parse_question(f"{edition}: {LARGEST[edition]}")
    expect_small(question)
    agrees(OddsRequest(**question.fields))


def test_an_answer_in_lines() -> None:
    lines = small_answer("6 tanks vs 10 inf")
    assert lines[:2] == ["1941: 6 tanks vs 10 infantry", "Attacker 7.6% · Defender 91.7% · Tie 0.8%"]
    assert "19.5%: defender 6 infantry" in lines
    assert lines[-1] == f"In Discord: /aacalc battle:{lines[0]}"
    assert any("battleship (1 damaged)" in line for line in small_answer("1942: 2 bb vs 1 bb, 1 dd"))


@pytest.mark.parametrize(("text", "why"), kept_table(__file__, "not_answered_says"))
def test_what_is_not_answered_says_why_and_where_to_ask(text: str, why: str) -> None:
    with pytest.raises(RuleError, match=why.replace("|", r"\|")):
        small_answer(text)
    assert share_text(parse_question("6 tanks vs 10 inf")) == small_answer("6 tanks vs 10 inf")[0]
