"""The sheet that a card is drawn on: text, bars with round ends, silhouettes, small pictures; and the finished PNG."""

import io
from collections.abc import Sequence
from functools import cache

from PIL import Image, ImageChops

from sim.core.cards import text as letters
from sim.core.cards.masks import rounded, silhouette_mask
from sim.core.cards.theme import CORNER_RADIUS, GROUND, INK, PALETTE, TEXT, WIDTH, rgb
from sim.core.silhouettes import Silhouette

_ROUNDING = 1e-6  # of shares that should add up to 1
Box = tuple[int, int, int, int]
"""Left, top, right, bottom; the last two are the first pixels outside."""


class Card:
    """A card while it is drawn; coordinates in pixels from the upper left corner, of text its base line.

    `palette`: an image with the colors of the finished file, unless there is a photo. `level`: of compression, 0 to 9.
    """

    def __init__(self, height: int, palette: Image.Image = PALETTE, level: int = 3) -> None:
        self.height = height
        self.image = Image.new("RGB", (WIDTH, height), GROUND)
        self._palette = palette
        self._level = level
        self._has_photo = False

    def text(
        self,
        x: int,
        y: int,
        text: str,
        size: int = TEXT,
        color: str = INK,
        *,
        bold: bool = False,
        align: str = "left",
    ) -> int:
        """Write `text` from, to or around `x` (`align`: "left", "right", "center"); return its width."""
        length = letters.width(text, size, bold=bold)
        at = x - {"left": 0, "right": length, "center": length // 2}[align]
        for piece in letters.pieces(text, size, bold=bold):
            corner = (at + piece.left, y - piece.top)
            if piece.colored:
                self.image.paste(piece.image, corner, piece.image)
                self._has_photo = True
            else:
                self.image.paste(rgb(color), corner, piece.image)
            at += piece.width
        return length

    def sentence(
        self, x: int, y: int, parts: Sequence[tuple[str, str]], size: int = TEXT, *, bold: bool = False
    ) -> int:
        """Write parts in several colors, each (text, color), one behind the other; return the right end."""
        for text, color in parts:
            x += self.text(x, y, text, size, color, bold=bold)
        return x

    def name(
        self,
        x: int,
        y: int,
        text: str,
        room: int,
        size: int = TEXT,
        color: str = INK,
        *,
        bold: bool = True,
        instead: str = "",
        align: str = "left",
    ) -> int:
        """Write what players have written, cut to `room` pixels; `instead` of what can't be drawn; return its width."""
        return self.text(
            x, y, letters.fit(text, size, room, bold=bold, instead=instead), size, color, bold=bold, align=align
        )

    def box(self, box: Box, color: str, radius: int = 8) -> None:
        """Fill a rectangle with round corners."""
        left, top, right, bottom = box
        if right <= left or bottom <= top:
            return
        ink, width = rgb(color), right - left
        if bottom - top <= 4 * radius:
            self.image.paste(ink, box, rounded(width, bottom - top, radius))
            return
        # Only the round ends need a mask, with which painting takes several times as long.
        ends = rounded(width, 2 * radius, radius)
        self.image.paste(ink, (left, top), ends.crop((0, 0, width, radius)))
        self.image.paste(ink, (left, top + radius, right, bottom - radius))
        self.image.paste(ink, (left, bottom - radius), ends.crop((0, radius, width, 2 * radius)))

    def segments(self, box: Box, parts: Sequence[tuple[float, str]], radius: int = 8) -> None:
        """Fill a bar with parts side by side, each (share of the width, color); anything above 0 is visible."""
        left, top, right, bottom = box
        length, height = right - left, bottom - top
        strip = Image.new("RGB", (length, height), GROUND)
        for start, end, color in spread(length, parts):
            strip.paste(rgb(color), (start, 0, end, height))
        self.image.paste(strip, (left, top), rounded(length, height, radius))

    def silhouette(self, x: int, y: int, shape: Silhouette, height: int, color: str) -> None:
        """Paint a silhouette, `height` pixels high."""
        self.image.paste(rgb(color), (x, y), silhouette_mask(shape, height))

    def photo(self, box: Box, picture: Image.Image, radius: int = 8) -> None:
        """Show a picture, shrunk to cover the box."""
        size = (box[2] - box[0], box[3] - box[1])
        share = max(size[0] / picture.width, size[1] / picture.height)
        small = picture.convert("RGB").resize(
            (max(size[0], round(picture.width * share)), max(size[1], round(picture.height * share)))
        )
        left, top = (small.width - size[0]) // 2, (small.height - size[1]) // 2
        small = small.crop((left, top, left + size[0], top + size[1]))
        self.image.paste(small, box[:2], rounded(*size, radius))
        self._has_photo = True

    def png(self) -> bytes:
        """Return the card as a PNG with round corners."""
        if self._has_photo:
            flat = self.image.quantize(255, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
        else:
            flat = self.image.quantize(palette=self._palette, dither=Image.Dither.NONE)
        clear = flat.getpalette() or []
        outside = len(clear) // 3
        flat.putpalette([*clear, *rgb(GROUND)])
        _cut_corners(flat, outside)
        out = io.BytesIO()
        flat.save(out, "PNG", transparency=outside, compress_level=self._level)
        return out.getvalue()


def spread(length: int, parts: Sequence[tuple[float, str]]) -> list[tuple[int, int, str]]:
    """Return where each part of a bar begins and ends; parts above 0 get two pixels at least."""
    least = 2
    parts = [part for part in parts if part[0] > _ROUNDING]
    small = sum(least for share, _ in parts if share * length < least)
    rest = sum(share for share, _ in parts if share * length >= least)
    placed, at = [], 0.0
    for share, color in parts:
        end = at + (least if share * length < least else share / rest * (length - small) if rest else length)
        placed.append((round(at), round(end), color))
        at = end
    return placed


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
