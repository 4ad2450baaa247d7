"""Paints the marks of a card as a PNG. Loads Pillow: only workers import this."""

import io
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import chain

from PIL import Image, ImageChops, ImageDraw

from sim.core.cards.fonts import pieces
from sim.core.cards.marks import Box, Cell, Fill, Frame, Grid, Hatch, Lines, Mark, Segments, Shape, Text
from sim.core.cards.masks import hatched, rounded, silhouette_mask
from sim.core.cards.theme import CORNER_RADIUS, GROUND, WIDTH, Color, rgb


def paint(height: int, marks: Iterable[Mark], colors: tuple[Color, ...], level: int) -> bytes:
    """Return a PNG with round corners. `colors`: of the file, 255 at most; `level`: of compression, 0 to 9."""
    canvas = _Canvas(Image.new("RGB", (WIDTH, height), GROUND))
    canvas.paint(marks)
    if canvas.has_emoji:
        flat = canvas.image.quantize(255, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    else:
        flat = canvas.image.quantize(palette=_palette(colors), dither=Image.Dither.NONE)
    clear = flat.getpalette() or []
    outside = len(clear) // 3
    flat.putpalette([*clear, *rgb(GROUND)])
    _cut_corners(flat, outside)
    out = io.BytesIO()
    flat.save(out, "PNG", transparency=outside, compress_level=level)
    return out.getvalue()


class _Canvas:
    """An image while marks are painted on it; `has_emoji`: whether it has colors of their own."""

    def __init__(self, image: Image.Image) -> None:
        self.image = image
        self.has_emoji = False

    def paint(self, marks: Iterable[Mark]) -> None:
        """Paint all marks, one over the other."""
        for mark in marks:
            match mark:
                case Text():
                    self._text(mark)
                case Fill():
                    self._fill(mark)
                case Segments():
                    self._segments(mark)
                case Shape():
                    mask = silhouette_mask(mark.shape, mark.height)
                    self.image.paste(rgb(mark.color), (mark.x, mark.y), mask)
                case Frame(box=(left, top, right, bottom)):
                    pen = ImageDraw.Draw(self.image)
                    pen.rectangle((left, top, right - 1, bottom - 1), outline=mark.color, width=mark.width)
                case Hatch(box=(left, top, right, bottom)):
                    mask = hatched(mark.pattern, right - left, bottom - top, mark.share)
                    self.image.paste(rgb(mark.color), (left, top), mask)
                case Lines():
                    self._lines(mark)
                case Grid():
                    self._grid(mark)

    def _text(self, mark: Text) -> None:
        at = mark.x
        for piece in pieces(mark.text, mark.size, bold=mark.bold):
            corner = (at + piece.left, mark.y - piece.top)
            if piece.colored:
                self.image.paste(piece.image, corner, piece.image)
                self.has_emoji = True
            else:
                self.image.paste(rgb(mark.color), corner, piece.image)
            at += piece.width

    def _fill(self, mark: Fill) -> None:
        left, top, right, bottom = mark.box
        ink, width, radius = rgb(mark.color), right - left, mark.radius
        if not radius:
            self.image.paste(ink, mark.box)
            return
        if bottom - top <= 4 * radius:
            self.image.paste(ink, mark.box, rounded(width, bottom - top, radius))
            return
        # Only the round ends need a mask, with which painting takes several times as long.
        ends = rounded(width, 2 * radius, radius)
        self.image.paste(ink, (left, top), ends.crop((0, 0, width, radius)))
        self.image.paste(ink, (left, top + radius, right, bottom - radius))
        self.image.paste(ink, (left, bottom - radius), ends.crop((0, radius, width, 2 * radius)))

    def _segments(self, mark: Segments) -> None:
        left, top, right, bottom = mark.box
        length, height = right - left, bottom - top
        strip = Image.new("RGB", (length, height), GROUND)
        for start, end, color in mark.parts:
            strip.paste(rgb(color), (start, 0, end, height))
        self.image.paste(strip, (left, top), rounded(length, height, mark.radius))

    def _lines(self, mark: Lines) -> None:
        size = _size(mark.box)
        large = Image.new("RGB", (size[0] * mark.fine, size[1] * mark.fine), GROUND)
        pen = ImageDraw.Draw(large)
        for points, color, thickness in mark.lines:
            pen.line(points, color, thickness, joint="curve")
        self.image.paste(large.resize(size, Image.Resampling.BOX), mark.box[:2])

    def _grid(self, mark: Grid) -> None:
        for number, cell in enumerate(mark.cells):
            row, column = divmod(number, mark.columns)
            self.image.paste(cell_picture(cell), (mark.x + column * cell.size, mark.y + row * cell.size))


def _size(box: Box) -> tuple[int, int]:
    return box[2] - box[0], box[3] - box[1]


@lru_cache(maxsize=1024)
def cell_picture(cell: Cell) -> Image.Image:
    """Return a cell alone."""
    canvas = _Canvas(Image.new("RGB", (cell.size, cell.size)))
    canvas.paint(cell.marks)
    return canvas.image


@lru_cache(maxsize=8)
def _palette(colors: Sequence[Color]) -> Image.Image:
    """Return an image that has these colors as its palette."""
    image = Image.new("P", (1, 1))
    image.putpalette(list(chain.from_iterable(colors)))
    return image


def _cut_corners(flat: Image.Image, outside: int) -> None:
    """Paint what is outside the card's own round corners."""
    side, mask = CORNER_RADIUS, _corners()
    for x, left in ((0, 0), (flat.width - side, side)):
        for y, top in ((0, 0), (flat.height - side, side)):
            flat.paste(outside, (x, y), mask.crop((left, top, left + side, top + side)))


@cache
def _corners() -> Image.Image:
    """Return what is outside the four round corners, side by side."""
    whole = rounded(2 * CORNER_RADIUS, 2 * CORNER_RADIUS, CORNER_RADIUS)
    return ImageChops.invert(whole).point(lambda level: 255 * round(level / 255))
