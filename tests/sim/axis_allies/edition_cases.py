"""Battles of all editions with figures from outside: exact odds of another program's making."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

from sim.axis_allies.army import Army, Group
from sim.axis_allies.editions import EDITIONS
from sim.axis_allies.requests import OddsRequest
from sim.axis_allies.units import Unit

CASES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("edition_cases.json").read_text())


def case_request(case: dict[str, Any]) -> OddsRequest:
    """Return the request for the odds of a case."""
    armies = {name: _army(case, name) for name in ("attacker", "defender", "bombard")}
    return OddsRequest.model_validate({**armies, **case.get("terms", {})})


def _army(case: dict[str, Any], name: str) -> Army:
    book, damaged = EDITIONS[case["edition"]], case.get("damaged", {}).get(name, {})
    groups = (
        Group(unit=unit, count=Fraction(count), lives=Fraction(count * book.lives(unit) - damaged.get(unit, 0)))
        for word, count in case.get(name, {}).items()
        for unit in (Unit(word),)
    )
    return Army(groups=tuple(groups), edition=book.name)
