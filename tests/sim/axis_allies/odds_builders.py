"""Short ways to write what the tests of the odds are about."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any, TypedDict, Unpack

from hypothesis import strategies as st

from sim.axis_allies.army import Army, Group
from sim.axis_allies.casualties import Casualties
from sim.axis_allies.editions import DEFAULT, EDITIONS
from sim.axis_allies.odds_report import OddsReport
from sim.axis_allies.parse import parse_army, parse_battle
from sim.axis_allies.requests import OddsRequest
from sim.axis_allies.units import Unit
from sim.axis_allies.withdrawal import Withdrawal
from tests.sim.axis_allies.enumerate_battle import Pile

CASES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("edition_cases.json").read_text())


class Terms(TypedDict, total=False):
    """What a request may say beside its armies."""

    casualties: Casualties
    attacker_casualties: Casualties
    defender_casualties: Casualties
    stop_after: int
    retreat_below: int
    must_take: bool
    battles: int
    seed: int
    outcomes: int


NAMES = {unit.value: unit for unit in Unit} | {"carrier": Unit.CARRIER, "tac": Unit.TACTICAL, "mech": Unit.MECH}


def army(counts: dict[str, int], damaged: int = 0, edition: str = DEFAULT) -> Army:
    """Make an army of counts by name; `damaged` of its battleships have taken a hit."""
    lives = EDITIONS[edition].lives
    units = {NAMES[name]: count for name, count in counts.items()}
    return Army(
        groups=tuple(
            Group(unit=unit, count=count, lives=count * lives(unit) - (damaged if unit is Unit.BATTLESHIP else 0))
            for unit, count in units.items()
        ),
        edition=edition,
    )


def odds(battle: str, **terms: Unpack[Terms]) -> OddsReport:
    """Return the odds of a battle such as "6 tanks vs 10 inf"."""
    return OddsRequest.model_validate({**parse_battle(battle), **_written(terms)}).run(course=True)


def request(attacker: str, defender: str, **terms: Unpack[Terms]) -> OddsRequest:
    """Make a request of two armies as text."""
    armies = {"attacker": parse_army(attacker), "defender": parse_army(defender)}
    return OddsRequest.model_validate({**armies, **_written(terms)})


def _written(terms: Terms) -> dict[str, Any]:
    """Return the terms as a request has them."""
    written: dict[str, Any] = dict(terms)
    below = written.pop("retreat_below", None)
    return written if below is None else {**written, "withdrawal": Withdrawal(below=below)}


def slots(names: list[str]) -> Casualties:
    """Return an explicit order of losses."""
    return tuple(NAMES[name] for name in names)


@st.composite
def piles(draw: st.DrawFn, most: int = 4, edition: str = DEFAULT) -> Pile:
    """Draw a small army, its ships whole or damaged, in any order."""
    book = EDITIONS[edition]
    units = draw(st.lists(st.sampled_from(list(book.units)), min_size=1, max_size=most))
    counts = {unit: units.count(unit) for unit in dict.fromkeys(units)}
    return tuple(
        (unit, count, draw(st.integers(0, count)) if book.lives(unit) else 0) for unit, count in counts.items()
    )


def to_army(pile: Pile, edition: str = DEFAULT) -> Army:
    """Return the army of a pile."""
    groups = (Group(unit=unit, count=Fraction(count), lives=Fraction(whole)) for unit, count, whole in pile)
    return Army(groups=tuple(groups), edition=edition)


def case_request(case: dict[str, Any]) -> OddsRequest:
    """Return the request for the odds of a case."""
    armies = {name: _case_army(case, name) for name in ("attacker", "defender", "bombard")}
    return OddsRequest.model_validate({**armies, **case.get("terms", {})})


def _case_army(case: dict[str, Any], name: str) -> Army:
    book, damaged = EDITIONS[case["edition"]], case.get("damaged", {}).get(name, {})
    groups = (
        Group(unit=unit, count=Fraction(count), lives=Fraction(count * book.lives(unit) - damaged.get(unit, 0)))
        for word, count in case.get(name, {}).items()
        for unit in (Unit(word),)
    )
    return Army(groups=tuple(groups), edition=book.name)
