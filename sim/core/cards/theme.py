"""Holds what all pictures have in common: colors and sizes."""

from collections.abc import Iterable
from functools import cache
from itertools import chain
from typing import NamedTuple, TypeAlias

WIDTH = 800
"""Pixels; a phone shows it at 290."""

MARGIN = 28

# Pictures bring their own ground, so that they read the same on a dark page and on a light one.
GROUND, TILE, TROUGH = "#2b2d31", "#383a40", "#5a5d66"
INK, SOFT, NEUTRAL, DARK = "#f2f3f5", "#b5bac1", "#a0a4ad", "#1e1f22"
ORANGE, BLUE = "#ff922b", "#4dabf7"
"""Attacker, villains and bosses; defender, heroes and parties: they differ for every kind of color vision."""

TITLE, HEAD, TEXT = 64, 44, 36
"""All sizes of type in pixels; the first two are set in the display face."""


class Hatched(NamedTuple):
    """Stripes of a color on an empty bar: what was lost just now."""

    color: str


STRIPE, STRIPE_GAP = 6, 6
"""Pixels of a stripe and between two of them."""

Paint: TypeAlias = str | Hatched

Color = tuple[int, int, int]


@cache
def rgb(color: str) -> Color:
    """Return the red, green and blue of a color such as "#2b2d31"."""
    red, green, blue = bytes.fromhex(color[1:])
    return red, green, blue


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colors, 1 to 21, as WCAG 2.2 reckons it; text needs 4.5."""
    dark, bright = sorted(map(_luminance, (one, other)))
    return (bright + 0.05) / (dark + 0.05)


def _luminance(color: str) -> float:
    linear = (s / 12.92 if (s := part / 255) <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for part in rgb(color))  # noqa: PLR2004 - sRGB
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


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
    *((GROUND, color) for color in (INK, SOFT, NEUTRAL, TILE, TROUGH, ORANGE, BLUE)),
    *((TILE, color) for color in (INK, SOFT, NEUTRAL, ORANGE, BLUE)),
    *((TROUGH, color) for color in (INK, ORANGE, BLUE)),
    *((color, DARK) for color in (ORANGE, BLUE, NEUTRAL, INK)),
)
CORNER_RADIUS = 14


def palette(colors: Iterable[Color], borders: Iterable[tuple[str, str]], steps: int = EDGE_STEPS) -> tuple[Color, ...]:
    """Return all that a file may have: colors, and steps between those that border on each other."""
    between = (mixed(*border, step / steps) for border in borders for step in range(1, steps))
    return tuple(dict.fromkeys((*colors, *between)))


COLORS = palette(map(rgb, chain.from_iterable(_BORDERS)), _BORDERS)
"""All that the finished file of a card may have, unless it has emoji: finding them anew would cost most of its time."""
