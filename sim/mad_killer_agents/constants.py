"""Every figure of the game, in one place, and the few formulas over them alone.

Movement points are counted in halves throughout: 2 is one whole point.
"""

from enum import StrEnum
from functools import cache
from types import MappingProxyType

LEAST_SIDE, MOST_SIDE = 8, 40
"""Tiles of a map, each way."""
LOWEST, HIGHEST = 1, 6
"""Values of tiles (TV)."""
MOUNTAIN = 6
"""The value that nobody enters without Mountaineering, and that nothing changes."""
LEAST_PLAYERS, MOST_PLAYERS = 2, 8
MOST_ROUNDS = 500

START_UNITS = 20
TURN_MP = 2
"""What every army has at the start of its player's turn; nothing is saved up."""
ROAD_COST = 1
"""Halves that a TV 1 costs, and any tile that is marched onto."""
TILE_COST = 2
"""Halves that every other tile costs."""
MARCH_LOSS = 10
"""Percent of the marching units that are lost for each TV over 1, rounded down."""

FOUND_UNITS = 20
WORK_COST = 2
"""Halves that founding, lowering and raising cost."""
CITY_DISTANCE = 2
"""Within so many tiles of a city, each way, no other one is founded."""
LOWER_UNITS, RAISE_UNITS = 5, 10
FIRST_DISCOVERY, LATER_DISCOVERY = 30, 15
"""Units for a player's first technology, and how many more each one after it takes."""

STOMP = 20
"""A side with so many times the other's units loses nobody."""
DRAFT = 1
"""Units that an undefended city raises when it is attacked."""
CITY_SCORE = 20
"""Points of a city; its growth counts beside it."""


class Technology(StrEnum):
    """What a player can discover, once each."""

    ROADS = "roads"
    MASONRY = "masonry"
    DRILL = "drill"
    GRANARY = "granary"
    MOUNTAINEERING = "mountaineering"


EFFECTS = MappingProxyType(
    {
        Technology.ROADS: "TV 2 costs half a movement point",
        Technology.MASONRY: "the armour of cities counts twice",
        Technology.DRILL: "1 more strength in attack",
        Technology.GRANARY: "1 more unit from each city each turn",
        Technology.MOUNTAINEERING: "TV 6 can be entered for 1 movement point",
    }
)

DRILL_STRENGTH = 1
MASONRY_FACTOR = 2
GRANARY_UNITS = 1
ROADS_VALUE = 2
"""The tile value that Roads make as cheap as a TV 1."""


class AiKind(StrEnum):
    """Who plays for a player who is no person, or not there."""

    RANDOM = "random"
    PILLAGER = "pillager"
    BARBARIAN = "barbarian"
    MARSHAL = "marshal"


class MapKind(StrEnum):
    """How a map is drawn."""

    MOUNTAINS = "mountains"
    PLATEAUS = "plateaus"
    WEIGHTED = "weighted"
    RANDOM = "random"


PEAK_CHANCE, SLOPE_CHANCE, HILL_CHANCE = 10, 50, 2
"""Percent for a 6; for a value beside the next higher one; for one that stands alone."""
WEIGHTS = (32, 24, 18, 13, 8, 5)
"""Percent of TV 1 to 6 in a weighted map."""


@cache
def growth_cost(size: int) -> int:
    """Return the units that a city of `size` (1 or more) takes to grow by 1: twice a Fibonacci number, and 8."""
    a, b = 1, 1
    for _ in range(size - 1):
        a, b = b, a + b
    return 2 * a + 8


@cache
def growth_paid(size: int) -> int:
    """Return the units that a city took to grow from 1 to `size`."""
    return sum(growth_cost(before) for before in range(1, size))


def discovery_cost(known: int) -> int:
    """Return the units of the next technology for a player who has `known` ones."""
    return FIRST_DISCOVERY + LATER_DISCOVERY * known
