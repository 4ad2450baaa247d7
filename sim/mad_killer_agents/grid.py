"""Neighbours, regions and distances on a map of `width` x `height` tiles, each with up to 8 neighbours."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

Neighbours = tuple[tuple[int, ...], ...]
"""For each tile the tiles around it, in rising order."""

FAR = 1 << 20
"""The distance of what can't be reached."""


@lru_cache(maxsize=64)
def neighbours(width: int, height: int) -> Neighbours:
    """Return the neighbours of every tile."""
    return tuple(tuple(tile for tile in _square(at, 1, width, height) if tile != at) for at in range(width * height))


@lru_cache(maxsize=64)
def surroundings(width: int, height: int, reach: int) -> Neighbours:
    """Return the tiles within `reach` of every tile, itself among them."""
    return tuple(tuple(_square(at, reach, width, height)) for at in range(width * height))


def _square(at: int, reach: int, width: int, height: int) -> Iterable[int]:
    row, column = divmod(at, width)
    for y in range(max(0, row - reach), min(height, row + reach + 1)):
        for x in range(max(0, column - reach), min(width, column + reach + 1)):
            yield y * width + x


def largest_region(open_tiles: Sequence[bool], around: Neighbours) -> list[int]:
    """Return the largest connected part of the open tiles, in rising order; of equals the first. Empty for none."""
    best: list[int] = []
    seen = bytearray(len(open_tiles))
    for start, passable in enumerate(open_tiles):
        if not passable or seen[start]:
            continue
        seen[start] = 1
        region = [start]
        for tile in region:
            for near in around[tile]:
                if open_tiles[near] and not seen[near]:
                    seen[near] = 1
                    region.append(near)
        if len(region) > len(best):
            best = region
    return sorted(best)


def steps_from(starts: Iterable[int], open_tiles: Sequence[bool], around: Neighbours) -> list[int]:
    """Return each tile's number of steps from the nearest of `starts` through open tiles; FAR where there is no way."""
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
