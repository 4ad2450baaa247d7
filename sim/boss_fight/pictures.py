"""The picture of a fight's health bars, and uploaded pictures redrawn.

Imports Pillow, so only workers may import this. A hostile file reaches a decoder only here, within the worker's limits;
nothing of an uploaded file but its pixels is kept.
"""

import io
import warnings
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from PIL import Image, ImageDraw, ImageOps

from sim.boss_fight.health_bars import HealthBar
from sim.core.caret import visible
from sim.core.errors import RuleError
from sim.core.pictures import BLUE, FAINT, GROUND, INK, ORANGE, font, letters

WIDTH = 800
"""Pixels: sharp across a phone."""

MAX_PIXELS: Mapping[str, int] = MappingProxyType(
    {"PNG": 8_000_000, "JPEG": 16_000_000, "WEBP": 8_000_000, "GIF": 8_000_000}
)
"""The kinds of files that are read, with the largest picture of each in pixels.

A decoder keeps two or three copies of a picture, and a worker has little memory; JPEG can be decoded smaller at once.
"""

MAX_SIDE = 512
"""Pixels of the longer side of a redrawn picture."""

_FORMATS = tuple(MAX_PIXELS)
_TROUGH = "#1e1f22"
_NOTE = "#adb5bd"
_MARGIN = 24
_GAP = 14
_BOSS_HEIGHT = 132
_ROW_HEIGHT = 78
_LARGE, _SMALL = 30, 24
_MISSING = "▯"
_ELLIPSIS = "…"


def draw_health_bars(boss: HealthBar, members: Sequence[HealthBar]) -> bytes:
    """Return a PNG: the boss's bar on top, the members' below, each with its figures."""
    height = _MARGIN + _BOSS_HEIGHT + len(members) * _ROW_HEIGHT + _MARGIN // 2
    image = Image.new("RGB", (WIDTH, height), GROUND)
    canvas = ImageDraw.Draw(image)
    _draw_boss(canvas, boss)
    for number, member in enumerate(members):
        _draw_member(canvas, member, _MARGIN + _BOSS_HEIGHT + number * _ROW_HEIGHT)
    out = io.BytesIO()
    image.quantize(64).save(out, format="PNG", optimize=True)
    return out.getvalue()


def _draw_boss(canvas: ImageDraw.ImageDraw, bar: HealthBar) -> None:
    """Draw the boss: name and figures, the bar below, the last hit at the bottom."""
    width = _write_right(canvas, bar.figures, _MARGIN, WIDTH - _MARGIN, _LARGE, INK)
    _write_left(canvas, bar.name, _MARGIN, _MARGIN, WIDTH - 2 * _MARGIN - width - _GAP, _LARGE, INK)
    lower = _draw_bar(canvas, bar, _MARGIN, _LARGE, ORANGE)
    _write_left(canvas, bar.note, _MARGIN, lower + 4, WIDTH - 2 * _MARGIN, _SMALL, _NOTE)


def _draw_member(canvas: ImageDraw.ImageDraw, bar: HealthBar, top: int) -> None:
    """Draw a member: a mark before the name if the turn is next, the last damage beside the figures."""
    ink = _NOTE if bar.faded else INK
    right = WIDTH - _MARGIN - _write_right(canvas, bar.figures, top, WIDTH - _MARGIN, _SMALL, ink) - _GAP
    if bar.note:
        right -= _write_right(canvas, bar.note, top, right, _SMALL, _NOTE) + _GAP
    left = _MARGIN
    if bar.is_next:
        side = _SMALL - 6
        canvas.polygon([(left, top + 6), (left, top + 6 + side), (left + side, top + 6 + side // 2)], fill=ORANGE)
        left += side + 8
    _write_left(canvas, bar.name, left, top, right - left, _SMALL, ink)
    _draw_bar(canvas, bar, top, _SMALL, FAINT if bar.faded else BLUE)


def _write_left(canvas: ImageDraw.ImageDraw, text: str, left: int, top: int, room: int, size: int, ink: str) -> None:
    canvas.text((left, top), _truncated(text, size, room), font=font(size), fill=ink)


def _write_right(canvas: ImageDraw.ImageDraw, text: str, top: int, right: int, size: int, ink: str) -> int:
    """Write `text` so that it ends at `right`; return its width."""
    width = round(font(size).getlength(text))
    canvas.text((right - width, top), text, font=font(size), fill=ink)
    return width


def _draw_bar(canvas: ImageDraw.ImageDraw, bar: HealthBar, top: int, size: int, colour: str) -> int:
    """Draw the bar under a line of that size; return its lower edge."""
    room = WIDTH - 2 * _MARGIN
    upper = top + size + 10
    lower = upper + size
    canvas.rounded_rectangle((_MARGIN, upper, WIDTH - _MARGIN, lower), radius=6, fill=_TROUGH, outline=FAINT)
    if bar.share > 0:
        # Any health at all is visible.
        right = _MARGIN + max(4, round(bar.share * room))
        canvas.rounded_rectangle((_MARGIN, upper, right, lower), radius=min(6, (right - _MARGIN) // 2), fill=colour)
    return lower


def _truncated(text: str, size: int, room: float) -> str:
    """Return `text` with drawable characters only, cut to fit."""
    known = letters()
    drawable = "".join(char if ord(char) in known else _MISSING for char in visible(text))
    if font(size).getlength(drawable) <= room:
        return drawable
    while drawable and font(size).getlength(drawable + _ELLIPSIS) > room:
        drawable = drawable[:-1]
    return drawable + _ELLIPSIS


def redraw_upload(data: bytes) -> bytes:
    """Return the first frame of an uploaded picture as a PNG; RuleError if it is too large or unreadable."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a file that makes the decoder warn is refused
            return _redraw(data)
    except (RuleError, MemoryError):
        raise
    except Exception:  # noqa: BLE001 - a decoder may raise anything for a broken file
        kinds = ", ".join(_FORMATS[:-1])
        raise RuleError(f"This file can't be read as a picture; {kinds} and {_FORMATS[-1]} are taken.") from None


def _redraw(data: bytes) -> bytes:
    with Image.open(io.BytesIO(data), formats=_FORMATS) as image:
        width, height = image.size
        most = MAX_PIXELS[image.format or _FORMATS[0]]
        if width * height > most:
            size_text = f"The picture has {width:,} x {height:,} points"
            raise RuleError(f"{size_text}; of a {image.format} at most {most // 1_000_000} million are taken.")
        image.draft("RGB", (2 * MAX_SIDE, 2 * MAX_SIDE))  # a large JPEG is decoded smaller at once
        has_alpha = "A" in image.getbands() or "transparency" in image.info
        mode = "RGBA" if has_alpha else "RGB"
        # Shrunk before anything else if possible: each copy of a large picture costs memory.
        small = image if image.mode == mode else image.convert(mode)
        small.thumbnail((MAX_SIDE, MAX_SIDE))
        plain = ImageOps.exif_transpose(small)
    fresh = Image.new(plain.mode, plain.size)
    fresh.paste(plain)
    out = io.BytesIO()
    fresh.save(out, format="PNG", optimize=True)
    return out.getvalue()
