"""Draws the card of a campaign: for each fighter a column a battle, as high as what was left after it."""

from functools import lru_cache

from PIL import Image, ImageDraw

from sim.core.cards.card import Card
from sim.core.cards.masks import rounded
from sim.core.cards.parts import LEFT, RIGHT, headline
from sim.core.cards.theme import BLUE, INK, LOST, NEUTRAL, ORANGE, SMALL, SOFT, TEXT, TROUGH, rgb
from sim.core.cards.values import DrawnCard, FaredCard, FaredRow

_TOP, _FOOT, _BETWEEN = 84, 18, 14
_SIDE, _ROW, _MORE = 44, 70, 34
_COLUMNS_FROM = 430  # or further right
_WIDEST = 58
_COLUMN, _STUB, _FLAT, _GAP = 50, 7, 3, 6
_COLORS = (BLUE, ORANGE)


def draw_fared(fared: FaredCard) -> DrawnCard:
    """Return the card."""
    height = _TOP + _FOOT + sum(_SIDE + _ROW * len(side.rows) + (_MORE if side.more else 0) for side in fared.sides)
    card = Card(height + _BETWEEN * (len(fared.sides) - 1))
    headline(card, [(fared.title, INK)], fared.aside)
    pitch = min(_WIDEST, (RIGHT + _GAP - _COLUMNS_FROM) // max(1, len(fared.battles)))
    start = RIGHT + _GAP - pitch * len(fared.battles)
    top = _TOP
    for number, (side, color) in enumerate(zip(fared.sides, _COLORS, strict=False)):
        card.text(LEFT, top + 26, side.title, TEXT, color, bold=True)
        for at, label in enumerate(fared.battles if not number else ()):
            card.text(start + at * pitch + (pitch - _GAP) // 2, top + 26, label, SMALL, SOFT, align="center")
        top += _SIDE
        for row in side.rows:
            _draw_row(card, (start, top), row, color, pitch)
            top += _ROW
        if side.more:
            card.text(LEFT, top + 20, f"and {side.more:,} more", SMALL, SOFT)
            top += _MORE
        top += _BETWEEN
    return DrawnCard(data=card.png(), alt=fared.alt())


def _draw_row(card: Card, corner: tuple[int, int], row: FaredRow, color: str, pitch: int) -> None:
    """Draw a row; `corner`: where its columns begin, and its top."""
    start, top = corner
    left = next((share for share in reversed(row.course) if share is not None), None)
    ink = NEUTRAL if left is not None and left <= 0 else INK
    room = start - 24 - LEFT
    card.name(LEFT, top + 22, row.name, room, TEXT, ink, instead=row.instead)
    card.name(LEFT, top + 48, row.figures, room, SMALL, SOFT, bold=False)
    strip = _course(row, color, pitch)
    card.image.paste(strip, (start, top + 4), _troughs(tuple(share is not None for share in row.course), pitch))


def _course(row: FaredRow, color: str, pitch: int) -> Image.Image:
    """Return the columns of a row, with corners."""
    strip = Image.new("RGB", (pitch * len(row.course), _COLUMN), rgb(TROUGH))
    pen = ImageDraw.Draw(strip)
    for at, share in enumerate(row.course):
        rise = 0 if share is None else max(_STUB, round(share * _COLUMN))
        if rise:
            ends = ((at * pitch, _COLUMN - rise), (at * pitch + pitch - 1, _COLUMN - 1))
            pen.rectangle(ends, fill=rgb(color if share else LOST))
    return strip


@lru_cache(maxsize=64)
def _troughs(there: tuple[bool, ...], pitch: int) -> Image.Image:
    """Return the columns' shapes as a mask: flat for battles that somebody wasn't in."""
    mask = Image.new("L", (pitch * len(there), _COLUMN))
    for at, is_there in enumerate(there):
        height = _COLUMN if is_there else _FLAT
        mask.paste(rounded(pitch - _GAP, height, min(5, height // 2)), (at * pitch, _COLUMN - height))
    return mask
