"""Makes the parts of cards: headline, win bar, units, dice, hit points, what is left, how chances moved."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

from sim.core.cards import Box, Silhouette
from sim.core.cards import text as letters
from sim.core.cards.card import Card
from sim.core.cards.theme import DARK, HEAD, INK, MARGIN, NEUTRAL, SOFT, TEXT, TILE, TITLE, TROUGH, WIDTH, Hatched
from sim.core.cards.values import Chances, HealthRow, decisive_round

LEFT, RIGHT = MARGIN, WIDTH - MARGIN
TOP, LINE = 92, 46
"""The first pixel below a headline, and the pixels of a line of text."""

_BASE = 66
_GAP = 24
"""Pixels between what stands left and right in a line."""


def paragraph(
    card: Card, top: int, text: str, color: str = SOFT, *, x: int = LEFT, room: int = RIGHT - LEFT, size: int = TEXT
) -> int:
    """Write a text below `top`, in lines of `room` pixels; return the first pixel below."""
    for line in letters.wrapped(text, size, room):
        card.text(x, top + 34, line, size, color)
        top += LINE
    return top


def at_edges(card: Card, base: int, left: str, right: str, *, colors: tuple[str, str] = (SOFT, SOFT)) -> None:
    """Write a note at each edge of a card."""
    card.text(LEFT, base, left, TEXT, colors[0])
    card.text(RIGHT, base, right, TEXT, colors[1], align="right")


def more(card: Card, top: int, count: int, *, x: int = LEFT) -> int:
    """Say below `top` how many more there are, if any; return the first pixel below."""
    return paragraph(card, top, f"and {count:,} more", x=x) if count else top


@dataclass(frozen=True, slots=True)
class Share:
    """A part of the win bar: `label` is written into it where it fits."""

    chance: float
    color: str
    label: str = ""


def headline(card: Card, parts: Sequence[tuple[str, str]], aside: str = "") -> int:
    """Write a headline, each part (text, color), as large as it fits, and something short beside or below it.

    Returns the first pixel below.
    """
    parts = [(letters.drawable(text, bold=True), color) for text, color in parts]
    whole = "".join(text for text, _ in parts)
    taken = letters.width(aside, TEXT) + _GAP if aside else 0
    fits = (
        (size, bool(room))
        for room in ((taken, 0) if aside else (0,))
        for size in (TITLE, HEAD)
        if letters.width(whole, size) <= RIGHT - LEFT - room
    )
    size, beside = next(fits, (HEAD, False))
    if letters.width(whole, size) > RIGHT - LEFT:
        parts = [(letters.fit(whole, size, RIGHT - LEFT, bold=True), parts[0][1])]
    x = LEFT
    for text, color in parts:
        x += card.text(x, _BASE, text, size, color)
    if beside:
        card.text(RIGHT, _BASE, aside, TEXT, SOFT, align="right")
    elif aside:
        card.name(LEFT, _BASE + LINE, aside, RIGHT - LEFT, TEXT, SOFT, bold=False)
        return TOP + LINE
    return TOP


def against(first: Share, second: Share) -> list[Share]:
    """Return the win bar of two sides; what their chances lack to 1 is nobody's."""
    return [first, Share(max(0.0, 1 - first.chance - second.chance), NEUTRAL), second]


WIN_BAR = 60


def win_bar(card: Card, top: int, shares: Sequence[Share], height: int = WIN_BAR) -> None:
    """Draw who wins how often, from the left to the right edge, and each label where it fits into its part."""
    box = (LEFT, top, RIGHT, top + height)
    card.segments(box, [(share.chance, share.color) for share in shares], radius=10)
    base = top + height // 2 + 13
    pad = 14
    present = [share for share in shares if share.chance > 0]
    edges = {len(present) - 1: (RIGHT - pad, "right"), 0: (LEFT + pad, "left")}
    left = float(LEFT)
    for number, share in enumerate(present):
        right = left + share.chance * (RIGHT - LEFT)
        room = right - left - 2 * pad
        texts = share.label, share.label.rpartition(" ")[2]  # its last word is the figure
        fitting = next((text for text in texts if letters.width(text, TEXT, bold=True) <= room), "")
        x, align = edges.get(number, (round((left + right) / 2), "center"))
        card.text(x, base, fitting, TEXT, DARK, bold=True, align=align)
        left = right


def mark(card: Card, at: int, top: int, bottom: int) -> None:
    """Draw a mark across a bar from `top` to `bottom`."""
    card.box((at - 5, top - 6, at + 5, bottom + 6), INK, radius=5)


_WIDEST_BAR, _FOOT = 110, 114
_ASIDE = 6
"""Pixels that a label may stand beside its bar, where the card ends, without touching the next one."""


def _histogram(card: Card, top: int, bars: Sequence[tuple[str, float, str]], median: int) -> None:
    """Draw bars (label, chance, color), as high as they are likely, labels below; the one at the `median` is white."""
    height = card.height - top - _FOOT
    pitch = min(_WIDEST_BAR, (RIGHT - LEFT) / len(bars))
    start = (LEFT + RIGHT - pitch * len(bars)) / 2
    highest = max(chance for _, chance, _ in bars)
    widest = max(letters.width(label, TEXT, bold=True) for label, _, _ in bars) + 12
    every = max(1, -(-widest // max(1, round(pitch))))
    base = top + height
    for at, (label, chance, color) in enumerate(bars):
        left, right = round(start + at * pitch), round(start + (at + 1) * pitch)
        gap = 5 if pitch >= 24 else 1  # noqa: PLR2004 - narrow bars stand close
        rise = max(3, round(height * chance / highest)) if chance > 0 else 0
        card.box((left, base - rise, max(left + 1, right - gap), base), color, radius=min(4, rise // 2))
        if (at - median) % every == 0 and label:
            half = letters.width(label, TEXT, bold=at == median) // 2
            at_bar = (left + right - gap) // 2
            x = min(max(at_bar, LEFT + half), RIGHT - half)
            if at == median or abs(x - at_bar) <= _ASIDE:
                ink = INK if at == median else SOFT
                card.text(x, base + 38, label, TEXT, ink, bold=at == median, align="center")


@dataclass(frozen=True, slots=True)
class Count:
    """Units of one kind: their silhouette, `height` pixels high, and the figures below, such as "4" or "4 → 2"."""

    shape: Silhouette
    height: int
    figures: str
    gone: bool = False


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
    gap = min(26, (room - sum(widths)) // max(1, len(counts) - 1))
    x = RIGHT - sum(widths) - gap * (len(counts) - 1) if right else LEFT
    for count, width in zip(counts, widths, strict=True):
        ink = NEUTRAL if count.gone else color
        middle = x + width // 2
        half = count.shape.width_at(count.height) // 2
        card.silhouette(middle - half, top, count.shape, count.height, ink)
        card.text(middle, top + count.height + 38, count.figures, TEXT, ink, bold=True, align="center")
        x += width + gap


DIE = 56
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
        middle = left + side // 2, upper + side // 2 + round(TEXT * 0.36)
        card.text(*middle, str(face), TEXT, DARK if hits else INK, bold=True, align="center")
    return top + -(-len(faces) // row) * step


_HEALTH_ROW = 90
"""Pixels of a line with its bar."""


def health(card: Card, top: int, sides: Sequence[Sequence[HealthRow]], colors: Sequence[str]) -> int:
    """Draw a column of names, figures and bars for each side; return the first pixel below.

    A bar has what is left, hatched what was just lost. Figures stand below all names if any don't fit beside one.
    """
    edges, width = columns(len(sides))
    needs = (
        letters.width(row.name, TEXT, bold=True) + letters.width(row.figures, TEXT) + _GAP for row in chain(*sides)
    )
    below = LINE if any(need > width for need in needs) else 0
    for x, rows, color in zip(edges, sides, colors, strict=True):
        base = top + 34
        for row in rows:
            ink, figures = NEUTRAL if row.gone else INK, letters.fit(row.figures, TEXT, width)
            at, align = (x, "left") if below else (x + width, "right")
            taken = card.text(at, base + below, figures, TEXT, ink, align=align) + _GAP
            card.name(x, base, row.name, width - (0 if below else taken), TEXT, ink, instead=row.instead)
            bar = base + below + 12
            draw_health(card, (x, bar, x + width, bar + 26), row, color)
            base += _HEALTH_ROW + below
    return top + max(map(len, sides), default=0) * (_HEALTH_ROW + below)


def draw_health(card: Card, box: Box, row: HealthRow, color: str) -> None:
    """Draw the bar alone."""
    card.segments(box, [(row.left, color), (row.lost, Hatched(color)), (1 - row.left - row.lost, TROUGH)])


def token(card: Card, x: int, top: int, size: int, shape: Silhouette, color: str, ink: str = DARK) -> None:
    """Draw a disc of `size` pixels with an emblem on it."""
    card.box((x, top, x + size, top + size), color, size // 2)
    inset = size // 5
    card.silhouette(x + inset, top + inset, shape, size - 2 * inset, ink)


def portrait(card: Card, x: int, top: int, size: int, shape: Silhouette, color: str) -> None:
    """Draw a figure in a ring of `size` pixels."""
    rim, high = max(5, size // 30), size * 3 // 4
    card.box((x, top, x + size, top + size), color, size // 2)
    card.box((x + rim, top + rim, x + size - rim, top + size - rim), TILE, size // 2 - rim)
    card.silhouette(x + (size - shape.width_at(high)) // 2 + rim, top + size // 8, shape, high, color)


def columns(count: int, gap: int = 40) -> tuple[tuple[int, ...], int]:
    """Return the left edges of that many columns, and their width."""
    width = (RIGHT - LEFT - gap * (count - 1)) // count
    return tuple(LEFT + at * (width + gap) for at in range(count)), width


LEAST = 0.0005
"""Smaller chances at either end make no visible bar and only narrow the others."""

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
    # A side's bars begin at its lowest number if there is nothing but these bars.
    firsts = [bars[0][0] if alone and bars else 1 for bars in sides]
    numbers = sum(bars[-1][1] - first + 1 for bars, first in zip(sides, firsts, strict=True) if bars)
    step = max(1, -(-numbers // 24))  # 24 bars fit beside the one for nobody
    lower, upper = (_grouped(bars, step, first) if bars else [] for bars, first in zip(sides, firsts, strict=True))
    values = [
        *((low, high, chance, colors[0]) for low, high, chance in reversed(lower)),
        *([] if alone else [(0, 0, nobody, NEUTRAL)]),
        *((low, high, chance, colors[1]) for low, high, chance in upper),
    ]
    bars = [
        ((str(low) if low == high else f"{low}–{high}") if high else middle, chance, color)
        for low, high, chance, color in values
    ]
    sums = list(accumulate(chance for _, chance, _ in bars))
    if bars:
        _histogram(card, top, bars, min(bisect_left(sums, sum(chance for _, chance, _ in bars) / 2), len(bars) - 1))


def _visible(bars: Left) -> Left:
    """Return the bars up to the last visible one."""
    seen = [at for at, (_, _, chance) in enumerate(bars) if chance >= LEAST]
    return bars[: seen[-1] + 1] if seen else ()


def _grouped(bars: Left, step: int, first: int) -> list[tuple[int, int, float]]:
    """Return the chances of ranges of `step` numbers, from `first` up; never narrower than the given ones."""
    step = max(step, *(high - low + 1 for low, high, _ in bars))
    chances = [0.0] * ((bars[-1][0] - first) // step + 1)
    for low, _, chance in bars:
        chances[(low - first) // step] += chance
    return [(first + at * step, first + (at + 1) * step - 1, chance) for at, chance in enumerate(chances)]


_COURSE_BARS, _COURSE_PITCH = 100, 110


def draw_course(card: Card, top: int, course: Sequence[Chances], colors: tuple[str, str]) -> int:
    """Draw the chances at the beginning of each round and at the end; return the first pixel below.

    The decisive round is marked. The first side's color rises from below, the other's hangs from above; between them
    nobody wins.
    """
    decisive = decisive_round(course)
    card.text(LEFT, top + 34, f"Round {decisive} decided it" if decisive else "Chances by round", TEXT, SOFT)
    upper = top + 52
    pitch = min(_COURSE_PITCH, (RIGHT - LEFT) // len(course))
    start = (LEFT + RIGHT - pitch * len(course)) // 2
    for at, (first, second) in enumerate(course):
        left, right = start + at * pitch, start + (at + 1) * pitch - 6
        card.box((left, upper, right, upper + _COURSE_BARS), NEUTRAL, radius=4)
        card.box((left, upper, right, upper + round(_COURSE_BARS * second)), colors[1], radius=4)
        card.box((left, upper + round(_COURSE_BARS * (1 - first)), right, upper + _COURSE_BARS), colors[0], radius=4)
        last, marked = at == len(course) - 1, bool(decisive) and at == decisive
        ends = {0: "start", len(course) - 1: "end"} if pitch < _COURSE_PITCH else {}
        if label := str(at) if marked or not ends else ends.get(at, ""):
            color, middle = INK if marked else SOFT, (left + right) // 2
            edge = ("left" if at == 0 else "right" if last else "center") if ends else "center"
            x = {"left": left, "right": right, "center": middle}[edge]
            card.text(x, upper + _COURSE_BARS + 38, label, TEXT, color, bold=marked, align=edge)
    return upper + _COURSE_BARS + 60
