"""The engine against two other ways to the same odds, and against what must hold for any odds."""

import math
from fractions import Fraction
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sim.axis_allies.casualties import LIFE
from sim.axis_allies.odds.engine import Terms as Played
from sim.axis_allies.odds.engine import solve
from sim.axis_allies.odds.simulate import simulate
from sim.axis_allies.odds.summary import odds_report, unit_key
from sim.axis_allies.odds_report import OddsReport
from sim.axis_allies.requests import OddsRequest
from sim.axis_allies.units import Category, Unit
from sim.core.values import Side
from tests.sim.axis_allies.enumerate_battle import (
    Chooser,
    Pile,
    Rules,
    by_score,
    enumerate_battle,
    enumerate_rounds,
    in_order,
    lives_first,
    smart,
)
from tests.sim.axis_allies.odds_builders import Terms, army, odds, piles, request, to_army

NEAR = 1e-12
LAND_UNITS = [Unit.INFANTRY, Unit.TANK, Unit.FIGHTER, Unit.BOMBER]


Remains = frozenset[tuple[str, int]]


def _key(pile: Pile) -> Remains:
    counts = {unit_key(unit): count for unit, count, _ in pile}
    lives = sum(whole for _, _, whole in pile)
    return frozenset((counts | ({"battleship_extra_lives": lives} if lives else {})).items())


def _finals(report: OddsReport) -> dict[tuple[Remains, Remains], float]:
    return {(frozenset(end.attacker.items()), frozenset(end.defender.items())): end.p for end in report.outcomes}


def _agree(report: OddsReport, finals: dict[tuple[Pile, Pile], Fraction]) -> None:
    expected = {(_key(a), _key(d)): float(p) for (a, d), p in finals.items()}
    found = _finals(report)
    for final in expected.keys() | found.keys():
        assert found.get(final, 0.0) == pytest.approx(expected.get(final, 0.0), abs=NEAR)


def _choosers(method: str, attacker: Pile, defender: Pile, *, take: bool = False) -> tuple[Chooser, Chooser]:
    if method == "smart":
        submarines = [any(unit is Unit.SUBMARINE for unit, _, _ in pile) for pile in (defender, attacker)]
        return smart(against_submarines=submarines[0], take=take), smart(against_submarines=submarines[1], take=False)
    chooser = {"score": by_score, "lives-first": lives_first}[method]
    return chooser, chooser


@settings(max_examples=120, deadline=None)
@given(attacker=piles(), defender=piles(), method=st.sampled_from(["score", "lives-first", "smart"]))
def test_as_enumerated(attacker: Pile, defender: Pile, method: str) -> None:
    rules = Rules(_choosers(method, attacker, defender))
    expected = enumerate_battle((attacker, defender), rules)
    assume(len(expected.finals) <= 100)  # the report lists no more
    report = OddsRequest.model_validate(
        {"attacker": to_army(attacker), "defender": to_army(defender), "casualties": method}
    ).run()
    _agree(report, expected.finals)
    assert report.exp_rounds == pytest.approx(float(expected.rounds), rel=NEAR)


@settings(max_examples=60, deadline=None)
@given(attacker=piles(), defender=piles(), orders=st.tuples(*[st.permutations([*Unit, None])] * 2))
def test_own_orders_as_enumerated(attacker: Pile, defender: Pile, orders: tuple[list[Unit | None], ...]) -> None:
    expected = enumerate_battle((attacker, defender), Rules((in_order(orders[0]), in_order(orders[1]))))
    assume(len(expected.finals) <= 100)
    own = [tuple(LIFE if slot is None else slot for slot in order) for order in orders]
    report = OddsRequest(
        attacker=to_army(attacker), defender=to_army(defender), attacker_casualties=own[0], defender_casualties=own[1]
    ).run()
    _agree(report, expected.finals)


@settings(max_examples=60, deadline=None)
@given(attacker=piles(), defender=piles(), count=st.integers(1, 4))
def test_stopped_as_enumerated(attacker: Pile, defender: Pile, count: int) -> None:
    expected = enumerate_rounds((attacker, defender), Rules(), count)
    assume(len(expected) <= 100)
    report = OddsRequest(attacker=to_army(attacker), defender=to_army(defender), stop_after=count).run()
    _agree(report, expected)


@settings(max_examples=60, deadline=None)
@given(attacker=piles(), defender=piles(), below=st.integers(1, 4))
def test_retreat_as_enumerated(attacker: Pile, defender: Pile, below: int) -> None:
    assume(sum(count for _, count, _ in attacker) >= below)
    expected = enumerate_battle((attacker, defender), Rules(retreat_below=below))
    assume(len(expected.finals) <= 100)
    report = OddsRequest(attacker=to_army(attacker), defender=to_army(defender), retreat_below=below).run()
    _agree(report, expected.finals)
    left = sum(p for (a, d), p in expected.finals.items() if a and d and sum(count for _, count, _ in a) < below)
    assert report.p_retreat == pytest.approx(float(left), abs=NEAR)


@settings(max_examples=60, deadline=None)
@given(attacker=piles(), defender=piles())
def test_taking_as_enumerated(attacker: Pile, defender: Pile) -> None:
    """The last land unit is kept, and only land units take the territory."""
    assume(any(unit.category is Category.LAND for unit, _, _ in attacker))
    rules = Rules(_choosers("smart", attacker, defender, take=True))
    expected = enumerate_battle((attacker, defender), rules)
    assume(len(expected.finals) <= 100)
    report = OddsRequest(
        attacker=to_army(attacker), defender=to_army(defender), casualties="smart", must_take=True
    ).run()
    _agree(report, expected.finals)
    won = {final: p for final, p in expected.finals.items() if final[0] and not final[1]}
    taken = [p for final, p in won.items() if any(unit.category is Category.LAND for unit, _, _ in final[0])]
    assert report.p_attacker == pytest.approx(float(sum(taken)), abs=NEAR)
    assert report.p_attacker + report.p_not_taken == pytest.approx(float(sum(won.values())), abs=NEAR)


LARGER: list[tuple[str, Terms]] = [
    ("12 inf, 6 tanks, 3 ftr, 1 bomber vs 14 inf, 4 tanks, 2 ftr", {}),
    ("5 sub, 4 dd, 2 cv, 4 ftr, 2 bb, 2 tr vs 5 sub, 4 dd, 2 cv, 4 ftr, 2 bb, 2 tr", {}),
    ("6 sub, 2 cv, 4 ftr, 2 bmr, 2 bb vs 6 sub, 2 cv, 4 ftr, 2 bb (1 hit), 2 tr", {"casualties": "lives-first"}),
    ("6 sub, 3 dd, 4 ftr, 2 bb vs 8 sub, 1 dd, 5 ftr, 2 bb, 3 tr", {"casualties": "smart"}),
    ("8 inf, 3 tanks, 4 ftr, 2 bmr vs 8 inf, 3 tanks, 2 ftr", {"casualties": "smart", "must_take": True}),
    ("8 tanks, 4 bb vs 9 tanks, 3 bb", {"attacker_casualties": (Unit.BATTLESHIP, Unit.TANK, "battleship life")}),
    ("8 inf, 4 tanks vs 10 inf", {"retreat_below": 5}),
    ("5 sub, 4 dd, 4 ftr, 2 bb vs 5 sub, 2 dd, 4 ftr, 2 bb", {"stop_after": 2}),
    ("3 dd, 40 tr vs 2 dd, 60 tr", {}),
]


@pytest.mark.statistics
@pytest.mark.parametrize(("battle", "terms"), LARGER)
def test_as_thrown(battle: str, terms: Terms) -> None:
    """A million dice of a fixed seed come within four standard errors."""
    attacker, defender = battle.split(" vs ")
    question = request(attacker, defender, **terms)
    count = 40_000
    played = Played(
        question.casualty_order(Side.ATTACKER),
        question.casualty_order(Side.DEFENDER),
        question.stop_after,
        question.retreat_below or 1,
    )
    thrown = odds_report(
        simulate(played, count, seed=20),
        question.attacker,
        question.defender,
        must_take=question.must_take,
    )
    exact = question.run()
    assert (exact.method, thrown.method) == ("exact", "simulated")
    for name in ("p_attacker", "p_defender", "p_tie", "p_none", "p_retreat", "p_not_taken"):
        p = getattr(exact, name)
        assert getattr(thrown, name) == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / count) + 1e-9), name
    for side in Side:
        off = 4 * exact.odds(side).ipc_lost_sd / math.sqrt(count)
        assert thrown.odds(side).ipc_lost == pytest.approx(exact.odds(side).ipc_lost, abs=off + 1e-9)
        assert thrown.odds(side).ipc_lost_sd == pytest.approx(exact.odds(side).ipc_lost_sd, rel=0.05)


def test_tame_rounds_are_thrown_together() -> None:
    """Transports can't shoot back: 900 hits by two destroyers take 1,350 rounds in the mean."""
    question = request("2 dd", "900 tr")
    played = Played(question.casualty_order(Side.ATTACKER), question.casualty_order(Side.DEFENDER))
    thrown = simulate(played, 4_000, seed=3)
    spread = math.sqrt(thrown.round_squares - thrown.mean_rounds**2)
    assert thrown.mean_rounds == pytest.approx(solve(played).mean_rounds, abs=4 * spread / math.sqrt(4_000))


mirrored = st.dictionaries(
    st.sampled_from(["tank", "destroyer", "battleship", "transport"]), st.integers(1, 6), min_size=1
)


@settings(max_examples=40, deadline=None)
@given(mirrored, mirrored)
def test_sides_are_mirrored(first: dict[str, int], second: dict[str, int]) -> None:
    """Units that attack as they defend: changing places changes only the names."""
    there = OddsRequest(attacker=army(first), defender=army(second)).run()
    back = OddsRequest(attacker=army(second), defender=army(first)).run()
    assert (there.p_attacker, there.p_defender, there.p_tie) == pytest.approx(
        (back.p_defender, back.p_attacker, back.p_tie), abs=NEAR
    )


armies = st.dictionaries(st.sampled_from([unit.value for unit in Unit]), st.integers(1, 3), min_size=1, max_size=5)


@settings(max_examples=40, deadline=None)
@given(armies, armies, st.randoms(use_true_random=False))
def test_order_typed_does_not_matter(attacker: dict[str, int], defender: dict[str, int], random: Random) -> None:
    """No two units have the same score and cost, so the last tie-breaker never decides."""
    shuffled = list(attacker.items())
    random.shuffle(shuffled)
    as_typed = OddsRequest(attacker=army(attacker), defender=army(defender)).run()
    otherwise = OddsRequest(attacker=army(dict(shuffled)), defender=army(defender)).run()
    assert otherwise.att_left == pytest.approx(as_typed.att_left, abs=NEAR)
    assert otherwise.p_defender == pytest.approx(as_typed.p_defender, abs=NEAR)


land_armies = st.dictionaries(st.sampled_from([unit.value for unit in LAND_UNITS]), st.integers(1, 8), min_size=1)


@settings(max_examples=60, deadline=None)
@given(land_armies, land_armies, st.sampled_from(LAND_UNITS))
def test_a_unit_more_never_hurts(attacker: dict[str, int], defender: dict[str, int], unit: Unit) -> None:
    before = OddsRequest(attacker=army(attacker), defender=army(defender)).run()
    more = attacker | {unit.value: attacker.get(unit.value, 0) + 1}
    after = OddsRequest(attacker=army(more), defender=army(defender)).run()
    assert after.p_attacker >= before.p_attacker - NEAR
    assert after.p_defender <= before.p_defender + NEAR


@pytest.mark.parametrize(("worse", "better"), [("infantry", "tank"), ("tank", "bomber"), ("fighter", "bomber")])
def test_a_better_unit_never_hurts(worse: str, better: str) -> None:
    """Each of these attacks better than the one before."""
    for others in range(6):
        chances = []
        for unit in (worse, better):
            units = {"infantry": others} if others else {}
            units[unit] = units.get(unit, 0) + 3
            chances.append(OddsRequest(attacker=army(units), defender=army({"infantry": 4})).run().p_attacker)
        assert chances[0] < chances[1]


@settings(max_examples=60, deadline=None)
@given(armies, armies, st.sampled_from(["score", "lives-first", "smart"]))
def test_the_sum_of_all(attacker: dict[str, int], defender: dict[str, int], method: str) -> None:
    report = OddsRequest.model_validate(
        {"attacker": army(attacker), "defender": army(defender), "casualties": method}
    ).run()
    assert report.p_attacker + report.p_defender + report.p_tie + report.p_none == pytest.approx(1, abs=NEAR)
    assert report.lost_mass < NEAR
    assert sum(end.p for end in report.outcomes) + report.outcomes_beyond == pytest.approx(1, abs=NEAR)


@settings(max_examples=40, deadline=None)
@given(armies, armies, st.integers(1, 5))
def test_the_course_leads_to_the_limit(attacker: dict[str, int], defender: dict[str, int], count: int) -> None:
    """What is told of each round is what stopping there would bring."""
    course = OddsRequest(attacker=army(attacker), defender=army(defender)).run().rounds
    stopped = OddsRequest(attacker=army(attacker), defender=army(defender), stop_after=count).run()
    assume(count < len(course))
    assert 1 - course[count].p_over == pytest.approx(stopped.p_round_limit, abs=1e-7)
    units = sum(mean for name, mean in stopped.att_left.items() if name != "battleship_extra_lives")
    assert course[count].attacker_units == pytest.approx(units, abs=1e-7)


def test_rounds_add_up_to_their_mean() -> None:
    report = odds("10 inf, 3 tanks vs 9 inf, 3 tanks")
    listed = sum(1 - round_.p_over for round_ in report.rounds)
    # What is not told is less than a thousandth at each further round.
    assert listed <= report.exp_rounds <= listed + 0.01
