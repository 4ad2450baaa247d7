"""The report of the odds; what can't happen at all is told apart from what is merely unlikely.

Its figures are held against those from outside: exact odds of other programs' making, for armies of all kinds and
editions.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, reject, settings
from hypothesis import strategies as st

from sim.axis_allies.army import Army
from sim.axis_allies.editions import EDITIONS
from sim.axis_allies.odds.engine import solve
from sim.axis_allies.odds.summary import likeliest, odds_report, summary_of
from sim.axis_allies.parse import parse_army
from sim.axis_allies.question import NEVER, Withdrawal
from sim.axis_allies.requests import MAX_OUTCOMES, OddsRequest
from sim.axis_allies.units import WORDS, Unit
from sim.core import RuleError
from sim.core.values import Ending, Side
from tests.sim.axis_allies.builders import Battle, asked, asking, battles, known, odds
from tests.sim.axis_allies.enumerate_losses import Rules
from tests.tables import kept_table


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


def test_an_empty_side_has_lost_before_it_begins() -> None:
    some, nobody = parse_army("1 sub"), Army()
    assert OddsRequest(attacker=nobody, defender=some).run().p_defender == 1.0
    assert OddsRequest(attacker=some, defender=nobody).run().p_attacker == 1.0
    assert OddsRequest(attacker=nobody, defender=nobody).run().p_tie == 1.0


def test_aircraft_alone_take_nothing() -> None:
    """The infantry falls first, and the fighter that wins can't hold the ground."""
    question = asking("inf, 5 ftr vs 2 inf")
    free = question.run()
    summary = summary_of(solve(question.terms()), must_take=True, outcomes=100)
    report = odds_report(summary, question.attacker, question.defender)
    assert report.p_not_taken == pytest.approx(free.p_attacker - report.p_attacker)
    assert report.p_not_taken > 0.1
    assert report.p_none == report.p_not_taken
    assert {end.winner for end in report.outcomes if not end.defender and "infantry" not in end.attacker} == {None}
    assert report.likeliest == "not taken"
    assert "".join(report.headline()) == "Attacker takes it 41.7% of the time"


@pytest.mark.parametrize(("battle", "headline"), kept_table(__file__, "headlines"))
def test_the_headline_is_the_likeliest_end(battle: str, headline: str) -> None:
    odds = asking(battle).run()
    assert "".join(odds.headline()) == headline
    assert sum(odds.ends.values()) == pytest.approx(1, abs=1e-9)
    assert all(odds.percent(end) != "0%" for end in odds.ends), "zeros are left out"


def test_of_equally_likely_results_the_earlier_comes_first() -> None:
    chances = np.array([0.2, 0.3, 0.2, 0.3])
    assert [likeliest(chances, most).tolist() for most in (1, 3, 9)] == [[1], [1, 3, 0], [1, 3, 0, 2]]


@pytest.mark.parametrize(("battle", "impossible"), kept_table(__file__, "impossible"))
def test_what_no_dice_could_bring_about(battle: str, impossible: list[str]) -> None:
    assert sorted(asking(battle).run().impossible) == impossible


@pytest.mark.parametrize(
    ("battle", "every"),
    [("3 tanks vs 2 inf", True), ("8 tanks vs 2 inf", False), ("1 inf vs 60 tr", True), ("100 tanks vs 1 inf", False)],
)
def test_reports_know_whether_chances_were_left_out(battle: str, every: bool) -> None:
    assert asking(battle).run().every_chance is every


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
    """Equal armies with the same ending are one row, whatever was lost without dice; all rows make all figures."""
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
    chances = [row.p for row in report.outcomes]
    assert chances == sorted(chances, reverse=True)
    assert math.fsum(chances) + report.outcomes_beyond == pytest.approx(1, abs=1e-9)
    for side, left, wins in zip(
        Side, (report.att_left, report.def_left), (report.p_attacker, report.p_defender), strict=True
    ):
        figures = report.odds(side)
        for unit in figures.units:
            assert [step.units for step in unit.at_least] == list(range(1, unit.start + 1))
            assert math.fsum(step.p for step in unit.at_least) == pytest.approx(left[unit.unit], abs=1e-9)
        assert math.fsum(bar.p for bar in figures.units_of_winner) == pytest.approx(wins, abs=1e-9)
        if not report.outcomes_beyond:
            lost = [figures.ipc_start - price(report.army(side), getattr(row, side)) for row in report.outcomes]
            mean = math.fsum(ipc * p for ipc, p in zip(lost, chances, strict=True))
            square = math.fsum((ipc - mean) ** 2 * p for ipc, p in zip(lost, chances, strict=True))
            assert (mean, math.sqrt(square)) == pytest.approx((figures.ipc_lost, figures.ipc_lost_sd), abs=1e-6)
            assert math.fsum(row.p for row in report.outcomes if row.winner is side) == pytest.approx(wins, abs=1e-9)


def price(army: Army, left: dict[str, int]) -> int:
    """Return the price of counts by `unit_key`."""
    return sum(army.book.cost(WORDS[key]) * count for key, count in left.items() if key in WORDS)


NEAR = 1e-10
FIGURES = {"p_attacker", "p_defender", "p_tie", "p_none", "p_takes", "exp_rounds", "att_ipc_lost", "def_ipc_lost"}


@pytest.mark.parametrize("case", [*known("edition_cases.json"), *known("odds_cases.json")])
def test_known_figures(case: dict[str, Any]) -> None:
    """Those of 1941 have the fractions of small battles, and every result."""
    report = asking(case["battle"], outcomes=MAX_OUTCOMES).run()
    assert report.method == "exact"
    assert report.lost_mass < NEAR
    exact = {name: float(Fraction(text)) for name, text in case.get("exact", {}).items()}
    for expected in ({name: case[name] for name in FIGURES & case.keys()}, exact):
        assert {name: getattr(report, name) for name in expected} == pytest.approx(expected, abs=NEAR, rel=0)
    for left, expected in ((report.att_left, case["att_left"]), (report.def_left, case["def_left"])):
        none = dict.fromkeys([*left, *expected], 0.0)
        assert none | left == pytest.approx(none | expected, abs=NEAR, rel=0)
    if case.get("outcomes"):  # else there are too many
        finals = {_key(outcome.attacker, outcome.defender): outcome.p for outcome in report.outcomes}
        results = {_key(attacker, defender): p for attacker, defender, p in case["outcomes"]}
        # Chances that are too small for the table are left out of it.
        assert set(results) >= {final for final, p in finals.items() if p > NEAR}
        assert {final: finals.get(final, 0.0) for final in results} == pytest.approx(results, abs=NEAR, rel=0)


def _key(attacker: dict[str, int], defender: dict[str, int]) -> tuple[frozenset[Any], frozenset[Any]]:
    return frozenset(attacker.items()), frozenset(defender.items())


def test_every_edition_has_its_cases() -> None:
    editions = [case.values[0]["battle"].partition(":")[0] for case in known("edition_cases.json")]
    assert len(editions) == 150
    assert set(editions) == EDITIONS.keys()
