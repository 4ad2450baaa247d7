"""What is drawn on a card, as values: painters make a PNG or an SVG of the same marks.

Coordinates are pixels from the upper left corner, those of text its base line.
"""

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from sim.core.silhouettes import Silhouette

Box = tuple[int, int, int, int]
"""Left, top, right, bottom; the last two are the first pixels outside."""

Pattern = tuple[str, ...]
"""One repeat of a pattern: rows of points, # is painted."""


class Text(NamedTuple):
    """A line of text from `x` on, `width` pixels wide."""

    x: int
    y: int
    text: str
    size: int
    color: str
    bold: bool
    width: int


class Fill(NamedTuple):
    """A rectangle with round corners."""

    box: Box
    color: str
    radius: int


class Frame(NamedTuple):
    """The edge of a rectangle, `width` pixels inward."""

    box: Box
    color: str
    width: int


class Segments(NamedTuple):
    """A bar with round ends, of parts side by side: where each begins and ends from the bar's left, and its color."""

    box: Box
    parts: tuple[tuple[int, int, str], ...]
    radius: int


class Shape(NamedTuple):
    """A silhouette, `height` pixels high."""

    x: int
    y: int
    shape: Silhouette
    height: int
    color: str


class Hatch(NamedTuple):
    """A pattern from the box's upper left corner on, as opaque as `share` (0 to 1)."""

    box: Box
    pattern: Pattern
    color: str
    share: float


Line = tuple[tuple[tuple[int, int], ...], str, int]
"""Its points, its color and its thickness."""


class Lines(NamedTuple):
    """Lines on the ground's color that fill a box; all their figures are `fine` times larger than pixels."""

    box: Box
    lines: tuple[Line, ...]
    fine: int


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """A square of a grid, with marks from its own corner on. Make equal cells once and repeat them."""

    size: int
    marks: tuple["Mark", ...]


class Grid(NamedTuple):
    """Cells row by row, `columns` of them in each."""

    x: int
    y: int
    columns: int
    cells: tuple[Cell, ...]


Mark: TypeAlias = Text | Fill | Frame | Segments | Shape | Hatch | Lines | Grid
