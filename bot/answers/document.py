"""A paged answer in any game: its pages, its buttons, and lines of text split into pages."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

from bot.ui.layout import Picture
from bot.ui.text import LAYOUT_TEXT, shorten, utf16_length

PAGER_TEXT = 100
"""UTF-16 units of a message's text reserved for the pager."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its title in the jump list, at most 100 units; `write` makes its text when the page is shown."""

    title: str
    write: Callable[[], str]
    picture: Picture | None = None


@dataclass(frozen=True, slots=True)
class Action:
    """A button under a game's answers; its handler receives `action`, lower-case letters.

    `is_dangerous`: it can't be undone, and is red.
    """

    action: str
    label: str
    emoji: str
    is_dangerous: bool = False


EDIT_ACTION = "edit"
"""The action of the button that opens an answer's form."""

EDIT = Action(EDIT_ACTION, "Edit", "✏️")

FIX_ACTION = "mend"
"""The action of the button that opens a rejected query's form."""

FIX = Action(FIX_ACTION, "Fix it", "✏️")


@dataclass(frozen=True, slots=True)
class Document:
    """An answer: a headline on every page, and one or more pages, numbered from 0.

    All text is Discord markdown that can't ping. `colour`: of the edge, 0xRRGGBB. `opens`: the page that a new answer
    opens at.
    """

    headline: str
    colour: int
    pages: Sequence[Page]
    actions: Sequence[Action] = ()
    opens: int = 0

    def __len__(self) -> int:
        return len(self.pages)

    def page(self, number: int) -> str:
        """Return the text of a page, shortened to fit the message."""
        return shorten(self.pages[number].write(), room(self.headline))


def room(headline: str) -> int:
    """Return the UTF-16 units left for a page under this headline."""
    return LAYOUT_TEXT - PAGER_TEXT - utf16_length(headline)


def illustrated(pages: Sequence[Page], picture: Picture) -> list[Page]:
    """Return the pages with a picture on the first one."""
    return [replace(pages[0], picture=picture), *pages[1:]]


LINES_A_PAGE = 20

_FRAME = 8  # units around a line: the line feed, a bullet or bold marks


def split_lines(lines: Sequence[str], limit: int) -> list[tuple[int, list[str]]]:
    """Split lines into pages of at most `limit` units and `LINES_A_PAGE` lines; each with its first line's index."""
    parts: list[tuple[int, list[str]]] = []
    left = 0
    for at, whole in enumerate(lines):
        line = shorten(whole, limit)
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
    """Split lines into pages of at most `limit` units; return each page's line range and a function that writes it.

    A log may have thousands of lines: `write` turns a line (`line_limit` units before escaping) into markdown only when
    its page is shown. Lengths are estimated as if every character were escaped.
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
