"""Short ways to write what the tests of the odds are about."""

from fractions import Fraction
from typing import TypedDict, Unpack

from hypothesis import strategies as st

from sim.axis_allies.army import Army, Group
from sim.axis_allies.casualties import Casualties
from sim.axis_allies.odds_report import OddsReport
from sim.axis_allies.parse import parse_army, parse_battle
from sim.axis_allies.requests import OddsRequest
from sim.axis_allies.units import Unit
from sim.core.values import Side
from tests.sim.axis_allies.enumerate_battle import Pile


class Terms(TypedDict, total=False):
    """What a request may say beside its armies."""

    casualties: Casualties
    attacker_casualties: Casualties
    stop_after: int
    retreat_below: int
    must_take: bool
    battles: int
    seed: int


NAMES = {unit.value: unit for unit in Unit} | {"carrier": Unit.CARRIER}


def army(counts: dict[str, int], damaged: int = 0) -> Army:
    """Make an army of counts by name; `damaged` of its battleships have taken a hit."""
    return Army(
        groups=tuple(
            Group(unit=unit, count=count, lives=count * unit.lives - (damaged if unit is Unit.BATTLESHIP else 0))
            for name, count in counts.items()
            for unit in (NAMES[name],)
        )
    )


def odds(battle: str, **terms: Unpack[Terms]) -> OddsReport:
    """Return the odds of a battle such as "6 tanks vs 10 inf"."""
    armies = parse_battle(battle)
    return OddsRequest(attacker=armies[Side.ATTACKER], defender=armies[Side.DEFENDER], **terms).run()


def request(attacker: str, defender: str, **terms: Unpack[Terms]) -> OddsRequest:
    """Make a request of two armies as text."""
    return OddsRequest(attacker=parse_army(attacker), defender=parse_army(defender), **terms)


def slots(names: list[str]) -> Casualties:
    """Return an explicit order of losses."""
    return tuple(NAMES[name] for name in names)


@st.composite
def piles(draw: st.DrawFn, most: int = 4) -> Pile:
    """Draw a small army, its battleships whole or damaged, in any order."""
    units = draw(st.lists(st.sampled_from(Unit), min_size=1, max_size=most))
    counts = {unit: units.count(unit) for unit in dict.fromkeys(units)}
    return tuple(
        (unit, count, draw(st.integers(0, count)) if unit is Unit.BATTLESHIP else 0) for unit, count in counts.items()
    )


def to_army(pile: Pile) -> Army:
    """Return the army of a pile."""
    groups = (Group(unit=unit, count=Fraction(count), lives=Fraction(whole)) for unit, count, whole in pile)
    return Army(groups=tuple(groups))
