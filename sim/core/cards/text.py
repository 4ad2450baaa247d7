"""How wide text is on a card, and what is cut off to make it fit.

FreeType measures in the fonts of the PNGs, unless the program has set another measure: one without Pillow has to.
"""

from typing import Protocol

from sim.core.caret import visible

ELLIPSIS = "…"


class Measure(Protocol):
    """Knows the widths of text, and for which characters there is a font."""

    def width(self, text: str, size: int, *, bold: bool) -> int:
        """Return how wide `text` is in pixels; `size`: of the type in pixels."""
        ...

    def draws(self, char: str, *, bold: bool) -> bool:
        """Return whether any font has a character."""
        ...


_measures: list[Measure] = []


def measure_with(measure: Measure) -> None:
    """Measure all text of this process with `measure`, from now on."""
    _measures[:] = [measure]


def _measure() -> Measure:
    if not _measures:
        from sim.core.cards.fonts import FreeTypeMeasure  # noqa: PLC0415  # loads Pillow, which is for workers

        measure_with(FreeTypeMeasure())
    return _measures[0]


def width(text: str, size: int, *, bold: bool = False) -> int:
    """Return how wide `text` is in pixels."""
    return _measure().width(text, size, bold=bold)


def fit(text: str, size: int, room: float, *, bold: bool = False, instead: str = "") -> str:
    """Return `text` without what no font can draw, cut to `room` pixels; `instead` if nothing is left of it."""
    draws = _measure().draws
    drawable = "".join(char for char in text if visible(char) == char and draws(char, bold=bold)).strip() or instead
    if width(drawable, size, bold=bold) <= room:
        return drawable
    while drawable and width(drawable + ELLIPSIS, size, bold=bold) > room:
        drawable = drawable[:-1].rstrip()
    return drawable + ELLIPSIS
