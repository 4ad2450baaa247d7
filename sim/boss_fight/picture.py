"""The health bars of a fight as a picture.

Imports Pillow and asks matplotlib for the font that it ships, so only workers may import this.
"""

import io
from functools import cache
from pathlib import Path

import matplotlib as mpl
from matplotlib.ft2font import FT2Font
from PIL import Image, ImageDraw, ImageFont

from sim.boss_fight.bars import Bar, BarsRequest
from sim.core.caret import visible

WIDTH = 800
"""Points: sharp across a phone."""

# A ground of its own, so that it reads the same on a dark page and on a light one.
_GROUND = "#2b2d31"
_TROUGH = "#1e1f22"
_INK = "#f1f3f5"
_FAINT = "#adb5bd"
# Orange and blue differ for every kind of colour vision; whose turn it is, a mark tells, too.
_BOSS = "#ff922b"
_MEMBER = "#4dabf7"
_FADED = "#868e96"
_MARGIN = 24
_GAP = 14
_BOSS_HEIGHT = 132
_ROW_HEIGHT = 78
_LARGE, _SMALL = 30, 24
_MISSING = "▯"
_ELLIPSIS = "…"


def draw(request: BarsRequest) -> bytes:
    """Return a PNG: the boss's bar on top, the members' under it, each with its figures."""
    height = _MARGIN + _BOSS_HEIGHT + len(request.members) * _ROW_HEIGHT + _MARGIN // 2
    image = Image.new("RGB", (WIDTH, height), _GROUND)
    canvas = ImageDraw.Draw(image)
    _boss(canvas, request.boss)
    for number, member in enumerate(request.members):
        _member(canvas, member, _MARGIN + _BOSS_HEIGHT + number * _ROW_HEIGHT)
    out = io.BytesIO()
    image.quantize(64).save(out, format="PNG", optimize=True)
    return out.getvalue()


def _boss(canvas: ImageDraw.ImageDraw, bar: Bar) -> None:
    """Draw the boss: name and figures, the bar under them, the last blow at the bottom."""
    width = _right(canvas, bar.figures, _MARGIN, WIDTH - _MARGIN, _LARGE, _INK)
    _left(canvas, bar.name, _MARGIN, _MARGIN, WIDTH - 2 * _MARGIN - width - _GAP, _LARGE, _INK)
    lower = _bar(canvas, bar, _MARGIN, _LARGE, _BOSS)
    _left(canvas, bar.note, _MARGIN, lower + 4, WIDTH - 2 * _MARGIN, _SMALL, _FAINT)


def _member(canvas: ImageDraw.ImageDraw, bar: Bar, top: int) -> None:
    """Draw a member: a mark before the name of whoever is next, the last damage beside the figures."""
    ink = _FAINT if bar.faded else _INK
    right = WIDTH - _MARGIN - _right(canvas, bar.figures, top, WIDTH - _MARGIN, _SMALL, ink) - _GAP
    if bar.note:
        right -= _right(canvas, bar.note, top, right, _SMALL, _FAINT) + _GAP
    left = _MARGIN
    if bar.is_next:
        side = _SMALL - 6
        canvas.polygon([(left, top + 6), (left, top + 6 + side), (left + side, top + 6 + side // 2)], fill=_BOSS)
        left += side + 8
    _left(canvas, bar.name, left, top, right - left, _SMALL, ink)
    _bar(canvas, bar, top, _SMALL, _FADED if bar.faded else _MEMBER)


def _left(canvas: ImageDraw.ImageDraw, text: str, left: int, top: int, room: int, size: int, ink: str) -> None:
    canvas.text((left, top), _fitting(text, _font(size), room), font=_font(size), fill=ink)


def _right(canvas: ImageDraw.ImageDraw, text: str, top: int, right: int, size: int, ink: str) -> int:
    """Write `text` so that it ends at `right`, and return its width."""
    width = round(_font(size).getlength(text))
    canvas.text((right - width, top), text, font=_font(size), fill=ink)
    return width


def _bar(canvas: ImageDraw.ImageDraw, bar: Bar, top: int, size: int, colour: str) -> int:
    """Draw the bar under a line of that size, and return where it ends."""
    room = WIDTH - 2 * _MARGIN
    upper = top + size + 10
    lower = upper + size
    canvas.rounded_rectangle((_MARGIN, upper, WIDTH - _MARGIN, lower), radius=6, fill=_TROUGH, outline=_FADED)
    if bar.share > 0:
        # What is left never shows as nothing.
        right = _MARGIN + max(4, round(bar.share * room))
        canvas.rounded_rectangle((_MARGIN, upper, right, lower), radius=min(6, (right - _MARGIN) // 2), fill=colour)
    return lower


def _fitting(text: str, font: ImageFont.FreeTypeFont, room: float) -> str:
    """Return `text` with signs that can be drawn, cut where it doesn't fit."""
    known = _known()
    shown = "".join(char if ord(char) in known else _MISSING for char in visible(text))
    if font.getlength(shown) <= room:
        return shown
    while shown and font.getlength(shown + _ELLIPSIS) > room:
        shown = shown[:-1]
    return shown + _ELLIPSIS


def _font_file() -> Path:
    return Path(mpl.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"


@cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(_font_file()), size)


@cache
def _known() -> frozenset[int]:
    """Return the code points that the font can draw: some 6,000, of most alphabets."""
    return frozenset(FT2Font(str(_font_file())).get_charmap())
