"""Makes the parts of cards: headline, win bar, units, dice, hit points, what is left, how chances moved."""

from collections.abc import Sequence
from dataclasses import dataclass

from sim.core.cards import text as letters
from sim.core.cards.card import Card
from sim.core.cards.marks import Silhouette
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
from sim.core.cards.values import Chances, HealthRow, decisive_round

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


LEAST = 0.0005
"""Smaller chances at either end make no visible bar and only narrow the others."""

_MAX_BARS = 25
_FOOT = 78

Left = Sequence[tuple[int, int, float]]
"""Ranges of what is left of the winner, from 1 up: low, high, chance."""


def draw_left(
    card: Card, top: int, left: Left, nobody: float, right: Left, colors: tuple[str, str], middle: str = "0"
) -> None:
    """Draw the chances, in ranges if there are many, down to the card's foot; the median is marked.

    All bars together are certain: those of a side add up to its chance to win, the one labelled `middle` is nobody's.
    """
    sides = [_visible(left), _visible(right)]
    alone = not all(sides) and nobody < LEAST
    sides = [_visible(bars[::-1])[::-1] for bars in sides] if alone else sides
    step = max(1, -(-sum(bars[-1][1] - _first(bars, alone=alone) + 1 for bars in sides if bars) // (_MAX_BARS - 1)))
    lower, upper = (_grouped(bars, step, _first(bars, alone=alone)) if bars else [] for bars in sides)
    values = [
        *((low, high, chance, colors[0]) for low, high, chance in reversed(lower)),
        *([] if alone else [(0, 0, nobody, NEUTRAL)]),
        *((low, high, chance, colors[1]) for low, high, chance in upper),
    ]
    median = _median([chance for _, _, chance, _ in values])
    bars = [
        Bar(_label(low, high) if high else middle, chance, color, marked=at == median)
        for at, (low, high, chance, color) in enumerate(values)
    ]
    histogram(card, top, card.height - top - _FOOT, bars)


def _visible(bars: Left) -> Left:
    """Return the bars up to the last visible one."""
    seen = [at for at, (_, _, chance) in enumerate(bars) if chance >= LEAST]
    return bars[: seen[-1] + 1] if seen else ()


def _first(bars: Left, *, alone: bool) -> int:
    """Return the number that the bars of a side begin at: its lowest if there is nothing but these bars, else 1."""
    return bars[0][0] if alone else 1


def _label(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}–{high}"


def _grouped(bars: Left, step: int, first: int) -> list[tuple[int, int, float]]:
    """Return the chances of ranges of `step` numbers, from `first` up; never narrower than the given ones."""
    step = max(step, *(high - low + 1 for low, high, _ in bars))
    chances: dict[int, float] = {}
    for low, _, chance in bars:
        at = (low - first) // step
        chances[at] = chances.get(at, 0.0) + chance
    return [(first + at * step, first + (at + 1) * step - 1, chances.get(at, 0.0)) for at in range(max(chances) + 1)]


def _median(chances: Sequence[float]) -> int:
    half, seen = sum(chances) / 2, 0.0
    for at, chance in enumerate(chances):
        seen += chance
        if seen >= half:
            return at
    return len(chances) - 1


COURSE = 184
"""Pixels of the course of the chances."""

_COURSE_BARS = 100
_COURSE_PITCH = 110


def draw_course(card: Card, top: int, course: Sequence[Chances], colors: tuple[str, str]) -> None:
    """Draw the chances at the beginning of each round and at the end; the decisive round is marked.

    The first side's color rises from below, the other's hangs from above; between them nobody wins.
    """
    decisive = decisive_round(course)
    card.text(LEFT, top + 22, "Chances by round", 22, SOFT)
    if decisive:
        card.text(RIGHT, top + 22, f"round {decisive} decided it", 22, INK, bold=True, align="right")
    upper = top + 38
    pitch = min(_COURSE_PITCH, (RIGHT - LEFT) // len(course))
    start = (LEFT + RIGHT - pitch * len(course)) // 2
    for at, (first, second) in enumerate(course):
        left, right = start + at * pitch, start + (at + 1) * pitch - 6
        card.box((left, upper, right, upper + _COURSE_BARS), NEUTRAL, radius=4)
        card.box((left, upper, right, upper + round(_COURSE_BARS * second)), colors[1], radius=4)
        card.box((left, upper + round(_COURSE_BARS * (1 - first)), right, upper + _COURSE_BARS), colors[0], radius=4)
        label = "end" if at == len(course) - 1 else "start" if at == 0 else str(at)
        marked = bool(decisive) and at == decisive
        color = INK if marked else SOFT
        card.text((left + right) // 2, upper + _COURSE_BARS + 24, label, SMALL, color, bold=marked, align="center")
