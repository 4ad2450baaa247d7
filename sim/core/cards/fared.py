"""Draws the card of a campaign: for each fighter a column a battle, as high as what was left after it."""

from sim.core.cards.card import Card
from sim.core.cards.parts import LEFT, RIGHT, headline
from sim.core.cards.theme import BLUE, INK, LOST, NEUTRAL, ORANGE, SMALL, SOFT, TEXT, TROUGH
from sim.core.cards.values import DrawnCard, FaredCard, FaredRow

_TOP, _FOOT, _BETWEEN = 84, 18, 14
_SIDE, _ROW, _MORE = 44, 70, 34
_COLUMNS_FROM = 430
_WIDEST = 58
_COLUMN, _STUB, _GAP = 50, 7, 6
_COLORS = (BLUE, ORANGE)


def draw_fared(fared: FaredCard) -> DrawnCard:
    """Return the card."""
    height = _TOP + _FOOT + sum(_SIDE + _ROW * len(side.rows) + (_MORE if side.more else 0) for side in fared.sides)
    card = Card(height + _BETWEEN * (len(fared.sides) - 1))
    headline(card, [(fared.title, INK)], fared.aside)
    pitch = min(_WIDEST, (RIGHT - _COLUMNS_FROM) // max(1, len(fared.battles)))
    top = _TOP
    for number, (side, color) in enumerate(zip(fared.sides, _COLORS, strict=False)):
        card.text(LEFT, top + 26, side.title, TEXT, color, bold=True)
        for at, label in enumerate(fared.battles if not number else ()):
            card.text(_COLUMNS_FROM + at * pitch + (pitch - _GAP) // 2, top + 26, label, SMALL, SOFT, align="center")
        top += _SIDE
        for row in side.rows:
            _draw_row(card, top, row, color, pitch)
            top += _ROW
        if side.more:
            card.text(LEFT, top + 20, f"and {side.more:,} more", SMALL, SOFT)
            top += _MORE
        top += _BETWEEN
    return DrawnCard(data=card.png(), alt=fared.alt())


def _draw_row(card: Card, top: int, row: FaredRow, color: str, pitch: int) -> None:
    left = next((share for share in reversed(row.course) if share is not None), None)
    ink = NEUTRAL if left is not None and left <= 0 else INK
    room = _COLUMNS_FROM - 24 - LEFT
    card.name(LEFT, top + 22, row.name, room, TEXT, ink, instead=row.instead)
    card.name(LEFT, top + 48, row.figures, room, SMALL, SOFT, bold=False)
    for at, share in enumerate(row.course):
        x, base = _COLUMNS_FROM + at * pitch, top + 4 + _COLUMN
        if share is None:
            card.box((x, base - 3, x + pitch - _GAP, base), TROUGH, radius=1)
            continue
        card.box((x, base - _COLUMN, x + pitch - _GAP, base), TROUGH, radius=5)
        rise = max(_STUB, round(share * _COLUMN))
        card.box((x, base - rise, x + pitch - _GAP, base), color if share > 0 else LOST, radius=min(5, rise // 2))
