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
from sim.core.excerpt import visible

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
_BOSS_HEIGHT = 120
_ROW_HEIGHT = 78
_LARGE, _SMALL = 30, 24
_MARK = "▶ "
_MISSING = "▯"
_ELLIPSIS = "…"


def draw(request: BarsRequest) -> bytes:
    """Return a PNG: the boss's bar on top, the members' under it, each with its figures."""
    height = _MARGIN + _BOSS_HEIGHT + len(request.members) * _ROW_HEIGHT + _MARGIN // 2
    image = Image.new("RGB", (WIDTH, height), _GROUND)
    canvas = ImageDraw.Draw(image)
    _bar(canvas, request.boss, _MARGIN, _LARGE, _BOSS)
    for number, member in enumerate(request.members):
        top = _MARGIN + _BOSS_HEIGHT + number * _ROW_HEIGHT
        _bar(canvas, member, top, _SMALL, _FADED if member.faded else _MEMBER)
    out = io.BytesIO()
    image.quantize(64).save(out, format="PNG", optimize=True)
    return out.getvalue()


def _bar(canvas: ImageDraw.ImageDraw, bar: Bar, top: int, size: int, colour: str) -> None:
    """Draw name and figures in a line and the bar under it; what happened last stands between them."""
    font = _font(size)
    figures = f"{bar.note}   {bar.figures}" if bar.note else bar.figures
    room = WIDTH - 2 * _MARGIN
    figures = _fitting(figures, font, room * 2 / 3)
    width = font.getlength(figures)
    canvas.text((WIDTH - _MARGIN - width, top), figures, font=font, fill=_FAINT if bar.faded else _INK)
    name = _fitting((_MARK if bar.is_next else "") + bar.name, font, room - width - size)
    canvas.text((_MARGIN, top), name, font=font, fill=_FAINT if bar.faded else _INK)
    upper, lower = top + size + 10, top + size + 10 + size
    canvas.rounded_rectangle((_MARGIN, upper, WIDTH - _MARGIN, lower), radius=6, fill=_TROUGH, outline=_FADED)
    if bar.share > 0:
        # What is left never shows as nothing.
        right = _MARGIN + max(4, round(bar.share * room))
        canvas.rounded_rectangle((_MARGIN, upper, right, lower), radius=min(6, (right - _MARGIN) // 2), fill=colour)


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
