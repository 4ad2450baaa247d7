"""All constants of the game, and formulas that need nothing else.

Movement points are counted in halves everywhere: 2 is one whole point.
"""

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import NamedTuple

MIN_SIDE, MAX_SIDE = 8, 40
"""Width or height of a map in tiles."""
MIN_VALUE, MAX_VALUE = 1, 6
"""Tile values (TV)."""
MOUNTAIN = 6
"""The value that can't be changed, nor entered without Mountaineering."""
MIN_PLAYERS, MAX_PLAYERS = 2, 8
MAX_ROUNDS = 500

RULES_VERSION = 3
"""The version of the rules that new games are played by; see `Setup`."""

START_UNITS = 20
LATER_UNITS = 12
"""Additional units at the start for playing a round later than the first player, in proportion for a part of a round:
with two players, the second has 6 more. Of 400 games of two marshals the first won 260 without and 204 with them."""
QUIET_ROUNDS = 40
"""Rounds in a row without an attack, a founding or a growth that end the game by score."""
TURN_MP = 2
"""Movement points of every army at the start of its player's turn; unused ones are lost."""
ROAD_COST = 1
"""Cost in halves of entering TV 1, and of a forced march onto any tile."""
TILE_COST = 2
"""Cost in halves of entering any other tile."""
MARCH_LOSS = 10
"""Percent of the marching units lost for each TV above 1, rounded down."""

FOUND_UNITS = 20
WORK_COST = 2
"""Cost in halves of founding a city and of lowering or raising a tile."""
LOWER_UNITS, RAISE_UNITS = 5, 10
FIRST_DISCOVERY, LATER_DISCOVERY = 30, 15
"""Units for a player's first technology, and the additional units for each further one."""

STOMP_FACTOR = 20
"""A side with this many times the units of the other loses nobody."""
DRAFT_UNITS = 1
"""Units that an undefended city raises when it is attacked."""
CITY_SCORE = 20
"""Points of a city, not counting its growth."""


class Technology(StrEnum):
    """What a player can discover, each once."""

    ROADS = "roads"
    MASONRY = "masonry"
    DRILL = "drill"
    GRANARY = "granary"
    MOUNTAINEERING = "mountaineering"


EFFECTS: Mapping[Technology, str] = {
    Technology.ROADS: "TV 2 costs ½ MP to enter",
    Technology.MASONRY: "your cities defend with twice their size",
    Technology.DRILL: "+1 strength when you attack",
    Technology.GRANARY: "each city makes 1 more unit a turn",
    Technology.MOUNTAINEERING: "you can enter mountains (TV 6) for 1 MP",
}

DRILL_STRENGTH = 1
MASONRY_FACTOR = 2
GRANARY_UNITS = 1
ROADS_VALUE = 2
"""The tile value that Roads make as cheap as TV 1."""


class AiKind(StrEnum):
    """The AIs that play as players of their own or for a person who is away."""

    RANDOM = "random"
    PILLAGER = "pillager"
    BARBARIAN = "barbarian"
    MARSHAL = "marshal"


class MapKind(StrEnum):
    """Ways to draw a map."""

    MOUNTAINS = "mountains"
    PLATEAUS = "plateaus"
    WEIGHTED = "weighted"
    RANDOM = "random"


SLOPE_CHANCE = 50
"""Percent, on mountains and plateaus, for a value next to one that is 1 higher."""
WEIGHTS = (32, 24, 18, 13, 8, 5)
"""Percent of TV 1 to 6 in a weighted map."""


class VersionRules(NamedTuple):
    """The figures that a version of the rules changed.

    `peak_chance`: percent, on mountains and plateaus, for a 6; `hill_chance`: for a lower value that isn't next to one
    that is 1 higher. `city_reach`: no city can be founded within this many tiles of another one.
    """

    peak_chance: int
    hill_chance: int
    city_reach: int


def rules_of(rules_version: int) -> VersionRules:
    """Return the figures of a version of the rules.

    Until the third, peaks were so frequent that mountains had no valleys, and cities were 3 tiles apart, not 2.
    """
    return VersionRules(3, 1, 1) if rules_version > 2 else VersionRules(10, 2, 2)  # noqa: PLR2004 - as said above


@cache
def growth_cost(size: int) -> int:
    """Return the units that a city of `size` (1 or more) needs to grow by 1: 8 plus twice a Fibonacci number."""
    a, b = 1, 1
    for _ in range(size - 1):
        a, b = b, a + b
    return 2 * a + 8


@cache
def growth_paid(size: int) -> int:
    """Return the units that a city needed to grow from 1 to `size`; 0 for none."""
    return sum(growth_cost(before) for before in range(1, size))


def discovery_cost(known: int) -> int:
    """Return the units that a player with `known` technologies needs for the next one."""
    return FIRST_DISCOVERY + LATER_DISCOVERY * known
