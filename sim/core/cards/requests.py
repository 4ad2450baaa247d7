"""Requests for cards; those here need no calculation. And the card of a list."""

from abc import abstractmethod

from typing_extensions import override

from sim.core.cards import parts
from sim.core.cards import text as letters
from sim.core.cards.card import Card
from sim.core.cards.fight import draw_fight
from sim.core.cards.parts import HEALTH_ROW, LEFT, RIGHT
from sim.core.cards.theme import BLUE, INK, ORANGE, SMALL, SOFT, TILE, TITLE
from sim.core.cards.tiles import draw_tiles
from sim.core.cards.values import DrawnCard, Fact, FightCard, SheetCard, TilesCard
from sim.core.values import Request

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


_SECONDS = 0.1


class CardRequest(Request):
    """Draws a card. `engines`: whether there are NumPy and numba; without them a card lacks the chances they find."""

    engines: bool = True

    @abstractmethod
    def draw(self) -> Card:
        """Return the card, to be painted as a PNG or written as an SVG."""

    def run(self) -> DrawnCard:
        """Return the card as a PNG. Loads Pillow, so only workers do this."""
        return self.draw().drawn()


class FightCardRequest(CardRequest):
    """Draws a fight."""

    max_seconds = _SECONDS

    card: FightCard

    @override
    def draw(self) -> Card:
        return draw_fight(self.card)


class SheetCardRequest(CardRequest):
    """Draws a list with bars."""

    max_seconds = _SECONDS

    card: SheetCard

    @override
    def draw(self) -> Card:
        return draw_sheet(self.card)


class TilesCardRequest(Request):
    """Draws games to choose from."""

    max_seconds = _SECONDS

    card: TilesCard

    def run(self) -> bytes:
        """Return the card as a PNG."""
        return draw_tiles(self.card).png()
