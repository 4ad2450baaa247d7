"""Paints the marks of a card as a PNG: shapes as masks. Needs Pillow: only workers import this."""

import io
import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain, cycle, islice

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter
from PIL.PngImagePlugin import putchunk

from sim.core import cards as m
from sim.core.cards.fonts import pieces, stepped
from sim.core.cards.theme import CORNER_RADIUS, DARK, GROUND, STRIPE, STRIPE_GAP, TROUGH, WIDTH, Color, Hatched, rgb

_FINE = 5
"""Shapes are drawn this many times larger and shrunk: Pillow's own edges are jagged."""


@lru_cache(maxsize=512)
def silhouette_mask(shape: m.Silhouette, height: int) -> Image.Image:
    """Return a silhouette as a mask, `height` pixels high."""
    scale = height / shape.height * _FINE
    size = shape.width_at(height), height
    large = Image.new("L", (size[0] * _FINE, size[1] * _FINE))
    pen = ImageDraw.Draw(large)
    for stroke in shape.strokes:
        _paint_stroke(pen, stroke, scale, 0 if stroke.ground else 255)
    return stepped(large.resize(size, Image.Resampling.BOX))


def _paint_stroke(pen: ImageDraw.ImageDraw, stroke: m.Stroke, scale: float, ink: int | str) -> None:
    points = [value * scale for value in stroke.points]
    if stroke.is_oval:
        pen.ellipse(points, fill=ink)
    elif stroke.thickness:
        thick = stroke.thickness * scale
        pen.line(points, fill=ink, width=round(thick), joint="curve")
        for x, y in (points[:2], points[-2:]):  # joints are round already
            half = (thick - 1) / 2  # a pixel less: the corners of ellipses are inside
            pen.ellipse((x - half, y - half, x + half, y + half), fill=ink)
    else:
        pen.polygon(points, fill=ink)


@lru_cache(maxsize=64)
def drawn_picture(picture: m.Picture, height: int) -> Image.Image:
    """Return a picture, `height` pixels high."""
    size = round(picture.width * height / picture.height), height
    large = Image.new("RGB", (size[0] * picture.fine, size[1] * picture.fine), picture.ground)
    pen = ImageDraw.Draw(large)
    for stroke, color in picture.layers:
        _paint_stroke(pen, stroke, height / picture.height * picture.fine, color)
    return large.reduce(picture.fine)


@lru_cache(maxsize=256)
def _arc(size: int, width: int, start: int, end: int) -> Image.Image:
    """Return a part of a ring as a mask, from a degree to another, clockwise from the top."""
    large = Image.new("L", (size * _FINE, size * _FINE))
    side = size * _FINE - 1
    ImageDraw.Draw(large).arc((0, 0, side, side), start - 90, end - 90, fill=255, width=width * _FINE)
    return stepped(large.resize((size, size), Image.Resampling.BOX))


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


@lru_cache(maxsize=512)
def _ends(width: int, radius: int) -> tuple[Image.Image, Image.Image]:
    """Return the upper and the lower end of `rounded`, alone."""
    whole = rounded(width, 2 * radius, radius)
    return whole.crop((0, 0, width, radius)), whole.crop((0, radius, width, 2 * radius))


@lru_cache(maxsize=64)
def _corner(radius: int) -> Image.Image:
    large = Image.new("L", (radius * _FINE, radius * _FINE))
    ImageDraw.Draw(large).ellipse((0, 0, 2 * radius * _FINE - 1, 2 * radius * _FINE - 1), fill=255)
    return stepped(large.resize((radius, radius), Image.Resampling.BOX))


@lru_cache(maxsize=64)
def hatched(pattern: m.Pattern, width: int, height: int, share: float) -> Image.Image:
    """Return a pattern, repeated from the upper left corner on, as a mask; `share`: how opaque it is."""
    mask = Image.new("L", (width, height))
    rows = (islice(cycle(row), width) for row in islice(cycle(pattern), height))
    mask.putdata([round(255 * share) if point == "#" else 0 for row in rows for point in row])
    return mask


@lru_cache(maxsize=64)
def striped(width: int, height: int) -> Image.Image:
    """Return slanted stripes as a mask."""
    large = Image.new("L", (width * _FINE, height * _FINE))
    pen = ImageDraw.Draw(large)
    step, stripe, rise = (STRIPE + STRIPE_GAP) * _FINE, STRIPE * _FINE, large.height
    for left in range(-rise, large.width, step):
        pen.polygon((left, rise, left + stripe, rise, left + stripe + rise, 0, left + rise, 0), fill=255)
    return stepped(large.resize((width, height), Image.Resampling.BOX))


_RIM = 5
"""Pixels of a sticker's rim: about one where it is seen."""


def paint_sticker(shape: m.Silhouette, color: str, side: int) -> bytes:
    """Return a silhouette as a square PNG, `side` pixels, transparent around a dark rim that fills its holes, too."""
    room, large = (side - 2 * _RIM) * _FINE, side * _FINE
    drawn = silhouette_mask(shape, round(min(room / shape.width, room / shape.height) * shape.height))
    # Low shapes, such as ships, would be unreadable: they are drawn up to 1.3 times as high.
    drawn = drawn.resize((drawn.width, min(room, round(drawn.height * 1.3))))
    ink = Image.new("L", (large, large))
    ink.paste(drawn, ((large - drawn.width) // 2, (large - drawn.height) // 2))
    # Blurred, a straight edge falls to a sixth of its level one deviation away, a sharp tip to less.
    rim = ink.filter(ImageFilter.GaussianBlur(_RIM * _FINE)).point(lambda level: 255 * (level > 255 // 8))
    ink, rim = (mask.resize((side, side), Image.Resampling.BOX) for mask in (ink, rim))
    holes = rim.point(lambda level: 255 * (level == 255))  # noqa: PLR2004  # opaque
    ImageDraw.floodfill(holes, (0, 0), 255)
    picture = Image.new("RGB", (side, side), DARK)
    picture.paste(rgb(color), mask=ink)
    picture.putalpha(ImageChops.lighter(rim, ImageChops.invert(holes)))
    out = io.BytesIO()
    picture.save(out, "PNG", optimize=True)
    return out.getvalue()


def paint(height: int, marks: Iterable[m.Mark], colors: tuple[Color, ...], level: int, alike: int = 0) -> bytes:
    """Return a PNG with round corners; `colors`, `level`, `alike`: as of a `Card`."""
    canvas = _Canvas(Image.new("RGB", (WIDTH, height), GROUND))
    canvas.paint(marks)
    if canvas.has_emoji:
        flat = canvas.image.quantize(255, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    else:
        flat = canvas.image.quantize(palette=_palette(colors), dither=Image.Dither.NONE)
    clear = flat.getpalette() or []
    outside = len(clear) // 3
    flat.putpalette([*clear, *rgb(GROUND)])
    side = CORNER_RADIUS
    corners = ImageChops.invert(rounded(2 * side, 2 * side, side)).point(lambda level: 255 * round(level / 255))
    for x, left in ((0, 0), (flat.width - side, side)):
        for y, top in ((0, 0), (flat.height - side, side)):
            flat.paste(outside, (x, y), corners.crop((left, top, left + side, top + side)))
    out = io.BytesIO()
    if alike:
        _save(flat, out, outside, level, alike)
    else:
        flat.save(out, "PNG", transparency=outside, compress_level=level)
    return out.getvalue()


def _save(flat: Image.Image, out: io.BytesIO, outside: int, level: int, alike: int) -> None:
    """Write a PNG (RFC 2083) with its upper rows as runs of what differs from the row above.

    Pillow has one way for all rows. For those of hundreds of tiles this one takes a quarter of the time of a level that
    makes them as small; letters would be half as large again.
    """
    rows = np.asarray(flat)
    high, wide = rows.shape
    lines = np.zeros((high, wide + 1), np.uint8)
    lines[:alike, 0] = 2  # the filter of a row that says what differs from the row above; without one it is 0
    lines[:, 1:] = rows
    lines[1:alike, 1:] -= rows[: alike - 1]
    runs = zlib.compressobj(level, memLevel=5, strategy=zlib.Z_RLE)  # in small blocks, which fit better
    rest = zlib.compressobj(level, wbits=-zlib.MAX_WBITS)
    packed = runs.compress(lines[:alike].data) + runs.flush(zlib.Z_FULL_FLUSH)
    packed += rest.compress(lines[alike:].data) + rest.flush() + zlib.adler32(lines.data).to_bytes(4, "big")
    out.write(b"\x89PNG\r\n\x1a\n")
    # Eight bits a pixel, which are indexes of a palette, and nothing unusual.
    putchunk(out, b"IHDR", wide.to_bytes(4, "big") + high.to_bytes(4, "big") + b"\x08\x03\0\0\0")
    putchunk(out, b"PLTE", bytes(flat.getpalette() or ()))
    putchunk(out, b"tRNS", b"\xff" * outside + b"\0")
    putchunk(out, b"IDAT", packed)
    putchunk(out, b"IEND", b"")


class _Canvas:
    """An image while marks are painted on it; `has_emoji`: whether it has colors of their own."""

    def __init__(self, image: Image.Image) -> None:
        self.image = image
        self.has_emoji = False

    def paint(self, marks: Iterable[m.Mark]) -> None:
        """Paint all marks, one over the other."""
        for mark in marks:
            self._paint(mark)

    def _paint(self, mark: m.Mark) -> None:
        match mark:
            case m.Text():
                self._text(mark)
            case m.Fill():
                self._fill(mark)
            case m.Segments():
                self._segments(mark)
            case m.Grid():
                self._grid(mark)
            case m.Shape():
                self._stamp(mark.color, mark.x, mark.y, silhouette_mask(mark.shape, mark.height))
            case m.Drawing():
                self.image.paste(drawn_picture(mark.picture, mark.height), (mark.x, mark.y))
            case m.Ring():
                self._ring(mark)
            case m.Hatch(box=(left, top, right, bottom)):
                self._stamp(mark.color, left, top, hatched(mark.pattern, right - left, bottom - top, mark.share))

    def _stamp(self, color: str, x: int, y: int, mask: Image.Image) -> None:
        """Paint through a mask; as in `_grid`, without the checks of `Image.paste`."""
        self.image.im.paste(rgb(color), (x, y, x + mask.width, y + mask.height), mask.im)

    def _text(self, mark: m.Text) -> None:
        at = mark.x
        for piece in pieces(mark.text, mark.size, bold=mark.bold):
            x, y = at + piece.left, mark.y - piece.top
            if piece.colored:
                self.image.paste(piece.image, (x, y), piece.image)
                self.has_emoji = True
            else:
                self._stamp(mark.color, x, y, piece.image)
            at += piece.width

    def _fill(self, mark: m.Fill) -> None:
        ink, radius = rgb(mark.color), mark.radius
        if not radius:
            self.image.im.paste(ink, mark.box)
            return
        left, top, right, bottom = mark.box
        width = right - left
        if bottom - top <= 4 * radius:
            self._stamp(mark.color, left, top, rounded(width, bottom - top, radius))
            return
        # Only the round ends need a mask, with which painting takes several times as long.
        upper, lower = _ends(width, radius)
        self._stamp(mark.color, left, top, upper)
        self.image.im.paste(ink, (left, top + radius, right, bottom - radius))
        self._stamp(mark.color, left, bottom - radius, lower)

    def _segments(self, mark: m.Segments) -> None:
        left, top, right, bottom = mark.box
        length, height = right - left, bottom - top
        strip = Image.new("RGB", (length, height), GROUND)
        for start, end, paint in mark.parts:
            strip.paste(rgb(TROUGH if isinstance(paint, Hatched) else paint), (start, 0, end, height))
            if isinstance(paint, Hatched):
                strip.paste(rgb(paint.color), (start, 0), striped(end - start, height))
        self.image.paste(strip, (left, top), rounded(length, height, mark.radius))

    def _ring(self, mark: m.Ring) -> None:
        size, (x, y) = m.size_of(mark.box)[0], mark.box[:2]
        left, lost = round(360 * mark.left), round(360 * (mark.left + mark.lost))
        self._stamp(TROUGH, x, y, _arc(size, mark.width, 0, 360))
        if lost > left:
            stripes = ImageChops.multiply(_arc(size, mark.width, left, lost), striped(size, size))
            self._stamp(mark.color, x, y, stripes)
        if left:
            self._stamp(mark.color, x, y, _arc(size, mark.width, 0, left))

    def _grid(self, mark: m.Grid) -> None:
        core = self.image.im  # what Image.paste checks before would take most of the time of hundreds of marks
        pictures = {cell: cell_picture(cell).im for cell in set(mark.cells)}
        for number, cell in enumerate(mark.cells):
            row, column = divmod(number, mark.columns)
            x, y = mark.x + column * cell.size, mark.y + row * cell.size
            core.paste(pictures[cell], (x, y, x + cell.size, y + cell.size))


@lru_cache(maxsize=1024)
def cell_picture(cell: m.Cell) -> Image.Image:
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
