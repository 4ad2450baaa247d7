"""What the bot asks the workers about boss fights: to read decks and bosses, to calculate, to draw."""

from typing import Annotated, Self

from pydantic import Field, model_validator
from typing_extensions import override

from sim.boss_fight.battle.values import MAX_MEMBERS, MAX_TIMES
from sim.boss_fight.best_order import First, best_order
from sim.boss_fight.best_tokens import best_tokens
from sim.boss_fight.deck_text import parse_deck
from sim.boss_fight.exchange import boss_row, deck_sheet, exchange, outlook, transcript
from sim.boss_fight.reports import (
    BestOrderReport,
    BestTokensReport,
    DeckSheet,
    EveryBossReport,
    ExchangeReport,
    WhatIfReport,
)
from sim.boss_fight.tables import read_bosses, read_deck
from sim.boss_fight.values import Boss, Deck, Entrant, Token
from sim.core.errors import RuleError
from sim.core.values import Request

MAX_DECK_TRAITS = 5_000
"""Traits of a whole deck that the bot reads: it has to show them, page by page."""

MAX_BOSSES_TRIED = 100
"""Bosses that one request tries a deck against."""

MAX_SET = 60
"""Tokens of the largest set that is searched for the best ones."""

MAX_CHOSEN = 5
"""The most tokens to choose from a set."""

MAX_UPLOAD = 8 << 20
"""The largest uploaded picture, in bytes."""

_SECONDS_PER_BYTE = 1e-5  # a rough upper bound, for a file in which every name is misspelled
_SECONDS_PER_TRAIT = 1e-5


def _reading_cost(size: int) -> float:
    return min(4.0, 0.05 + _SECONDS_PER_BYTE * size)


class DeckRequest(Request):
    """A deck as text, or as the content of a file: CSV, or the text with a colon and no "trait" in its first line."""

    text: str | None = None
    data: Annotated[bytes | None, Field(repr=False)] = None

    @model_validator(mode="after")
    def _text_or_data(self) -> Self:
        if (self.text is None) is (self.data is None):
            raise ValueError("a deck is a text or a file")
        return self

    @override
    def cost(self) -> float:
        return _reading_cost(len(self.text or self.data or ""))

    def run(self) -> Deck:
        """Return the deck; TextError or TableError with every mistake, RuleError for too many traits."""
        deck = self._read()
        if deck.size > MAX_DECK_TRAITS:
            raise RuleError(f"A deck has at most {MAX_DECK_TRAITS:,} traits; here are {deck.size:,}.")
        return deck

    def _read(self) -> Deck:
        if self.data is None:
            return parse_deck(self.text or "")
        text = _deck_text(self.data)
        return read_deck(self.data) if text is None else parse_deck(text)


def _deck_text(data: bytes) -> str | None:
    """Return the text of a file with a deck's text; None for a table, and for data that only the CSV reader decodes."""
    try:
        text = data.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        return None
    first = text.partition("\n")[0]
    return text if ":" in first and "trait" not in first.lower() else None


class DeckSheetRequest(Request):
    """The totals and stacks of a deck."""

    deck: DeckRequest

    @override
    def cost(self) -> float:
        return 0.1 + self.deck.cost()

    def run(self) -> DeckSheet:
        """Return the sheet; TextError or TableError with every mistake."""
        return deck_sheet(self.deck.run())


class BossesRequest(Request):
    """Bosses as the content of a CSV file."""

    data: Annotated[bytes, Field(repr=False)]

    @override
    def cost(self) -> float:
        return _reading_cost(len(self.data))

    def run(self) -> tuple[Boss, ...]:
        """Return the bosses; TableError with every mistake."""
        return read_bosses(self.data)


class _DeckAgainstBoss(Request):
    boss: Boss
    deck: Deck

    @override
    def cost(self) -> float:
        return 0.02 + _SECONDS_PER_TRAIT * self.deck.size


class ExchangeRequest(_DeckAgainstBoss):
    """One exchange between a boss and a deck."""

    def run(self) -> ExchangeReport:
        """Return the exchange."""
        return exchange(self.boss, self.deck)


class TranscriptRequest(_DeckAgainstBoss):
    """The arithmetic of an exchange as text: thousands of lines for a long deck."""

    @override
    def cost(self) -> float:
        return 0.02 + 2e-4 * self.deck.size

    def run(self) -> str:
        """Return the text."""
        return transcript(exchange(self.boss, self.deck))


class WhatIfRequest(_DeckAgainstBoss):
    """One deck against one boss, to the end of their fight."""

    def run(self) -> WhatIfReport:
        """Return the first exchange, and how the fight ends."""
        report = exchange(self.boss, self.deck)
        return WhatIfReport.model_construct(exchange=report, outlook=outlook(report))


class EveryBossRequest(Request):
    """One deck against each of up to `MAX_BOSSES_TRIED` bosses."""

    bosses: Annotated[tuple[Boss, ...], Field(min_length=1)]
    deck: Deck

    @override
    def cost(self) -> float:
        if len(self.bosses) > MAX_BOSSES_TRIED:
            raise RuleError(
                f"I can try a deck against at most {MAX_BOSSES_TRIED} bosses at once; here are {len(self.bosses):,}."
            )
        return 0.02 + _SECONDS_PER_TRAIT * self.deck.size * len(self.bosses)

    def run(self) -> EveryBossReport:
        """Return a row for each boss."""
        self.cost()
        return EveryBossReport(rows=tuple(boss_row(boss, self.deck) for boss in self.bosses))


class BestTokensRequest(Request):
    """The `count` tokens of a set that do best together against a boss in one exchange.

    Best is the highest score; then the most damage to the boss, then the most health left. The order of tokens has no
    effect in an exchange. RuleError for a set that is too large, or smaller than `count`.
    """

    max_seconds = 4.0

    boss: Boss
    tokens: Annotated[tuple[Token, ...], Field(min_length=1)]
    count: Annotated[int, Field(ge=1, le=MAX_CHOSEN)] = MAX_CHOSEN

    @model_validator(mode="after")
    def _check_set(self) -> Self:
        if len(self.tokens) > MAX_SET:
            raise RuleError(f"I can find the best of at most {MAX_SET} tokens; here are {len(self.tokens):,}.")
        if len(self.tokens) < self.count:
            raise RuleError(f"You want {self.count} tokens, but there are only {len(self.tokens)}.")
        Deck(tokens=self.tokens)  # checks that the names differ
        return self

    def run(self) -> BestTokensReport:
        """Return the best choice; TooMuchError if the tokens are too alike for an exact answer in time."""
        return best_tokens(self.boss, self.tokens, self.count)


class BestOrderRequest(Request):
    """The order in which a party should take its steps.

    Best is a victory in the fewest exchanges, then with the most survivors ("standing": the other way round), then with
    the most health left to them. Members without a step in the last round come after those with one. RuleError for a
    deck without health.
    """

    boss: Boss
    times: Annotated[int, Field(ge=1, le=MAX_TIMES)] = 1
    entrants: Annotated[tuple[Entrant, ...], Field(min_length=1, max_length=MAX_MEMBERS)]
    first: First = "exchanges"

    @model_validator(mode="after")
    def _check_health(self) -> Self:
        for entrant in self.entrants:
            if not entrant.deck.health:
                raise RuleError(f"{entrant.name}'s deck has no health, so it can't fight.")
        return self

    @override
    def cost(self) -> float:
        size = sum(entrant.deck.size for entrant in self.entrants)
        return 0.1 + _SECONDS_PER_TRAIT * size + 1e-4 * (1 << len(self.entrants))

    def run(self) -> BestOrderReport:
        """Return the best order."""
        return best_order(self.boss, self.times, self.entrants, self.first)


class PortraitRequest(Request):
    """An uploaded picture, to be redrawn as a PNG of at most 512 pixels a side, without metadata."""

    data: Annotated[bytes, Field(repr=False)]

    @override
    def cost(self) -> float:
        if len(self.data) > MAX_UPLOAD:
            raise RuleError(f"The picture has {len(self.data):,} bytes; at most {MAX_UPLOAD >> 20} MiB are allowed.")
        return 3.0

    def run(self) -> bytes:
        """Return the new picture; RuleError for a file that is too large or no picture of a supported kind."""
        self.cost()
        # Not at the top: the process that asks must not load the library.
        from sim.boss_fight.pictures import redraw_upload  # noqa: PLC0415

        return redraw_upload(self.data)
