"""The base of all games: battles, journals, dice, names, cards.

Here: errors that a player can act on, clear sentences, each with its place in the text, with carets under it.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Generic, NamedTuple, Self, TypeVar

MAX_FAULTS = 50
"""Faults of one file or text that an error carries; the rest are only counted."""

F = TypeVar("F")


class RuleError(Exception):
    """Something a player asked for that the rules or the limits do not allow.

    `str(error)` is the sentence for the player: plain text, no markup, no line breaks.
    """


def flaw(check: Callable[[], object]) -> str | None:
    """Return the sentence of the RuleError that a call raises; None if it raises none."""
    try:
        check()
    except RuleError as error:
        return str(error)
    return None


class Faults(Generic[F]):
    """Collects what is wrong with a file or text: the first `MAX_FAULTS` in `told`, of the rest the number.

    Its length is the number of all faults.
    """

    def __init__(self, faults: Iterable[F] = ()) -> None:
        self.told: list[F] = []
        self.more = 0
        self.extend(faults)

    def add(self, fault: F) -> None:
        """Add a fault."""
        if self.full:
            self.more += 1
        else:
            self.told.append(fault)

    def extend(self, faults: Iterable[F]) -> None:
        """Add faults."""
        for fault in faults:
            self.add(fault)

    @property
    def full(self) -> bool:
        """Whether a further fault will only be counted, so that its details need not be worked out."""
        return len(self.told) >= MAX_FAULTS

    def __len__(self) -> int:
        return len(self.told) + self.more


class FaultsError(RuleError):
    """Several things wrong at once: a sentence for each fault carried, and the number of `more`.

    `of`: what a subclass is made of, so that the error survives the way back from a worker.
    """

    def __init__(self, *of: object, sentences: Iterable[str], more: int) -> None:
        super().__init__(*of)
        self.sentences = tuple(sentences)
        self.more = more
        self.rest = (f"… and {more:,} more.",) if more else ()
        """The end of a list of the sentences: how many more there are, nothing if there are none."""
        if not self.sentences:
            raise ValueError(f"a {type(self).__name__} needs at least one fault")

    def __str__(self) -> str:
        return " ".join([*self.sentences, *self.rest])


class Span(NamedTuple):
    """A stretch of a text: from code point `start` (0-based) up to, not including, `end`.

    `start == end` marks a gap, such as the end of a text where something is missing.
    """

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a text: where, what, and the nearest right word where there is one."""

    span: Span
    message: str
    suggestion: str | None = None

    def sentence(self) -> str:
        """Return the message with its suggestion as one sentence."""
        return self.message if self.suggestion is None else f"{self.message} Did you mean {self.suggestion}?"


class TextError(FaultsError):
    """A text that can't be read: the problems found in the order of the text, and the number of `more`."""

    head = "I can't read this"
    """What is wrong with the text as a whole."""

    def __init__(self, text: str, problems: Sequence[Problem], more: int = 0) -> None:
        ordered = tuple(sorted(problems, key=lambda problem: problem.span))
        super().__init__(text, ordered, more, sentences=(problem.sentence() for problem in ordered), more=more)
        self.text = text
        self.problems = ordered


class NotAllowedError(TextError):
    """A text that was read, but says what the rules don't allow."""

    head = "That isn't possible"


def check_text(text: str, problems: Faults[Problem]) -> None:
    """Raise TextError if there are problems."""
    if problems:
        raise TextError(text, problems.told, problems.more)


def check_length(text: str, most: int) -> None:
    """Raise TextError for a text of more than `most` code points; the error carries no more of it than that."""
    if len(text) > most:
        message = f"The text is {len(text):,} characters long; at most {most:,} are read."
        raise TextError(text[: most + 1], (Problem(Span(most, most + 1), message),))


class TooMuchError(RuleError):
    """A calculation that would cost, or did cost, more than the limits allow."""


WIDTH = 28
"""Columns that a code block shows on a phone without wrapping."""

_ELLIPSIS = "…"
# Cc, Cf, Co, Cn, Cs: control, invisible, private, unassigned, surrogate; Mn, Me: marks that sit on their neighbour;
# Zl, Zp: line ends. None may reach a code block: they shift the caret, hide text or turn the line around.
_INVISIBLE = frozenset({"Cc", "Cf", "Co", "Cn", "Cs", "Mn", "Me", "Zl", "Zp"})


class Token(NamedTuple):
    """A piece of a text and its place."""

    text: str
    span: Span

    @property
    def word(self) -> str:
        """The piece as a word to look up."""
        return self.text.casefold()

    def cut(self, start: int, end: int | None = None) -> Self:
        """Return a part of the piece."""
        text, first = self.text[start:end], self.span.start + start
        return type(self)(text, Span(first, first + len(text)))

    def part(self, start: int = 0, end: int | None = None) -> Self:
        """Return a part of the piece without the blanks around it."""
        raw = self.text[start:end]
        text, first = raw.strip(), self.span.start + start + len(raw) - len(raw.lstrip())
        return type(self)(text, Span(first, first + len(text)))

    def split(self, pattern: re.Pattern[str]) -> list[Self]:
        """Return what a pattern finds in the piece, without blanks."""
        parts = (self.part(*found.span()) for found in pattern.finditer(self.text))
        return [part for part in parts if part.text]


def visible(text: str) -> str:
    """Return `text` with the same number of code points, each one that can't be seen or trusted as a middle dot.

    Blanks of every kind become plain spaces; back-ticks become apostrophes, so that nothing breaks out of a code block.
    """

    def replaced(char: str) -> str:
        if char.isspace():
            return " "
        if char == "`":
            return "'"
        return "·" if unicodedata.category(char) in _INVISIBLE else char

    return "".join(map(replaced, text))


def columns(text: str) -> int:
    """Return how many columns `text` takes in a fixed-width font (wide East Asian characters take two)."""
    return sum(2 if is_wide(char) else 1 for char in text)


def is_wide(char: str) -> bool:
    """Return whether a character is a square: one of an East Asian script, or an emoji."""
    return unicodedata.east_asian_width(char) in "WF"


def point_at(text: str, span: Span, width: int = WIDTH) -> tuple[str, str]:
    """Return the part of `text` around `span` and a line of carets under it, each at most `width` columns.

    A text that is too long is windowed around the span, an ellipsis at each cut end; a span wider than the window keeps
    its start in sight. An empty span gets one caret, which may stand one column behind the end of the text.
    """
    # No more than a window around the span is ever shown: the rest of a long text costs nothing.
    first = max(0, span.start - width - 1)
    safe = visible(text[first : span.start + width + 2])
    start, end = min(span.start - first, len(safe)), min(span.end - first, len(safe))
    first, last = 0, len(safe)
    # The caret under an empty span at the very end needs a column of its own.
    if columns(safe) + (start == len(safe)) > width:
        first, last = _window(safe, start, end, width)
    head, tail = first > 0, last < len(safe)
    before, under = columns(safe[first:start]) + head, columns(safe[start : min(end, last)])
    line = _ELLIPSIS * head + safe[first:last] + _ELLIPSIS * tail
    return line, " " * before + "^" * max(1, min(under, width - before))


def _window(safe: str, start: int, end: int, width: int) -> tuple[int, int]:
    """Choose the slice of `safe` that fits in `width` columns with both ellipses and the caret's own column."""
    room = width - 2 * columns(_ELLIPSIS) - (start == len(safe))
    first = last = start

    def fits(first: int, last: int) -> bool:
        return first >= 0 and last <= len(safe) and columns(safe[first:last]) <= room

    # The marked word first, then its surroundings in turn: a window that grows evenly keeps the word in the middle.
    while last < end and fits(first, last + 1):
        last += 1
    for _ in safe:
        first -= fits(first - 1, last)
        last += fits(first, last + 1)
    return first, last


def error_lines(error: RuleError) -> list[str]:
    """Return an error as lines: a sentence for each fault, under its place in the text if there is one."""
    if isinstance(error, TextError):
        pointed = ((*point_at(error.text, problem.span), problem.sentence()) for problem in error.problems)
        return [*chain.from_iterable(pointed), *error.rest]
    return [*error.sentences, *error.rest] if isinstance(error, FaultsError) else [str(error)]
