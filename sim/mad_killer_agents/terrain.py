"""Maps: their tiles, four ways to draw one with dice, statistics, and starting tiles.

The ways are told in .docs/rules/mad_killer_agents.md, "Map kinds". In the code a tile is one number: row x width +
column, both from 0.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Annotated, Self

from pydantic import Field, model_validator

from sim.core import RuleError
from sim.core.dice import Dice, shuffled
from sim.core.values import Frozen
from sim.csv import column_letter
from sim.mad_killer_agents import constants as c

_TILE_NAME = re.compile(r"([A-Za-z]{1,2})([0-9]{1,2})", re.ASCII)


def tile_name(tile: int, width: int) -> str:
    """Return the name of a tile on a map of that width."""
    row, column = divmod(tile, width)
    return f"{column_letter(column)}{row + 1}"


@lru_cache(maxsize=4096)
def read_tile(text: str, width: int, height: int) -> int:
    """Return the tile with that name; RuleError if the text is no tile name, or the tile isn't on the map."""
    match = _TILE_NAME.fullmatch(text)
    if match is None:
        raise RuleError(f"Name a tile here, such as C7, not {text[:20]!r}.")
    column = 0
    for letter in match[1].upper():
        column = column * 26 + ord(letter) - ord("A") + 1
    row = int(match[2])
    if not (column <= width and 1 <= row <= height):
        corner = tile_name(width * height - 1, width)
        raise RuleError(f"{match[0].upper()} is not on the map, which goes from A1 to {corner}.")
    return (row - 1) * width + column - 1


Neighbors = tuple[tuple[int, ...], ...]
"""For each tile, the tiles around it in ascending order."""

FAR = 1 << 20
"""The distance to a tile that can't be reached."""


@lru_cache(maxsize=64)
def neighbors(width: int, height: int) -> Neighbors:
    """Return the up to 8 neighbors of every tile."""
    near = enumerate(surroundings(width, height, 1))
    return tuple(tuple(tile for tile in tiles if tile != at) for at, tiles in near)


@lru_cache(maxsize=64)
def surroundings(width: int, height: int, reach: int) -> Neighbors:
    """Return the tiles within `reach` of every tile, itself included."""
    rows, columns = (
        [range(max(0, at - reach), min(side, at + reach + 1)) for at in range(side)] for side in (height, width)
    )
    return tuple(tuple(y * width + x for y in down for x in across) for down in rows for across in columns)


def regions(open_tiles: Sequence[bool], around: Neighbors) -> list[list[int]]:
    """Return the connected regions of open tiles, each sorted, in the order of their first tiles."""
    found = []
    left = [tile for tile, is_open in enumerate(open_tiles) if is_open]
    while left:
        steps = steps_from(left[:1], open_tiles, around)
        found.append([tile for tile in left if steps[tile] < FAR])
        left = [tile for tile in left if steps[tile] == FAR]
    return found


def steps_from(starts: Iterable[int], open_tiles: Sequence[bool], around: Neighbors) -> list[int]:
    """Return each tile's number of steps from the nearest of `starts` through open tiles; FAR if there is no path."""
    steps = [FAR] * len(open_tiles)
    queue = list(starts)
    for tile in queue:
        steps[tile] = 0
    for tile in queue:
        further = steps[tile] + 1
        for near in around[tile]:
            if steps[near] == FAR and open_tiles[near]:
                steps[near] = further
                queue.append(near)
    return steps


Length = Annotated[int, Field(ge=c.MIN_SIDE, le=c.MAX_SIDE, strict=True)]
"""Width or height of a map in tiles."""

_SIZE = re.compile(r"(?P<width>[0-9]{1,4})(?:\s*[xX×*]\s*(?P<height>[0-9]{1,4}))?", re.ASCII)


_Row = Annotated[str, Field(pattern=f"^[{c.MIN_VALUE}-{c.MAX_VALUE}]{{{c.MIN_SIDE},{c.MAX_SIDE}}}$")]


def digit_rows(values: Iterable[int], width: int) -> tuple[str, ...]:
    """Return values of one digit each, row by row, as a string for each row."""
    digits = bytes(values).hex()[1::2]  # the last digit of each byte: fast, as every step writes the whole map
    return tuple(digits[at : at + width] for at in range(0, len(digits), width))


class Terrain(Frozen):
    """The values of all tiles: a string of digits 1 to 6 for each row, from the top, all of one length."""

    rows: Annotated[tuple[_Row, ...], Field(min_length=c.MIN_SIDE, max_length=c.MAX_SIDE)]

    @model_validator(mode="after")
    def _equal_rows(self) -> Self:
        for number, row in enumerate(self.rows, start=1):
            if len(row) != self.width:
                raise RuleError(f"Row {number} of the map has {len(row)} tiles where the first row has {self.width}.")
        return self

    @classmethod
    def of(cls, values: list[int], width: int) -> Self:
        """Return the map with these values, row by row."""
        return cls(rows=digit_rows(values, width))

    @property
    def width(self) -> int:
        """Tiles in a row."""
        return len(self.rows[0])

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
    kind: c.MapKind = c.MapKind.MOUNTAINS
    omitted: Annotated[int, Field(ge=c.MIN_VALUE + 1, le=c.MAX_VALUE - 1, strict=True)] | None = None

    @classmethod
    def read(cls, size: str, kind: str, without: int | None) -> Self:
        """Return how to draw a map of a size such as `20x16`, or `20` for a square; RuleError if anything is wrong."""
        found = _SIZE.fullmatch(size.strip())
        if found is None:
            raise RuleError(f"Size: write columns x rows, such as 20x16, not {size.strip()[:20]!r}.")
        width, height = int(found["width"]), int(found["height"] or found["width"])
        if not (c.MIN_SIDE <= width <= c.MAX_SIDE and c.MIN_SIDE <= height <= c.MAX_SIDE):
            raise RuleError(f"Size: a map has {c.MIN_SIDE} to {c.MAX_SIDE} tiles each way, not {width} x {height}.")
        known = kind.strip().lower()
        if known not in set(c.MapKind):
            raise RuleError(f"Map: there is no kind {kind[:20]}; there are {', '.join(c.MapKind)}.")
        if without is not None and not c.MIN_VALUE < without < c.MAX_VALUE:
            raise RuleError(f"Without: plateaus leave out a value from {c.MIN_VALUE + 1} to {c.MAX_VALUE - 1}.")
        return cls(width=width, height=height, kind=c.MapKind(known), omitted=without)

    @model_validator(mode="after")
    def _only_plateaus_omit(self) -> Self:
        if self.omitted is not None and self.kind is not c.MapKind.PLATEAUS:
            raise RuleError("Without: only plateaus leave a value out.")
        return self

    def draw(self, dice: Dice, rules_version: int = c.RULES_VERSION) -> Terrain:
        """Draw the map by that version of the rules.

        Every kind visits the tiles column by column, each from the top. A chance of p percent is a roll of p or less
        with a 100-sided die.
        """
        order = [y * self.width + x for x in range(self.width) for y in range(self.height)]
        weights = {c.MapKind.WEIGHTED: c.WEIGHTS, c.MapKind.RANDOM: (1,) * c.MAX_VALUE}.get(self.kind)
        if weights is not None:
            faces = [value for value, weight in enumerate(weights, start=c.MIN_VALUE) for _ in range(weight)]
            values = [c.MIN_VALUE] * len(order)
            for tile in order:
                values[tile] = faces[dice.roll(len(faces)) - 1]
        else:
            omitted = self.omitted
            if self.kind is c.MapKind.PLATEAUS and omitted is None:
                omitted = c.MIN_VALUE + dice.roll(c.MAX_VALUE - 1 - c.MIN_VALUE)
            values = _mountains(order, dice, neighbors(self.width, self.height), omitted, c.rules_of(rules_version))
        return Terrain.of(values, self.width)


def _mountains(
    order: list[int], dice: Dice, around: Neighbors, omitted: int | None, rules: c.VersionRules
) -> list[int]:
    values, unassigned = [0] * len(order), order
    for value in range(c.MAX_VALUE, c.MIN_VALUE, -1):
        if value == omitted:
            continue
        left = []
        for tile in unassigned:
            chance = rules.peak_chance if value == c.MAX_VALUE else rules.hill_chance
            if value < c.MAX_VALUE and any(values[near] == value + 1 for near in around[tile]):
                chance = c.SLOPE_CHANCE
            if dice.roll(100) <= chance:
                values[tile] = value
            else:
                left.append(tile)
        unassigned = left
    return [value or c.MIN_VALUE for value in values]


def passable(values: list[int]) -> list[bool]:
    """Return, for each tile, whether an army can enter it without Mountaineering."""
    return [value < c.MOUNTAIN for value in values]


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
    found = regions(open_tiles, around)
    region = max(found, key=len, default=[])
    furthest, longest = region[:1], 0
    for _ in range(2 if region else 0):
        steps = steps_from(furthest, open_tiles, around)
        furthest = [max(region, key=steps.__getitem__)]
        longest = steps[furthest[0]]
    return MapStatistics(
        counts=tuple(tiles_by_value[value] for value in range(c.MIN_VALUE, c.MAX_VALUE + 1)),
        mean=sum(values) / len(values),
        land=len(region),
        regions=len(found),
        longest=longest,
    )


_SWEEPS = 3
MAX_VISITS = 500_000
"""Tiles that the search for more steps looks at before it gives up; measured: half a second at most."""


def starting_tiles(terrain: Terrain, players: int, dice: Dice) -> list[int]:
    """Return a tile for each player; the least distance between two of them is as large as the region allows.

    Distances are steps through the largest passable region. Tries one more step between them, from `spread_tiles` on,
    until that is impossible or has taken `MAX_VISITS`. Up to 30 x 30 tiles no map was found that is a step short of
    what a longer search finds, of 40 x 40 one in a hundred. RuleError if the region has fewer tiles than players.
    """
    tiles = spread_tiles(terrain, players, dice)
    region = _Region(terrain, tiles[0])
    while region.are_far(tiles):
        region.widen()
    while (better := region.search(players)) is not None:
        tiles = shuffled(better, dice)
        region.widen()
    return tiles


def spread_tiles(terrain: Terrain, players: int, dice: Dice) -> list[int]:
    """Return a tile for each player, far apart, but not always as far as possible; the first edition played on these.

    The dice choose a tile. The first start is the tile furthest from it, each next one the tile furthest from all
    before. Then each start in turn moves to the tile furthest from the others, until none improves. The dice break
    ties. RuleError if the region has fewer tiles than players.
    """
    open_tiles, around = passable(terrain.values), neighbors(terrain.width, terrain.height)
    region = max(regions(open_tiles, around), key=len, default=[])
    if len(region) < players:
        raise RuleError(f"The map has no connected land for {players} players.")

    def steps(tile: int) -> list[int]:
        return steps_from((tile,), open_tiles, around)

    seed = region[dice.roll(len(region)) - 1]
    fields = [steps(_furthest(region, [steps(seed)], dice)[0])]
    starts = [fields[0].index(0)]
    while len(starts) < players:
        starts.append(_furthest(region, fields, dice)[0])
        fields.append(steps(starts[-1]))
    for _ in range(_SWEEPS):
        moved = False
        for at in range(players):
            others = fields[:at] + fields[at + 1 :]
            best, apart = _furthest(region, others, dice)
            if apart > min(field[starts[at]] for field in others):
                starts[at], fields[at], moved = best, steps(best), True
        if not moved:
            break
    return starts


def _furthest(region: list[int], fields: list[list[int]], dice: Dice) -> tuple[int, int]:
    """Return a tile of the region that is furthest from the starts of all fields, and its distance."""
    nearest = fields[0] if len(fields) == 1 else list(map(min, *fields))
    apart = max(nearest[tile] for tile in region)
    equals = [tile for tile in region if nearest[tile] == apart]
    return equals[dice.roll(len(equals)) - 1], apart


class _Region:
    """The passable region around a tile; `widen` sets the distance that tiles need to be far from each other.

    In a set of tiles, a tile is bit `tile` of a number, so that sets are joined and cut, and a whole ring of neighbors
    is found, by a few operations.
    """

    def __init__(self, terrain: Terrain, inside: int) -> None:
        width, height = terrain.width, terrain.height
        self._width = width
        column = sum(1 << width * row for row in range(height + 1))  # a step right from the last tile leads behind it
        self._not_first = ~column
        self._not_last = ~(column << width - 1)
        self._land = sum(1 << tile for tile, is_open in enumerate(passable(terrain.values)) if is_open)
        reached = 1 << inside
        while (further := self._step(reached)) != reached:
            reached = further
        self._land = reached
        # For each tile, those that it is too near to.
        self._near = {tile: 1 << tile for tile in range(width * height) if self._land >> tile & 1}
        self._visits_left = MAX_VISITS

    def _step(self, tiles: int) -> int:
        """Return the land that is in the set or next to it."""
        rows = tiles | (tiles << 1 & self._not_first) | (tiles >> 1 & self._not_last)
        return (rows | rows << self._width | rows >> self._width) & self._land

    def are_far(self, tiles: Sequence[int]) -> bool:
        """Return whether these tiles are all far from each other."""
        return not any(self._near[tile] >> other & 1 for at, tile in enumerate(tiles) for other in tiles[:at])

    def widen(self) -> None:
        """Raise the distance by a step."""
        self._near = {tile: self._step(near) for tile, near in self._near.items()}

    def search(self, count: int, among: int | None = None) -> list[int] | None:
        """Return `count` tiles, `among` a set of them, all far from each other: a clique of the graph of far tiles.

        None if there are none, or if they weren't found in time.
        Branch and bound by coloring (Tomita and Seki): tiles of a color are all near each other, so a start at most is
        among them, and candidates of fewer than `count` colors need no search.
        """
        if not count:
            return []
        candidates = self._land if among is None else among
        for tile, color in reversed(self._colors(candidates)):
            if color < count or self._visits_left < 0:
                return None
            candidates &= ~(1 << tile)
            others = self.search(count - 1, candidates & ~self._near[tile])
            if others is not None:
                return [tile, *others]
        return None

    def _colors(self, candidates: int) -> list[tuple[int, int]]:
        """Return the candidates with their colors, from 1, color by color."""
        colored = []
        color = 0
        while candidates:
            color += 1
            same = candidates
            while same:
                low = same & -same
                tile = low.bit_length() - 1
                colored.append((tile, color))
                candidates ^= low
                same = (same ^ low) & self._near[tile]
        self._visits_left -= len(colored)
        return colored
