"""Silhouettes: simple shapes, given as points, drawn once per size and kept as masks."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from PIL import Image, ImageDraw

_FINE = 6
"""Shapes are drawn this many times larger and shrunk: Pillow's own edges are jagged."""


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
    other = []
    for stroke in strokes:
        pairs = list(zip(stroke.points[::2], stroke.points[1::2], strict=True))
        flipped = [(width - x, y) for x, y in pairs]
        if stroke.is_oval:
            (left, top), (right, bottom) = flipped[1], flipped[0]
            flipped = [(left, pairs[0][1]), (right, pairs[1][1])]
            del top, bottom
        other.append(stroke._replace(points=tuple(value for pair in flipped for value in pair)))
    return (*strokes, *other)


class Silhouette(NamedTuple):
    """Strokes in a field of `width` x `height`, y pointing down; later ones lie on top."""

    width: float
    height: float
    strokes: tuple[Stroke, ...]

    def mask(self, height: int) -> Image.Image:
        """Return it as a mask, `height` pixels high."""
        return _mask(self, height)


@lru_cache(maxsize=512)
def _mask(silhouette: Silhouette, height: int) -> Image.Image:
    scale = height / silhouette.height
    size = max(1, round(silhouette.width * scale)), height
    large = Image.new("L", (size[0] * _FINE, size[1] * _FINE))
    pen = ImageDraw.Draw(large)
    for stroke in silhouette.strokes:
        points = [value * scale * _FINE for value in stroke.points]
        ink = 0 if stroke.ground else 255
        if stroke.is_oval:
            pen.ellipse(points, fill=ink)
        elif stroke.thickness:
            thick = stroke.thickness * scale * _FINE
            pen.line(points, fill=ink, width=round(thick), joint="curve")
            for x, y in zip(points[::2], points[1::2], strict=True):
                pen.ellipse((x - thick / 2, y - thick / 2, x + thick / 2, y + thick / 2), fill=ink)
        else:
            pen.polygon(points, fill=ink)
    return large.resize(size, Image.Resampling.BOX)
