"""Lines of text parted into pages."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

from bot.ui.text import shortened, utf16_length

LINES_A_PAGE = 20

_FRAME = 8  # units around a line: its end, a bullet or its bold signs


def split_lines(lines: Sequence[str], most: int) -> list[tuple[int, list[str]]]:
    """Part lines into pages of at most `most` units and `LINES_A_PAGE` lines; each with its first line's place."""
    parts: list[tuple[int, list[str]]] = []
    left = 0
    for at, whole in enumerate(lines):
        line = shortened(whole, most)
        length = utf16_length(line) + 1
        if not parts or length > left or len(parts[-1][1]) == LINES_A_PAGE:
            parts.append((at, []))
            left = most
        parts[-1][1].append(line)
        left -= length
    return parts


def lazy_pages(
    lines: Sequence[str], write: Callable[[str], str], most_line: int, most: int
) -> list[tuple[int, int, Callable[[], str]]]:
    """Part lines into pages of at most `most` units; each page with its first line's place and the next page's.

    `write` makes markdown of at most `most_line` units, escapes aside, of a line, when its page is turned to: a log may
    have thousands of lines. Here each is counted as if all of it were escaped.
    """
    starts: list[int] = []
    left = count = 0
    for at, line in enumerate(lines):
        length = 2 * min(len(line), most_line) + _FRAME
        if not starts or length > left or count == LINES_A_PAGE:
            starts.append(at)
            left, count = most, 0
        left -= length
        count += 1

    def page(start: int, end: int) -> str:
        return "\n".join(map(write, lines[start:end]))

    return [(start, end, partial(page, start, end)) for start, end in pairwise([*starts, len(lines)])]
