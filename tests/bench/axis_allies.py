"""The rows of Axis & Allies: the odds of battles beside other programs, and how their cost grows with the armies.

The others' figures were measured once, on a two-core machine: milliseconds, warm, one thread; which units fought in
their larger battles is not known, so those ratios are rough. aacalc2's is a whole call with its report, so it compares
with "whole request"; those of the four battles on land are of its version 2.0.25, in the very same battles.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sim.axis_allies.army import Army
from sim.axis_allies.odds.engine import lines
from sim.axis_allies.parse import parse_army
from sim.axis_allies.requests import OddsRequest
from tests.bench.rows import Row


@dataclass(frozen=True)
class Battle:
    """A battle of the table: who fights, what the project asks for, and what others take, in milliseconds."""

    name: str
    attacker: str
    defender: str
    target: float | None
    peers: dict[str, float]
    edition: str = "1941"
    bombard: str = ""

    @property
    def request(self) -> OddsRequest:
        """The question."""
        armies = [parse_army(text, self.edition) for text in (self.attacker, self.defender)]
        bombard = parse_army(self.bombard, self.edition) if self.bombard else Army()
        return OddsRequest(attacker=armies[0], defender=armies[1], bombard=bombard)


NUMPY, AACALC2, ALLIES, ODDSENGINE, TRIPLEA, C = (
    "NumPy trial",
    "aacalc2",
    "AlliesCalc",
    "oddsengine",
    "TripleA",
    "plain C",
)
PEERS = (NUMPY, AACALC2, ALLIES, ODDSENGINE, TRIPLEA, C)

FLEET = "3 sub, 2 dd, 1 cv, 2 ftr, 1 bb, 1 tr"
LARGE_FLEET = "9 sub, 6 dd, 3 cv, 6 ftr, 3 bb, 3 tr"
BARE_FLEET = "4 sub, 2 cv, 3 ftr, 1 bb"
LARGE_BARE_FLEET = "12 sub, 5 cv, 9 ftr, 4 bb"


def _peers(*figures: float | None) -> dict[str, float]:
    return {name: figure for name, figure in zip(PEERS, figures, strict=True) if figure is not None}


FLEETS = {
    10: "3 sub, 2 dd, 1 cv, 2 ftr, 1 bb, 1 cru",
    20: "6 sub, 4 dd, 2 cv, 4 ftr, 2 bb, 2 cru",
    24: "8 sub, 4 cv, 6 ftr, 3 bb, 3 cru",
    30: "9 sub, 6 dd, 3 cv, 6 ftr, 3 bb, 3 cru",
    40: "5 sub, 4 dd, 2 cv, 3 ftr, 2 tac, 2 bb, 2 cru",
}
EDITIONS: list[tuple[str, tuple[str, str], float, float | None, str, str]] = [
    *(
        (name, sides, target, peer, "1942", "")
        for name, sides, target, peer in (
            ("1942 14v11 gun", ("6 inf, 2 art, 2 tank, 3 ftr, 1 bmr", "6 inf, 1 art, 1 aa, 1 tank, 2 ftr"), 0.2, 21.0),
            (
                "1942 30v32 2 guns",
                ("14 inf, 6 art, 4 tank, 4 ftr, 2 bmr", "18 inf, 4 art, 2 aa, 4 tank, 4 ftr"),
                1.0,
                22.0,
            ),
            (
                "1942 60v62",
                ("30 inf, 12 art, 8 tank, 6 ftr, 4 bmr", "36 inf, 8 art, 2 aa, 8 tank, 8 ftr"),
                4.0,
                165.0,
            ),
            ("1942 sea 10v10", (FLEETS[10], FLEETS[10]), 0.5, 16.0),
            ("1942 sea 20v20", (FLEETS[20], FLEETS[20]), 5.0, 27.0),
            ("1942 24v24 no dd", (FLEETS[24], FLEETS[24]), 40.0, 588.0),
            ("1942 sea 30v30", (FLEETS[30], FLEETS[30]), 15.0, 41.0),
        )
    ),
    ("1942 landing", ("5 inf, 2 art, 2 tank, 1 ftr", "9 inf, 1 art, 2 tank"), 0.1, 0.9, "1942", "2 bb, 2 cru"),
    ("1940 sea 20v20", (FLEETS[40], FLEETS[40]), 25.0, None, "1940", ""),
]

BATTLES = [
    Battle("3v3 land", "3 tanks", "3 inf", None, _peers(0.08, 0.034, 0.10, 56, 377, 0.0003)),
    Battle("6 tanks v 10 inf", "6 tanks", "10 inf", 0.02, _peers(0.14, 0.105, 0.60, 65, 428, 0.0014)),
    Battle(
        "20v20 land",
        "10 inf, 6 tanks, 3 ftr, 1 bmr",
        "12 inf, 5 tanks, 3 ftr",
        0.06,
        _peers(0.47, 0.73, 5.1, 157, 964, 0.014),
    ),
    Battle(
        "100v100 land",
        "50 inf, 30 tanks, 15 ftr, 5 bmr",
        "60 inf, 25 tanks, 15 ftr",
        3,
        _peers(9.1, 44, 173, 252, 4822, 1.4),
    ),
    Battle(
        "500v500 land",
        "250 inf, 150 tanks, 75 ftr, 25 bmr",
        "300 inf, 125 tanks, 75 ftr",
        170,
        _peers(163, None, None, None, None, None),
    ),
    Battle("sea 10v10", FLEET, FLEET, 0.3, _peers(9.8, 1.4, None, 214, 869, 0.056)),
    Battle("sea 30v30", LARGE_FLEET, LARGE_FLEET, 12, _peers(136, 63, None, 202, 1945, 4.5)),
    Battle("sea 10v10 no dd", BARE_FLEET, BARE_FLEET, None, _peers(12, 5.5, None, 169, 1071, 0.15)),
    Battle("sea 30v30 no dd", LARGE_BARE_FLEET, LARGE_BARE_FLEET, 100, _peers(632, 6227, None, 212, 2342, 38)),
    *(
        Battle(name, *sides, target, {} if peer is None else {AACALC2: peer}, edition, bombard)
        for name, sides, target, peer, edition, bombard in EDITIONS
    ),
]


GROWTH = {
    "land": ((5, 10, 20, 50, 100, 200, 500, 1000), ("inf", "tank", "ftr")),
    "sea": ((5, 10, 15, 20, 25, 30), ("sub", "dd", "ftr", "cv", "bb")),
    "sea without destroyers": ((5, 10, 15, 20, 25, 30), ("sub", "ftr", "cv", "bb")),
}
"""Sizes of a side, and the units in equal parts that make it."""


def rows() -> Iterator[Row]:
    """Yield the calculation and the whole request of each battle, and the calculation for growing armies."""
    for battle in BATTLES:
        yield Row(f"odds, {battle.name}", _solving(battle.request), battle.target, peers=battle.peers)
        yield Row(f"odds, {battle.name}, whole request", battle.request.run, peers=battle.peers)
    for name, (sizes, units) in GROWTH.items():
        for size in sizes:
            army = _mixed(size, *units)
            yield Row(f"odds, {name}, {size} a side", _solving(OddsRequest(attacker=army, defender=army)))


def _solving(request: OddsRequest) -> Callable[[], object]:
    """Return the pure calculation: tables in, distribution out."""
    parts = list(lines(request.terms()))
    return lambda: [line.tables.fight(line.start) for line in parts]


def _mixed(count: int, *units: str) -> Army:
    parts = [count // len(units) + (at < count % len(units)) for at in range(len(units))]
    return parse_army(", ".join(f"{part} {unit}" for part, unit in zip(parts, units, strict=True) if part))
