"""The card of a puzzle's answer: what each choice is worth, the best first, with its units and which was chosen."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field
from typing_extensions import override

from sim.axis_allies.army import Army
from sim.axis_allies.choice_rows import ChoiceRow, unit_lines
from sim.core.cards import parts
from sim.core.cards.card import Card
from sim.core.cards.draw import CardRequest
from sim.core.cards.theme import INK
from sim.core.cards.values import Line, Share, Told
from sim.core.values import Frozen


class Choice(Frozen):
    """A choice by its letter, in words and as its units if it has any; `figure`: its worth, `share`: of the bar."""

    letter: str
    words: Line
    units: Army
    figure: Line
    share: Share
    chosen: bool


class PuzzleCard(Told, CardRequest):
    """Draws the choices, the best first."""

    max_seconds = 0.1

    choices: Annotated[tuple[Choice, ...], Field(min_length=1)]

    @override
    def _sentences(self) -> Iterator[str]:
        yield from super()._sentences()
        for each in self.choices:
            yield f"{each.letter} {each.words}: {each.figure}{', your answer' if each.chosen else ''}."

    @override
    def draw(self) -> Card:
        rows = [
            ChoiceRow(each.letter, each.words, unit_lines(each.units), each.figure, each.share, not at, each.chosen)
            for at, each in enumerate(self.choices)
        ]
        top = parts.below(self.title, self.aside)
        card = Card(top + sum(row.height for row in rows) + 12, self.alt())
        parts.headline(card, [(self.title, INK)], self.aside)
        for row in rows:
            row.draw(card, top)
            top += row.height
        return card
