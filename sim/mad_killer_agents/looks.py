"""What the map and the film are painted with: colors, patterns and shapes. Only workers import this."""

from functools import cache, lru_cache
from itertools import chain, compress, product

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from sim.core.cards.masks import silhouette_mask
from sim.core.cards.theme import (
    BLUE,
    DARK,
    EDGE_STEPS,
    GROUND,
    INK,
    NEUTRAL,
    ORANGE,
    SOFT,
    TILE,
    Color,
    mixed,
    palette_of,
    rgb,
)
from sim.core.silhouettes import Silhouette, hole, line, polygon
from sim.mad_killer_agents.constants import MOUNTAIN

TERRAIN = (GROUND, "#2e423c", "#425c46", "#62704e", "#867a58", "#ac9a78", "#cec8bc")
"""By tile value, 0 for none: higher is brighter, for every kind of color vision."""
ROCK = "#5c6068"
"""The symbol on a mountain."""

PLAYERS = (NEUTRAL, ORANGE, BLUE, "#009e73", "#f0e442", "#c850c8", "#8c1e28", "#78dceb", "#232378")
"""By a player's number, 0 for nobody."""

_MIDDLE, _DIM = 110, 80
"""Brightness (0 to 255) up to which text on a color is light, and from which a line stands out from the ground."""

_TINT, _HATCH = 0.3, 0.55
"""How much of its owner's color a tile has, and the pattern on it."""

_PATTERN = 8
# One repeat of each pattern: 8 x 8 points, # is painted.
_ROWS = {
    1: ("#.......", ".#......", "..#.....", "...#....", "....#...", ".....#..", "......#.", ".......#"),
    2: (".......#", "......#.", ".....#..", "....#...", "...#....", "..#.....", ".#......", "#......."),
    3: ("........", "########", "........", "........", "........", "........", "........", "........"),
    4: (".#......", ".#......", ".#......", ".#......", ".#......", ".#......", ".#......", ".#......"),
    5: ("##......", "##......", "........", "........", "....##..", "....##..", "........", "........"),
    6: ("#.....#.", ".#...#..", "..#.#...", "...#....", "..#.#...", ".#...#..", "#.....#.", "........"),
    7: ("####....", "...#....", "...#....", "...#....", "....####", ".......#", ".......#", ".......#"),
    8: ("...#....", "..###...", "...#....", "........", ".......#", "#.....##", ".......#", "........"),
}

HOUSE = Silhouette(40, 40, (polygon(0, 17, 20, 0, 40, 17, 40, 40, 0, 40),))
PEAK = Silhouette(
    40,
    40,
    (polygon(4, 36, 20, 6, 36, 36), hole(polygon(14.7, 16, 20, 6, 25.3, 16, 22, 19, 20, 16, 17, 19))),
)


@cache
def arrow(right: int, down: int) -> Silhouette:
    """Return the arrow between the centers of two neighbors (-1, 0 or 1 tile to the right and down)."""
    width, height = 10 * (abs(right) + 1), 10 * (abs(down) + 1)
    start = (width / 2 - 5 * right, height / 2 - 5 * down)
    tip, neck = ((start[0] + 10 * share * right, start[1] + 10 * share * down) for share in (0.74, 0.5))
    side = 1.7 / (right**2 + down**2) ** 0.5
    head = (*tip, neck[0] - side * down, neck[1] + side * right, neck[0] + side * down, neck[1] - side * right)
    return Silhouette(width, height, (line(*start, *neck, thickness=0.9), polygon(*head)))


@lru_cache(maxsize=64)
def pattern(player: int, size: int) -> Image.Image:
    """Return a player's pattern as a mask (mode 1) of `size` x `size` points."""
    mask = Image.new("1", (size, size))
    for y in range(size):
        for x in range(size):
            if _ROWS[player][y % _PATTERN][x % _PATTERN] == "#":
                mask.putpixel((x, y), 1)
    return mask


@lru_cache(maxsize=64)
def hatch(player: int, size: int) -> Image.Image:
    """Return a player's pattern as a mask that lets the tile shine through."""
    return pattern(player, size).convert("L").point(lambda level: round(level * _HATCH))


@lru_cache(maxsize=64)
def land(value: int, owner: int) -> Color:
    """Return the color of a tile."""
    return mixed(TERRAIN[value], PLAYERS[owner], _TINT if owner else 0)


DETAILED, HILLY = 40, 24
"""Pixels of a tile from which patterns can be told apart; from which mountains can."""

Ends = tuple[bool, bool, bool, bool]
"""Whether the owner's land ends above a tile, below, on its left and on its right."""
NO_ENDS: Ends = (False, False, False, False)


@lru_cache(maxsize=1024)
def tile_picture(value: int, owner: int, ends: Ends, size: int) -> NDArray[np.uint8]:
    """Return the colors of a tile of `size` x `size` points, its upper and left edges dark, a line where land ends."""
    image, last = Image.new("RGB", (size, size), land(value, owner)), size - 1
    if owner and size >= DETAILED:
        band = hatch(owner, size).crop((0, 0, size, size // 3))
        image.paste(PLAYERS[owner], (0, 0), band)
    if value == MOUNTAIN and size >= HILLY:
        image.paste(ROCK, (0, 0), silhouette_mask(PEAK, size))
    pen = ImageDraw.Draw(image)
    pen.line((0, last, 0, 0, last, 0), GROUND)
    sides = (0, 0, last, 1), (0, last - 1, last, last), (0, 0, 1, last), (last - 1, 0, last, last)
    for side in compress(sides, ends):
        pen.rectangle(side, PLAYERS[owner])
    return np.asarray(image)


@lru_cache(maxsize=64)
def text_on(color: str) -> str:
    """Return the more legible of dark and light on a color."""
    return DARK if brightness(rgb(color)) > _MIDDLE else INK


def brightness(color: Color) -> float:
    """Return how bright a color looks, 0 to 255."""
    red, green, blue = color
    return 0.299 * red + 0.587 * green + 0.114 * blue


@lru_cache(maxsize=16)
def line_color(player: int) -> str:
    """Return the color of a player's line: brighter than the player's land if that is too dark for the ground."""
    color = PLAYERS[player]
    if brightness(rgb(color)) >= _DIM:
        return color
    red, green, blue = mixed(color, "#ffffff", 0.45)
    return f"#{red:02x}{green:02x}{blue:02x}"


def short_count(count: int) -> str:
    """Return a number of units in at most four characters: 950, 12k, 3.4M."""
    for limit, sign in ((10**9, "G"), (10**6, "M"), (10**4, "k")):
        if count >= limit:
            part = count / {"G": 10**9, "M": 10**6, "k": 10**3}[sign]
            return f"{part:.1f}{sign}" if part < 10 else f"{part:.0f}{sign}"  # noqa: PLR2004 - one digit before the point
    return str(count)


def _map_colors() -> list[Color]:
    players = range(1, len(PLAYERS))
    tiles = list(product(range(1, len(TERRAIN)), range(len(PLAYERS))))
    smooth = [(mark, PLAYERS[player]) for player in players for mark in (DARK, INK)]
    smooth += [(GROUND, INK), (GROUND, SOFT), (TILE, INK), (TERRAIN[-1], ROCK)]
    smooth += [(color, text_on(color)) for color in TERRAIN[1:]]
    return [
        *map(rgb, (*TERRAIN, *PLAYERS, DARK, INK, SOFT, ROCK, TILE)),
        *(land(value, owner) for value, owner in tiles),
        *(_over(land(value, owner), rgb(PLAYERS[owner])) for value, owner in tiles if owner),
        *chain.from_iterable((mixed(*pair, step / EDGE_STEPS) for step in range(1, EDGE_STEPS)) for pair in smooth),
    ]


def _over(ground: Color, paint: Color) -> Color:
    red, green, blue = (round(a + (b - a) * _HATCH) for a, b in zip(ground, paint, strict=True))
    return red, green, blue


PALETTE = palette_of(_map_colors())
"""The colors of maps: finding them anew in each picture would cost most of its time."""
