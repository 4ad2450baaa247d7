"""Defines what stands on cards: rows of hit points, facts, games to choose from, the luck of dice."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated

from pydantic import Field

from sim.core.cards import Silhouette
from sim.core.values import Frozen, Number

MAX_ROWS = 6
"""Rows of a side; the rest are counted."""

MAX_WIDE_ROWS, MAX_SHEET_ROWS = 5, 8
"""Rows of a sheet, one below the other and in two columns."""

MAX_LUCK_ROWS = 4

Share = Annotated[float, Field(ge=0, le=1)]

MAX_LINE = 120
"""Characters of a line, more than fit on a card."""

Line = Annotated[str, Field(max_length=MAX_LINE)]


class HealthRow(Frozen):
    """Somebody's hit points. `left` and `lost`: shares of the full health, left now and lost just before.

    `name` is the players' own word, `instead` stands for it where no font can draw it. `figures`: the hit points as
    text, or what became of somebody who is out (`gone`).
    """

    name: Line
    left: Share
    lost: Share = 0.0
    figures: Line
    instead: Line = ""
    gone: bool = False

    @classmethod
    def of(cls, name: str, left: int, most: int, lost: int = 0, note: str = "", instead: str = "") -> "HealthRow":
        """Return the row for whole hit points; `note`: what became of somebody who has none left."""
        gone, left = left <= 0, max(0, left)
        share, before = (min(1.0, points / most) if most > 0 else 0.0 for points in (left, left + max(0, lost)))
        figures = note if gone and note else f"{left:,} / {most:,}"
        return cls(name=name, left=share, lost=max(0.0, before - share), figures=figures, instead=instead, gone=gone)


class FightSide(Frozen):
    """A side: its name, its chance to win from here if it is known, its rows, and how many more there are."""

    name: Line
    rows: tuple[HealthRow, ...]
    chance: Share | None = None
    more: int = 0


Chances = tuple[Share, Share]
"""Both sides' chances to win; what they lack to 1 is nobody's."""

_POINT = 0.01


def decisive_round(course: Sequence[Chances]) -> int:
    """Return the number of the round that moved the chances most; 0 if none did.

    `course`: the chances at the beginning of each round, and at the end.
    """
    moves = [abs(after[0] - before[0]) + abs(after[1] - before[1]) for before, after in pairwise(course)]
    return moves.index(max(moves)) + 1 if moves and max(moves) >= _POINT else 0


def verdict(chance: float, favorite: str = "The favorites") -> str:
    """Return what it says about a win that the winners had `chance` to win at the start."""
    return "An upset" if chance < 0.4 else favorite if chance > 0.6 else "Close fight"  # noqa: PLR2004 - around even


def rough_percent(chance: float) -> str:
    """Return a simulated chance that is known to a point."""
    return "<1%" if chance < _POINT else ">99%" if chance > 1 - _POINT else f"{100 * chance:.0f}%"


class DrawnCard(Frozen):
    """A finished picture, for cards a PNG, and its figures in words for people who can't see it."""

    data: bytes
    alt: str


class Fact(Frozen):
    """A figure with its label, such as "5" of "Armor class"."""

    label: Line
    figure: Line


class Tile(Frozen):
    """A game: its silhouette in `color` ("#rrggbb"), its title, and a line of at most some words."""

    icon: Silhouette
    color: Annotated[str, Field(pattern=r"^#[0-9a-f]{6}$")]
    title: Annotated[str, Field(max_length=40)]
    line: Annotated[str, Field(max_length=80)]


class LuckRow(Frozen):
    """Somebody's dice: what they showed (`figures`), and where that stands among all that they could have shown.

    `bars`: how likely each sum is, from few to many, the highest 1; `at`: which of them holds the sum. `place`: such as
    "luckier than 73%".
    """

    name: Line
    instead: Line = ""
    figures: Line
    place: Line
    bars: Annotated[tuple[Share, ...], Field(min_length=1, max_length=100)]
    at: Number


Run = tuple[int, ...]
"""The code of a character, its width, and the widths of those that follow it."""


class AdvanceTable(Frozen):
    """Widths of characters in both weights and in the display face, in units of which `units` make an em.

    `sim.core.cards.fonts.advance_table` has them.
    """

    units: int
    regular: tuple[Run, ...]
    bold: tuple[Run, ...]
    display_units: int
    display: tuple[Run, ...]
