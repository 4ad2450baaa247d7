"""Figures from outside: exact odds of other programs' making, for armies of all kinds and editions."""

import json
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from sim.axis_allies.casualties import Casualties
from sim.axis_allies.editions import EDITIONS
from sim.axis_allies.odds.engine import solve
from sim.axis_allies.odds.summary import odds_report
from sim.axis_allies.odds_report import OddsReport
from sim.axis_allies.requests import MAX_OUTCOMES, OddsRequest
from sim.axis_allies.units import Unit
from tests.sim.axis_allies.odds_builders import CASES, army, case_request, slots

UNITS = """
unit                 classic  revised    anniversary  1942-1     1942       1940       1941
infantry             1/2 3    1/2 3      1/2 3        1/2 3      1/2 3      1/2 3      1/2 3
mechanized infantry  -        -          -            -          -          1/2 4      -
artillery            -        2/2 4      2/2 4        2/2 4      2/2 4      2/2 4      -
tank                 3/2 5    3/3 5      3/3 5        3/3 5      3/3 6      3/3 6      3/3 6
antiaircraft gun     0/0 5    0/0 5      0/0 6        0/0 6      0/0 5      0/0 5      -
fighter              3/4 12   3/4 10     3/4 10       3/4 10     3/4 10     3/4 10     3/4 10
tactical bomber      -        -          -            -          -          3/3 11     -
bomber               4/1 15   4/1 15     4/1 12       4/1 12     4/1 12     4/1 12     4/1 12
submarine            2/2 8    2/2 8      2/1 6        2/1 6      2/1 6      2/1 6      2/1 6
destroyer            -        3/3 12     2/2 8        2/2 8      2/2 8      2/2 8      2/2 8
cruiser              -        -          3/3 12       3/3 12     3/3 12     3/3 12     -
transport            0/1 8    0/1 8      0/0 7        0/0 7      0/0 7      0/0 7      0/0 7
aircraft carrier     1/3 18   1/3 16     1/2 14       1/2 14     1/2 14     0/2 16 x2  1/2 12
battleship           4/4 24   4/4 24 x2  4/4 20 x2    4/4 20 x2  4/4 20 x2  4/4 20 x2  4/4 16 x2
"""
"""Attack, defence, price, and whether it takes two hits: from .docs/rules/axis_allies.md, "Units"."""

OWN_CASES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("odds_cases.json").read_text())
LISTED = [case for case in OWN_CASES if case["outcomes"]]
"""Those with all their outcomes; the others have too many."""
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
            "attacker": army(case["attacker"], damaged[0]),
            "defender": army(case["defender"], damaged[1]),
            "casualties": chosen,
            "stop_after": case["max_rounds"],
            "outcomes": MAX_OUTCOMES,
            **own,
        }
    ).run()


@pytest.fixture(scope="module", params=OWN_CASES, ids=[str(case["id"]) for case in OWN_CASES])
def case(request: pytest.FixtureRequest) -> tuple[dict[str, Any], OddsReport]:
    known: dict[str, Any] = request.param
    return known, report(known)


def test_main_figures(case: tuple[dict[str, Any], OddsReport]) -> None:
    known, found = case
    assert found.method == "exact"
    assert {name: getattr(found, name) for name in FIGURES} == pytest.approx(
        {name: known[name] for name in FIGURES}, abs=NEAR, rel=0
    )


def test_fractions(case: tuple[dict[str, Any], OddsReport]) -> None:
    known, found = case
    for name, text in known.get("exact", {}).items():
        assert getattr(found, name) == pytest.approx(float(Fraction(text)), abs=NEAR, rel=0)


def test_units_left(case: tuple[dict[str, Any], OddsReport]) -> None:
    known, found = case
    assert found.att_left == pytest.approx(known["att_left"], abs=NEAR, rel=0)
    assert found.def_left == pytest.approx(known["def_left"], abs=NEAR, rel=0)


@pytest.mark.parametrize("known", LISTED, ids=[str(case["id"]) for case in LISTED])
def test_final_armies(known: dict[str, Any]) -> None:
    found = report(known)
    finals = {_key(outcome.attacker, outcome.defender): outcome.p for outcome in found.outcomes}
    expected = {_key(attacker, defender): p for attacker, defender, p in known["outcomes"]}
    # Chances that are too small for the table are left out of it.
    assert set(expected) >= {final for final, p in finals.items() if p > NEAR}
    assert {final: finals.get(final, 0.0) for final in expected} == pytest.approx(expected, abs=NEAR, rel=0)


def test_lost_mass(case: tuple[dict[str, Any], OddsReport]) -> None:
    _, found = case
    assert found.lost_mass < NEAR


def _key(attacker: dict[str, int], defender: dict[str, int]) -> tuple[frozenset[Any], frozenset[Any]]:
    return frozenset(attacker.items()), frozenset(defender.items())


def test_units() -> None:
    """What both the engine and the enumeration read is in .docs/rules/axis_allies.md, "Units"."""
    (_, *names), *lines = (re.split(r"  +", line) for line in UNITS.strip().split("\n"))
    assert set(names) == set(EDITIONS)
    for unit, *told in lines:
        for book, text in zip(map(EDITIONS.__getitem__, names), told, strict=True):
            row = book.units.get(Unit(unit))
            lives = " x2" if row and book.lives(Unit(unit)) else ""
            assert text == (f"{row.attack}/{row.defence} {row.cost}{lives}" if row else "-"), (unit, book.name)


def test_every_edition_has_its_cases() -> None:
    assert len(CASES) == 150
    assert Counter(case["edition"] for case in CASES).keys() == EDITIONS.keys()


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_figures(case: dict[str, Any]) -> None:
    request = case_request(case)
    solution = solve(request.terms(request.stop_after, request.withdrawal))
    report = odds_report(solution, request.attacker, request.defender, must_take=False, outcomes=1)
    found = {name: getattr(report, name) for name in (*FIGURES, "p_takes")}
    assert found == pytest.approx({name: case[name] for name in found}, abs=1e-9, rel=0)
    assert report.lost_mass < 1e-9
    for left, known in ((report.att_left, case["att_left"]), (report.def_left, case["def_left"])):
        none = dict.fromkeys([*left, *known], 0.0)
        assert none | left == pytest.approx(none | known, abs=1e-9, rel=0)
