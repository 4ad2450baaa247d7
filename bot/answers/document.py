"""A paged answer in any game: its pages, its buttons, and lines of text split into pages."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from bot.ui.layout import Picture
from bot.ui.limits import LAYOUT_TEXT
from bot.ui.text import shortened, utf16_length

PAGER_TEXT = 100
"""Units of a message's text that the pager keeps for itself."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its title for the jump list (at most 100 units), its text, written when it is turned to."""

    title: str
    write: Callable[[], str]
    picture: Picture | None = None


@dataclass(frozen=True, slots=True)
class Action:
    """A button of a game's own under its answers; `action` (lower-case letters) comes back to its handler."""

    action: str
    label: str
    emoji: str


EDIT_ACTION = "edit"
"""The action of a button that opens the form of an answer."""

EDIT = Action(EDIT_ACTION, "Edit", "✏️")

FIX_ACTION = "mend"
"""The action of the button that opens the form of a rejected query."""

FIX = Action(FIX_ACTION, "Mend it", "✏️")


@dataclass(frozen=True, slots=True)
class Document:
    """An answer: a headline on every page, and pages (one at least) to turn, numbered from 0.

    All text is Discord markdown that can't ping. `colour`: the edge's, 0xRRGGBB. `long`: whether the log is so long
    that its files come along unasked. `opens`: the page that a new answer begins with.
    """

    headline: str
    colour: int
    pages: Sequence[Page]
    actions: Sequence[Action] = ()
    long: bool = False
    opens: int = 0

    def __len__(self) -> int:
        return len(self.pages)

    def page(self, number: int) -> str:
        """Return the text of a page, cut where it would burst the message."""
        return shortened(self.pages[number].write(), room(self.headline))


def room(headline: str) -> int:
    """Return the units of text that a page under this headline may take."""
    return LAYOUT_TEXT - PAGER_TEXT - utf16_length(headline)


LINES_A_PAGE = 20

_FRAME = 8  # units around a line: its end, a bullet or its bold signs


def split_lines(lines: Sequence[str], limit: int) -> list[tuple[int, list[str]]]:
    """Split lines into pages of at most `limit` units and `LINES_A_PAGE` lines; each with its first line's index."""
    parts: list[tuple[int, list[str]]] = []
    left = 0
    for at, whole in enumerate(lines):
        line = shortened(whole, limit)
        length = utf16_length(line) + 1
        if not parts or length > left or len(parts[-1][1]) == LINES_A_PAGE:
            parts.append((at, []))
            left = limit
        parts[-1][1].append(line)
        left -= length
    return parts


def lazy_pages(
    lines: Sequence[str], write: Callable[[str], str], line_limit: int, limit: int
) -> list[tuple[int, int, Callable[[], str]]]:
    """Split lines into pages of at most `limit` units; each with the index of its first line and of the next page's.

    A log may have thousands of lines: `write` makes markdown of a line, of `line_limit` units before escaping, only
    when its page is turned to. Here each line is counted as if all of it were escaped.
    """
    starts: list[int] = []
    left = count = 0
    for at, line in enumerate(lines):
        length = 2 * min(len(line), line_limit) + _FRAME
        if not starts or length > left or count == LINES_A_PAGE:
            starts.append(at)
            left, count = limit, 0
        left -= length
        count += 1

    def page(start: int, end: int) -> str:
        return "\n".join(map(write, lines[start:end]))

    return [(start, end, partial(page, start, end)) for start, end in pairwise([*starts, len(lines)])]
