"""Draws the card of a list: figures in boxes, and rows with bars."""

from sim.core.cards import parts
from sim.core.cards import text as letters
from sim.core.cards.card import Card
from sim.core.cards.parts import HEALTH_ROW, LEFT, RIGHT
from sim.core.cards.theme import BLUE, INK, ORANGE, SMALL, SOFT, TILE, TITLE
from sim.core.cards.values import Fact, SheetCard

_TOP = 80
_FACT, _FACT_GAP, _PAD = 92, 14, 16
_MORE, _NOTE = 34, 40
_COLORS = {"blue": BLUE, "orange": ORANGE}


def draw_sheet(sheet: SheetCard) -> Card:
    """Return the card."""
    edges, width = parts.columns(1 if sheet.wide else 2)
    high = -(-len(sheet.rows) // len(edges))
    rows_top = _TOP + (_FACT + _PAD if sheet.facts else 0)
    foot = rows_top + high * HEALTH_ROW + (_MORE if sheet.more else 0)
    card = Card(foot + (_NOTE if sheet.note else 0) + 16, sheet.alt())
    parts.headline(card, [(sheet.title, INK)], sheet.aside)
    for at, fact in enumerate(sheet.facts):
        _draw_fact(card, fact, at, len(sheet.facts))
    for at, row in enumerate(sheet.rows):
        column, number = divmod(at, high)
        parts.health(card, edges[column], rows_top + number * HEALTH_ROW, width, row, _COLORS[sheet.color])
    if sheet.more:
        card.text(LEFT, foot - 6, f"and {sheet.more:,} more", SMALL, SOFT)
    if sheet.note:
        card.name(LEFT, foot + 30, sheet.note, RIGHT - LEFT, 22, SOFT, bold=False)
    return card


def _draw_fact(card: Card, fact: Fact, at: int, count: int) -> None:
    """Draw a box with a figure, one of `count` side by side."""
    width = (RIGHT - LEFT - (count - 1) * _FACT_GAP) // count
    left = LEFT + at * (width + _FACT_GAP)
    room = width - 2 * _PAD
    card.box((left, _TOP, left + width, _TOP + _FACT), TILE, radius=10)
    card.name(left + _PAD, _TOP + 32, fact.label, room, SMALL, SOFT, bold=False)
    size = next((size for size in (TITLE, 30, 26) if letters.width(fact.figure, size, bold=True) <= room), 22)
    card.name(left + _PAD, _TOP + 74, fact.figure, room, size, INK)
