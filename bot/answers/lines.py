"""Lines of text split into pages."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

from bot.ui.text import shortened, utf16_length

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
