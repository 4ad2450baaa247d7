"""Shapes as masks, each drawn once per size and kept: silhouettes, rectangles with round corners, patterns."""

from functools import lru_cache

from PIL import Image, ImageDraw

from sim.core.cards.marks import Pattern
from sim.core.cards.theme import EDGE_STEPS
from sim.core.silhouettes import Silhouette

_FINE = 5
"""Shapes are drawn this many times larger and shrunk: Pillow's own edges are jagged."""


def stepped(mask: Image.Image) -> Image.Image:
    """Return a mask with the few steps at its edges that palettes have colors for."""
    return mask.point(lambda level: round(level / 255 * EDGE_STEPS) * 255 // EDGE_STEPS)


@lru_cache(maxsize=512)
def silhouette_mask(shape: Silhouette, height: int) -> Image.Image:
    """Return a silhouette as a mask, `height` pixels high."""
    scale = height / shape.height * _FINE
    size = shape.width_at(height), height
    large = Image.new("L", (size[0] * _FINE, size[1] * _FINE))
    pen = ImageDraw.Draw(large)
    for stroke in shape.strokes:
        points = [value * scale for value in stroke.points]
        ink = 0 if stroke.ground else 255
        if stroke.is_oval:
            pen.ellipse(points, fill=ink)
        elif stroke.thickness:
            thick = stroke.thickness * scale
            pen.line(points, fill=ink, width=round(thick), joint="curve")
            for x, y in zip(points[::2], points[1::2], strict=True):
                pen.ellipse((x - thick / 2, y - thick / 2, x + thick / 2, y + thick / 2), fill=ink)
        else:
            pen.polygon(points, fill=ink)
    return stepped(large.resize(size, Image.Resampling.BOX))


@lru_cache(maxsize=512)
def rounded(width: int, height: int, radius: int) -> Image.Image:
    """Return the mask of a rectangle with round corners."""
    radius = min(radius, width // 2, height // 2)
    mask = Image.new("L", (width, height), 255)
    if not radius:
        return mask
    corner = _corner(radius)
    mirrored = corner.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    mask.paste(corner, (0, 0))
    mask.paste(mirrored, (width - radius, 0))
    mask.paste(corner.transpose(Image.Transpose.FLIP_TOP_BOTTOM), (0, height - radius))
    mask.paste(mirrored.transpose(Image.Transpose.FLIP_TOP_BOTTOM), (width - radius, height - radius))
    return mask


@lru_cache(maxsize=64)
def _corner(radius: int) -> Image.Image:
    large = Image.new("L", (radius * _FINE, radius * _FINE))
    ImageDraw.Draw(large).ellipse((0, 0, 2 * radius * _FINE - 1, 2 * radius * _FINE - 1), fill=255)
    return stepped(large.resize((radius, radius), Image.Resampling.BOX))


@lru_cache(maxsize=64)
def patterned(pattern: Pattern, width: int, height: int) -> Image.Image:
    """Return a pattern, repeated from the upper left corner on, as a mask (mode 1)."""
    mask = Image.new("1", (width, height))
    for y in range(height):
        row = pattern[y % len(pattern)]
        for x in range(width):
            if row[x % len(row)] == "#":
                mask.putpixel((x, y), 1)
    return mask


@lru_cache(maxsize=64)
def hatched(pattern: Pattern, width: int, height: int, share: float) -> Image.Image:
    """Return a pattern as a mask that lets through what is below it; `share`: how opaque it is."""
    return patterned(pattern, width, height).convert("L").point(lambda level: round(level * share))
