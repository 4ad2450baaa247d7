"""The card of a battle: a token for each fighter with its hearts, lines for guards and links, and who did most.

A heart is full, empty, or cracked: hit in this round.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated
from zlib import crc32

from pydantic import Field
from typing_extensions import override

from sim.core.cards import Silhouette, hole, line, mirrored, oval, polygon
from sim.core.cards import text as letters
from sim.core.cards.card import Card
from sim.core.cards.draw import TitledCard
from sim.core.cards.parts import LEFT, LINE, RIGHT, WIN_BAR, Share, against, columns, more, token, win_bar
from sim.core.cards.people import EMBLEMS
from sim.core.cards.theme import BLUE, DARK, HEAD, INK, NEUTRAL, ORANGE, SOFT, TEXT, TROUGH
from sim.core.cards.values import Line, rough_percent
from sim.core.cards.values import Share as Chance
from sim.core.names import name_key
from sim.core.numbers import quantity
from sim.core.values import Frozen, Number

MAX_HEARTS = 5
"""More hit points are numbers."""

_HEART_SHAPE = (*mirrored((oval(2, 4, 33, 35),), 60), polygon(5, 29, 55, 29, 30, 58), oval(18, 14, 42, 40))
_HEART = Silhouette(60, 60, _HEART_SHAPE)
_CRACKED = Silhouette(60, 60, (*_HEART_SHAPE, hole(line(33, 2, 24, 20, 37, 30, 24, 41, 30, 60, thickness=6))))

_ROW, _TOKEN, _HIGH, _PITCH = 104, 70, 36, 42
_GUTTER, _LANES, _LANE, _THICK, _DOT = 26, 2, 10, 5, 8
_BESIDE = _GUTTER + _TOKEN + 10

_BEST, _PAD = 104, 16
_FEW = 8
"""Tokens on a card that is light without stronger compression."""


class Token(Frozen):
    """A fighter: hit points now and at most, those `lost` in this round, and what became of one who is out (`fate`).

    `guards`, `follows`: the places in the side's rows of whom it guards, and with whom it falls.
    """

    name: Line
    instead: Line
    hp: int
    most: Number
    lost: Number = 0
    fate: Line = ""
    guards: Number | None = None
    follows: Number | None = None

    @property
    def is_out(self) -> bool:
        """Whether it doesn't fight any more."""
        return self.hp <= 0


class TokenSide(Frozen):
    """A side: its name, its tokens, how many more there are, and its chance to win from here if it is known."""

    name: Line
    rows: tuple[Token, ...]
    more: Number = 0
    chance: Chance | None = None

    def bonds(self) -> Iterator[tuple[int, int, bool]]:
        """Yield who guards whom, and who falls with whom (True), as long as both stand."""
        for at, row in enumerate(self.rows):
            for other, is_link in ((row.guards, False), (row.follows, True)):
                if other not in {None, at} and not row.is_out and not self.rows[other or 0].is_out:
                    yield at, other or 0, is_link


class Best(Frozen):
    """Who took down most, on which side, and how many that were."""

    name: Line
    instead: Line
    side: Annotated[int, Field(ge=0, le=1)]
    takedowns: Number


class TokenCard(TitledCard):
    """A battle; the heroes are on the left."""

    sides: tuple[TokenSide, TokenSide]
    best: Best | None = None
    notes: tuple[Line, ...] = ()

    @override
    def _sentences(self) -> Iterator[str]:
        yield from super()._sentences()
        for side in self.sides:
            yield f"{side.name}{'' if side.chance is None else f', {rough_percent(side.chance)} to win'}:"
            more = [f"{side.more:,} more"] if side.more else []
            yield f"{'; '.join([*(_words(row, side.rows) for row in side.rows), *more])}."
        if self.best is not None:
            yield f"Most takedowns: {self.best.name} ({self.best.takedowns})."
        yield from (f"{note}." for note in self.notes)

    @override
    def draw(self) -> Card:
        knows_chances = any(side.chance is not None for side in self.sides)
        card, top = self.begun(level=6 if sum(len(side.rows) for side in self.sides) > _FEW else 5)
        rows_top = top + (WIN_BAR + _PAD if knows_chances else LINE)
        best = [] if self.best is None else [self.best.name]
        emblems = _emblems([*(row.name for side in self.sides for row in side.rows), *best])
        edges, width = columns(2, 10)
        shares = []
        for edge, side, color in zip(edges, self.sides, (BLUE, ORANGE), strict=True):
            if not knows_chances:
                card.text(edge, top + 30, side.name, TEXT, color, bold=True)
            shares.append(Share(side.chance or 0.0, color, f"{side.name} {rough_percent(side.chance or 0.0)}"))
            for number, (at, other, is_link) in enumerate(side.bonds()):
                ends = [rows_top + one * _ROW + _ROW // 2 for one in (at, other)]
                _draw_bond(card, edge, number % _LANES * _LANE, ends, is_link=is_link)
            for at, row in enumerate(side.rows):
                _draw_row(card, (edge, rows_top + at * _ROW), width, row, color, emblems[row.name])
            more(card, rows_top + len(side.rows) * _ROW, side.more, x=edge)
        if knows_chances:
            win_bar(card, top, against(*shares))
        top = rows_top + max(len(side.rows) for side in self.sides) * _ROW
        top += LINE if any(side.more for side in self.sides) else 0
        if any([*side.bonds()] for side in self.sides):
            _draw_legend(card, top)
            top += LINE
        if self.best is not None:
            _draw_best(card, top + _PAD, self.best, emblems[self.best.name])
            top += _PAD + _BEST
        for note in self.notes:
            card.name(LEFT, top + _PAD + 34, note, RIGHT - LEFT, TEXT, SOFT, bold=False)
            top += LINE
        card.height = top + 2 * _PAD
        return card


def _words(row: Token, rows: Sequence[Token]) -> str:
    if row.is_out:
        fell = {"by": "taken down ", "with": "fell "}.get(row.fate.partition(" ")[0], "")
        return f"{row.name} {fell}{row.fate}"
    bonds = (("guards", row.guards), ("falls with", row.follows))
    told = [f"{row.name} {row.hp:,} of {row.most:,} HP", *([f"{row.lost:,} lost"] if row.lost else [])]
    return ", ".join([*told, *(f"{what} {rows[at].name}" for what, at in bonds if at is not None)])


def _draw_row(card: Card, corner: tuple[int, int], width: int, row: Token, color: str, emblem: Silhouette) -> None:
    x, top = corner
    inks = (TROUGH, NEUTRAL) if row.is_out else (color, DARK)
    token(card, x + _GUTTER, top + (_ROW - _TOKEN) // 2, _TOKEN, emblem, *inks)
    x, room = x + _BESIDE, width - _BESIDE
    if row.is_out:
        taken = card.name(x, top + 44, row.name, room, TEXT, NEUTRAL, instead=row.instead)
        card.box((x, top + 30, x + taken, top + 34), NEUTRAL, radius=2)
        by, plus, others = row.fate.partition(" +")
        fits = letters.fit(by, TEXT, room - letters.width(plus + others, TEXT))
        card.text(x, top + 44 + LINE, fits + plus + others, TEXT, SOFT)
        return
    card.name(x, top + 44, row.name, room, TEXT, color, instead=row.instead)
    top += 58
    if row.most <= MAX_HEARTS:
        hearts = [(_HEART, color)] * row.hp + [(_CRACKED, INK)] * row.lost
        hearts += [(_HEART, TROUGH)] * (row.most - len(hearts))
        for at, (shape, ink) in enumerate(hearts):
            card.silhouette(x + at * _PITCH, top, shape, _HIGH, ink)
        return
    end = x + room
    for shape, ink, texts in (
        (_HEART, color, (f"{row.hp:,} / {row.most:,}", f"{row.hp:,}")),
        (_CRACKED, INK, (f"{row.lost:,}",) if row.lost else ()),
    ):
        left = x + _PITCH + 4
        if text := next((text for text in texts if left + letters.width(text, TEXT) <= end), ""):
            card.silhouette(x, top, shape, _HIGH, ink)
            x = left + card.text(left, top + 32, text, TEXT, INK) + 12


def _emblems(names: Sequence[str]) -> dict[str, Silhouette]:
    """Return each name's own emblem, another one where two would have the same."""
    # Hearts and skulls say something else on this card.
    shapes = [emblem.shape for name, emblem in EMBLEMS.items() if name not in {"heart", "skull"}]
    found: dict[str, Silhouette] = {}
    for name in names:
        start = crc32(name_key(name).encode())
        order = (shapes[(start + step) % len(shapes)] for step in range(len(shapes)))
        found.setdefault(name, next((shape for shape in order if shape not in found.values()), shapes[0]))
    return found


def _draw_bond(card: Card, edge: int, lane: int, ends: Sequence[int], *, is_link: bool) -> None:
    """Draw a line between two tokens, dotted where one falls with the other."""
    x, upper, lower = edge + lane, min(ends), max(ends)
    for y in (upper, lower):
        card.box((x, y - 2, edge + _GUTTER, y - 2 + _THICK), SOFT, radius=2)
    step = 2 * _DOT if is_link else lower - upper
    for y in range(upper, lower, step):
        card.box((x, y, x + _THICK, min(lower, y + (_DOT if is_link else step))), SOFT, radius=2)


def _draw_legend(card: Card, top: int) -> None:
    x = LEFT
    for word, is_link in (("guards", False), ("falls with", True)):
        for at in range(x, x + 64, 2 * _DOT if is_link else 64):
            card.box((at, top + 24, at + (_DOT if is_link else 64), top + 24 + _THICK), SOFT, radius=2)
        x += 76 + card.text(x + 76, top + 36, word, TEXT, SOFT) + 44


def _draw_best(card: Card, top: int, best: Best, emblem: Silhouette) -> None:
    color = (BLUE, ORANGE)[best.side]
    token(card, LEFT, top, _BEST, emblem, color)
    x = LEFT + _BEST + 24
    card.text(x, top + 60, letters.fit(best.name, HEAD, RIGHT - x, instead=best.instead), HEAD, INK)
    card.text(x, top + 60 + LINE, f"MVP: {quantity(best.takedowns, 'takedown')}", TEXT, SOFT)
