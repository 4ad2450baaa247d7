"""Measures text without a font, by a table of how wide each of its characters is: for a browser, which has no FreeType.

`sim.core.cards.fonts.advance_table` makes the table from the fonts of the PNGs.
"""

import unicodedata
from collections.abc import Iterable

from sim.core.caret import is_wide
from sim.core.names import is_mark
from sim.core.values import Frozen

Run = tuple[int, ...]
"""The code of a character, its width, and the widths of those that follow it."""

_OTHERS = 0.6
"""Width of an unknown character in ems, unless it is a square of an East Asian script or an emoji."""


class AdvanceTable(Frozen):
    """Widths of characters in both weights; `units` of them make an em."""

    units: int
    regular: tuple[Run, ...]
    bold: tuple[Run, ...]


class TableMeasure:
    """Measures as FreeType does where the table knows the characters; a browser has fonts for all others."""

    def __init__(self, table: AdvanceTable) -> None:
        self._units = table.units
        self._widths = {False: dict(_widths(table.regular)), True: dict(_widths(table.bold))}

    def width(self, text: str, size: int, *, bold: bool) -> int:
        """Return how wide `text` is in pixels."""
        known = self._widths[bold]
        return sum(self._pixels(known[char], size) if char in known else _guess(char, size) for char in text)

    def draws(self, char: str, *, bold: bool) -> bool:
        """Return whether a character is one."""
        return char in self._widths[bold] or unicodedata.category(char) != "Cn"

    def _pixels(self, width: int, size: int) -> int:
        """Return whole pixels, rounded like FreeType's: to 1/64 first."""
        return ((64 * width * size + self._units // 2) // self._units + 32) // 64


def _widths(runs: Iterable[Run]) -> Iterable[tuple[str, int]]:
    for first, *widths in runs:
        yield from ((chr(first + at), width) for at, width in enumerate(widths))


def _guess(char: str, size: int) -> int:
    if is_mark(char):
        return 0
    return size if is_wide(char) else round(_OTHERS * size)
