"""Reads figures from text files: shapes of one or several tones, smooth or straight, mirrored, outlined.

A figure begins with `= NAME …`; the shapes below it, later ones on top, are each a line of kind, tone and points `x,y`.
Kinds: `blob` and `line` are smooth but for points with a "!" behind them, `poly` and `bar` straight; lines and bars
have their thickness before the points. `oval` has its middle and two radii. "*" before a kind: and its mirror image;
"+": the points are the right half of one shape; "!" behind it: with an outline. `field WIDTH HEIGHT` is the size of the
figures that follow; lines that begin with "#" say nothing.
"""

from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import NamedTuple

from sim.core.cards import Silhouette, Stroke, mirrored

_SMOOTH = 6
"""Pieces of a curve between two of its points."""


class Outlines(NamedTuple):
    """A line of the file: its shapes and their tone, and whether each has an outline."""

    tone: str
    strokes: tuple[Stroke, ...]
    outlined: bool


class Figure(NamedTuple):
    """A figure in a field of `width` x `height`; `heading`: the words that it begins with."""

    heading: tuple[str, ...]
    width: float
    height: float
    lines: tuple[Outlines, ...] = ()

    @property
    def silhouette(self) -> Silhouette:
        """The figure in one color, with holes: what has the tone "hole"."""
        strokes = (stroke._replace(ground=line.tone == "hole") for line in self.lines for stroke in line.strokes)
        return Silhouette(self.width, self.height, tuple(strokes))


def read_figures(package: str, name: str) -> list[Figure]:
    """Return the figures of a package's file."""
    found: list[Figure] = []
    size = 0.0, 0.0
    for row in (files(package) / name).read_text(encoding="utf-8").splitlines():
        match row.split():
            case ["field", width, height]:
                size = float(width), float(height)
            case ["=", *words]:
                found.append(Figure(tuple(words), *size))
            case [kind, tone, *rest] if kind != "#":
                found[-1] = found[-1]._replace(lines=(*found[-1].lines, _read(kind, tone, rest, size[0])))
    return found


def silhouettes(package: str, name: str) -> Mapping[str, Silhouette]:
    """Return the figures of a package's file in one color, by their names."""
    return {" ".join(figure.heading): figure.silhouette for figure in read_figures(package, name)}


def _read(kind: str, tone: str, rest: list[str], width: float) -> Outlines:
    prefix, outlined, shape = kind[0], kind.endswith("!"), kind.strip("*+!")
    if shape == "oval":
        (x, y), wide, high = map(float, rest[0].split(",")), float(rest[1]), float(rest[2])
        strokes = [Stroke((x - wide, y - high, x + wide, y + high), is_oval=True)]
    else:
        is_open, straight = shape in {"line", "bar"}, shape in {"poly", "bar"}
        thickness = float(rest.pop(0)) if is_open else 0.0
        pairs = (word.split(",") for word in rest)
        points = [(float(x), float(y.rstrip("!")), straight or y.endswith("!")) for x, y in pairs]
        if prefix == "+":
            points += [(width - x, y, corner) for x, y, corner in reversed(points) if x != width / 2]
        strokes = [Stroke(tuple(_curve(points, closed=not is_open)), thickness)]
    return Outlines(tone, mirrored(strokes, width) if prefix == "*" else tuple(strokes), outlined)


def _curve(points: list[tuple[float, float, bool]], *, closed: bool) -> Iterator[float]:
    """Yield x and y of a curve through the points, which has corners."""
    count = len(points)
    for at in range(count if closed else count - 1):
        (x1, y1, sharp1), (x2, y2, sharp2) = points[at], points[(at + 1) % count]
        if sharp1 and sharp2:
            yield from (x1, y1)
            continue
        before = points[at] if sharp1 or (at == 0 and not closed) else points[at - 1]
        after = points[(at + 1) % count] if sharp2 or (at == count - 2 and not closed) else points[(at + 2) % count]
        for piece in range(_SMOOTH):
            for low, start, end, high in ((before[0], x1, x2, after[0]), (before[1], y1, y2, after[1])):
                yield _between(low, start, end, high, piece / _SMOOTH)
    if not closed:
        yield from points[-1][:2]


def _between(low: float, start: float, end: float, high: float, share: float) -> float:
    """Return a point of a Catmull-Rom curve, rounded to a tenth."""
    bend = (
        2 * start
        + (end - low) * share
        + (2 * low - 5 * start + 4 * end - high) * share**2
        + (3 * start - low - 3 * end + high) * share**3
    )
    return round(bend / 2, 1)


ICON = silhouettes("sim.core.cards", "icon.txt")["die"]
"""What stands for a game that has none of its own."""
