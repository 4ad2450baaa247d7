"""Reading what players upload, as jobs: a large file takes its time."""

from typing import Annotated

from pydantic import Field
from typing_extensions import override

from sim.boss_fight.boss_csv import read_bosses
from sim.boss_fight.deck_csv import read_deck
from sim.boss_fight.deck_text import parse_deck
from sim.boss_fight.values import Boss, Deck
from sim.core.request import Request

_SECONDS_PER_BYTE = 1e-5  # a rough upper figure, for a file in which every name is misspelt


class ReadDeck(Request):
    """A deck from a CSV file; the job that reads it."""

    data: Annotated[bytes, Field(repr=False)]

    @override
    def cost(self) -> float:
        return min(4.0, 0.05 + _SECONDS_PER_BYTE * len(self.data))

    def run(self) -> Deck:
        """Return the deck; TableError with everything that is wrong."""
        return read_deck(self.data)


class ReadBosses(Request):
    """Bosses from a CSV file; the job that reads it."""

    data: Annotated[bytes, Field(repr=False)]

    @override
    def cost(self) -> float:
        return min(4.0, 0.05 + _SECONDS_PER_BYTE * len(self.data))

    def run(self) -> tuple[Boss, ...]:
        """Return the bosses; TableError with everything that is wrong."""
        return read_bosses(self.data)


class ReadDeckText(Request):
    """A deck from a text; the job that reads it."""

    text: str

    @override
    def cost(self) -> float:
        return min(4.0, 0.05 + _SECONDS_PER_BYTE * len(self.text))

    def run(self) -> Deck:
        """Return the deck; TextError with every mistake and its place."""
        return parse_deck(self.text)
