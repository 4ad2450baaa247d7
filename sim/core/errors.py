"""Errors that a player can act on: clear sentences, with the place in the text if there is one."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

MAX_FAULTS = 50
"""Faults of one file or text that an error carries; the rest are only counted."""

F = TypeVar("F")


class RuleError(Exception):
    """Something a player asked for that the rules or the limits do not allow.

    `str(error)` is the sentence for the player: plain text, no markup, no line breaks.
    """


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
    """Several things wrong at once: a sentence for each in `sentences`, and `more` that are only counted."""

    more: int = 0

    @property
    @abstractmethod
    def sentences(self) -> tuple[str, ...]:
        """One sentence for each fault carried; `str(error)` joins them."""

    def __str__(self) -> str:
        return " ".join([*self.sentences, *self.rest])

    @property
    def rest(self) -> tuple[str, ...]:
        """The end of a list of the sentences: how many more there are, nothing if there are none."""
        return (f"… and {self.more:,} more.",) if self.more else ()


@dataclass(frozen=True, slots=True, order=True)
class Span:
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

    def __init__(self, text: str, problems: Sequence[Problem], more: int = 0) -> None:
        if not problems:
            raise ValueError("a TextError needs at least one problem")
        ordered = tuple(sorted(problems, key=lambda problem: problem.span))
        super().__init__(text, ordered, more)  # everything, so that the error survives the way back from a worker
        self.text = text
        self.problems = ordered
        self.more = more

    @property
    def sentences(self) -> tuple[str, ...]:
        """A sentence for each problem carried."""
        return tuple(problem.sentence() for problem in self.problems)


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
