"""The colors and the font of every picture.

Imports Pillow and asks matplotlib for the font that it ships, so only workers may import this.
"""

from functools import cache
from pathlib import Path

import matplotlib as mpl
from matplotlib.ft2font import FT2Font
from PIL import ImageFont

# Pictures bring their own ground, so that they read the same on a dark page and on a light one.
GROUND, INK, FAINT = "#2b2d31", "#f1f3f5", "#868e96"
ORANGE, BLUE = "#ff922b", "#4dabf7"
"""Of two sides: they differ for every kind of color vision, and both stand out from the ground."""


def rgb(color: str) -> tuple[int, int, int]:
    """Return the red, green and blue of a color such as "#2b2d31"."""
    red, green, blue = bytes.fromhex(color[1:])
    return red, green, blue


@cache
def font(size: int, *, bold: bool = False) -> ImageFont.FreeTypeFont:
    """Return the font, `size` points high."""
    return ImageFont.truetype(str(_font_file(bold=bold)), size)


@cache
def letters() -> frozenset[int]:
    """Return the code points that the font can draw: some 6,000, of most alphabets."""
    return frozenset(FT2Font(str(_font_file(bold=False))).get_charmap())


def _font_file(*, bold: bool) -> Path:
    return Path(mpl.get_data_path(), "fonts", "ttf", "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf")
