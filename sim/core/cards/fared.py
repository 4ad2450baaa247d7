"""Draws the card of a campaign: for each fighter a column a battle, as high as what was left after it."""

from sim.core.cards.card import Card
from sim.core.cards.parts import LEFT, RIGHT, headline
from sim.core.cards.theme import BLUE, INK, LOST, NEUTRAL, ORANGE, SMALL, SOFT, TEXT, TROUGH
from sim.core.cards.values import FaredCard, FaredRow

_TOP, _FOOT, _BETWEEN = 84, 18, 14
_SIDE, _ROW, _MORE = 44, 70, 34
_COLUMNS_FROM = 430  # or further right
_WIDEST = 58
_COLUMN, _STUB, _FLAT, _GAP, _RADIUS = 50, 7, 3, 6, 5
_COLORS = (BLUE, ORANGE)


def draw_fared(fared: FaredCard) -> Card:
    """Return the card."""
    height = _TOP + _FOOT + sum(_SIDE + _ROW * len(side.rows) + (_MORE if side.more else 0) for side in fared.sides)
    card = Card(height + _BETWEEN * (len(fared.sides) - 1), fared.alt())
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
    return card


def _draw_row(card: Card, corner: tuple[int, int], row: FaredRow, color: str, pitch: int) -> None:
    """Draw a row; `corner`: where its columns begin, and its top."""
    start, top = corner
    left = next((share for share in reversed(row.course) if share is not None), None)
    ink = NEUTRAL if left is not None and left <= 0 else INK
    room = start - 24 - LEFT
    card.name(LEFT, top + 22, row.name, room, TEXT, ink, instead=row.instead)
    card.name(LEFT, top + 48, row.figures, room, SMALL, SOFT, bold=False)
    base = top + 4 + _COLUMN
    for at, share in enumerate(row.course):
        left, right = start + at * pitch, start + (at + 1) * pitch - _GAP
        if share is None:  # a battle that somebody wasn't in
            card.box((left, base - _FLAT, right, base), TROUGH, _FLAT // 2)
            continue
        rise = max(_STUB, round(share * _COLUMN))
        if rise < _COLUMN:
            card.box((left, base - _COLUMN, right, base), TROUGH, _RADIUS)
        card.box((left, base - rise, right, base), color if share else LOST, min(_RADIUS, rise // 2))
