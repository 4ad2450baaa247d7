"""The fonts that PNGs are written in: how wide text is, and its pieces as masks, in the first font that has a letter.

That is Grenze for large text and DejaVu, then what this machine has for CJK and emoji. Needs Pillow: for workers.
Grenze-Bold.ttf is cut down to Latin letters and signs, with lining figures in place of the old-style ones.
"""

from collections.abc import Iterator
from contextlib import suppress
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont, features

from sim.core.cards.theme import EDGE_STEPS, HEAD
from sim.core.cards.values import AdvanceTable, Run


def stepped(mask: Image.Image) -> Image.Image:
    """Return a mask with the few steps at its edges that palettes have colors for."""
    return mask.point(lambda level: round(level / 255 * EDGE_STEPS) * 255 // EDGE_STEPS)


_UNITS, _DISPLAY_UNITS = 2048, 1000  # of an em of DejaVu and of Grenze: at this size widths are whole pixels
_EMOJI_SIZE = 109  # the one size of Noto's colored emoji

_EMOJI = "NotoColorEmoji.ttf"
_WORLD = (
    "NotoSansCJK-Regular.ttc",
    "NotoSansCJK-VF.ttf.ttc",
    "wqy-microhei.ttc",
    "wqy-zenhei.ttc",
    "DroidSansFallbackFull.ttf",
    "Arial Unicode.ttf",
    "PingFang.ttc",
    "msyh.ttc",
)


def font(size: int, *, bold: bool = False) -> ImageFont.FreeTypeFont:
    """Return the font of figures and plain words, for pictures that place each of them themselves."""
    return _font(_base(bold=bold), size, plain=True)


def width(text: str, size: int, *, bold: bool) -> int:
    """Return how wide `text` is in pixels."""
    return sum(_width(part, name, size) for name, part in _runs(text, size, bold=bold))


def draws(char: str, *, bold: bool) -> bool:
    """Return whether any font has a character."""
    return _font_of(char, _base(bold=bold)) is not None


class Piece(NamedTuple):
    """Text drawn once in one font: a mask, or a small picture of colored emoji; `top`: pixels above the base line."""

    image: Image.Image
    left: int
    top: int
    width: int
    colored: bool


def pieces(text: str, size: int, *, bold: bool = False) -> Iterator[Piece]:
    """Return the pieces of a text, from left to right."""
    return (_piece(part, name, size) for name, part in _runs(text, size, bold=bold))


@lru_cache(maxsize=8192)
def _runs(text: str, size: int, *, bold: bool) -> tuple[tuple[Path, str], ...]:
    base = _DISPLAY if size >= HEAD else _base(bold=bold)
    if text.isascii():
        return ((base, text),) if text else ()
    return tuple((name, "".join(part)) for name, part in groupby(text, lambda char: _font_of(char, base) or base))


@lru_cache(maxsize=8192)
def _width(text: str, name: Path, size: int) -> int:
    """Return a piece's width, without drawing it where that can be."""
    if name.name == _EMOJI:
        return _piece(text, name, size).width
    return round(_font(name, size, plain=text.isascii()).getlength(text))


@lru_cache(maxsize=2048)
def _piece(text: str, name: Path, size: int) -> Piece:
    colored = name.name == _EMOJI
    face = _font(name, _EMOJI_SIZE if colored else size, plain=text.isascii())
    left, top, right, bottom = face.getbbox(text, anchor="ls")
    image = Image.new("RGBA" if colored else "L", (max(1, round(right - left)), max(1, round(bottom - top))))
    ink = None if colored else 255
    ImageDraw.Draw(image).text((-left, -top), text, font=face, fill=ink, embedded_color=colored, anchor="ls")
    if not colored:
        return Piece(stepped(image), round(left), -round(top), _width(text, name, size), colored=False)
    share = size / _EMOJI_SIZE
    small = image.resize((max(1, round(image.width * share)), max(1, round(image.height * share))))
    return Piece(small, 0, round(-top * share), small.width, colored=True)


@cache
def _font(name: Path, size: int, *, plain: bool) -> ImageFont.FreeTypeFont:
    # Only some scripts need shaping, which takes longer.
    shaped = not plain and features.check("raqm")
    return ImageFont.truetype(
        str(name), size, layout_engine=ImageFont.Layout.RAQM if shaped else ImageFont.Layout.BASIC
    )


@lru_cache(maxsize=8192)
def _font_of(char: str, base: Path) -> Path | None:
    """Return the font that draws `char`, `base` if it can; a joiner of emoji belongs to them; None if there is none."""
    if char.isspace():
        return base
    for name in (base, _base(bold=True) if base == _DISPLAY else base, *_others()):
        mask = _font(name, _EMOJI_SIZE if name.name == _EMOJI else 20, plain=True).getmask(char)
        if mask.getbbox() and bytes(mask) != _missing(name):
            return name
    return None


@cache
def _missing(name: Path) -> bytes:
    """Return what a font draws for what it doesn't have."""
    return bytes(_font(name, _EMOJI_SIZE if name.name == _EMOJI else 20, plain=True).getmask("\U0010ffff"))


_FACES = Path(__file__).parent
_DISPLAY = _FACES / "grenze" / "Grenze-Bold.ttf"


@cache
def _base(*, bold: bool) -> Path:
    return _FACES / "dejavu" / ("DejaVuSansCondensed-Bold.ttf" if bold else "DejaVuSansCondensed.ttf")


@cache
def _others() -> tuple[Path, ...]:
    """Return this machine's fonts for what DejaVu lacks; without any, names lose those letters."""
    found = []
    for name in (*_WORLD, _EMOJI):
        with suppress(OSError):  # Pillow looks where the system has its fonts
            found.append(Path(str(ImageFont.truetype(name, _EMOJI_SIZE).path)))
    return tuple(found)


@cache
def advance_table() -> AdvanceTable:
    """Return how wide the characters of our own faces are. Takes some seconds."""

    def runs(name: Path, units: int) -> Iterator[Run]:
        face = _font(name, units, plain=True)
        lacks = _missing(name)
        small = _font(name, 20, plain=True)
        # There are no letters beyond these.
        has = [code for code in range(ord(" "), 0x20000) if bytes(small.getmask(chr(code))) != lacks]
        for _, run in groupby(enumerate(has), lambda item: item[1] - item[0]):
            block = [code for _, code in run]
            yield (block[0], *(round(face.getlength(chr(code))) for code in block))

    return AdvanceTable(
        units=_UNITS,
        regular=tuple(runs(_base(bold=False), _UNITS)),
        bold=tuple(runs(_base(bold=True), _UNITS)),
        display_units=_DISPLAY_UNITS,
        display=tuple(runs(_DISPLAY, _DISPLAY_UNITS)),
    )
