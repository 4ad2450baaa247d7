"""Cards with a row for each choice or front, its units among them: the answer of a puzzle is one."""

from typing_extensions import override

from sim.axis_allies.army import Army
from sim.axis_allies.silhouettes import Lines
from sim.core.cards import parts
from sim.core.cards.card import Card
from sim.core.cards.draw import CardRequest
from sim.core.cards.parts import LEFT, LINE, RIGHT
from sim.core.cards.theme import DARK, HEAD, INK, ORANGE, SOFT, TEXT, TILE, TROUGH
from sim.core.cards.values import Line, Share
from sim.core.values import Frozen

_DISC, _PAD, _BAR, _RIM, _GAP = 76, 16, 16, 5, 14
_BESIDE = LEFT + _DISC + 2 * _PAD
_ROOM = RIGHT - _BESIDE - 210


class Choice(Frozen):
    """A row: `words` stand where there are no units; `share`: of the bar; `good`: in orange; `chosen`: with a rim."""

    sign: str
    words: Line
    units: Army
    figure: Line
    share: Share
    good: bool
    chosen: bool = False


class ChoicesCard(CardRequest):
    """Draws what each choice is worth, the best first, or what is done at each front; `words`: the same, to read."""

    max_seconds = 0.1

    title: Line
    aside: Line
    words: str
    choices: tuple[Choice, ...]

    @override
    def draw(self) -> Card:
        lines = [Lines.of(each.units, _ROOM, 2) for each in self.choices]
        heights = [max(_DISC, max(LINE, each.height) + 12 + _BAR) + 2 * _PAD for each in lines]
        top = parts.below(self.title, self.aside)
        card = Card(top + sum(heights) + _GAP * len(heights) + 12, self.words)
        parts.headline(card, [(self.title, INK)], self.aside)
        for each, units, height in zip(self.choices, lines, heights, strict=True):
            _draw_row(card, top, top + height, each, units)
            top += height + _GAP
        return card


def _draw_row(card: Card, top: int, foot: int, choice: Choice, lines: Lines) -> None:
    if choice.chosen:
        card.box((LEFT - _RIM, top - _RIM, RIGHT + _RIM, foot + _RIM), INK, radius=12 + _RIM)
    card.box((LEFT, top, RIGHT, foot), TILE, radius=12)
    x, y = LEFT + _PAD, (top + foot - _DISC) // 2
    disc, ink, color = (ORANGE, DARK, ORANGE) if choice.good else (TROUGH, INK, SOFT)
    card.box((x, y, x + _DISC, y + _DISC), disc, _DISC // 2)
    card.text(x + _DISC // 2, y + _DISC // 2 + 15, choice.sign, HEAD, ink, align="center")
    base = top + _PAD + 36
    lines.draw(card, _BESIDE, base, INK)
    if not choice.units:
        card.name(_BESIDE, base, choice.words, _ROOM, TEXT, INK)
    card.text(RIGHT - _PAD, base + 4, choice.figure, HEAD, color, align="right")
    bar = (_BESIDE, foot - _PAD - _BAR, RIGHT - _PAD, foot - _PAD)
    card.segments(bar, [(choice.share, color), (1 - choice.share, TROUGH)])
