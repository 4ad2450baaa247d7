"""Draws the card of a board: who came in where, each with an emblem, a name, a bar and a result in words."""

from collections.abc import Iterable, Iterator
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


class BoardCard(Told, CardRequest):
    """A board, the best first; `more`: how many are left out."""

    max_seconds = 0.1

    rows: Annotated[tuple[BoardRow, ...], Field(min_length=1, max_length=MAX_STANDINGS)]
    more: int = 0

    @override
    def _sentences(self) -> Iterator[str]:
        yield from super()._sentences()
        yield from (f"{row.place}. {row.name}: {row.figures}." for row in self.rows)
        if self.more:
            yield f"And {self.more:,} more."

    @override
    def draw(self) -> Card:
        top = below(self.title, self.aside)
        height = top + len(self.rows) * (_ROW + _GAP) + (50 if self.more else 12)
        drawn = Card(height, self.alt(), colors=_colors(self.rows))
        headline(drawn, [(self.title, INK)], self.aside)
        for at, row in enumerate(self.rows):
            _draw_row(drawn, row, top + at * (_ROW + _GAP))
        if self.more:
            drawn.text(RIGHT, height - 14, f"and {self.more:,} more", TEXT, SOFT, align="right")
        return drawn


_ROW, _GAP, _DISC, _MARK, _BAR = 148, 14, 96, 58, 12
_PLACE = 76
"""Pixels of a place's number."""


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


def _colors(rows: Iterable[BoardRow]) -> tuple[tuple[int, int, int], ...]:
    """Return the colors of the finished file: those of all cards, and each person's own with an edge."""
    inks = dict.fromkeys(row.crest.ink for row in rows)
    steps = (mixed(ink, other, 1 / 2) for ink in inks for other in (TILE, DARK))  # few colors make a light file
    return tuple(dict.fromkeys((*CARD_COLORS, *map(rgb, inks), *steps)))
