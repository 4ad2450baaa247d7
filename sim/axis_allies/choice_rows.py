"""Draws a row for each choice or front: its sign on a disc, its units, a figure, and a bar."""

from dataclasses import dataclass

from sim.axis_allies.army import Army
from sim.axis_allies.silhouettes import Lines
from sim.core.cards.card import Card
from sim.core.cards.parts import LEFT, LINE, RIGHT
from sim.core.cards.theme import DARK, HEAD, INK, ORANGE, SOFT, TEXT, TILE, TROUGH

_DISC, _PAD, _BAR, _RIM = 76, 16, 16, 5
_BESIDE = LEFT + _DISC + 2 * _PAD
_ROOM = RIGHT - _BESIDE - 210
ROWS_GAP = 14
"""Pixels below a row."""


@dataclass(frozen=True, slots=True)
class ChoiceRow:
    """A row: `words` stand where there are no units; `share`: of the bar; `good`: in orange; `chosen`: with a rim."""

    sign: str
    words: str
    lines: Lines | None
    figure: str
    share: float
    good: bool
    chosen: bool = False

    @property
    def height(self) -> int:
        """How many pixels the row needs, with the gap below it."""
        text = LINE if self.lines is None else max(LINE, self.lines.height)
        return max(_DISC, text + 12 + _BAR) + 2 * _PAD + ROWS_GAP

    def draw(self, card: Card, top: int) -> None:
        """Draw the row."""
        foot = top + self.height - ROWS_GAP
        if self.chosen:
            card.box((LEFT - _RIM, top - _RIM, RIGHT + _RIM, foot + _RIM), INK, radius=12 + _RIM)
        card.box((LEFT, top, RIGHT, foot), TILE, radius=12)
        x, y = LEFT + _PAD, (top + foot - _DISC) // 2
        card.box((x, y, x + _DISC, y + _DISC), ORANGE if self.good else TROUGH, _DISC // 2)
        ink = DARK if self.good else INK
        card.text(x + _DISC // 2, y + _DISC // 2 + 15, self.sign, HEAD, ink, align="center")
        base = top + _PAD + 36
        if self.lines is None:
            card.name(_BESIDE, base, self.words, _ROOM, TEXT, INK)
        else:
            self.lines.draw(card, _BESIDE, base, INK)
        color = ORANGE if self.good else SOFT
        card.text(RIGHT - _PAD, base + 4, self.figure, HEAD, color, align="right")
        bar = (_BESIDE, foot - _PAD - _BAR, RIGHT - _PAD, foot - _PAD)
        card.segments(bar, [(self.share, color), (1 - self.share, TROUGH)])


def unit_lines(army: Army) -> Lines | None:
    """Return an army in the lines that fit a row; None for nothing."""
    return Lines.of(army, _ROOM, 2) if army else None
