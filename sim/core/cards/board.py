"""Draws the cards of people with their emblems: a board, who came in where with which result, and a profile.

A profile has the person's record, and what else there is to be proud of.
"""

from collections.abc import Iterable, Iterator
from typing import Annotated

from pydantic import Field
from typing_extensions import override

from sim.core.cards import text as letters
from sim.core.cards.card import Card
from sim.core.cards.draw import CardRequest
from sim.core.cards.emblems import EMBLEMS, Crest
from sim.core.cards.parts import LEFT, LINE, RIGHT, below, headline, token
from sim.core.cards.theme import COLORS as CARD_COLORS
from sim.core.cards.theme import DARK, EDGE_STEPS, GROUND, HEAD, INK, SOFT, TEXT, TILE, TITLE, TROUGH, Color, mixed, rgb
from sim.core.cards.values import Fact, Line, Share, Told
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
        height = top + sum(map(_height, self.rows)) + (50 if self.more else 12)
        # Few colors make a light file.
        colors = _colors((row.crest.ink for row in self.rows), (TILE, DARK), 2)
        drawn = Card(height, self.alt(), colors=colors, level=5)
        headline(drawn, [(self.title, INK)], self.aside)
        for row in self.rows:
            _draw_row(drawn, row, top)
            top += _height(row)
        if self.more:
            drawn.text(RIGHT, height - 14, f"and {self.more:,} more", TEXT, SOFT, align="right")
        return drawn


_GAP, _BAR, _PLACE = 14, 12, 76
"""Pixels between rows, of a bar's height, and for a place's number."""


def _height(row: BoardRow) -> int:
    """Return the pixels of a row with the gap below it: who won stands larger, as in a profile."""
    return (148 if row.place > 1 else 184) + _GAP


def _draw_row(drawn: Card, row: BoardRow, top: int) -> None:
    ink, first, foot = row.crest.ink, row.place == 1, top + _height(row) - _GAP
    middle, disc = (top + foot) // 2, 116 if first else 96
    drawn.box((LEFT, top, RIGHT, foot), TILE, radius=12)
    if first:
        drawn.silhouette(LEFT + 12, middle - 32, EMBLEMS["crown"].shape, 60, ink)
    else:
        drawn.text(LEFT + _PLACE // 2 + 4, middle + 16, str(row.place), HEAD, INK, align="center")
    token(drawn, LEFT + _PLACE + 4, middle - disc // 2, disc, EMBLEMS[row.crest.emblem].shape, ink)
    left, right, size = LEFT + _PLACE + disc + 20, RIGHT - 16, HEAD if first else TEXT
    base = top + (62 if first else 50)
    drawn.name(left, base, row.name, right - left, size, INK, instead=f"Player {row.place}")
    drawn.name(left, base + LINE, row.figures, right - left, TEXT, SOFT, bold=False)
    bar = (left, foot - (22 if first else 16) - _BAR, right, foot - (22 if first else 16))
    drawn.segments(bar, [(row.share, ink), (1 - row.share, TROUGH)], radius=_BAR // 2)


def _colors(inks: Iterable[str], grounds: tuple[str, ...], steps: int) -> tuple[Color, ...]:
    """Return the colors of the finished file: those of all cards, and each person's own with its edges on grounds."""
    own = dict.fromkeys(inks)
    edges = (mixed(ink, other, step / steps) for ink in own for other in grounds for step in range(1, steps))
    return tuple(dict.fromkeys((*CARD_COLORS, *map(rgb, own), *edges)))


MAX_TROPHIES = 5


class TrophyCard(CardRequest):
    """A person's record in a few words, and what else there is, each with one of the emblems."""

    max_seconds = 0.1

    name: Line
    crest: Crest
    record: Line
    trophies: Annotated[tuple[tuple[str, Fact], ...], Field(max_length=MAX_TROPHIES)]

    def alt(self) -> str:
        """Return the card in words."""
        trophies = (f"{trophy.label}: {trophy.figure}." for _, trophy in self.trophies)
        return " ".join([f"{self.name}, {self.crest}: {self.record}.", *trophies])

    @override
    def draw(self) -> Card:
        ink = self.crest.ink
        colors = _colors([ink], (GROUND, TILE, DARK), EDGE_STEPS)
        wide = RIGHT - LEFT - _TROPHY - _PAD
        figures = [letters.two_lines(trophy.figure, TEXT, wide) for _, trophy in self.trophies]
        more = sum(map(len, figures)) - len(figures)
        drawn = Card(_ROWS + len(figures) * (_TROPHY + _GAP) + more * LINE + 12, self.alt(), colors=colors, level=5)
        token(drawn, LEFT, _TOP, _PERSON, EMBLEMS[self.crest.emblem].shape, ink)
        beside, room = LEFT + _PERSON + 32, RIGHT - LEFT - _PERSON - 32
        size = TITLE if letters.width(self.name, TITLE) <= room else HEAD
        lines = letters.two_lines(self.name, size, room)
        record = letters.wrapped(self.record, TEXT, room)
        base = _TOP + 100 - (len(lines) + len(record) - 2) * LINE // 2
        for at, line in enumerate(lines):
            drawn.name(beside, base + at * LINE, line, room, size, INK, instead="A player")
        for at, line in enumerate(record, len(lines) - 1):
            drawn.name(beside, base + at * LINE + 68, line, room, TEXT, SOFT, bold=False)
        top = _ROWS
        for (emblem, trophy), lines in zip(self.trophies, figures, strict=True):
            foot, left = top + _TROPHY + (len(lines) - 1) * LINE, LEFT + _TROPHY
            drawn.box((LEFT, top, RIGHT, foot), TILE, radius=12)
            drawn.silhouette(LEFT + _PAD, top + _PAD, EMBLEMS[emblem].shape, _TROPHY - 2 * _PAD, ink)
            drawn.text(left, top + 44, trophy.label, TEXT, SOFT)
            for at, line in enumerate(lines, 1):
                drawn.name(left, top + 44 + at * LINE, line, wide, TEXT, INK)
            top = foot + _GAP
        return drawn


_PERSON, _TOP = 220, 24
_ROWS = _TOP + _PERSON + 24
_TROPHY, _PAD = 108, 22
