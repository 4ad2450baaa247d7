"""Draws what is left of two sides: one histogram, from all of the left side through nobody to all of the right side."""

from collections.abc import Sequence

from sim.core.cards import parts
from sim.core.cards.card import Card
from sim.core.cards.theme import NEUTRAL

LEAST = 0.0005
"""Smaller chances at either end make no visible bar and only narrow the others."""

_MAX_BARS = 25
_FOOT = 78

Chances = Sequence[tuple[int, int, float]]
"""Ranges of what is left of the winner, from 1 up: low, high, chance."""


def draw_left(card: Card, top: int, left: Chances, nobody: float, right: Chances, colors: tuple[str, str]) -> None:
    """Draw the chances, in ranges if there are many, down to the card's foot; the median is marked.

    All bars together are certain: those of a side add up to its chance to win, the middle one is nobody's.
    """
    sides = [_visible(left), _visible(right)]
    step = max(1, -(-sum(bars[-1][1] for bars in sides if bars) // (_MAX_BARS - 1)))
    lower, upper = (_grouped(bars, step) for bars in sides)
    values = [
        *((low, high, chance, colors[0]) for low, high, chance in reversed(lower)),
        (0, 0, nobody, NEUTRAL),
        *((low, high, chance, colors[1]) for low, high, chance in upper),
    ]
    median = _median([chance for _, _, chance, _ in values])
    bars = [
        parts.Bar(str(low) if low == high else f"{low}–{high}", chance, color, marked=at == median)
        for at, (low, high, chance, color) in enumerate(values)
    ]
    parts.histogram(card, top, card.height - top - _FOOT, bars)


def _visible(bars: Chances) -> Chances:
    seen = [at for at, (_, _, chance) in enumerate(bars) if chance >= LEAST]
    return bars[: seen[-1] + 1] if seen else ()


def _grouped(bars: Chances, step: int) -> list[tuple[int, int, float]]:
    """Return the chances of ranges of `step` numbers, from 1 up."""
    chances: dict[int, float] = {}
    for low, _, chance in bars:
        at = (low - 1) // step
        chances[at] = chances.get(at, 0.0) + chance
    last = max(chances, default=-1)
    return [(at * step + 1, (at + 1) * step, chances.get(at, 0.0)) for at in range(last + 1)]


def _median(chances: Sequence[float]) -> int:
    half, seen = sum(chances) / 2, 0.0
    for at, chance in enumerate(chances):
        seen += chance
        if seen >= half:
            return at
    return len(chances) - 1
