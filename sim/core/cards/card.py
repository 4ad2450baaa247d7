"""The sheet that a card is drawn on: text, bars with round ends, silhouettes; and the finished picture."""

from collections.abc import Sequence

from sim.core.cards import Box, Fill, Mark, Segments, Shape, Silhouette, Text
from sim.core.cards import text as letters
from sim.core.cards.svg import write_svg
from sim.core.cards.theme import COLORS, INK, TEXT, Color, Paint
from sim.core.cards.values import DrawnCard


class Card:
    """A card while it is drawn; coordinates in pixels from the upper left corner, of text its base line.

    `height`: set last where a card is drawn from the top down. `marks`: what is drawn so far. `alt`: the same in words,
    for people who can't see it. `colors`: those of the finished PNG, 255 at most; `level`: of its compression, 0 to 9;
    `alike`: how many of its upper rows are mostly as those above them.
    """

    def __init__(
        self, height: int = 0, alt: str = "", *, colors: tuple[Color, ...] = COLORS, level: int = 4, alike: int = 0
    ) -> None:
        self.height = height
        self.alt = alt
        self.marks: list[Mark] = []
        self._colors = colors
        self._level = level
        self._alike = alike

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
        left = x - {"left": 0, "right": length, "center": length // 2}[align]
        if text:
            self.marks.append(Text(left, y, text, size, color, bold, length))
        return length

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
        if box[2] > box[0] and box[3] > box[1]:
            self.marks.append(Fill(box, color, radius))

    def segments(self, box: Box, parts: Sequence[tuple[float, Paint]], radius: int = 8) -> None:
        """Fill a bar with parts side by side, each (share of the width, paint); anything above 0 is visible."""
        self.marks.append(Segments(box, tuple(spread(box[2] - box[0], parts)), radius))

    def silhouette(self, x: int, y: int, shape: Silhouette, height: int, color: str) -> None:
        """Paint a silhouette, `height` pixels high."""
        self.marks.append(Shape(x, y, shape, height, color))

    def add(self, *marks: Mark) -> None:
        """Draw marks as they are, one over the other."""
        self.marks += marks

    def png(self) -> bytes:
        """Return the card as a PNG with round corners."""
        from sim.core.cards.png import paint  # noqa: PLC0415  # loads Pillow, which is for workers

        return paint(self.height, self.marks, self._colors, self._level, self._alike)

    def svg(self, prefix: str = "card") -> str:
        """Return the card as an SVG; each of its ids begins with `prefix`, so that a page may hold several."""
        return write_svg(self.height, self.marks, self.alt, prefix)

    def drawn(self) -> DrawnCard:
        """Return the finished card as a PNG, with its figures in words."""
        return DrawnCard(data=self.png(), alt=self.alt)


def spread(length: int, parts: Sequence[tuple[float, Paint]]) -> list[tuple[int, int, Paint]]:
    """Return where each part of a bar begins and ends; parts above 0 get two pixels at least."""
    least = 2
    parts = [part for part in parts if part[0] > 1e-6]  # noqa: PLR2004 - what rounding leaves of shares up to 1
    small = sum(least for share, _ in parts if share * length < least)
    rest = sum(share for share, _ in parts if share * length >= least)
    placed: list[tuple[int, int, Paint]] = []
    at = 0.0
    for share, paint in parts:
        end = at + (least if share * length < least else share / rest * (length - small) if rest else length)
        placed.append((round(at), round(end), paint))
        at = end
    return placed
