"""Errors that a player can act on: clear sentences, with the place in the text if there is one."""

from dataclasses import dataclass


class RuleError(Exception):
    """Something a player asked for that the rules or the limits do not allow.

    `str(error)` is the sentence for the player: plain text, no markup, no line breaks.
    """

    @property
    def sentences(self) -> tuple[str, ...]:
        """One sentence for each problem; `str(error)` joins them."""
        return (str(self),)


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


class TextError(RuleError):
    """A text that can't be read; carries every problem found, in the order of the text."""

    def __init__(self, text: str, problems: tuple[Problem, ...]) -> None:
        if not problems:
            raise ValueError("a TextError needs at least one problem")
        ordered = tuple(sorted(problems, key=lambda problem: problem.span))
        super().__init__(text, ordered)  # both, so that the error survives the way back from a worker
        self.text = text
        self.problems = ordered

    def __str__(self) -> str:
        return " ".join(problem.sentence() for problem in self.problems)


class TooMuchError(RuleError):
    """A calculation that would cost, or did cost, more than the limits allow."""
