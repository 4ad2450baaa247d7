"""Figures from outside: exact odds of other programs' making, for armies of all kinds."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from sim.axis_allies.casualties import Casualties
from sim.axis_allies.odds_report import OddsReport
from sim.axis_allies.requests import MAX_OUTCOMES, OddsRequest
from tests.sim.axis_allies.odds_builders import army, slots

CASES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("odds_cases.json").read_text())
LISTED = [case for case in CASES if case["outcomes"]]
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


@pytest.fixture(scope="module", params=CASES, ids=[str(case["id"]) for case in CASES])
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
