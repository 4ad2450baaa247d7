"""Parts of a map to look at: around an army, at the front, or one block after the other."""

from collections.abc import Iterator
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.grid import tile_name

COLUMNS, ROWS = 9, 7
"""Tiles around an army: on a phone they and the buttons below fit on one screen."""
_BLOCK = 11
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
    across, down = (_cuts(side) for side in (width, height))
    return tuple(
        Window(left, top, right - left, bottom - top)
        for top, bottom in pairwise(down)
        for left, right in pairwise(across)
    )


def _cuts(side: int) -> list[int]:
    count = -(-side // _BLOCK)
    return [round(at * side / count) for at in range(count + 1)]


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
    held = {tile: (board.holder(tile), _units(board, tile)) for tile in sorted({*board.armies, *board.cities})}
    best: tuple[tuple[int, int], tuple[int, int]] | None = None
    for tile, (side, units) in held.items():
        if player not in {0, side}:
            continue
        row, column = divmod(tile, board.width)
        for other, (enemy, theirs) in held.items():
            if enemy == side:
                continue
            down, right = divmod(other, board.width)
            rank = max(abs(row - down), abs(column - right)), -units - theirs
            if best is None or rank < best[0]:
                best = rank, (tile, other)
    return None if best is None else best[1]


def _units(board: Board, tile: int) -> int:
    army = board.armies.get(tile)
    return 0 if army is None else army.units
