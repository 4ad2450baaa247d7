"""Tiles of a map: names such as C7, neighbors, regions and distances.

In the code a tile is one number: row x width + column, both from 0.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from sim.core.errors import RuleError

_LETTERS = 26
_TILE_NAME = re.compile(r"([A-Za-z]{1,2})([0-9]{1,2})", re.ASCII)


def column_name(column: int) -> str:
    """Return the letters of a column (from 0): A to Z, then AA, AB and so on."""
    tens, ones = divmod(column, _LETTERS)
    last = chr(ord("A") + ones)
    return last if not tens else chr(ord("A") + tens - 1) + last


def tile_name(tile: int, width: int) -> str:
    """Return the name of a tile on a map of that width."""
    row, column = divmod(tile, width)
    return f"{column_name(column)}{row + 1}"


@lru_cache(maxsize=4096)
def read_tile(text: str, width: int, height: int) -> int:
    """Return the tile with that name; RuleError if the text is no tile name, or the tile isn't on the map."""
    match = _TILE_NAME.fullmatch(text)
    if match is None:
        raise RuleError(f"Name a tile here, such as C7, not {text[:20]!r}.")
    column = 0
    for letter in match[1].upper():
        column = column * _LETTERS + ord(letter) - ord("A") + 1
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
    return tuple(tuple(tile for tile in _square(at, 1, width, height) if tile != at) for at in range(width * height))


@lru_cache(maxsize=64)
def surroundings(width: int, height: int, reach: int) -> Neighbors:
    """Return the tiles within `reach` of every tile, itself included."""
    return tuple(tuple(_square(at, reach, width, height)) for at in range(width * height))


def _square(at: int, reach: int, width: int, height: int) -> Iterable[int]:
    row, column = divmod(at, width)
    for y in range(max(0, row - reach), min(height, row + reach + 1)):
        for x in range(max(0, column - reach), min(width, column + reach + 1)):
            yield y * width + x


def regions(open_tiles: Sequence[bool], around: Neighbors) -> list[list[int]]:
    """Return the connected regions of open tiles, each sorted, in the order of their first tiles."""
    found = []
    seen = bytearray(len(open_tiles))
    for start, is_open in enumerate(open_tiles):
        if not is_open or seen[start]:
            continue
        seen[start] = 1
        region = [start]
        for tile in region:
            for near in around[tile]:
                if open_tiles[near] and not seen[near]:
                    seen[near] = 1
                    region.append(near)
        found.append(sorted(region))
    return found


def largest_region(open_tiles: Sequence[bool], around: Neighbors) -> list[int]:
    """Return the largest connected region of open tiles, sorted, the first of equals; empty if no tile is open."""
    return max(regions(open_tiles, around), key=len, default=[])


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
