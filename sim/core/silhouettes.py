"""Silhouettes: simple shapes as data, of units, games and whatever else cards show."""

from collections.abc import Sequence
from typing import NamedTuple


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


def mirrored(strokes: Sequence[Stroke], width: float) -> tuple[Stroke, ...]:
    """Return strokes and their mirror images in a field of that width."""
    return (*strokes, *(stroke._replace(points=_flipped(stroke, width)) for stroke in strokes))


def _flipped(stroke: Stroke, width: float) -> tuple[float, ...]:
    if stroke.is_oval:
        left, top, right, bottom = stroke.points
        return width - right, top, width - left, bottom
    return tuple(width - value if at % 2 == 0 else value for at, value in enumerate(stroke.points))


class Silhouette(NamedTuple):
    """Strokes in a field of `width` x `height`, y pointing down; later ones lie on top."""

    width: float
    height: float
    strokes: tuple[Stroke, ...]

    def width_at(self, height: int) -> int:
        """Return how wide the silhouette is, `height` pixels high, in pixels."""
        return max(1, round(self.width * height / self.height))


ICON = Silhouette(
    60,
    60,
    (
        polygon(30, 2, 55, 16, 55, 44, 30, 58, 5, 44, 5, 16),
        hole(line(30, 14, 44, 39, thickness=2)),
        hole(line(44, 39, 16, 39, thickness=2)),
        hole(line(16, 39, 30, 14, thickness=2)),
        *(
            hole(line(*points, thickness=2))
            for points in (
                (30, 14, 30, 3),
                (44, 39, 54, 44),
                (16, 39, 6, 44),
                (30, 14, 54, 16),
                (30, 14, 6, 16),
                (44, 39, 54, 17),
                (16, 39, 6, 17),
                (44, 39, 30, 57),
                (16, 39, 30, 57),
            )
        ),
    ),
)
