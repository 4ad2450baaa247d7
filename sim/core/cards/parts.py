"""What cards are put together from: the headline, the win bar, units, dice, hit points, what is left of two sides."""

from collections.abc import Sequence
from dataclasses import dataclass

from sim.core.cards import text as letters
from sim.core.cards.card import Card
from sim.core.cards.theme import (
    DARK,
    GOOD,
    INK,
    LOST,
    LOW,
    MARGIN,
    NEUTRAL,
    SMALL,
    SOFT,
    TEXT,
    TITLE,
    TROUGH,
    WIDTH,
)
from sim.core.cards.values import HealthRow
from sim.core.silhouettes import Silhouette

LEFT, RIGHT = MARGIN, WIDTH - MARGIN


@dataclass(frozen=True, slots=True)
class Share:
    """A part of the win bar: `label` is written into it where it fits."""

    chance: float
    color: str
    label: str = ""


def headline(card: Card, parts: Sequence[tuple[str, str]], aside: str = "") -> None:
    """Write the headline, each part (text, color), as large as it fits, and something short on the right."""
    right = RIGHT - (card.text(RIGHT, 58, aside, 22, SOFT, align="right") + 20 if aside else 0)
    whole = "".join(text for text, _ in parts)
    size = next((size for size in (TITLE, 30, 26) if letters.width(whole, size, bold=True) <= right - LEFT), 22)
    if letters.width(whole, size, bold=True) > right - LEFT:
        parts = [(letters.fit(whole, size, right - LEFT, bold=True), parts[0][1])]
    card.sentence(LEFT, 58, parts, size, bold=True)


def win_bar(card: Card, top: int, shares: Sequence[Share], height: int = 46) -> None:
    """Draw who wins how often, from the left to the right edge, and each label where it fits into its part."""
    box = (LEFT, top, RIGHT, top + height)
    card.segments(box, [(share.chance, share.color) for share in shares], radius=10)
    base = top + height // 2 + 9
    pad = 14
    present = [share for share in shares if share.chance > 0]
    left = float(LEFT)
    for number, share in enumerate(present):
        right = left + share.chance * (RIGHT - LEFT)
        room = right - left - 2 * pad
        fitting = next((text for text in _shorter(share.label) if letters.width(text, TEXT, bold=True) <= room), "")
        if number == 0:
            card.text(LEFT + pad, base, fitting, TEXT, DARK, bold=True)
        elif number == len(present) - 1:
            card.text(RIGHT - pad, base, fitting, TEXT, DARK, bold=True, align="right")
        else:
            card.text(round((left + right) / 2), base, fitting, TEXT, DARK, bold=True, align="center")
        left = right


def mark(card: Card, at: int, top: int, bottom: int) -> None:
    """Draw a mark across a bar from `top` to `bottom`."""
    card.box((at - 5, top - 6, at + 5, bottom + 6), INK, radius=5)


def _shorter(label: str) -> Sequence[str]:
    """Return a label and its last word, which is the figure."""
    return label, label.rpartition(" ")[2]


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a histogram: its label below and its chance (0 to 1)."""

    label: str
    chance: float
    color: str
    marked: bool = False


_WIDEST_BAR = 110


def histogram(card: Card, top: int, height: int, bars: Sequence[Bar]) -> None:
    """Draw bars side by side, as high as they are likely, labels below; the marked one's is white."""
    if not bars:
        return
    pitch = min(_WIDEST_BAR, (RIGHT - LEFT) / len(bars))
    start = (LEFT + RIGHT - pitch * len(bars)) / 2
    highest = max(bar.chance for bar in bars)
    widest = max(letters.width(bar.label, SMALL, bold=bar.marked) for bar in bars) + 8
    every = max(1, -(-widest // max(1, round(pitch))))
    middle = next((at for at, bar in enumerate(bars) if bar.marked), 0)
    base = top + height
    for at, bar in enumerate(bars):
        left, right = round(start + at * pitch), round(start + (at + 1) * pitch)
        gap = 5 if pitch >= 24 else 1  # noqa: PLR2004 - narrow bars stand close
        rise = max(3, round(height * bar.chance / highest)) if bar.chance > 0 else 0
        card.box((left, base - rise, max(left + 1, right - gap), base), bar.color, radius=min(4, rise // 2))
        if (at - middle) % every == 0 and bar.label:
            color = INK if bar.marked else SOFT
            card.text((left + right - gap) // 2, base + 24, bar.label, SMALL, color, bold=bar.marked, align="center")


@dataclass(frozen=True, slots=True)
class Count:
    """Units of one kind: their silhouette, `height` pixels high, and the figures below, such as "4" or "4 → 2"."""

    shape: Silhouette
    height: int
    figures: str
    gone: bool = False


_UNITS_GAP = 26


def _unit_widths(counts: Sequence[Count]) -> list[int]:
    return [max(count.shape.width_at(count.height), letters.width(count.figures, TEXT, bold=True)) for count in counts]


def units_width(counts: Sequence[Count]) -> int:
    """Return how many pixels a row of units needs, standing close."""
    return sum(_unit_widths(counts)) + 10 * (len(counts) - 1)


def units(card: Card, top: int, counts: Sequence[Count], color: str, *, room: int, right: bool = False) -> None:
    """Draw units in a row of `room` pixels, from the left edge or up to the right one; many of them stand closer."""
    if not counts:
        return
    widths = _unit_widths(counts)
    gap = min(_UNITS_GAP, (room - sum(widths)) // max(1, len(counts) - 1))
    x = RIGHT - sum(widths) - gap * (len(counts) - 1) if right else LEFT
    for count, width in zip(counts, widths, strict=True):
        ink = NEUTRAL if count.gone else color
        middle = x + width // 2
        half = count.shape.width_at(count.height) // 2
        card.silhouette(middle - half, top, count.shape, count.height, ink)
        card.text(middle, top + count.height + 28, count.figures, TEXT, ink, bold=True, align="center")
        x += width + gap


DIE = 44
"""Pixels of a die's side."""


def dice(
    card: Card, x: int, top: int, faces: Sequence[tuple[int, bool]], color: str, *, room: int, side: int = DIE
) -> int:
    """Draw dice, each (face, whether it hits), in rows of `room` pixels; hits in color; return the lower edge."""
    step = side + max(3, side // 9)
    row = max(1, room // step)
    for at, (face, hits) in enumerate(faces):
        left, upper = x + at % row * step, top + at // row * step
        card.box((left, upper, left + side, upper + side), color if hits else TROUGH, radius=side // 5)
        size = round(side * 0.58)
        card.text(
            left + side // 2,
            upper + side // 2 + round(size * 0.37),
            str(face),
            size,
            DARK if hits else SOFT,
            bold=True,
            align="center",
        )
    return top + -(-len(faces) // row) * step


_LOW = 0.34
HEALTH_ROW = 63
"""Pixels of a line with its bar."""


def health(card: Card, x: int, top: int, width: int, row: HealthRow, color: str = GOOD) -> None:
    """Draw a name, its figures and the bar below: what is left, what was just lost in red."""
    ink = NEUTRAL if row.gone else INK
    figures = letters.fit(row.figures, TEXT, width * 0.62)
    taken = card.text(x + width, top + 24, figures, TEXT, ink, align="right")
    start = x
    if row.marked:
        card.text(x, top + 24, "▶", SMALL, LOW)
        start += 26
    card.name(start, top + 24, row.name, x + width - taken - 14 - start, TEXT, ink, instead=row.instead)
    shade = LOW if color == GOOD and row.left < _LOW else color
    bar = (x, top + 32, x + width, top + 54)
    card.segments(bar, [(row.left, shade), (row.lost, LOST), (1 - row.left - row.lost, TROUGH)])


def columns(count: int, gap: int = 40) -> tuple[tuple[int, ...], int]:
    """Return the left edges of that many columns, and their width."""
    width = (RIGHT - LEFT - gap * (count - 1)) // count
    return tuple(LEFT + at * (width + gap) for at in range(count)), width
