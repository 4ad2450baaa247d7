"""Maps: four ways to draw one with dice, statistics (.docs/rules/mad_killer_agents.md, "Map kinds")."""

from collections import Counter
from typing import Annotated, Self

from pydantic import Field, model_validator

from sim.core.dice import Dice
from sim.core.errors import RuleError
from sim.core.values import Frozen
from sim.mad_killer_agents.constants import (
    EDITION,
    MAX_SIDE,
    MAX_VALUE,
    MIN_SIDE,
    MIN_VALUE,
    MOUNTAIN,
    SLOPE_CHANCE,
    WEIGHTS,
    EditionRules,
    MapKind,
    rules_of,
)
from sim.mad_killer_agents.grid import Neighbors, largest_region, neighbors, steps_from

Length = Annotated[int, Field(ge=MIN_SIDE, le=MAX_SIDE, strict=True)]
"""Width or height of a map in tiles."""

Omitted = Annotated[int, Field(ge=MIN_VALUE + 1, le=MAX_VALUE - 1, strict=True)]
"""The value that plateaus leave out."""

_PERCENT = 100


class Terrain(Frozen):
    """The values of all tiles: a string of digits 1 to 6 for each row, from the top. RuleError for anything else."""

    rows: Annotated[tuple[Annotated[str, Field(max_length=MAX_SIDE)], ...], Field(max_length=MAX_SIDE)]

    @model_validator(mode="after")
    def _valid_rows(self) -> Self:
        if not (MIN_SIDE <= self.height <= MAX_SIDE and MIN_SIDE <= self.width <= MAX_SIDE):
            size = f"{self.width} x {self.height}"
            raise RuleError(f"A map has {MIN_SIDE} to {MAX_SIDE} tiles each way; this one is {size}.")
        digits = {str(value) for value in range(MIN_VALUE, MAX_VALUE + 1)}
        for number, row in enumerate(self.rows, start=1):
            if len(row) != self.width:
                raise RuleError(f"Row {number} of the map has {len(row)} tiles where the first row has {self.width}.")
            if not set(row) <= digits:
                raise RuleError(f"Row {number} of the map has a tile that is no value from {MIN_VALUE} to {MAX_VALUE}.")
        return self

    @classmethod
    def of(cls, values: list[int], width: int) -> Self:
        """Return the map with these values, row by row."""
        digits = "".join(map(str, values))
        return cls(rows=tuple(digits[at : at + width] for at in range(0, len(digits), width)))

    @property
    def width(self) -> int:
        """Tiles in a row."""
        return len(self.rows[0]) if self.rows else 0

    @property
    def height(self) -> int:
        """Number of rows."""
        return len(self.rows)

    @property
    def values(self) -> list[int]:
        """The values of all tiles, row by row."""
        return [int(digit) for row in self.rows for digit in row]


class Drawing(Frozen):
    """How to draw a map. `omitted`: the value that plateaus leave out; None lets the dice choose."""

    width: Length = 20
    height: Length = 20
    kind: MapKind = MapKind.MOUNTAINS
    omitted: Omitted | None = None

    @model_validator(mode="after")
    def _only_plateaus_omit(self) -> Self:
        if self.omitted is not None and self.kind is not MapKind.PLATEAUS:
            raise RuleError("Only plateaus leave a value out.")
        return self

    def draw(self, dice: Dice, edition: int = EDITION) -> Terrain:
        """Draw the map by that edition of the rules.

        Every kind visits the tiles column by column, each from the top. A chance of p percent is a roll of p or less
        with a 100-sided die.
        """
        order = [y * self.width + x for x in range(self.width) for y in range(self.height)]
        if self.kind is MapKind.WEIGHTED:
            values = _weighted(order, dice)
        elif self.kind is MapKind.RANDOM:
            values = [MIN_VALUE] * len(order)
            for tile in order:
                values[tile] = dice.roll(MAX_VALUE)
        else:
            omitted = self.omitted
            if self.kind is MapKind.PLATEAUS and omitted is None:
                omitted = MIN_VALUE + dice.roll(MAX_VALUE - 1 - MIN_VALUE)
            values = _mountains(order, dice, neighbors(self.width, self.height), omitted, rules_of(edition))
        return Terrain.of(values, self.width)


def _weighted(order: list[int], dice: Dice) -> list[int]:
    faces = [value for value, weight in enumerate(WEIGHTS, start=MIN_VALUE) for _ in range(weight)]
    values = [MIN_VALUE] * len(order)
    for tile in order:
        values[tile] = faces[dice.roll(len(faces)) - 1]
    return values


def _mountains(order: list[int], dice: Dice, around: Neighbors, omitted: int | None, rules: EditionRules) -> list[int]:
    values = [0] * len(order)
    unassigned = order
    for value in range(MAX_VALUE, MIN_VALUE, -1):
        if value == omitted:
            continue
        left = []
        for tile in unassigned:
            if value == MAX_VALUE:
                chance = rules.peak_chance
            else:
                chance = SLOPE_CHANCE if any(values[near] == value + 1 for near in around[tile]) else rules.hill_chance
            if dice.roll(_PERCENT) <= chance:
                values[tile] = value
            else:
                left.append(tile)
        unassigned = left
    return [value or MIN_VALUE for value in values]


def passable(values: list[int]) -> list[bool]:
    """Return, for each tile, whether an army can enter it without Mountaineering."""
    return [value < MOUNTAIN for value in values]


class MapStatistics(Frozen):
    """Statistics of a map.

    `counts`: tiles of each value, from 1. `mean`: the mean value. `land`: tiles of the largest connected passable
    region. `regions`: the number of such regions. `longest`: steps between the two tiles of the largest region that are
    furthest apart, by a double sweep, which is sometimes one step short.
    """

    counts: tuple[int, ...]
    mean: float
    land: int
    regions: int
    longest: int


def statistics(terrain: Terrain) -> MapStatistics:
    """Return the statistics of a map."""
    values = terrain.values
    open_tiles, around = passable(values), neighbors(terrain.width, terrain.height)
    tiles_by_value = Counter(values)
    region = largest_region(open_tiles, around)
    longest = 0
    tile = region[0] if region else None
    for _ in range(2 if region else 0):
        steps = steps_from((tile,) if tile is not None else (), open_tiles, around)
        tile = max(region, key=steps.__getitem__)
        longest = steps[tile]
    return MapStatistics(
        counts=tuple(tiles_by_value[value] for value in range(MIN_VALUE, MAX_VALUE + 1)),
        mean=sum(values) / len(values),
        land=len(region),
        regions=_regions(open_tiles, terrain),
        longest=longest,
    )


def _regions(open_tiles: list[bool], terrain: Terrain) -> int:
    around = neighbors(terrain.width, terrain.height)
    unseen = {tile for tile, is_open in enumerate(open_tiles) if is_open}
    regions = 0
    while unseen:
        regions += 1
        queue = [unseen.pop()]
        for tile in queue:
            for near in around[tile]:
                if near in unseen:
                    unseen.remove(near)
                    queue.append(near)
    return regions
