"""Cards, the pictures of answers and panels. Here: their marks, silhouettes among them, as values.

Painters make a PNG or an SVG of the same marks. Coordinates are pixels from the upper left corner, those of text its
base line; a silhouette has a field of its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple, TypeAlias

from sim.core.cards.theme import Paint


class Stroke(NamedTuple):
    """A piece of a silhouette: the points of a polygon or a line, or the corners of an ellipse's box.

    `thickness`: of a line, else 0. `ground`: whether it cuts a hole.
    """

    points: tuple[float, ...]
    thickness: float = 0.0
    is_oval: bool = False
    ground: bool = False


def polygon(*points: float) -> Stroke:
    """Return a filled polygon: x and y of each corner."""
    return Stroke(points)


def line(*points: float, thickness: float) -> Stroke:
    """Return a line with round ends: x and y of each corner."""
    return Stroke(points, thickness)


def oval(left: float, top: float, right: float, bottom: float) -> Stroke:
    """Return a filled ellipse."""
    return Stroke((left, top, right, bottom), is_oval=True)


def hole(stroke: Stroke) -> Stroke:
    """Return the stroke as a hole."""
    return stroke._replace(ground=True)


def moved(stroke: Stroke, move: Callable[[float, float], tuple[float, float]]) -> Stroke:
    """Return the stroke with other points; `move`: by x and y, may mirror and turn it by right angles."""
    pairs = [move(x, y) for x, y in zip(stroke.points[::2], stroke.points[1::2], strict=True)]
    if stroke.is_oval:  # by the upper left and the lower right corner of its box, which other corners may have become
        pairs = list(zip(*map(sorted, zip(*pairs, strict=True)), strict=True))
    return stroke._replace(points=tuple(chain(*pairs)))


def mirrored(strokes: Sequence[Stroke], width: float) -> tuple[Stroke, ...]:
    """Return strokes and their mirror images in a field of that width."""
    return (*strokes, *(moved(stroke, lambda x, y: (width - x, y)) for stroke in strokes))


class Silhouette(NamedTuple):
    """Strokes in a field of `width` x `height`, y pointing down; later ones lie on top."""

    width: float
    height: float
    strokes: tuple[Stroke, ...]

    def width_at(self, height: int) -> int:
        """Return how wide the silhouette is, `height` pixels high, in pixels."""
        return max(1, round(self.width * height / self.height))


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """Strokes on a ground, each with its color, in a field of `width` x `height`; later ones lie on top.

    Make equal pictures once and repeat them. `fine`: how many times larger they are drawn than seen, for smooth edges.
    """

    width: float
    height: float
    ground: str
    layers: tuple[tuple[Stroke, str], ...]
    fine: int = 4


Box = tuple[int, int, int, int]
"""Left, top, right, bottom; the last two are the first pixels outside."""


def size_of(box: Box) -> tuple[int, int]:
    """Return a box's width and height."""
    return box[2] - box[0], box[3] - box[1]


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


class Segments(NamedTuple):
    """A bar with round ends, of parts side by side: where each begins and ends from the bar's left, and its paint."""

    box: Box
    parts: tuple[tuple[int, int, Paint], ...]
    radius: int


class Shape(NamedTuple):
    """A silhouette, `height` pixels high."""

    x: int
    y: int
    shape: Silhouette
    height: int
    color: str


class Drawing(NamedTuple):
    """A picture, `height` pixels high."""

    x: int
    y: int
    picture: Picture
    height: int


class Ring(NamedTuple):
    """A ring, filled clockwise from the top: what is `left`, hatched what was `lost`, as shares; the rest is empty."""

    box: Box
    width: int
    left: float
    lost: float
    color: str


class Hatch(NamedTuple):
    """A pattern from the box's upper left corner on, as opaque as `share` (0 to 1)."""

    box: Box
    pattern: Pattern
    color: str
    share: float


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


Mark: TypeAlias = Text | Fill | Segments | Shape | Drawing | Ring | Hatch | Grid
