"""How lucky a result was, against enumeration in fractions."""

import math
from collections import defaultdict
from fractions import Fraction
from functools import partial

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sim.axis_allies.advice_reports import LuckReport
from sim.axis_allies.army import Army
from sim.axis_allies.odds.percentile import luck_word
from sim.axis_allies.parse import parse_army
from sim.axis_allies.requests import LuckRequest
from sim.core.errors import RuleError
from tests.sim.axis_allies.builders import Battle, asked, battles, parse_battle, read, rows, to_army, units_of
from tests.sim.axis_allies.enumerate_battle import enumerate_battle, enumerate_rounds
from tests.sim.axis_allies.enumerate_losses import Pair, price
from tests.tables import kept_table, kept_text

NEAR = 1e-10


def solve(attacker: str, defender: str, left: tuple[str, str], stop_after: int | None = None) -> LuckReport:
    return LuckRequest(
        attacker=read(attacker),
        defender=read(defender),
        attacker_left=read(left[0]),
        defender_left=read(left[1]),
        stop_after=stop_after,
    ).run()


def swing(start: Pair, end: Pair, edition: str) -> int:
    own, enemy = (price(before, edition) - price(after, edition) for before, after in zip(start, end, strict=True))
    return enemy - own


@settings(max_examples=100, deadline=None)
@given(battle=battles(), limit=st.none() | st.integers(1, 3), data=st.data())
def test_as_enumerated(battle: Battle, limit: int | None, data: st.DataObject) -> None:
    """With antiaircraft fire, bombardment, defenceless units, technologies and low luck, whatever the edition has."""
    start, rules = battle
    ends: defaultdict[Pair, Fraction] = defaultdict(Fraction)
    finals = enumerate_battle(start, rules).finals if limit is None else enumerate_rounds(start, rules, limit)
    for final, chance in finals.items():
        attacker, defender = (tuple(sorted(pile)) for pile in final)
        ends[attacker, defender] += chance
    end = data.draw(st.sampled_from(sorted(ends, key=repr)))
    assume(ends[end] > Fraction(1, 10**9))
    report = LuckRequest(
        **asked(battle),
        attacker_left=to_army(end[0], rules.edition),
        defender_left=to_army(end[1], rules.edition),
        stop_after=limit,
    ).run()
    swings: defaultdict[int, Fraction] = defaultdict(Fraction)
    for final, chance in ends.items():
        swings[swing(start, final, rules.edition)] += chance
    here = swing(start, end, rules.edition)
    worse = sum(chance for value, chance in swings.items() if value < here)
    mean = sum(value * chance for value, chance in swings.items())
    variance = sum((value - mean) ** 2 * chance for value, chance in swings.items())
    assert report.swing == here
    assert report.p_exactly == pytest.approx(float(ends[end]), abs=NEAR)
    assert report.attacker_luck == pytest.approx(float(100 * (worse + swings[here] / 2)), abs=1e-8)
    assert report.p_as_bad == pytest.approx(float(worse + swings[here]), abs=NEAR)
    assert report.p_as_good == pytest.approx(float(1 - worse), abs=NEAR)
    assert report.expected_swing == pytest.approx(float(mean), abs=1e-8)
    assert report.swing_sd == pytest.approx(math.sqrt(variance), abs=1e-6)
    assert report.z == pytest.approx(float(here - mean) / math.sqrt(variance) if variance else 0.0, abs=1e-5)
    assert report.attacker_luck + report.defender_luck == 100


@pytest.mark.parametrize(("attacker", "defender", "left", "stop_after", "message"), kept_table(__file__, "impossible"))
def test_results_that_cannot_be(
    attacker: str, defender: str, left: tuple[str, str], stop_after: int, message: str
) -> None:
    with pytest.raises(RuleError, match=message):
        solve(attacker, defender, left, stop_after or None)


@pytest.mark.parametrize(("edition", "battle", "left", "message"), rows(kept_text(__file__, "editions")))
def test_what_an_edition_rules_out(edition: str, battle: str, left: str, message: str) -> None:
    """What falls to antiaircraft fire can be missing; what is defenceless can't be left."""
    armies = [units_of(side.replace("nobody", ""), edition) for text in (battle, left) for side in text.split(" vs ")]
    request = partial(LuckRequest, attacker=armies[0], defender=armies[1])
    if message == "possible":
        assert request(attacker_left=armies[2], defender_left=armies[3]).run().p_exactly > 0
    else:
        with pytest.raises(RuleError, match=message):
            request(attacker_left=armies[2], defender_left=armies[3]).run()


@pytest.mark.parametrize(("percentile", "expected"), kept_table(__file__, "words"))
def test_words(percentile: float, expected: str) -> None:
    assert luck_word(percentile) == expected


def test_an_impossible_result_names_the_order_found() -> None:
    battle = parse_battle("1942: 2 art vs 4 inf, 3 bmr")
    left = parse_army("1942: 3 bmr")
    request = LuckRequest.model_validate(
        {**battle, "attacker_left": Army(edition="1942"), "defender_left": left, "casualties": "smart"}
    )
    with pytest.raises(RuleError, match=r"with this order of losses \(bombers, infantry\), the defender is never left"):
        request.run()
