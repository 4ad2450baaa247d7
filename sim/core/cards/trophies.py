"""Draws the card of a profile: the person's emblem and name, the record, and what else there is to be proud of."""

from typing import Annotated

from pydantic import Field
from typing_extensions import override

from sim.core.cards import text as letters
from sim.core.cards.card import Card
from sim.core.cards.draw import CardRequest
from sim.core.cards.emblems import EMBLEMS, Crest
from sim.core.cards.parts import LEFT, LINE, RIGHT
from sim.core.cards.theme import COLORS as CARD_COLORS
from sim.core.cards.theme import DARK, EDGE_STEPS, GROUND, HEAD, INK, SOFT, TEXT, TILE, TITLE, mixed, rgb
from sim.core.cards.values import Fact, Line
from sim.core.values import Frozen

MAX_TROPHIES = 5


class TrophyCard(Frozen):
    """A person's record in a few words, and what else there is, each with one of the emblems."""

    name: Line
    crest: Crest
    record: Line
    trophies: Annotated[tuple[tuple[str, Fact], ...], Field(max_length=MAX_TROPHIES)]

    def alt(self) -> str:
        """Return the card in words."""
        trophies = (f"{trophy.label}: {trophy.figure}." for _, trophy in self.trophies)
        return " ".join([f"{self.name}, {self.crest}: {self.record}.", *trophies])


_DISC, _MARK = 220, 132
_TOP = 24
_ROWS = _TOP + _DISC + 24
_ROW, _GAP, _PAD = 108, 14, 22


def draw_trophies(card: TrophyCard) -> Card:
    """Return the card."""
    ink = card.crest.ink
    drawn = Card(_ROWS + len(card.trophies) * (_ROW + _GAP) + 12, card.alt(), colors=_colors(ink))
    drawn.box((LEFT, _TOP, LEFT + _DISC, _TOP + _DISC), ink, _DISC // 2)
    inset = (_DISC - _MARK) // 2
    drawn.silhouette(LEFT + inset, _TOP + inset, EMBLEMS[card.crest.emblem].shape, _MARK, DARK)
    beside, room = LEFT + _DISC + 32, RIGHT - LEFT - _DISC - 32
    size = TITLE if letters.width(card.name, TITLE) <= room else HEAD
    drawn.name(beside, _TOP + 100, card.name, room, size, INK, instead="A player")
    drawn.name(beside, _TOP + 168, card.record, room, TEXT, SOFT, bold=False)
    for at, (emblem, trophy) in enumerate(card.trophies):
        top, left = _ROWS + at * (_ROW + _GAP), LEFT + _ROW
        drawn.box((LEFT, top, RIGHT, top + _ROW), TILE, radius=12)
        drawn.silhouette(LEFT + _PAD, top + _PAD, EMBLEMS[emblem].shape, _ROW - 2 * _PAD, ink)
        drawn.text(left, top + 44, trophy.label, TEXT, SOFT)
        drawn.name(left, top + 44 + LINE, trophy.figure, RIGHT - left - _PAD, TEXT, INK)
    return drawn


def _colors(ink: str) -> tuple[tuple[int, int, int], ...]:
    """Return the colors of the finished file: those of all cards, and the person's own with its edges."""
    steps = (mixed(ink, other, step / EDGE_STEPS) for other in (GROUND, TILE, DARK) for step in range(1, EDGE_STEPS))
    return tuple(dict.fromkeys((*CARD_COLORS, rgb(ink), *steps)))


class TrophyRequest(CardRequest):
    """Draws the card of a profile."""

    max_seconds = 0.1

    card: TrophyCard

    @override
    def draw(self) -> Card:
        return draw_trophies(self.card)
