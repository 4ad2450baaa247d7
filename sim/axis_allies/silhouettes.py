"""The units as silhouettes, and armies drawn with them and their counts, alike in all cards."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

from sim.axis_allies.army import Army
from sim.axis_allies.editions import Edition
from sim.core.cards import parts
from sim.core.cards import text as letters
from sim.core.cards.card import Card
from sim.core.cards.marks import Silhouette, Stroke, hole, line, mirrored, oval, polygon
from sim.core.cards.parts import LEFT, RIGHT, Count
from sim.core.cards.theme import BLUE, HEAD, ORANGE, TEXT
from sim.core.numbers import amount
from sim.core.values import Side

_WIDE, _HIGH = 76.0, 44.0


def _unit(width: float, *strokes: Stroke) -> Silhouette:
    return Silhouette(width, _HIGH, strokes)


SILHOUETTES: dict[str, Silhouette] = {
    "infantry": _unit(
        44,
        polygon(13, 9, 14, 5, 18, 2, 23, 2, 27, 5, 28, 9, 31, 10, 31, 12, 10, 12, 10, 10),
        oval(15, 6, 27, 18),
        polygon(12, 18, 29, 18, 31, 30, 28, 31, 28, 44, 22, 44, 21, 33, 19, 44, 13, 44, 13, 31, 10, 30),
        hole(line(8, 33, 37, 13, thickness=6.0)),
        line(8, 33, 39, 11.5, thickness=2.8),
        polygon(3, 34, 9, 29, 13, 32, 6, 38),
    ),
    "artillery": _unit(
        68,
        line(24, 24, 63, 9, thickness=5),
        line(22, 25, 44, 16.5, thickness=8),
        polygon(30, 10, 35, 8, 42, 30, 36, 32),
        line(26, 30, 4, 41, thickness=4.5),
        oval(18, 20, 42, 44),
        hole(oval(22, 24, 38, 40)),
        oval(27, 29, 33, 35),
        line(30, 22, 30, 42, thickness=1.8),
        line(20, 32, 40, 32, thickness=1.8),
    ),
    "mechanized infantry": _unit(
        70,
        polygon(4, 16, 38, 16, 40, 12, 50, 12, 54, 22, 67, 24, 68, 34, 4, 34),
        hole(polygon(42, 15, 48, 15, 50.5, 21, 42, 21)),
        line(14, 9, 30, 9, thickness=2.5),
        line(22, 9, 22, 16, thickness=2.5),
        polygon(3, 33, 42, 33, 37, 44, 9, 44),
        hole(oval(9, 35.5, 16, 42.5)),
        hole(oval(19.5, 35.5, 26.5, 42.5)),
        hole(oval(30, 35.5, 37, 42.5)),
        hole(oval(47, 29, 65, 47)),
        oval(49, 30, 63, 44),
        hole(oval(53.5, 34.5, 58.5, 39.5)),
    ),
    "tank": _unit(
        72,
        polygon(19, 8, 40, 8, 45, 18, 45, 21, 15, 21, 15, 17),
        line(43, 13.5, 69, 11, thickness=4),
        polygon(66, 8.6, 71, 8.2, 71.3, 13, 66.3, 13.5),
        polygon(6, 21, 60, 21, 66, 29, 2, 29),
        polygon(4, 28, 64, 28, 68, 33, 60, 44, 9, 44, 1, 33),
        *(hole(oval(9 + 12 * at, 31, 18 + 12 * at, 40)) for at in range(4)),
        *(oval(11.5 + 12 * at, 33.5, 15.5 + 12 * at, 37.5) for at in range(4)),
    ),
    "antiaircraft gun": _unit(
        52,
        line(24, 26, 42, 3, thickness=3.2),
        line(18, 24, 36, 1.8, thickness=3.2),
        polygon(12, 18, 22, 14, 34, 30, 14, 32),
        polygon(8, 31, 38, 31, 42, 37, 4, 37),
        line(4, 42, 46, 42, thickness=3.5),
        polygon(19, 36, 29, 36, 31, 42, 17, 42),
    ),
    "fighter": _unit(
        64,
        *mirrored((polygon(32, 13, 62, 22, 62, 27, 32, 26), polygon(32, 37, 43, 40, 43, 43, 32, 42)), 64),
        polygon(29, 8, 30, 3, 32, 1, 34, 3, 35, 8, 35.5, 26, 34, 43, 30, 43, 28.5, 26),
        line(26, 3.5, 38, 3.5, thickness=1.6),
        hole(polygon(30.8, 14, 33.2, 14, 33.4, 20, 30.6, 20)),
    ),
    "tactical bomber": _unit(
        66,
        *mirrored(
            (polygon(33, 14, 46, 18, 64, 13, 64, 19, 46, 27, 33, 27), polygon(33, 36, 45, 39, 45, 43, 33, 42)), 66
        ),
        polygon(29, 8, 31, 2, 33, 1, 35, 2, 37, 8, 37, 27, 35, 43, 31, 43, 29, 27),
        line(26, 3, 40, 3, thickness=1.6),
        line(20, 24, 20, 31, thickness=3),
        line(46, 24, 46, 31, thickness=3),
        hole(polygon(31.7, 13, 34.3, 13, 34.5, 24, 31.5, 24)),
    ),
    "bomber": _unit(
        84,
        *mirrored(
            (
                polygon(42, 12, 82, 20, 82, 25, 42, 25),
                oval(56, 10, 61, 23),
                oval(69, 12, 74, 25),
                line(54, 10.5, 63, 10.5, thickness=1.4),
                line(67, 12.5, 76, 12.5, thickness=1.4),
                polygon(42, 36, 55, 39, 55, 43, 42, 42.5),
            ),
            84,
        ),
        polygon(37.5, 8, 38.5, 3, 42, 0.5, 45.5, 3, 46.5, 8, 46.5, 25, 44, 44, 40, 44, 37.5, 25),
        hole(polygon(39.5, 5.5, 44.5, 5.5, 44, 8.5, 40, 8.5)),
    ),
    "submarine": _unit(
        _WIDE,
        polygon(3, 33, 8, 29, 62, 29, 70, 31, 74, 34, 68, 38, 14, 40, 6, 38),
        polygon(29, 29, 31, 19, 46, 19, 49, 29),
        line(36, 19, 36, 8, thickness=2.2),
        line(36, 8, 40, 8, thickness=2.2),
        line(42, 19, 42, 13, thickness=2),
        polygon(1, 28, 6, 28, 7, 42, 2, 42),
        line(54, 28, 61, 28, thickness=2.2),
    ),
    "transport": _unit(
        _WIDE,
        polygon(2, 28, 12, 28, 14, 31, 62, 31, 66, 27, 74, 27, 68, 43, 9, 43),
        polygon(46, 14, 58, 14, 60, 32, 44, 32),
        hole(polygon(47.5, 17.5, 56.5, 17.5, 56.8, 20.5, 47.2, 20.5)),
        polygon(49, 6, 55, 6, 55, 14, 49, 14),
        polygon(15, 24, 26, 24, 26, 31, 15, 31),
        polygon(28, 24, 39, 24, 39, 31, 28, 31),
        line(27, 25, 27, 10, thickness=2),
        line(27, 11, 38, 20, thickness=1.5),
        line(27, 11, 16, 20, thickness=1.5),
    ),
    "destroyer": _unit(
        _WIDE,
        polygon(2, 31, 64, 31, 75, 27, 69, 42, 8, 42),
        polygon(38, 31, 39, 20, 44, 20, 44, 15, 51, 15, 51, 22, 54, 31),
        line(46, 15, 46, 5, thickness=1.8),
        line(43, 8, 49, 8, thickness=1.4),
        polygon(27, 20, 33, 20, 34, 31, 26, 31),
        polygon(56, 31, 57, 25, 62, 25, 63, 31),
        line(61, 26.5, 70, 24, thickness=1.8),
        polygon(12, 31, 13, 26, 19, 26, 20, 31),
        line(14, 27.5, 5, 25.5, thickness=1.8),
    ),
    "cruiser": _unit(
        _WIDE,
        polygon(1, 31, 66, 31, 75, 26, 69, 43, 8, 43),
        polygon(35, 31, 36, 20, 41, 20, 41, 12, 50, 12, 50, 20, 53, 31),
        line(45, 12, 45, 2, thickness=2),
        line(41, 6, 49, 6, thickness=1.5),
        polygon(24, 18, 31, 18, 32, 31, 23, 31),
        polygon(54, 31, 55, 24, 62, 24, 64, 31),
        line(61, 25.5, 71, 22.5, thickness=2.2),
        polygon(10, 31, 12, 24, 19, 24, 20, 31),
        line(13, 25.5, 3, 23.5, thickness=2.2),
    ),
    "aircraft carrier": _unit(
        84,
        polygon(1, 24, 83, 24, 81, 29, 74, 30, 68, 43, 12, 43, 7, 30, 3, 29),
        polygon(50, 24, 50, 14, 54, 14, 54, 8, 61, 8, 61, 24),
        line(57, 8, 57, 1, thickness=1.8),
        *(hole(polygon(14 + 12 * at, 32, 21 + 12 * at, 32, 21 + 12 * at, 37, 14 + 12 * at, 37)) for at in range(4)),
        polygon(10, 19.5, 27, 19.5, 29, 17, 30, 22.5, 13, 22.5),
        polygon(16, 18.2, 22, 18.2, 22, 24, 16, 24),
    ),
    "battleship": _unit(
        84,
        polygon(1, 31, 72, 31, 83, 26, 76, 44, 9, 44),
        polygon(36, 31, 37, 22, 42, 22, 42, 10, 52, 10, 52, 18, 55, 22, 57, 31),
        line(47, 10, 47, 0.8, thickness=2.2),
        line(42, 5, 52, 5, thickness=1.6),
        polygon(27, 14, 33, 14, 34, 31, 26, 31),
        polygon(57, 31, 58, 22.5, 67, 22.5, 68, 31),
        line(65, 24.5, 79, 19.5, thickness=2.6),
        polygon(12, 31, 13, 22.5, 22, 22.5, 23, 31),
        line(15, 24.5, 2, 20.5, thickness=2.6),
        hole(polygon(44, 13, 50, 13, 50, 15.5, 44, 15.5)),
    ),
}
"""By a unit's name, for every edition."""


COLORS = {Side.ATTACKER: ORANGE, Side.DEFENDER: BLUE}

ROW = 100
"""Pixels of a row of units with their figures."""

ROOM = 350
"""Pixels for the units of one of two sides."""

_SIZES = (42, 34, 26)
_LINE_SIZES = (38, 30)
LINE = 52
"""Pixels of a line of units behind their counts."""

_LINE_GAP = 18

Draft = Callable[[Side, int], Sequence[Count]]
"""Makes a side's row of units from their height in pixels."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Both sides' units, beside each other if they fit (`together`), else one below the other."""

    counts: Mapping[Side, Sequence[Count]]
    together: bool

    @classmethod
    def of(cls, *drafts: Draft) -> "Rows":
        """Return the rows as large as they fit: as the first of the drafts that can stand side by side, if any."""
        rows: dict[Side, Sequence[Count]] = {}
        for room, draft, size in product((ROOM, RIGHT - LEFT), drafts, _SIZES):
            rows = {side: draft(side, size) for side in Side}
            if all(parts.units_width(row) <= room for row in rows.values()):
                return cls(rows, together=room == ROOM)
        return cls(rows, together=False)

    @classmethod
    def of_armies(cls, armies: Mapping[Side, Army]) -> "Rows":
        """Return the rows of two armies."""
        return cls.of(lambda side, size: counts(armies[side], size))

    @classmethod
    def of_losses(cls, before: Mapping[Side, Army], after: Mapping[Side, Army]) -> "Rows":
        """Return the rows of two armies and what became of them: "6 → 2", or only "2" where there is little room."""
        return cls.of(*(partial(_changed, before, after, arrows) for arrows in (True, False)))

    @property
    def height(self) -> int:
        """How many pixels the rows need."""
        return ROW if self.together else 2 * ROW

    def draw(self, card: Card, top: int) -> None:
        """Draw the rows."""
        room = ROOM if self.together else RIGHT - LEFT
        for side in Side:
            right = self.together and side is Side.DEFENDER
            parts.units(card, top, self.counts[side], COLORS[side], right=right, room=room)
            top += 0 if self.together else ROW


def edition_label(book: Edition, headline: str) -> str:
    """Return the edition's title for the corner of a card, or its name where the headline leaves less room, or ""."""
    room = RIGHT - LEFT - 20 - letters.width(headline, HEAD)
    return next((label for label in (book.title, book.name) if letters.width(label, TEXT) <= room), "")


def joined(phrases: Iterable[str], kept: int = 0) -> str:
    """Return the first phrases that fit into a line of notes; `kept`: pixels at its end to keep free."""
    line = ""
    for phrase in phrases:
        longer = f"{line} · {phrase}" if line else phrase
        if letters.width(longer, TEXT) > RIGHT - LEFT - kept:
            break
        line = longer
    return line


def edges(card: Card, base: int, left: str, right: str) -> None:
    """Write a note of each side at its edge of a card, in its color."""
    card.text(LEFT, base, left, TEXT, COLORS[Side.ATTACKER])
    card.text(RIGHT, base, right, TEXT, COLORS[Side.DEFENDER], align="right")


def lost_words(before: Army, after: Army) -> str:
    """Return what losses came to: "lost 18 IPC"."""
    lost = before.ipc - after.ipc
    return f"lost {amount(lost, 1)} IPC" if lost else "no losses"


def price_words(ipc: int, lost: float) -> str:
    """Return a price and the mean losses: "36 IPC, loses 35.0"."""
    return f"{ipc:,} IPC" + (f", loses {lost:,.1f}" if lost > 0 else "")


def counts(army: Army, size: int) -> list[Count]:
    """Return an army's units, `size` pixels high."""
    return [Count(SILHOUETTES[group.unit.value], size, amount(group.count, 0)) for group in army.groups]


def _changed(
    before: Mapping[Side, Army],
    after: Mapping[Side, Army],
    arrows: bool,
    side: Side,
    size: int,
) -> list[Count]:
    changed = []
    for group in before[side].groups:
        left = after[side].count(group.unit)
        figures = f"{amount(group.count)} → {amount(left)}" if arrows and left != group.count else amount(left)
        changed.append(Count(SILHOUETTES[group.unit.value], size, figures, gone=not left))
    return changed


@dataclass(frozen=True, slots=True)
class Lines:
    """An army in lines of text, each unit behind its count; `size`: pixels of the units' height."""

    units: tuple[tuple[Count, ...], ...]
    size: int

    @classmethod
    def of(cls, army: Army, room: int, most: int) -> "Lines":
        """Return the army in lines of `room` pixels: of the larger units if that takes at most that many lines."""
        lines = cls((), 0)
        for size in _LINE_SIZES:
            lines = cls(_wrapped(counts(army, size), room), size)
            if len(lines.units) <= most:
                break
        return lines

    @property
    def height(self) -> int:
        """How many pixels the lines need."""
        return LINE * len(self.units)

    def draw(self, card: Card, x: int, base: int, color: str) -> None:
        """Draw the lines, the first one on the base line `base`."""
        for number, row in enumerate(self.units):
            at, y = x, base + LINE * number
            for count in row:
                card.text(at, y, count.figures, TEXT, color, bold=True)
                end = at + _line_width(count)
                card.silhouette(end - count.shape.width_at(self.size), y - self.size + 4, count.shape, self.size, color)
                at = end + _LINE_GAP


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
