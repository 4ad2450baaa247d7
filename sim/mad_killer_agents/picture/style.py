"""How a map looks: heights by brightness, players by colour and by pattern, so that neither is needed alone."""

from functools import lru_cache

from PIL import Image, ImageDraw

from sim.core import pictures
from sim.core.pictures import rgb

Colour = tuple[int, int, int]

GROUND, INK, FAINT = rgb(pictures.GROUND), rgb(pictures.INK), rgb(pictures.FAINT)
OUTLINE = (20, 20, 20)
LIGHT_EDGE, DARK_EDGE = (255, 255, 255), (0, 0, 0)

TERRAIN: tuple[Colour, ...] = (
    GROUND,  # no tile has value 0
    (52, 78, 72),
    (78, 108, 84),
    (122, 135, 92),
    (172, 152, 106),
    (216, 195, 150),
    (240, 238, 232),
)
"""By tile value: the higher, the brighter, for every kind of colour vision."""
ROCK = (104, 108, 116)
"""The sign on a mountain."""

PLAYERS: tuple[Colour, ...] = (
    FAINT,  # nobody
    (230, 97, 0),
    (64, 150, 255),
    (0, 158, 115),
    (240, 228, 66),
    (200, 80, 200),
    (140, 30, 40),
    (120, 220, 235),
    (35, 35, 120),
)
"""By a player's number."""

_PATTERN = 8
# One picture element of every pattern: 8 x 8 points, # is painted.
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


@lru_cache(maxsize=64)
def pattern(player: int, size: int) -> Image.Image:
    """Return a player's pattern as a mask (mode 1) of `size` x `size` points."""
    mask = Image.new("1", (size, size))
    for y in range(size):
        for x in range(size):
            if _ROWS[player][y % _PATTERN][x % _PATTERN] == "#":
                mask.putpixel((x, y), 1)
    return mask


def text_on(colour: Colour) -> Colour:
    """Return black or white, whichever reads on a colour."""
    red, green, blue = colour
    return OUTLINE if 0.299 * red + 0.587 * green + 0.114 * blue > 125 else (255, 255, 255)  # noqa: PLR2004 - mid-grey


@lru_cache(maxsize=256)
def tile_image(value: int, owner: int, size: int) -> Image.Image:
    """Return a tile without its edges: its height, a mountain's sign, its owner's pattern."""
    image = Image.new("RGB", (size, size), TERRAIN[value])
    draw = ImageDraw.Draw(image)
    if value == len(TERRAIN) - 1:
        draw.polygon(
            [(size * 0.15, size * 0.85), (size * 0.5, size * 0.2), (size * 0.85, size * 0.85)],
            fill=ROCK,
            outline=OUTLINE,
        )
        draw.polygon([(size * 0.39, size * 0.4), (size * 0.5, size * 0.2), (size * 0.61, size * 0.4)], fill=INK)
    if owner:
        image.paste(PLAYERS[owner], (0, 0), pattern(owner, size))
    return image


def short(count: int) -> str:
    """Return a number of units in four characters at most: 950, 12k, 3.4M."""
    for limit, sign in ((10**9, "G"), (10**6, "M"), (10**4, "k")):
        if count >= limit:
            part = count / {"G": 10**9, "M": 10**6, "k": 10**3}[sign]
            return f"{part:.1f}{sign}" if part < 10 else f"{part:.0f}{sign}"  # noqa: PLR2004 - one digit before the point
    return str(count)
