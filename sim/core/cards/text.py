"""Measures text on a card, and cuts it off where it doesn't fit.

FreeType measures in the fonts of the PNGs, unless the program has set another measure: one without Pillow has to. For
a browser, which has no FreeType, that is a table of how wide each character is.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable
from typing import Protocol

from sim.core import is_wide, visible
from sim.core.cards.theme import HEAD
from sim.core.cards.values import AdvanceTable, Run
from sim.core.names import is_mark

# Latin, Greek, Cyrillic, Armenian, Hebrew, Arabic, Georgian; Chinese, Japanese, Korean or Hindi would take other fonts.
_SPELLED = re.compile(
    r"[\0-\u0525\u0531-\u0556\u0561-\u0587\u05d0-\u05ea\u0621-\u063a\u0640-\u066f\u0679-\u06bf\u06cc"
    r"\u10d0-\u10fa\u1e00-\u1efb\u1f00-\u1fff]"
)


class Measure(Protocol):
    """Knows the widths of text, and for which characters there is a font."""

    def width(self, text: str, size: int, *, bold: bool) -> int:
        """Return how wide `text` is in pixels; `size`: of the type in pixels."""

    def draws(self, char: str, *, bold: bool) -> bool:
        """Return whether any font has a character."""


_measures: list[Measure] = []


def measure_with(measure: Measure) -> None:
    """Measure all text of this process with `measure`, from now on."""
    _measures[:] = [measure]


def _measure() -> Measure:
    if not _measures:
        from sim.core.cards import fonts  # noqa: PLC0415  # loads Pillow, which is for workers

        measure_with(fonts)
    return _measures[0]


def spelled(name: str) -> bool:
    """Return whether our own fonts have all letters and digits of a name; this machine may have fonts for more."""
    return all(_SPELLED.match(char) for char in filter(str.isalnum, name))


def width(text: str, size: int, *, bold: bool = False) -> int:
    """Return how wide `text` is in pixels."""
    return _measure().width(text, size, bold=bold)


def fit(text: str, size: int, room: float, *, bold: bool = False, instead: str = "") -> str:
    """Return `text` without what no font can draw, cut to `room` pixels; `instead` if nothing is left of it."""
    drawn = drawable(text, bold=bold).strip() or instead
    if width(drawn, size, bold=bold) <= room:
        return drawn
    cuts = [drawn[:at].rstrip() + "…" for at in range(len(drawn) or 1)]
    return cuts[max(1, bisect_right(cuts, room, key=lambda cut: width(cut, size, bold=bold))) - 1]


def drawable(text: str, *, bold: bool = False) -> str:
    """Return `text` without what no font can draw."""
    if text.isascii() and text.isprintable():
        return text.replace("`", "")  # our own faces have the rest
    draws = _measure().draws
    return "".join(char for char in text if visible(char) == char and draws(char, bold=bold))


def wrapped(text: str, size: int, room: int) -> list[str]:
    """Return the lines of a text, broken between words; a word that is wider than a line is cut."""
    lines, line = [], ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if line and width(longer, size) > room:
            lines.append(line.removesuffix(" ·"))
            longer = word
        line = longer
    return [fit(each, size, room) for each in (*lines, line)]


def two_lines(text: str, size: int, room: int) -> list[str]:
    """Return a bold text on one line, or with as many words on the first of two as fit there."""
    words = text.split(" ")
    if width(text, size, bold=True) <= room:
        return [text]
    fitting = [at for at in range(1, len(words)) if width(" ".join(words[:at]), size, bold=True) <= room]
    at = max(fitting, default=len(words))
    return [line for line in (" ".join(words[:at]), " ".join(words[at:])) if line]


class TableMeasure:
    """Measures as FreeType does where the table knows the characters; a browser has fonts for all others.

    These are taken to be 0.6 ems wide, unless they are squares of an East Asian script or emoji.
    """

    def __init__(self, table: AdvanceTable) -> None:
        self._units, self._display_units = table.units, table.display_units
        self._widths = {False: dict(_widths(table.regular)), True: dict(_widths(table.bold))}
        self._display = dict(_widths(table.display))

    def width(self, text: str, size: int, *, bold: bool) -> int:
        """Return how wide `text` is in pixels."""
        return sum(self._char(char, size, bold=bold) for char in text)

    def draws(self, char: str, *, bold: bool) -> bool:
        """Return whether a character is one."""
        return char in self._widths[bold] or unicodedata.category(char) != "Cn"

    def _char(self, char: str, size: int, *, bold: bool) -> int:
        plain = self._widths[bold or size >= HEAD], self._units
        for widths, units in ((self._display, self._display_units), plain) if size >= HEAD else (plain,):
            if char in widths:  # whole pixels, rounded like FreeType's: to 1/64 first
                return ((64 * widths[char] * size + units // 2) // units + 32) // 64
        return 0 if is_mark(char) else size if is_wide(char) else round(0.6 * size)


def _widths(runs: Iterable[Run]) -> Iterable[tuple[str, int]]:
    for first, *widths in runs:
        yield from ((chr(first + at), width) for at, width in enumerate(widths))
