"""The picture of the map, or of a part of it: around an army, at the front, or one block after the other.

The same in words, for who can't see it: where armies and cities are, and the value of every tile.
"""

from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from functools import cache
from itertools import pairwise
from operator import ne
from typing import NamedTuple

from sim.core.cards import Cell, Grid, Hatch, Silhouette
from sim.core.cards import text as letters
from sim.core.cards.card import Card
from sim.core.cards.theme import DARK, INK, MARGIN, NEUTRAL, SOFT, TEXT, WIDTH, hexed
from sim.core.numbers import quantity
from sim.csv import column_letter
from sim.mad_killer_agents import map_theme as t
from sim.mad_killer_agents.battle import Track
from sim.mad_killer_agents.battle.board import Army, Board
from sim.mad_killer_agents.battle.order_input import Direction, neighbor
from sim.mad_killer_agents.constants import MAX_VALUE, MIN_VALUE, MOUNTAIN
from sim.mad_killer_agents.terrain import digit_rows, tile_name

COLUMNS, ROWS = 9, 7
"""Tiles around an army: on a phone they and the buttons below fit on one screen."""
_BLOCK = 10
"""Tiles that a block has each way, at most."""
_MARGIN = 3
"""Tiles beside two enemies, both sides together, and the tile of one of them."""


class Part(StrEnum):
    """What part of the map to show."""

    ALL = "all"
    ARMY = "army"
    """The player's strongest army."""
    FRONT = "front"
    """Where the player and an enemy are nearest."""


class Window(NamedTuple):
    """A rectangle of tiles."""

    left: int
    top: int
    columns: int
    rows: int

    def tiles(self, width: int) -> Iterator[int]:
        """Yield the tiles, row by row; `width`: of the map."""
        for row in range(self.top, self.top + self.rows):
            yield from range(row * width + self.left, row * width + self.left + self.columns)

    def name(self, width: int) -> str:
        """Return the tiles at the upper left and lower right: "A1 to K10"."""
        last = (self.top + self.rows - 1) * width + self.left + self.columns - 1
        return f"{tile_name(self.top * width + self.left, width)} to {tile_name(last, width)}"


def around(board: Board, tile: int, columns: int = COLUMNS, rows: int = ROWS) -> Window:
    """Return the window with a tile in its middle, moved inside the map where it ends."""
    columns, rows = min(columns, board.width), min(rows, board.height)
    row, column = divmod(tile, board.width)
    left = min(max(0, column - columns // 2), board.width - columns)
    return Window(left, min(max(0, row - rows // 2), board.height - rows), columns, rows)


def blocks(width: int, height: int) -> tuple[Window, ...]:
    """Return windows of about the same size that together are the map, row by row."""
    counts = ((side, -(-side // _BLOCK)) for side in (width, height))
    across, down = ([round(at * side / count) for at in range(count + 1)] for side, count in counts)
    return tuple(
        Window(left, top, right - left, bottom - top)
        for top, bottom in pairwise(down)
        for left, right in pairwise(across)
    )


def window_of(board: Board, part: Part, player: int = 0) -> Window:
    """Return the window of a part, for a player or, with 0, for somebody who only watches."""
    if part is Part.ARMY:
        own = [tile for tile, army in board.armies.items() if player in {0, army.owner}]
        if own:
            return around(board, max(own, key=lambda tile: (board.armies[tile].units, -tile)))
    enemies = _front(board, player) if part is Part.FRONT else None
    if enemies is None:
        return Window(0, 0, board.width, board.height)
    (row, column), (down, right) = (divmod(tile, board.width) for tile in enemies)
    wide, high = abs(right - column) + _MARGIN, abs(down - row) + _MARGIN
    middle = (row + down) // 2 * board.width + (column + right) // 2
    return around(board, middle, max(COLUMNS, wide), max(ROWS, high))


def _front(board: Board, player: int) -> tuple[int, int] | None:
    """Return the tiles of the two nearest enemies, of equals the largest; None if there is only one side."""
    armies = board.armies
    held = [
        (tile, *divmod(tile, board.width), board.holder(tile), armies[tile].units if tile in armies else 0)
        for tile in sorted({*armies, *board.cities})
    ]
    pairs = (
        (max(abs(row - down), abs(column - right)), -units - theirs, tile, other)
        for tile, row, column, side, units in held
        if player in {0, side}
        for other, down, right, enemy, theirs in held
        if enemy != side
    )
    best = min(pairs, default=None)
    return None if best is None else best[2:]


_LEFT, _TOP, _EDGE = 60, 48, 10
"""Room for the names of rows and columns, and on the right; above a map without names, too."""
_HIGHEST, _LOWER = 920, 560
"""Pixels of the tiles from top to bottom, at most; where other things stand below in place of the legend."""
_CLOSE = 70
"""Pixels of a tile from which it shows its value, and a city its size."""
_FEW_PLACES = 16
"""Armies and cities; a map that shows more of them is crowded."""
_SMALL, _LARGE = 24, 50
"""Pixels of a tile from which mountains, houses and arrows can be told apart: on other maps, and on crowded ones."""
_LEGEND_ROW = 48

_STEPS = (1, 2, 5, 10)
_LEVEL, _END_LEVEL = 6, 5
"""Of compression: maps have so much detail that they would be too heavy at a quicker one; those of ends have less."""
_MOST_COUNTS, _FEW_COUNTS = 10, 6
"""The largest armies, whose counts are shown: on a crowded map, and on one with other things below."""
_Label = tuple[int, int, int, str, str, bool]
"""A count: its middle, half its width, the text and the color, and whether it needs a roof to show the city below."""


def draw_map(
    board: Board,
    tracks: Sequence[Track] = (),
    on_turn: int = 0,
    window: Window | None = None,
    selected: int | None = None,
    *,
    bare: bool = False,
) -> Card:
    """Return the board, or a window of it.

    `tracks`: steps to draw as arrows. `on_turn`: the player to mark in the legend. `selected`: a tile to mark. `bare`:
    a lower map to look at, without names of tiles, small armies and the legend: whoever draws below sets the height.
    """
    return _Map(board, window or Window(0, 0, board.width, board.height), bare=bare).draw(tracks, on_turn, selected)


class _Map:
    """A picture of the map while it is drawn."""

    def __init__(self, board: Board, window: Window, *, bare: bool) -> None:
        self.board = board
        self.window = window
        highest = _LOWER if bare else _HIGHEST
        self.tile = min((WIDTH - _LEFT - _EDGE) // window.columns, highest // window.rows)
        self.left = max(_LEFT, (WIDTH - window.columns * self.tile) // 2)
        self.seen = set(window.tiles(board.width))
        self.crowded = len(self.seen & {*board.armies, *board.cities}) > _FEW_PLACES
        self.rich = self.tile >= (_LARGE if self.crowded else _SMALL)
        self.top = 2 * _EDGE if bare else _TOP
        self.bare = bare
        self.close = self.tile >= _CLOSE
        foot, level = self.top + window.rows * self.tile + 14, _END_LEVEL if bare else _LEVEL
        self.card = Card(foot, colors=t.COLORS, level=level, alike=0 if self.rich else foot)

    def draw(self, tracks: Sequence[Track], on_turn: int, selected: int | None) -> Card:
        self._tiles()
        if not self.bare:
            self._coordinates()
        for player, at, to in tracks if self.rich and not self.crowded else ():
            self._arrow(player, at, to)
        if self.close:
            self._values()
        for at in sorted((self.board.cities.keys() - self.board.armies.keys()) & self.seen):
            color = t.PLAYERS[self.board.cities[at].owner]  # no army hides it: a house, a window for each size
            self._windows(at, self._house(*self._corner(at), color) - 20, t.text_on(color))
        self._armies()
        if selected is not None:
            x, y = self._corner(selected)
            for out, width, color in ((2, 5, INK), (3, 1, DARK)):
                for edge in t.edges((x - out, y - out, x + self.tile + out, y + self.tile + out), width):
                    self.card.box(edge, color, radius=0)
        if not self.bare:
            self._legend(on_turn)
        return self.card

    def _corner(self, tile: int) -> tuple[int, int]:
        row, column = divmod(tile, self.board.width)
        return self.left + (column - self.window.left) * self.tile, self.top + (row - self.window.top) * self.tile

    def _tiles(self) -> None:
        board, (left, top, columns, rows), size = self.board, self.window, self.tile
        width, land = board.width, board.owners

        @cache
        def cell(value: int, owner: int, *ends: bool) -> Cell:
            ends = ends if owner else (False,) * 4
            return t.tile_cell(value, owner, ends, size, rich=self.rich, patterned=not self.crowded)

        nobody = [0] * width  # all around, so that each tile has four neighbors
        lines = [nobody, *(land[at : at + width] for at in range(0, len(land), width)), nobody]
        cells: list[Cell] = []
        for row in range(top, top + rows):
            above, line, below = lines[row : row + 3]
            every = board.tiles[row * width :], line, above, below, [0, *line], [*line[1:], 0]
            values, owners, *near = (each[left : left + columns] for each in every)
            cells += map(cell, values, owners, *(map(ne, owners, others) for others in near))
        self.card.add(Grid(self.left, self.top, columns, tuple(cells)))

    def _values(self) -> None:
        for tile in self.seen:
            value = self.board.tiles[tile]
            if value in {0, MOUNTAIN} or tile in self.board.cities or (self.crowded and tile in self.board.armies):
                continue  # there is no tile, or the symbol says as much or is in the way
            x, y = (side + self.tile - 7 for side in self._corner(tile))
            self.card.text(
                x, y, str(value), TEXT, t.text_on(hexed(t.land(value, self.board.owners[tile]))), align="right"
            )

    def _coordinates(self) -> None:
        window, half = self.window, self.tile // 2
        widest = max(letters.width(column_letter(at), TEXT, bold=True) for at in _range(window.left, window.columns))
        for at in _range(window.left, window.columns, self._every(widest + 8)):
            x = self.left + (at - window.left) * self.tile + half
            self.card.text(x, _TOP - 12, column_letter(at), TEXT, SOFT, bold=True, align="center")
        for at in _range(window.top, window.rows, self._every(TEXT + 2)):
            y = _TOP + (at - window.top) * self.tile + half + 13
            self.card.text(self.left - 9, y, str(at + 1), TEXT, SOFT, bold=True, align="right")

    def _every(self, room: int) -> int:
        """Return how far apart names stand that need `room` pixels each: 1 for all of them, 2 for every second one."""
        return next((step for step in _STEPS if step * self.tile >= room), _STEPS[-1])

    def _arrow(self, player: int, at: int, to: int) -> None:
        if at not in self.seen or to not in self.seen:
            return
        (row, column), (down, right) = divmod(at, self.board.width), divmod(to, self.board.width)
        shape = t.arrow(right - column, down - row)
        inward = self.tile // 2 - self.tile * t.BESIDE // t.TILE
        x, y = (min(sides) + inward for sides in zip(self._corner(at), self._corner(to), strict=True))
        self.card.silhouette(x, y, shape, round(self.tile * shape.height / t.TILE), t.PLAYERS[player])

    def _house(self, x: int, y: int, color: str) -> int:
        """Draw a house, on small tiles a block, on the tile with this corner; return its lower edge."""
        high = round(self.tile * 0.84)
        left, top = x + (self.tile - high) // 2, y + (self.tile - high) // 2
        if self.rich:
            self._outlined(left, top, t.HOUSE, high, color)
        else:  # hundreds of roofs, too small to be seen, would be most of the file
            self.card.box((left, top, left + high, top + high), color, 0)
        return top + high

    def _windows(self, tile: int, top: int, color: str) -> None:
        """Draw as many windows as a city is large, on tiles where they can be counted."""
        if not self.close:
            return
        size = self.board.cities[tile].size
        step = min(14, (self.tile - 8) // size)
        left = self._corner(tile)[0] + (self.tile - step * size) // 2 + 2
        for at in range(size):
            self.card.box((left + at * step, top, left + at * step + step - 4, top + 10), color, 0)

    def _outlined(self, x: int, y: int, shape: Silhouette, height: int, color: str) -> None:
        wider = shape.width_at(height + 6) - shape.width_at(height)
        self.card.silhouette(x - wider // 2, y - 3, shape, height + 6, t.text_on(color))
        self.card.silhouette(x, y, shape, height, color)

    def _armies(self) -> None:
        """Draw the armies with their counts as large as there is room; those without room are dots."""
        armies = [(army, tile) for tile, army in self.board.armies.items() if tile in self.seen]
        armies.sort(key=lambda item: (-item[0].units, item[1]))
        labels, dots = self._labels(armies)
        small = max(4, min(9, self.tile // 4))
        for x, y, _, _, color, housed in dots:
            if housed:
                self._house(x - self.tile // 2, y - self.tile // 2, color)
            if self.bare or (housed and not self.rich):  # a dot would have the house's color
                continue
            rimmed = ((small, t.text_on(color)), (small - 1, color))
            for reach, ink in rimmed if self.rich else ((small, color),):
                self.card.box((x - reach, y - reach, x + reach + 1, y + reach + 1), ink, radius=0)
        tall = TEXT + 6
        for at in self.board.armies.keys() & self.board.cities.keys() & self.seen:
            self._windows(at, self._corner(at)[1] + self.tile - 12, INK)
        for x, y, half, text, color, housed in labels:
            top, radius = y - tall // 2, 4 if housed else tall // 2
            if housed:  # the army's count is the walls of the city below this roof
                self._outlined(x - half - 3, top - half // 2, t.ROOF, half // 2 + 2, color)
            self.card.box((x - half - 2, top - 2, x + half + 2, top + tall + 2), t.text_on(color), radius + 2)
            self.card.box((x - half, top, x + half, top + tall), color, radius)
            self.card.text(x, y + round(TEXT * 0.36), text, TEXT, t.text_on(color), bold=True, align="center")

    def _labels(self, armies: Sequence[tuple[Army, int]]) -> tuple[list[_Label], list[_Label]]:
        """Place the counts, the largest first; return those with room and those without."""
        tall = TEXT + 6
        most = _MOST_COUNTS if self.crowded else len(armies)
        if self.bare:
            most = _FEW_COUNTS if self.tile >= _SMALL else 0
        placed: list[_Label] = []
        dropped: list[_Label] = []
        for army, tile in armies:
            x, y = (side + self.tile // 2 for side in self._corner(tile))
            housed = tile in self.board.cities
            if self.close:  # the city's windows, or the tile's value, stand below
                y = self._corner(tile)[1] + tall // 2 + (tall // 3 if housed else 4)
            if len(placed) >= most:
                dropped.append((x, y, 0, "", t.PLAYERS[army.owner], housed))
                continue
            text = t.short_count(army.units)
            half = max(tall, letters.width(text, TEXT, bold=True) + 8) // 2
            if housed:  # below the names of the columns
                y = max(y, self.top + tall // 2 + half // 2 - 5)
            crowded = any(abs(x - at) < half + wide - 2 and abs(y - mid) < tall - 2 for at, mid, wide, *_ in placed)
            (dropped if crowded else placed).append((x, y, half, text, t.PLAYERS[army.owner], housed))
        return placed, dropped

    def _legend_rows(self) -> list[list[int]]:
        """Return the numbers of the players to name, two in a row if both names fit."""
        board = self.board
        numbers = sorted(board.sides)
        if len(self.seen) < len(board.tiles):
            near = {board.owners[tile] for tile in self.seen} | {board.holder(tile) for tile in self.seen}
            numbers = [number for number in numbers if number in near]
        room = (WIDTH - 2 * MARGIN) // 2 - 70
        pairs = all(letters.width(board.sides[number].name, TEXT, bold=True) <= room for number in numbers)
        step = 2 if pairs else 1
        return [numbers[at : at + step] for at in range(0, len(numbers), step)]

    def _legend(self, on_turn: int) -> None:
        base, half = self.card.height, (WIDTH - 2 * MARGIN) // 2
        for row in self._legend_rows():
            for place, number in enumerate(row):
                self._name(number, MARGIN + place * half, base, half if len(row) > 1 else 2 * half, on_turn)
            base += _LEGEND_ROW
        x = MARGIN
        if self.close:  # each tile says its value: one of them is an example
            x = self._swatch(x, base, 3) + self.card.text(x + 48, base + 34, "value", TEXT, SOFT) + 22
        else:
            x += self.card.text(MARGIN, base + 34, "Tile value", TEXT, SOFT) + 10
            for value in range(MIN_VALUE, MAX_VALUE + 1):
                x = self._swatch(x, base, value)
            base, x = base + _LEGEND_ROW, MARGIN
        if self.rich:
            x = self._mark(x, base, t.PEAK, "mountain")
        else:
            x += 18 + self.card.text(x, base + 34, f"{MOUNTAIN}: mountain", TEXT, SOFT)
        self._mark(x, base, t.HOUSE if self.rich else t.BLOCK, "city (windows: size)" if self.close else "city")
        self.card.height = base + _LEGEND_ROW + 10

    def _swatch(self, x: int, base: int, value: int) -> int:
        self.card.box((x, base + 2, x + 38, base + 44), t.TERRAIN[value], 4)
        self.card.text(x + 19, base + 34, str(value), TEXT, t.text_on(t.TERRAIN[value]), align="center")
        return x + 42

    def _mark(self, x: int, base: int, shape: Silhouette, meaning: str) -> int:
        self.card.silhouette(x, base + 6, shape, 34, SOFT)
        return x + 42 + self.card.text(x + 42, base + 34, meaning, TEXT, SOFT) + 16

    def _name(self, number: int, x: int, base: int, room: int, on_turn: int) -> None:
        side = self.board.sides[number]
        self.card.box((x, base + 8, x + 34, base + 42), t.text_on(t.PLAYERS[number]), 6)
        self.card.box((x + 2, base + 10, x + 32, base + 40), t.PLAYERS[number], 4)
        self.card.add(Hatch((x + 2, base + 10, x + 32, base + 40), t.PATTERNS[number], DARK, t.HATCH))
        text = f"{'▶ ' if number == on_turn else ''}{side.name}{' (out)' if side.out else ''}"
        self.card.name(x + 46, base + 34, text, room - 56, TEXT, NEUTRAL if side.out else INK)


def _range(start: int, count: int, step: int = 1) -> Iterator[int]:
    return (at for at in range(start, start + count) if at % step == 0)


_SPACED = 20
"""Columns up to which the values of a row stand apart: a screen reader says them one by one."""


def place_texts(board: Board, player: int = 0, tiles: Collection[int] | None = None) -> list[str]:
    """Return what is on each of the `tiles` (None for all) that has an army or a city.

    "C7: 12 of yours in a city of size 2, mountains north": the player's own first, the largest armies first.
    """
    held = [tile for tile in {*board.armies, *board.cities} if tiles is None or tile in tiles]
    held.sort(key=lambda tile: (board.holder(tile) != player, -board.units_of(board.holder(tile), tile), tile))
    return [f"{board.tile_name(tile)}: {_place(board, player, tile)}" for tile in held]


def _place(board: Board, player: int, tile: int) -> str:
    army, city = board.armies.get(tile), board.cities.get(tile)
    holder = board.holder(tile)
    whose = "yours" if holder == player else f"{board.sides[holder].name}'s"
    units = "no army" if army is None else f"{army.units:,} of {whose}"
    home = "" if city is None else f" in a city of size {city.size}" + ("" if army is not None else f", {whose}")
    near = {direction: neighbor(tile, direction, board.width, board.height) for direction in Direction}
    peaks = " and ".join(way.words for way, at in near.items() if at is not None and board.tiles[at] == MOUNTAIN)
    return units + home + (f", mountains {peaks}" if peaks else "")


def map_lines(board: Board, player: int = 0) -> tuple[list[str], list[str]]:
    """Return the lines about armies and cities, and those about the tiles."""
    last = column_letter(board.width - 1)
    heading = f"Tile values of each row, from column A to {last}; {MOUNTAIN} is a mountain."
    gap = " " if board.width <= _SPACED else ""
    rows = digit_rows(board.tiles, board.width)
    return place_texts(board, player), [heading, *(f"Row {at}: {gap.join(row)}" for at, row in enumerate(rows, 1))]


def fitting(texts: Sequence[str], room: int, gap: int) -> list[str]:
    """Return the first texts that fit into `room` characters with `gap` between them, and how many don't."""
    kept: list[str] = []
    for at, text in enumerate(texts):
        more = f"and {quantity(len(texts) - at, 'more place')}"
        room -= len(text) + gap
        if room < len(more):
            return [*kept, more]
        kept.append(text)
    return kept
