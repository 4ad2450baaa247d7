"""The units as silhouettes, and armies drawn with them and their counts, alike in all cards."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from sim.axis_allies.army import Army
from sim.axis_allies.editions import Edition
from sim.axis_allies.units import Category, Unit
from sim.core.cards import parts
from sim.core.cards import text as letters
from sim.core.cards.card import Card
from sim.core.cards.figures import silhouettes
from sim.core.cards.parts import LEFT, RIGHT, Count
from sim.core.cards.stickers import Sticker
from sim.core.cards.theme import BLUE, EDGE_STEPS, GROUND, HEAD, ORANGE, TEXT, hexed, mixed
from sim.core.numbers import amount
from sim.core.values import Side

SILHOUETTES = silhouettes("sim.axis_allies", "silhouettes.txt")
"""By a unit's name, for every edition."""


STICKERS = {
    unit.value.replace(" ", "_"): Sticker(SILHOUETTES[unit.value], color)
    for unit in Unit
    for color in [{Category.LAND: "#b7d36b", Category.AIR: "#ffd166", Category.NAVAL: "#6cc4f5"}[unit.category]]
}
"""The units as small pictures, by their names with "_" for blanks."""

COLORS = {Side.ATTACKER: ORANGE, Side.DEFENDER: BLUE}

TEMPERATURES = (
    *(hexed(mixed(GROUND, BLUE, share / EDGE_STEPS)) for share in (3, 2, 1)),
    *(hexed(mixed(GROUND, ORANGE, share / EDGE_STEPS)) for share in (1, 2, 3)),
)
"""Of dice, from the coldest to the hottest."""

ROW = 100
"""Pixels of a row of units with their figures."""

ROOM = 350
"""Pixels for the units of one of two sides."""

LINE = 52
"""Pixels of a line of units behind their counts."""

_LINE_GAP = 18


def draw_armies(card: Card, top: int, armies: Mapping[Side, Army], after: Mapping[Side, Army] | None = None) -> int:
    """Draw both sides' units as large as they fit, beside each other if they can, else one below the other.

    `after`: what became of them: "6 → 2", or only "2" where there is little room. Returns the first pixel below.
    """
    for room, arrows, size in product((ROOM, RIGHT - LEFT), (True, False) if after else (False,), (42, 34, 26)):
        rows = {side: counts(armies[side], size, (after or armies)[side], arrows=arrows) for side in Side}
        if all(parts.units_width(row) <= room for row in rows.values()):
            break
    for side in Side:
        right = room == ROOM and side is Side.DEFENDER
        parts.units(card, top, rows[side], COLORS[side], right=right, room=room)
        top += ROW if right or room > ROOM else 0
    return top


def headline(card: Card, words: Sequence[tuple[str, str]], book: Edition) -> None:
    """Write a headline in its colors, and the edition's title beside it, or its name where that leaves less room."""
    room = RIGHT - LEFT - 20 - letters.width("".join(text for text, _ in words), HEAD)
    aside = next((label for label in (book.title, book.name) if letters.width(label, TEXT) <= room), "")
    parts.headline(card, words, aside)


def joined(phrases: Iterable[str], kept: int = 0) -> str:
    """Return the first phrases that fit into a line of notes; `kept`: pixels at its end to keep free."""
    line = ""
    for phrase in phrases:
        longer = f"{line} · {phrase}" if line else phrase
        if letters.width(longer, TEXT) > RIGHT - LEFT - kept:
            break
        line = longer
    return line


def lost_words(before: Army, after: Army) -> str:
    """Return what losses came to: "lost 18 IPC"."""
    lost = before.ipc - after.ipc
    return f"lost {amount(lost, 1)} IPC" if lost else "no losses"


def price_words(ipc: int, lost: float) -> str:
    """Return a price and the mean losses: "36 IPC, loses 35.0"."""
    return f"{ipc:,} IPC" + (f", loses {lost:,.1f}" if lost > 0 else "")


def counts(army: Army, size: int, after: Army | None = None, *, arrows: bool = False) -> list[Count]:
    """Return an army's units, `size` pixels high, and how many are left in `after`; `arrows`: of how many."""
    found = []
    for group in army.groups:
        left = group.count if after is None else after.count(group.unit)
        figures = f"{amount(group.count)} → {amount(left)}" if arrows and left != group.count else amount(left)
        found.append(Count(SILHOUETTES[group.unit.value], size, figures, gone=not left))
    return found


@dataclass(frozen=True, slots=True)
class Lines:
    """An army in lines of text, each unit behind its count; `size`: pixels of the units' height."""

    units: tuple[tuple[Count, ...], ...]
    size: int

    @classmethod
    def of(cls, army: Army, room: int, most: int) -> "Lines":
        """Return the army in lines of `room` pixels: of the larger units if that takes at most that many lines."""
        for size in (38, 30):
            lines = cls(_wrapped(counts(army, size), room), size)
            if len(lines.units) <= most:
                break
        return lines

    @property
    def height(self) -> int:
        """How many pixels the lines need."""
        return LINE * len(self.units)

    def draw(self, card: Card, x: int, base: int, color: str) -> int:
        """Draw the lines, the first one on the base line `base`; return that of the next one."""
        for row in self.units:
            end, top = x - _LINE_GAP, base - self.size + 4
            for count in row:
                card.text(end + _LINE_GAP, base, count.figures, TEXT, color, bold=True)
                end += _LINE_GAP + _line_width(count)
                card.silhouette(end - count.shape.width_at(self.size), top, count.shape, self.size, color)
            base += LINE
        return base


def _wrapped(row: Sequence[Count], room: int) -> tuple[tuple[Count, ...], ...]:
    lines: list[list[Count]] = []
    left = 0
    for count in row:
        width = _line_width(count)
        if not lines or width > left:
            lines.append([])
            left = room
        lines[-1].append(count)
        left -= width + _LINE_GAP
    return tuple(map(tuple, lines))


def _line_width(count: Count) -> int:
    return letters.width(count.figures, TEXT, bold=True) + 8 + count.shape.width_at(count.height)
