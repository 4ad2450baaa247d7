"""How lucky a result was, against enumeration in fractions."""

import math
from collections import defaultdict
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sim.axis_allies.odds.percentile import luck_word
from sim.axis_allies.requests import LuckRequest
from sim.core import RuleError
from tests.sim.axis_allies.builders import Battle, asked, battles, luck_of, to_army
from tests.sim.axis_allies.enumerate_battle import enumerate_battle, enumerate_rounds
from tests.sim.axis_allies.enumerate_losses import Pair, swing
from tests.tables import kept_table

NEAR = 1e-10


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


@pytest.mark.parametrize(("battle", "attacker_left", "defender_left", "message"), kept_table(__file__, "impossible"))
def test_results_that_cannot_be(battle: str, attacker_left: str, defender_left: str, message: str) -> None:
    with pytest.raises(RuleError, match=message):
        luck_of(battle, attacker_left, defender_left).run()


@pytest.mark.parametrize(("battle", "attacker_left", "defender_left"), kept_table(__file__, "possible"))
def test_what_falls_to_antiaircraft_fire_or_is_a_mark_can_be_missing(
    battle: str, attacker_left: str, defender_left: str
) -> None:
    assert luck_of(battle, attacker_left, defender_left).run().p_exactly > 0


@pytest.mark.parametrize(("percentile", "expected"), kept_table(__file__, "words"))
def test_words(percentile: float, expected: str) -> None:
    assert luck_word(percentile) == expected


def test_an_impossible_result_names_the_order_found() -> None:
    with pytest.raises(RuleError, match=r"with this order of losses \(bombers, infantry\), the defender is never left"):
        luck_of("1942: 2 art vs 4 inf, 3 bmr | order smart", "", "3 bmr").run()
