"""Draws the card of luck: for each row all sums that the dice could have shown, and the one that they did."""

from sim.core.cards.card import Card
from sim.core.cards.parts import LEFT, RIGHT, headline
from sim.core.cards.theme import BLUE, INK, ORANGE, SMALL, SOFT, TROUGH
from sim.core.cards.values import LuckCard, LuckRow

_TOP, _FOOT = 84, 14
_ROW, _BARS_TOP, _BARS = 176, 66, 84
_HALF = 2
_LEAST = 3


def draw_luck(luck: LuckCard) -> Card:
    """Return the card."""
    card = Card(_TOP + _ROW * len(luck.rows) + _FOOT, luck.alt())
    headline(card, [(luck.title, INK)], luck.aside)
    for at, row in enumerate(luck.rows):
        _draw_row(card, _TOP + at * _ROW, row)
    return card


def _draw_row(card: Card, top: int, row: LuckRow) -> None:
    """Draw the sums: what was luck to exceed in blue, what would have been better in grey, the result between them."""
    taken = card.text(RIGHT, top + 24, row.place, bold=True, align="right")
    card.name(LEFT, top + 24, row.name, RIGHT - LEFT - taken - 20, instead=row.instead)
    card.name(LEFT, top + 52, row.figures, RIGHT - LEFT, SMALL, SOFT, bold=False)
    base = top + _BARS_TOP + _BARS
    pitch = (RIGHT - LEFT) / len(row.bars)
    for at, share in enumerate(row.bars):
        left, right = round(LEFT + at * pitch), round(LEFT + (at + 1) * pitch)
        color = ORANGE if at == row.at else BLUE if at < row.at else TROUGH
        rise = max(_LEAST, round(_BARS * share))
        gap = _HALF if right - left > 2 * _HALF else 0
        card.box((left, base - rise, max(left + 1, right - gap), base), color, radius=_HALF)
