"""The health bars of a fight as a picture.

Imports Pillow, so only workers may import this.
"""

import io
from collections.abc import Sequence

from PIL import Image, ImageDraw

from sim.boss_fight.bars import Bar
from sim.core.caret import visible
from sim.core.pictures import BLUE, FAINT, GROUND, INK, ORANGE, font, letters

WIDTH = 800
"""Points: sharp across a phone."""

_TROUGH = "#1e1f22"
_NOTE = "#adb5bd"
_MARGIN = 24
_GAP = 14
_BOSS_HEIGHT = 132
_ROW_HEIGHT = 78
_LARGE, _SMALL = 30, 24
_MISSING = "▯"
_ELLIPSIS = "…"


def draw(boss: Bar, members: Sequence[Bar]) -> bytes:
    """Return a PNG: the boss's bar on top, the members' under it, each with its figures."""
    height = _MARGIN + _BOSS_HEIGHT + len(members) * _ROW_HEIGHT + _MARGIN // 2
    image = Image.new("RGB", (WIDTH, height), GROUND)
    canvas = ImageDraw.Draw(image)
    _boss(canvas, boss)
    for number, member in enumerate(members):
        _member(canvas, member, _MARGIN + _BOSS_HEIGHT + number * _ROW_HEIGHT)
    out = io.BytesIO()
    image.quantize(64).save(out, format="PNG", optimize=True)
    return out.getvalue()


def _boss(canvas: ImageDraw.ImageDraw, bar: Bar) -> None:
    """Draw the boss: name and figures, the bar under them, the last blow at the bottom."""
    width = _right(canvas, bar.figures, _MARGIN, WIDTH - _MARGIN, _LARGE, INK)
    _left(canvas, bar.name, _MARGIN, _MARGIN, WIDTH - 2 * _MARGIN - width - _GAP, _LARGE, INK)
    lower = _bar(canvas, bar, _MARGIN, _LARGE, ORANGE)
    _left(canvas, bar.note, _MARGIN, lower + 4, WIDTH - 2 * _MARGIN, _SMALL, _NOTE)


def _member(canvas: ImageDraw.ImageDraw, bar: Bar, top: int) -> None:
    """Draw a member: a mark before the name of whoever is next, the last damage beside the figures."""
    ink = _NOTE if bar.faded else INK
    right = WIDTH - _MARGIN - _right(canvas, bar.figures, top, WIDTH - _MARGIN, _SMALL, ink) - _GAP
    if bar.note:
        right -= _right(canvas, bar.note, top, right, _SMALL, _NOTE) + _GAP
    left = _MARGIN
    if bar.is_next:
        side = _SMALL - 6
        canvas.polygon([(left, top + 6), (left, top + 6 + side), (left + side, top + 6 + side // 2)], fill=ORANGE)
        left += side + 8
    _left(canvas, bar.name, left, top, right - left, _SMALL, ink)
    _bar(canvas, bar, top, _SMALL, FAINT if bar.faded else BLUE)


def _left(canvas: ImageDraw.ImageDraw, text: str, left: int, top: int, room: int, size: int, ink: str) -> None:
    canvas.text((left, top), _fitting(text, size, room), font=font(size), fill=ink)


def _right(canvas: ImageDraw.ImageDraw, text: str, top: int, right: int, size: int, ink: str) -> int:
    """Write `text` so that it ends at `right`, and return its width."""
    width = round(font(size).getlength(text))
    canvas.text((right - width, top), text, font=font(size), fill=ink)
    return width


def _bar(canvas: ImageDraw.ImageDraw, bar: Bar, top: int, size: int, colour: str) -> int:
    """Draw the bar under a line of that size, and return where it ends."""
    room = WIDTH - 2 * _MARGIN
    upper = top + size + 10
    lower = upper + size
    canvas.rounded_rectangle((_MARGIN, upper, WIDTH - _MARGIN, lower), radius=6, fill=_TROUGH, outline=FAINT)
    if bar.share > 0:
        # What is left never shows as nothing.
        right = _MARGIN + max(4, round(bar.share * room))
        canvas.rounded_rectangle((_MARGIN, upper, right, lower), radius=min(6, (right - _MARGIN) // 2), fill=colour)
    return lower


def _fitting(text: str, size: int, room: float) -> str:
    """Return `text` with signs that can be drawn, cut where it doesn't fit."""
    known = letters()
    drawable = "".join(char if ord(char) in known else _MISSING for char in visible(text))
    if font(size).getlength(drawable) <= room:
        return drawable
    while drawable and font(size).getlength(drawable + _ELLIPSIS) > room:
        drawable = drawable[:-1]
    return drawable + _ELLIPSIS
