"""The exact odds of all editions against an enumeration of the same rules, and those that a browser works out."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Unpack

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from sim.axis_allies.casualties import LIFE_OF, Last, Place
from sim.axis_allies.editions import EDITIONS
from sim.axis_allies.odds.engine import Solution, solve
from sim.axis_allies.odds.layout import UNITS
from sim.axis_allies.odds.simulate import simulate
from sim.axis_allies.parse import parse_question
from sim.axis_allies.question import NEVER, Withdrawal
from sim.axis_allies.requests import OddsRequest
from sim.axis_allies.small_odds import SmallBattle, expect_small, small_answer
from sim.axis_allies.units import Unit
from sim.core import RuleError
from tests.sim.axis_allies.builders import Battle, Left, Options, asked, battles, named, told, withdrawals
from tests.sim.axis_allies.enumerate_battle import enumerate_battle, enumerate_rounds, is_over, leaves
from tests.sim.axis_allies.enumerate_losses import Loss, Pair, Rules, in_order, price
from tests.tables import kept_table, kept_texts

NEAR = 1e-9
EXAMPLES = 60

OPENING: Pair = ((Unit.DESTROYER, 2, 0),), ((Unit.FIGHTER, 1, 0), (Unit.SUBMARINE, 1, 0))
"""Beside a destroyer, submarines of the revised edition fire in a step of their own."""

FLEET: Pair = ((Unit.DESTROYER, 2, 0), (Unit.FIGHTER, 1, 0)), ((Unit.CRUISER, 2, 0),)
"""A fleet with a plane, which is left alone at times."""

BESIDE: Pair = ((Unit.FIGHTER, 2, 0),), ((Unit.SUBMARINE, 1, 0), (Unit.TRANSPORT, 1, 0), (Unit.DESTROYER, 1, 0))
"""Planes sink transports that only submarines are left beside."""


ESCORT: Pair = ((Unit.DESTROYER, 1, 0), (Unit.TRANSPORT, 2, 0)), ((Unit.DESTROYER, 2, 0), (Unit.TRANSPORT, 3, 0))
"""Destroyers on both sides, whose transports are lost with them."""


def question(battle: Battle, **terms: Unpack[Options]) -> OddsRequest:
    """Return a request for the odds of an enumeration."""
    return OddsRequest.model_validate({**asked(battle), "withdrawal": battle[1].withdrawal, **terms})


def finals(solution: Solution) -> Iterator[tuple[list[Left], float]]:
    """Yield the final pairs of armies with their chances."""
    for row, column, chance in zip(*solution.ends[:3], strict=True):
        pair = [
            told({slot: counts[at] for slot, counts in side.kinds.items()})
            for side, at in zip(solution.sides, (row, column), strict=True)
        ]
        yield pair, float(chance)


def agree(solution: Solution, expected: Iterable[tuple[list[Left], float]]) -> None:
    """Require the same chance for every pair of armies that may be left."""
    apart: dict[tuple[Left, ...], float] = defaultdict(float)
    for pairs, sign in ((finals(solution), 1), (expected, -1)):
        for pair, chance in pairs:
            apart[tuple(pair)] += sign * chance
    assert apart == pytest.approx(dict.fromkeys(apart, 0.0), abs=NEAR)


def enumerated(chances: dict[Pair, Fraction]) -> Iterator[tuple[list[Left], float]]:
    """Yield the same of an enumeration."""
    return (([*map(named, pair)], float(chance)) for pair, chance in chances.items())


def units_left(finals: dict[Pair, Fraction]) -> list[float]:
    """Return both sides' mean number of units."""
    return [
        float(sum(chance * count for pair, chance in finals.items() for _, count, _ in pair[side])) for side in range(2)
    ]


@settings(max_examples=EXAMPLES, deadline=None)
@given(battles(), st.integers(1, 4))
@example((BESIDE, Rules(edition="1942")), 2)
@example((ESCORT, Rules(edition="1942")), 2)
def test_stopped_and_on_the_way_as_enumerated(battle: Battle, count: int) -> None:
    pair, rules = battle
    expected, stopped = enumerate_rounds(pair, rules, count), solve(question(battle, stop_after=count).terms())
    agree(stopped, enumerated(expected))
    going = float(sum(chance for left, chance in expected.items() if not is_over(left, rules)))
    for row in (*stopped.course[-1:].tolist(), *solve(question(battle).terms()).course[count : count + 1].tolist()):
        assert row == pytest.approx([going, *units_left(expected)], abs=NEAR)


@settings(max_examples=EXAMPLES, deadline=None)
@given(battles(), st.integers(1, 4))
@example((BESIDE, Rules(edition="1942")), 2)
@example((ESCORT, Rules(edition="1942")), 2)
def test_simulated_rounds_end_with_what_is_left(battle: Battle, count: int) -> None:
    solution = simulate(question(battle, stop_after=count).terms(), battles=200, seed=7)
    left = [
        float(solution.ends.chances @ side.totals[UNITS][which])
        for side, which in zip(solution.sides, solution.ends[:2], strict=True)
    ]
    assert solution.course[-1, 1:] == pytest.approx(left, abs=NEAR)


@settings(max_examples=2 * EXAMPLES, deadline=None)
@given(battles(), withdrawals)
@example((OPENING, Rules(edition="revised", low_luck=True)), NEVER)
@example((BESIDE, Rules(edition="1942")), Withdrawal(below=2))
@example((FLEET, Rules(edition="1942")), Withdrawal(only_air=True))
def test_as_enumerated(battle: Battle, withdrawal: Withdrawal) -> None:
    pair, rules = battle[0], replace(battle[1], withdrawal=withdrawal)
    assume(not leaves(pair, replace(rules, paid=price(pair[0], rules.edition))))
    expected = enumerate_battle(pair, rules)
    solution = solve(question((pair, rules)).terms())
    agree(solution, enumerated(expected.finals))
    assert solution.mean_rounds == pytest.approx(float(expected.rounds), abs=NEAR)


@settings(max_examples=EXAMPLES, deadline=None)
@given(battles(), st.data())
def test_own_orders_as_enumerated(battle: Battle, data: st.DataObject) -> None:
    """Some units and lives are named, in any order; what isn't named has its place."""
    pair, rules = battle
    book = EDITIONS[rules.edition]
    places: list[Place] = [
        *book.units,
        *(life for unit, life in LIFE_OF.items() if unit in book.units and book.lives(unit)),
        *Last,
    ]
    some = st.lists(st.sampled_from(places), min_size=1, max_size=6, unique=True).filter(
        lambda order: Unit.GUN not in order and (Last.DESTROYER not in order or Unit.DESTROYER in _before(order))
    )
    orders = data.draw(some), data.draw(some)
    choosers = tuple(in_order([_written(place) for place in order], rules) for order in orders)
    expected = enumerate_battle(pair, replace(rules, choosers=(choosers[0], choosers[1])))
    own = question(battle, attacker_casualties=tuple(orders[0]), defender_casualties=tuple(orders[1]))
    agree(solve(own.terms()), enumerated(expected.finals))


def _before(order: list[Place]) -> list[Place]:
    """Return what an order loses before the last destroyer."""
    return order[: order.index(Last.DESTROYER)]


def _written(place: Place) -> Loss | str:
    if isinstance(place, Last):
        return place.value
    return (place, False) if isinstance(place, Unit) else (place.unit, True)


LARGEST = kept_texts(__file__, "largest")


def agrees(request: OddsRequest) -> None:
    """Require the engine's chance of every pair of armies that may be left, and its number of rounds."""
    battle = SmallBattle(request)
    found, rounds = battle.fight()
    left = (
        [told(order.with_counts(counts).kinds) for order, counts in zip(battle.orders.values(), pair, strict=True)]
        for pair in found
    )
    solution = solve(request.terms(), course=False)
    agree(solution, zip(left, found.values(), strict=True))
    assert rounds == pytest.approx(solution.mean_rounds, abs=NEAR)
    p_won = solution.p_won(must_take=request.must_take)
    assert battle.told(found)[0]["Attacker"] == pytest.approx(p_won, abs=NEAR)


@settings(max_examples=60, deadline=None)
@given(battles(), withdrawals, st.none() | st.integers(1, 4))
@example((OPENING, Rules(edition="revised", low_luck=True)), NEVER, None)
@example((BESIDE, Rules(edition="1942")), Withdrawal(below=2), None)
@example((FLEET, Rules(edition="1942")), Withdrawal(only_air=True), None)
@example((ESCORT, Rules(edition="1942")), NEVER, 2)
def test_small_battles_are_the_engines(battle: Battle, withdrawal: Withdrawal, rounds: int | None) -> None:
    try:
        request = question(battle, stop_after=rounds, withdrawal=withdrawal)
        withdrawal.check(request.attacker, request.defender)
    except RuleError:
        assume(False)  # noqa: FBT003  # the only way to say it
    agrees(request)


RARE = ["revised: 2 inf, 1 tank + 2 bb bombard vs 3 inf", "1942: 1 sub, 2 ftr, 1 bomber vs 1 aa, 2 inf"]
"""A bombardment whose victims don't fire back, and submarines with planes that come under antiaircraft fire."""


@pytest.mark.parametrize("text", [*(f"{edition}: {LARGEST[edition]}" for edition in EDITIONS), *RARE])
def test_twelve_a_side_of_every_edition_and_what_is_rare_are_the_engines(text: str) -> None:
    question = parse_question(text)
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
