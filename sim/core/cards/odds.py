"""Draws what is left of two sides, and how their chances moved.

What is left is one histogram, from all of the left side through nobody to all of the right side.
"""

from collections.abc import Sequence

from sim.core.cards import parts
from sim.core.cards.card import Card
from sim.core.cards.parts import LEFT, RIGHT
from sim.core.cards.theme import INK, NEUTRAL, SMALL, SOFT
from sim.core.cards.values import Chances, decisive_round

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
        parts.Bar(_label(low, high) if high else middle, chance, color, marked=at == median)
        for at, (low, high, chance, color) in enumerate(values)
    ]
    parts.histogram(card, top, card.height - top - _FOOT, bars)


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
