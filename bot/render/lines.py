"""Lines of text parted into pages."""

from collections.abc import Sequence

from bot.render.text import shortened, utf16_length

LINES_A_PAGE = 20


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
