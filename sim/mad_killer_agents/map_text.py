"""The map in words, for who can't see the picture: where armies and cities are, and the value of every tile."""

from collections.abc import Collection, Sequence

from sim.core.numbers import quantity
from sim.csv.table import column_letter
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.order_input import Direction, neighbor
from sim.mad_killer_agents.constants import MOUNTAIN

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
    near = {direction: neighbor(board, tile, direction) for direction in Direction}
    peaks = " and ".join(way.words for way, at in near.items() if at is not None and board.tiles[at] == MOUNTAIN)
    return units + home + (f", mountains {peaks}" if peaks else "")


def map_lines(board: Board, player: int = 0) -> tuple[list[str], list[str]]:
    """Return the lines about armies and cities, and those about the tiles."""
    last = column_letter(board.width - 1)
    heading = f"Tile values of each row, from column A to {last}; {MOUNTAIN} is a mountain."
    gap = " " if board.width <= _SPACED else ""
    values = [str(value) for value in board.tiles]
    rows = (values[start : start + board.width] for start in range(0, len(values), board.width))
    return place_texts(board, player), [heading, *(f"Row {at}: {gap.join(row)}" for at, row in enumerate(rows, 1))]


def fitting(texts: Sequence[str], room: int, gap: int) -> list[str]:
    """Return the first texts that fit into so many characters with `gap` ones between, and how many don't."""
    kept: list[str] = []
    for at, text in enumerate(texts):
        more = f"and {quantity(len(texts) - at, 'more place')}"
        room -= len(text) + gap
        if room < len(more):
            return [*kept, more]
        kept.append(text)
    return kept
