"""Holds what all pictures have in common: colors and sizes, and how wide the characters of their fonts are."""

from collections.abc import Iterator
from itertools import chain

from sim.core.values import Frozen

WIDTH = 800
"""Pixels; a phone shows it at half that."""

MARGIN = 28

# Pictures bring their own ground, so that they read the same on a dark page and on a light one.
GROUND, TILE, TROUGH = "#2b2d31", "#383a40", "#3f4147"
INK, SOFT, NEUTRAL, DARK = "#f2f3f5", "#b5bac1", "#80848e", "#1e1f22"
ORANGE, BLUE = "#ff922b", "#4dabf7"
"""Attacker and villains, defender and heroes: they differ for every kind of color vision."""

GOOD, LOW, LOST = "#3fb950", "#d29922", "#f85149"
"""Hit points: plenty, few, just lost."""

TITLE, TEXT, SMALL = 34, 24, 20
"""Sizes of type in pixels; nothing is smaller than the last."""

Color = tuple[int, int, int]


def rgb(color: str) -> Color:
    """Return the red, green and blue of a color such as "#2b2d31"."""
    red, green, blue = bytes.fromhex(color[1:])
    return red, green, blue


def mixed(start: str, end: str, share: float) -> Color:
    """Return the color at `share` (0 to 1) of the way from one color to another."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(rgb(start), rgb(end), strict=True))
    return red, green, blue


def hexed(color: Color) -> str:
    """Return a color as text such as "#2b2d31"."""
    return f"#{bytes(color).hex()}"


EDGE_STEPS = 3
"""Where one color borders on another, edges are smoothed in this many steps: few colors make a light file."""

_BORDERS = (
    *((GROUND, color) for color in (INK, SOFT, NEUTRAL, TILE, TROUGH, ORANGE, BLUE, GOOD, LOW, LOST)),
    *((TILE, color) for color in (INK, SOFT, NEUTRAL, ORANGE, BLUE, GOOD, LOW, LOST)),
    *((TROUGH, color) for color in (INK, SOFT, GOOD, LOW, LOST)),
    *((color, DARK) for color in (ORANGE, BLUE, NEUTRAL, GOOD, LOW, LOST)),
)
CORNER_RADIUS = 14


def _card_colors() -> Iterator[Color]:
    yield from map(rgb, chain.from_iterable(_BORDERS))
    yield from (mixed(*border, step / EDGE_STEPS) for border in _BORDERS for step in range(1, EDGE_STEPS))


COLORS: tuple[Color, ...] = tuple(dict.fromkeys(_card_colors()))
"""All that the finished file of a card may have, unless it has emoji: finding them anew would cost most of its time."""

Run = tuple[int, ...]
"""The code of a character, its width, and the widths of those that follow it."""


class AdvanceTable(Frozen):
    """Widths of characters in both weights; `units` of them make an em. `sim.core.cards.png.advance_table` has them."""

    units: int
    regular: tuple[Run, ...]
    bold: tuple[Run, ...]
