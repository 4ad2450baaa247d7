"""Draws the card of a board: who came in where, each with an emblem, a name, a bar and a result in words."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field
from typing_extensions import override

from sim.core.cards.card import Card
from sim.core.cards.draw import CardRequest
from sim.core.cards.emblems import EMBLEMS, Crest
from sim.core.cards.parts import LEFT, LINE, RIGHT, below, headline
from sim.core.cards.theme import COLORS as CARD_COLORS
from sim.core.cards.theme import DARK, HEAD, INK, SOFT, TEXT, TILE, TROUGH, mixed, rgb
from sim.core.cards.values import Line, Share, Told
from sim.core.values import Frozen

MAX_STANDINGS = 5


class BoardRow(Frozen):
    """Somebody on a board: the place, the name, the crest, and the result, as text and as a share of the best."""

    place: Annotated[int, Field(ge=1)]
    name: Line
    crest: Crest
    figures: Line
    share: Share


class BoardCard(Told):
    """A board, the best first; `more`: how many are left out."""

    rows: Annotated[tuple[BoardRow, ...], Field(min_length=1, max_length=MAX_STANDINGS)]
    more: int = 0

    @override
    def _sentences(self) -> Iterator[str]:
        yield from super()._sentences()
        yield from (f"{row.place}. {row.name}: {row.figures}." for row in self.rows)
        if self.more:
            yield f"And {self.more:,} more."


_ROW, _GAP, _DISC, _MARK, _BAR = 148, 14, 96, 58, 12
_PLACE = 76
"""Pixels of a place's number."""


def draw_board(card: BoardCard) -> Card:
    """Return the card."""
    top = below(card.title, card.aside)
    height = top + len(card.rows) * (_ROW + _GAP) + (50 if card.more else 12)
    drawn = Card(height, card.alt(), colors=_colors(card))
    headline(drawn, [(card.title, INK)], card.aside)
    for at, row in enumerate(card.rows):
        _draw_row(drawn, row, top + at * (_ROW + _GAP))
    if card.more:
        drawn.text(RIGHT, height - 14, f"and {card.more:,} more", TEXT, SOFT, align="right")
    return drawn


def _draw_row(drawn: Card, row: BoardRow, top: int) -> None:
    ink, middle = row.crest.ink, top + _ROW // 2
    drawn.box((LEFT, top, RIGHT, top + _ROW), TILE, radius=12)
    drawn.text(LEFT + _PLACE // 2 + 4, middle + 16, str(row.place), HEAD, INK, bold=True, align="center")
    disc = LEFT + _PLACE
    drawn.box((disc, middle - _DISC // 2, disc + _DISC, middle + _DISC // 2), ink, _DISC // 2)
    inset = (_DISC - _MARK) // 2
    drawn.silhouette(disc + inset, middle - _MARK // 2, EMBLEMS[row.crest.emblem].shape, _MARK, DARK)
    left, right = disc + _DISC + 24, RIGHT - 24
    drawn.name(left, top + 50, row.name, right - left, TEXT, INK, instead=f"Player {row.place}")
    drawn.text(left, top + 50 + LINE, row.figures, TEXT, SOFT)
    bar = (left, top + _ROW - 16 - _BAR, right, top + _ROW - 16)
    drawn.segments(bar, [(row.share, ink), (1 - row.share, TROUGH)], radius=_BAR // 2)


def _colors(card: BoardCard) -> tuple[tuple[int, int, int], ...]:
    """Return the colors of the finished file: those of all cards, and each person's own with an edge."""
    inks = dict.fromkeys(row.crest.ink for row in card.rows)
    steps = (mixed(ink, other, 1 / 2) for ink in inks for other in (TILE, DARK))  # few colors make a light file
    return tuple(dict.fromkeys((*CARD_COLORS, *map(rgb, inks), *steps)))


class BoardRequest(CardRequest):
    """Draws the card of a board."""

    max_seconds = 0.1

    card: BoardCard

    @override
    def draw(self) -> Card:
        return draw_board(self.card)
