"""The report of the odds; what can't happen at all is told apart from what is merely unlikely.

Its figures are held against those from outside: exact odds of other programs' making, for armies of all kinds and
editions.
"""

import json
import math
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, reject, settings
from hypothesis import strategies as st

from sim.axis_allies.army import LAND_AT_SEA
from sim.axis_allies.casualties import Casualties
from sim.axis_allies.editions import EDITIONS
from sim.axis_allies.odds.engine import solve
from sim.axis_allies.odds.summary import likeliest, odds_report, summary_of
from sim.axis_allies.odds.terms import impossible_outcomes
from sim.axis_allies.odds_report import OddsReport
from sim.axis_allies.question import NEVER, Withdrawal
from sim.axis_allies.requests import MAX_OUTCOMES, OddsRequest
from sim.axis_allies.units import Unit
from sim.core.errors import RuleError
from sim.core.values import Ending, Side
from tests.sim.axis_allies.builders import (
    CASES,
    Battle,
    army,
    asked,
    battles,
    case_request,
    odds,
    parse_battle,
    request,
    slots,
)
from tests.sim.axis_allies.enumerate_losses import Rules
from tests.tables import kept_table


def test_chances_to_hold_add_up_to_the_mean() -> None:
    report = odds("4 inf, 3 tanks vs 5 inf, ftr")
    for side, left in ((Side.ATTACKER, report.att_left), (Side.DEFENDER, report.def_left)):
        for unit in report.odds(side).units:
            assert [step.units for step in unit.at_least] == list(range(1, unit.start + 1))
            assert sum(step.p for step in unit.at_least) == pytest.approx(left[unit.unit])


def test_results_tell_the_spread() -> None:
    report = odds("6 tanks vs 10 inf")
    side = report.odds(Side.DEFENDER)
    assert report.outcomes_beyond == 0
    lost = [(side.ipc_start - 3 * end.defender.get("infantry", 0), end.p) for end in report.outcomes]
    mean = sum(ipc * p for ipc, p in lost)
    assert mean == pytest.approx(side.ipc_lost, abs=1e-6)
    assert math.sqrt(sum((ipc - mean) ** 2 * p for ipc, p in lost)) == pytest.approx(side.ipc_lost_sd, abs=1e-6)
    assert [(bar.low, bar.high) for bar in side.units_of_winner] == [(count, count) for count in range(1, 11)]
    for each, wins in ((Side.ATTACKER, report.p_attacker), (Side.DEFENDER, report.p_defender)):
        assert sum(bar.p for bar in report.odds(each).units_of_winner) == pytest.approx(wins, abs=1e-9)


def test_long_distributions_are_cut_into_stretches() -> None:
    report = odds("400 inf vs 400 inf")
    side = report.odds(Side.DEFENDER)
    assert 50 < len(side.units_of_winner) <= 100
    assert all(
        before.high + 1 == after.low
        for before, after in zip(side.units_of_winner, side.units_of_winner[1:], strict=False)
    )
    assert sum(bar.p for bar in side.units_of_winner) == pytest.approx(report.p_defender)
    assert 90 < len(side.units[0].at_least) <= 100


def test_the_likeliest_ends_come_first() -> None:
    report = odds("30 inf, 10 tanks vs 30 inf, 20 tanks")
    chances = [end.p for end in report.outcomes]
    assert len(chances) <= 100
    assert chances == sorted(chances, reverse=True)
    best = report.outcomes[0]
    assert (best.winner, best.ending) == (Side.DEFENDER, Ending.ANNIHILATION)


def test_a_stalemate_has_no_rounds() -> None:
    report = odds("sub vs ftr")
    assert (report.p_none, report.p_stalemate, report.exp_rounds) == (1.0, 1.0, 0.0)
    assert [(end.attacker, end.defender, end.ending, end.winner) for end in report.outcomes] == [
        ({"submarine": 1}, {"fighter": 1}, Ending.STALEMATE, None)
    ]


def test_an_empty_side_has_lost_before_it_begins() -> None:
    assert OddsRequest(attacker=army({}), defender=army({"submarine": 1})).run().p_defender == 1.0
    assert OddsRequest(attacker=army({"infantry": 1}), defender=army({})).run().p_attacker == 1.0
    assert OddsRequest(attacker=army({}), defender=army({})).run().p_tie == 1.0


def test_aircraft_alone_take_nothing() -> None:
    """The infantry falls first, and the fighter that wins can't hold the ground."""
    question = request("inf, 5 ftr", "2 inf")
    free = question.run()
    summary = summary_of(solve(question.terms()), must_take=True, outcomes=100)
    report = odds_report(summary, question.attacker, question.defender)
    assert report.p_not_taken == pytest.approx(free.p_attacker - report.p_attacker)
    assert report.p_not_taken > 0.1
    assert report.p_none == report.p_not_taken
    assert {end.winner for end in report.outcomes if not end.defender and "infantry" not in end.attacker} == {None}
    assert report.likeliest == "not taken"
    assert "".join(report.headline()) == "Attacker takes it 41.7% of the time"


def test_land_units_at_sea_are_noted() -> None:
    assert odds("inf, dd vs dd").notes == (LAND_AT_SEA,)
    assert odds("dd vs dd").notes == ()


@pytest.mark.parametrize(("battle", "options", "headline"), kept_table(__file__, "headlines"))
def test_the_headline_is_the_likeliest_end(battle: str, options: dict[str, object], headline: str) -> None:
    odds = OddsRequest.model_validate({**parse_battle(battle), **options}).run()
    assert "".join(odds.headline()) == headline
    assert sum(odds.ends.values()) == pytest.approx(1, abs=1e-9)
    assert all(odds.percent(end) != "0%" for end in odds.ends), "zeros are left out"


@pytest.mark.parametrize(
    ("battle", "rounds"),
    [("6 tanks vs 10 inf", "about 2.7 rounds"), ("12 tanks vs 1 inf", "about 1 round"), ("1 sub vs 1 ftr", "")],
)
def test_the_mean_number_of_rounds(battle: str, rounds: str) -> None:
    assert OddsRequest.model_validate(parse_battle(battle)).run().rounds_text() == rounds


def test_of_equally_likely_results_the_earlier_comes_first() -> None:
    chances = np.array([0.2, 0.3, 0.2, 0.3])
    assert [likeliest(chances, most).tolist() for most in (1, 3, 9)] == [[1], [1, 3, 0], [1, 3, 0, 2]]


def told(battle: str, **options: object) -> OddsReport:
    return OddsRequest.model_validate({**parse_battle(battle), **options}).run()


@pytest.mark.parametrize(("battle", "impossible"), kept_table(__file__, "impossible"))
def test_what_no_dice_could_bring_about(battle: str, impossible: list[str]) -> None:
    assert sorted(told(battle).impossible) == impossible


def test_a_limit_of_rounds_rules_out_what_takes_more_shots() -> None:
    """6 tanks hit at most 6 times in a round: 10 infantry outlast it."""
    assert set(told("6 tanks vs 10 inf", stop_after=1).impossible) == {"attacker", "tie"}
    assert set(told("6 tanks vs 10 inf", stop_after=2).impossible) == set()


def test_bombers_that_throw_two_dice_have_two_shots() -> None:
    request = OddsRequest(**parse_battle("5 bmr vs 10 inf", "revised"), stop_after=1)
    heavy = request.model_copy(update={"attacker_technology": ("heavy-bombers",)})
    ruled_out = [impossible_outcomes(each.terms(), must_take=False) for each in (request, heavy)]
    assert ["attacker" in each for each in ruled_out] == [True, False]


def test_a_retreat_or_an_untaken_territory_is_nobody_s_victory() -> None:
    assert "nobody" not in told("3 inf, 12 ftr vs 10 inf", withdrawal={"below": 2}).impossible
    assert "nobody" not in told("1 inf, 12 ftr, 2 dd vs 3 sub", must_take=True).impossible


@pytest.mark.parametrize("attacker", ["12 inf", "1 inf, 12 ftr", "9 inf, 2 bb"])
def test_whoever_loses_the_last_land_unit_last_takes_the_territory_or_loses(attacker: str) -> None:
    odds = told(f"{attacker} vs 10 inf, 2 ftr", must_take=True)
    assert not odds.every_chance
    assert set(odds.impossible) == {"nobody"}


@pytest.mark.parametrize(
    ("battle", "every"),
    [("3 tanks vs 2 inf", True), ("8 tanks vs 2 inf", False), ("1 inf vs 60 tr", True), ("100 tanks vs 1 inf", False)],
)
def test_reports_know_whether_chances_were_left_out(battle: str, every: bool) -> None:
    assert told(battle).every_chance is every


@settings(max_examples=150, deadline=None)
@given(battles(most=4), st.sampled_from([NEVER, Withdrawal(below=2), Withdrawal(only_air=True)]))
@example(
    (
        (((Unit.DESTROYER, 2, 0), (Unit.FIGHTER, 1, 0)), ((Unit.DESTROYER, 1, 0), (Unit.TRANSPORT, 2, 0))),
        Rules("1942"),
    ),
    NEVER,
)
@example(
    (
        (((Unit.DESTROYER, 1, 0), (Unit.FIGHTER, 1, 0)), ((Unit.SUBMARINE, 1, 0), (Unit.TRANSPORT, 1, 0))),
        Rules("1942"),
    ),
    Withdrawal(only_air=True),
)
def test_a_result_is_listed_once(battle: Battle, withdrawal: Withdrawal) -> None:
    """Equal armies with the same ending are one row, whatever was lost without dice; all rows make 1."""
    terms = asked(battle) | {"withdrawal": withdrawal, "outcomes": MAX_OUTCOMES}
    try:
        report = OddsRequest.model_validate(terms).run()
    except RuleError:
        reject()
    ends: dict[tuple[frozenset[tuple[str, int]], ...], list[Ending]] = {}
    for row in report.outcomes:
        ends.setdefault((frozenset(row.attacker.items()), frozenset(row.defender.items())), []).append(row.ending)
    for found in ends.values():
        assert len(set(found)) == len(found)
        assert not {Ending.RETREAT, Ending.STALEMATE} <= set(found)
    assert math.fsum(row.p for row in report.outcomes) + report.outcomes_beyond == pytest.approx(1, abs=1e-9)


OWN_CASES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("odds_cases.json").read_text())
NEAR = 1e-10
FIGURES = ("p_attacker", "p_defender", "p_tie", "p_none", "exp_rounds", "att_ipc_lost", "def_ipc_lost")


def report(case: dict[str, Any]) -> OddsReport:
    chosen: str | dict[str, list[str]] = case["casualties"]
    own: dict[str, Casualties] = {}
    if isinstance(chosen, dict):
        own = {f"{side}_casualties": slots(names) for side, names in chosen.items()}
        chosen = "score"
    damaged = case["damaged_battleships"]
    return OddsRequest.model_validate(
        {
            "attacker": army(case["attacker"], {"battleship": damaged[0]}),
            "defender": army(case["defender"], {"battleship": damaged[1]}),
            "casualties": chosen,
            "stop_after": case["max_rounds"],
            "outcomes": MAX_OUTCOMES,
            **own,
        }
    ).run()


@pytest.mark.parametrize("known", OWN_CASES, ids=[str(case["id"]) for case in OWN_CASES])
def test_known_figures(known: dict[str, Any]) -> None:
    found = report(known)
    assert found.method == "exact"
    assert found.lost_mass < NEAR
    exact = {name: float(Fraction(text)) for name, text in known.get("exact", {}).items()}
    for expected in ({name: known[name] for name in FIGURES}, exact):
        assert {name: getattr(found, name) for name in expected} == pytest.approx(expected, abs=NEAR, rel=0)
    assert found.att_left == pytest.approx(known["att_left"], abs=NEAR, rel=0)
    assert found.def_left == pytest.approx(known["def_left"], abs=NEAR, rel=0)
    if known["outcomes"]:  # else there are too many
        finals = {_key(outcome.attacker, outcome.defender): outcome.p for outcome in found.outcomes}
        expected = {_key(attacker, defender): p for attacker, defender, p in known["outcomes"]}
        # Chances that are too small for the table are left out of it.
        assert set(expected) >= {final for final, p in finals.items() if p > NEAR}
        assert {final: finals.get(final, 0.0) for final in expected} == pytest.approx(expected, abs=NEAR, rel=0)


def _key(attacker: dict[str, int], defender: dict[str, int]) -> tuple[frozenset[Any], frozenset[Any]]:
    return frozenset(attacker.items()), frozenset(defender.items())


def test_every_edition_has_its_cases() -> None:
    assert len(CASES) == 150
    assert Counter(case["edition"] for case in CASES).keys() == EDITIONS.keys()


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_figures(case: dict[str, Any]) -> None:
    request = case_request(case)
    summary = summary_of(solve(request.terms()), must_take=False, outcomes=1)
    report = odds_report(summary, request.attacker, request.defender)
    found = {name: getattr(report, name) for name in (*FIGURES, "p_takes")}
    assert found == pytest.approx({name: case[name] for name in found}, abs=1e-9, rel=0)
    assert report.lost_mass < 1e-9
    for left, known in ((report.att_left, case["att_left"]), (report.def_left, case["def_left"])):
        none = dict.fromkeys([*left, *known], 0.0)
        assert none | left == pytest.approx(none | known, abs=1e-9, rel=0)


def test_where_none_was_left_out_a_nought_is_a_nought() -> None:
    odds = told("1 inf, 1 tr vs 1 inf")
    assert odds.every_chance
    assert odds.p_tie == 0
