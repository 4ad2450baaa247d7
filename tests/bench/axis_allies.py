"""The rows of Axis & Allies: the odds of battles beside other programs, and how their cost grows with the armies.

The others' figures were measured once, on a two-core machine: milliseconds, warm, one thread; which units fought in
their larger battles is not known, so those ratios are rough. aacalc2's is a whole call with its report, so it compares
with "whole request"; where `solving` has its calculation alone, with everything prepared as in ours, the other row
compares with that. These five are of its version 2.0.25, in the very same battles, measured in turns with ours.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from sim.axis_allies.army import Army
from sim.axis_allies.odds.engine import lines
from sim.axis_allies.parse import parse_army
from sim.axis_allies.requests import OddsRequest
from sim.axis_allies.spending import SpendRequest, read_fronts
from tests.bench.rows import Row
from tests.tables import kept_table


@dataclass(frozen=True)
class Battle:
    """A battle of the table: who fights, what the project asks for, and what others take, in milliseconds."""

    name: str
    attacker: str
    defender: str
    target: float | None = None
    peers: dict[str, float] = field(default_factory=dict)
    edition: str = "1941"
    bombard: str = ""
    solving: dict[str, float] = field(default_factory=dict)

    @property
    def request(self) -> OddsRequest:
        """The question."""
        armies = [parse_army(text, self.edition) for text in (self.attacker, self.defender)]
        bombard = parse_army(self.bombard, self.edition) if self.bombard else Army()
        return OddsRequest(attacker=armies[0], defender=armies[1], bombard=bombard)


BATTLES = [Battle(**row) for row in kept_table(__file__, "battles")]


GROWTH = {
    "land": ((5, 10, 20, 50, 100, 200, 500, 1000), ("inf", "tank", "ftr")),
    "sea": ((5, 10, 15, 20, 25, 30), ("sub", "dd", "ftr", "cv", "bb")),
    "sea without destroyers": ((5, 10, 15, 20, 25, 30), ("sub", "ftr", "cv", "bb")),
}
"""Sizes of a side, and the units in equal parts that make it."""


FRONTS = "6 inf, 1 ftr vs 12 inf, 1 ftr, 1 aa worth 6; 4 inf, 2 tanks vs 10 inf, 1 aa worth 5; nobody vs 8 inf worth 6"


def rows() -> Iterator[Row]:
    """Yield the calculation and the whole request of each battle, and the calculation for growing armies."""
    for battle in BATTLES:
        yield Row(f"odds, {battle.name}", _solving(battle.request), battle.target, peers=battle.peers | battle.solving)
        yield Row(f"odds, {battle.name}, whole request", battle.request.run, peers=battle.peers)
    for name, (sizes, units) in GROWTH.items():
        for size in sizes:
            parts = [size // len(units) + (at < size % len(units)) for at in range(len(units))]
            army = parse_army(", ".join(f"{part} {unit}" for part, unit in zip(parts, units, strict=True) if part))
            yield Row(f"odds, {name}, {size} a side", _solving(OddsRequest(attacker=army, defender=army)))
    yield Row("spend 60 IPC over three fronts", SpendRequest(budget=60, fronts=read_fronts(FRONTS, "1942")).run, 1_000)


def _solving(request: OddsRequest) -> Callable[[], object]:
    """Return the pure calculation: tables in, distribution out."""
    parts = list(lines(request.terms()))
    return lambda: [line.tables.fight(line.start) for line in parts]
