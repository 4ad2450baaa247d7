"""A deck however a player gave it: typed, or as a file that is a table or holds the text."""

from typing import Annotated, Self

from pydantic import Field, model_validator
from typing_extensions import override

from sim.boss_fight.reading import ReadDeck, ReadDeckText
from sim.boss_fight.sheet import DeckSheet, sheet
from sim.boss_fight.values import Deck
from sim.core.errors import RuleError
from sim.core.request import Request

MAX_DECK_TRAITS = 5_000
"""Traits of all tokens of such a deck together: it has to be shown, page by page."""


class DeckRequest(Request):
    """A deck as it was given: a text, or the content of a file; the job that reads it.

    A file is a CSV file, or has the text: one whose first line says no "trait" and has a colon.
    """

    text: str | None = None
    data: Annotated[bytes | None, Field(repr=False)] = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.text is None) is (self.data is None):
            raise ValueError("a deck is a text or a file")
        return self

    @override
    def cost(self) -> float:
        return self._job().cost()

    def run(self) -> Deck:
        """Return the deck; TextError or TableError with everything that is wrong, RuleError for too many traits."""
        deck = self._job().run()
        if deck.size > MAX_DECK_TRAITS:
            raise RuleError(f"A deck has at most {MAX_DECK_TRAITS:,} traits; here are {deck.size:,}.")
        return deck

    def _job(self) -> ReadDeck | ReadDeckText:
        if self.data is None:
            return ReadDeckText(text=self.text or "")
        text = _as_text(self.data)
        return ReadDeck(data=self.data) if text is None else ReadDeckText(text=text)


def _as_text(data: bytes) -> str | None:
    """Return a file's text where it is a deck as people type it; None for a table, or what is to be read as one."""
    try:
        text = data.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        return None
    first = text.partition("\n")[0]
    return text if ":" in first and "trait" not in first.lower() else None


class DeckSheetRequest(Request):
    """The sheet of a deck as it was given; the job that works it out."""

    deck: DeckRequest

    @override
    def cost(self) -> float:
        return 0.1 + self.deck.cost()

    def run(self) -> DeckSheet:
        """Return the sheet; TextError or TableError with everything that is wrong."""
        return sheet(self.deck.run())
