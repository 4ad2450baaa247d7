"""Pieces of a text with their places, and an excerpt with carets under a place."""

import unicodedata
from dataclasses import dataclass
from itertools import chain

from sim.core.errors import FaultsError, RuleError, Span, TextError

WIDTH = 28
"""Columns that a code block shows on a phone without wrapping."""

_ELLIPSIS = "…"
_HIDDEN = "·"
# Cc, Cf, Co, Cn, Cs: control, invisible, private, unassigned, surrogate; Mn, Me: marks that sit on their neighbour;
# Zl, Zp: line ends. None may reach a code block: they shift the caret, hide text or turn the line around.
_INVISIBLE = frozenset({"Cc", "Cf", "Co", "Cn", "Cs", "Mn", "Me", "Zl", "Zp"})


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a text and its place."""

    text: str
    span: Span

    @property
    def word(self) -> str:
        """The piece as a word to look up."""
        return self.text.casefold()


def visible(text: str) -> str:
    """Return `text` with the same number of code points, each one that can't be seen or trusted as a middle dot.

    Blanks of every kind become plain spaces; back-ticks become apostrophes, so that nothing breaks out of a code block.
    """

    def replaced(char: str) -> str:
        if char.isspace():
            return " "
        if char == "`":
            return "'"
        return _HIDDEN if unicodedata.category(char) in _INVISIBLE else char

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
    # The caret under an empty span at the very end needs a column of its own.
    if columns(safe) + (start == len(safe)) > width:
        first, last = _window(safe, start, end, width)
        head, tail = first > 0, last < len(safe)
        line = (_ELLIPSIS if head else "") + safe[first:last] + (_ELLIPSIS if tail else "")
        before = columns(safe[first:start]) + head
        under = columns(safe[start : min(end, last)])
    else:
        line = safe
        before = columns(safe[:start])
        under = columns(safe[start:end])
    return line, " " * before + "^" * max(1, min(under, width - before))


def _window(safe: str, start: int, end: int, width: int) -> tuple[int, int]:
    """Choose the slice of `safe` that fits in `width` columns with both ellipses and the caret's own column."""
    room = width - 2 * columns(_ELLIPSIS) - (start == len(safe))
    first = last = start
    # The marked word first, then its surroundings in turn: a window that grows evenly keeps the word in the middle.
    while last < end and columns(safe[first : last + 1]) <= room:
        last += 1
    grew = True
    while grew:
        grew = False
        if first > 0 and columns(safe[first - 1 : last]) <= room:
            first -= 1
            grew = True
        if last < len(safe) and columns(safe[first : last + 1]) <= room:
            last += 1
            grew = True
    return first, last


def error_lines(error: RuleError) -> list[str]:
    """Return an error as lines: a sentence for each fault, under its place in the text if there is one."""
    if isinstance(error, TextError):
        pointed = ((*point_at(error.text, problem.span), problem.sentence()) for problem in error.problems)
        return [*chain.from_iterable(pointed), *error.rest]
    return [*error.sentences, *error.rest] if isinstance(error, FaultsError) else [str(error)]
