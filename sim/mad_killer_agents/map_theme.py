"""Holds what the map and the film are painted with: colors, patterns and shapes."""

from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import compress, product

from sim.core.cards import Box, Cell, Fill, Hatch, Mark, Pattern, Shape, Silhouette, hole, line, polygon
from sim.core.cards import theme as t
from sim.mad_killer_agents.constants import MOUNTAIN

TERRAIN = (t.GROUND, "#2e423c", "#425c46", "#62704e", "#958861", "#b3a17f", "#cec8bc")
"""By tile value, 0 for none: higher is brighter, for every kind of color vision."""
ROCK = "#5c6068"
"""The symbol on a mountain."""

PLAYERS = (t.NEUTRAL, t.ORANGE, t.BLUE, "#009e73", "#f0e442", "#d05cd0", "#8c1e28", "#78dceb", "#232378")
"""By a player's number, 0 for nobody."""

_DIM = 2
"""The contrast with the ground from which a line stands out."""

_LEGIBLE, _STEP = 4.5, 0.04
"""The contrast of text with what it stands on; how much lighter or darker land becomes at a time until it has it."""

_TINT, HATCH = 0.3, 0.55
"""How much of its owner's color a tile has, and the pattern on it."""

PATTERNS: Mapping[int, Pattern] = {
    1: ("#.......", ".#......", "..#.....", "...#....", "....#...", ".....#..", "......#.", ".......#"),
    2: (".......#", "......#.", ".....#..", "....#...", "...#....", "..#.....", ".#......", "#......."),
    3: ("........", "########", "........", "........", "........", "........", "........", "........"),
    4: (".#......", ".#......", ".#......", ".#......", ".#......", ".#......", ".#......", ".#......"),
    5: ("##......", "##......", "........", "........", "....##..", "....##..", "........", "........"),
    6: ("#.....#.", ".#...#..", "..#.#...", "...#....", "..#.#...", ".#...#..", "#.....#.", "........"),
    7: ("####....", "...#....", "...#....", "...#....", "....####", ".......#", ".......#", ".......#"),
    8: ("...#....", "..###...", "...#....", "........", ".......#", "#.....##", ".......#", "........"),
}
"""By a player's number: one repeat of 8 x 8 points."""

HOUSE = Silhouette(40, 40, (polygon(0, 17, 20, 0, 40, 17, 40, 40, 0, 40),))
BLOCK = Silhouette(40, 40, (polygon(0, 0, 40, 0, 40, 40, 0, 40),))
ROOF = Silhouette(44, 10, (polygon(0, 10, 22, 0, 44, 10),))
"""Four times as wide as it is high, and a little more."""
PEAK = Silhouette(
    40,
    40,
    (polygon(4, 36, 20, 6, 36, 36), hole(polygon(14.7, 16, 20, 6, 25.3, 16, 22, 19, 20, 16, 17, 19))),
)


TILE, BESIDE = 10, 2
"""Of an arrow's field: how long a tile is, and the room around the centers of both tiles."""


@cache
def arrow(right: int, down: int) -> Silhouette:
    """Return the arrow between the centers of two neighbors (-1, 0 or 1 tile to the right and down)."""
    width, height = (TILE * abs(way) + 2 * BESIDE for way in (right, down))
    start = ((width - TILE * right) / 2, (height - TILE * down) / 2)
    tip, neck = ((start[0] + TILE * share * right, start[1] + TILE * share * down) for share in (0.74, 0.5))
    side = 1.7 / (right**2 + down**2) ** 0.5
    head = (*tip, neck[0] - side * down, neck[1] + side * right, neck[0] + side * down, neck[1] - side * right)
    return Silhouette(width, height, (line(*start, *neck, thickness=0.9), polygon(*head)))


@lru_cache(maxsize=64)
def land(value: int, owner: int) -> t.Color:
    """Return the color of a tile: that of its value with some of its owner's, and text is legible on it."""
    color = t.hexed(t.mixed(TERRAIN[value], PLAYERS[owner], _TINT if owner else 0))
    ink = text_on(color)
    while t.contrast(ink, color) < _LEGIBLE:
        color = t.hexed(t.mixed(color, t.INK if ink == t.DARK else t.DARK, _STEP))
    return t.rgb(color)


PATTERNED = 40
"""Pixels of a tile from which patterns can be told apart."""


def edges(box: Box, width: int) -> tuple[Box, Box, Box, Box]:
    """Return the upper, lower, left and right edge of a box, `width` pixels inward."""
    left, top, right, bottom = box
    above, below = (left, top, right, top + width), (left, bottom - width, right, bottom)
    return above, below, (left, top, left + width, bottom), (right - width, top, right, bottom)


@lru_cache(maxsize=1024)
def tile_cell(value: int, owner: int, ends: tuple[bool, ...], size: int, *, rich: bool, patterned: bool) -> Cell:
    """Return a tile of `size` x `size` points, a line where the owner's land `ends`: above, below, left, right.

    `rich`: with mountains and dark edges; `patterned`: with the owner's pattern, if there is room for it.
    """
    marks: list[Mark] = [Fill((0, 0, size, size), t.hexed(land(value, owner)), 0)]
    if owner and patterned and size >= PATTERNED:
        marks.append(Hatch((0, 0, size, min(16, size // 3)), PATTERNS[owner], PLAYERS[owner], HATCH))
    if value == MOUNTAIN and rich:
        marks.append(Shape(0, 0, PEAK, size, ROCK))
    marks += [Fill((0, 0, size, 1), t.GROUND, 0), Fill((0, 0, 1, size), t.GROUND, 0)] if rich else []
    marks += [Fill(edge, PLAYERS[owner], 0) for edge in compress(edges((0, 0, size, size), 2), ends)]
    return Cell(size, tuple(marks))


@lru_cache(maxsize=64)
def text_on(color: str) -> str:
    """Return the more legible of dark and light on a color."""
    return max(t.DARK, t.INK, key=lambda ink: t.contrast(ink, color))


@lru_cache(maxsize=16)
def line_color(player: int) -> str:
    """Return the color of a player's line: brighter than the player's land if that is too dark for the ground."""
    color = PLAYERS[player]
    if t.contrast(color, t.GROUND) >= _DIM:
        return color
    return t.hexed(t.mixed(color, "#ffffff", 0.45))


def short_count(count: int) -> str:
    """Return a number of units in at most four characters: 950, 12k, 3.4M."""
    for limit, unit, sign in ((10**9, 10**9, "G"), (10**6, 10**6, "M"), (10**4, 10**3, "k")):
        if count >= limit:
            part = count / unit
            return f"{part:.1f}{sign}" if part < 10 else f"{part:.0f}{sign}"  # noqa: PLR2004 - one digit before the point
    return str(count)


def _map_colors() -> tuple[t.Color, ...]:
    players = range(1, len(PLAYERS))
    tiles = list(product(range(1, len(TERRAIN)), range(len(PLAYERS))))
    smooth = [(mark, PLAYERS[player]) for player in players for mark in (t.DARK, t.INK)]
    smooth += [(t.GROUND, t.INK), (t.GROUND, t.SOFT), (t.TILE, t.INK), (TERRAIN[-1], ROCK)]
    smooth += [(color, text_on(color)) for color in TERRAIN[1:]]
    flat = [
        *map(t.rgb, (*TERRAIN, *PLAYERS, t.DARK, t.INK, t.SOFT, ROCK, t.TILE)),
        *(land(value, owner) for value, owner in tiles),
        *(t.mixed(t.hexed(land(value, owner)), PLAYERS[owner], HATCH) for value, owner in tiles if owner),
    ]
    return t.palette(flat, smooth)


COLORS = _map_colors()
"""All colors of maps: finding them anew in each picture would cost most of its time."""
