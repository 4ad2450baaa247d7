"""Draws the kinds of cards that several games have, each a request: fights, lists, games; and the luck of dice."""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import override

from sim.core.cards import Silhouette, parts
from sim.core.cards import text as letters
from sim.core.cards import values as v
from sim.core.cards.card import Card
from sim.core.cards.parts import LEFT, LINE, RIGHT, TOP, Share, headline
from sim.core.cards.theme import BLUE, COLORS, HEAD, INK, NEUTRAL, ORANGE, SOFT, TEXT, TILE, TITLE, TROUGH, Color
from sim.core.numbers import percent
from sim.core.values import Request


class CardRequest(Request):
    """Draws a card. `engines`: whether there are NumPy and numba; without them a card lacks the chances they find.

    `mark`: a line at its foot, such as of a battle that counts for nothing.
    """

    max_seconds = 0.1
    engines: bool = True
    mark: str | None = None

    @abstractmethod
    def draw(self) -> Card:
        """Return the card, to be painted as a PNG or written as an SVG."""

    def run(self) -> v.DrawnCard:
        """Return the card as a PNG. Loads Pillow, so only workers do this."""
        card = self.draw()
        if self.mark is not None:
            card.name(LEFT, card.height + LINE // 2, self.mark, RIGHT - LEFT, TEXT, SOFT, bold=False)
            card.height += LINE
            card.alt = f"{card.alt} {self.mark}.".strip()
        return card.drawn()


class TitledCard(CardRequest):
    """A card with a title and something beside it, and its figures in words."""

    title: v.Line
    aside: v.Line = ""

    def alt(self) -> str:
        """Return the figures in words, for people who can't see the picture."""
        return " ".join(self._sentences())

    def _sentences(self) -> Iterator[str]:
        yield f"{self.title}."
        if self.aside:
            yield f"{self.aside[:1].upper()}{self.aside[1:]}."

    def begun(self, colors: tuple[Color, ...] = COLORS, level: int = 4) -> tuple[Card, int]:
        """Return the card with its headline, and the first pixel below; the caller sets its height at the end."""
        card = Card(alt=self.alt(), colors=colors, level=level)
        return card, headline(card, [(self.title, INK)], self.aside)


Scene = Callable[[Card, int], int]
"""Draws a game's own picture on a card from a line on, and returns the first one below."""


class FightCard(TitledCard):
    """A fight: `left` in blue against `right` in orange; `foe`: one big opponent above them, in place of `right`.

    The chances that the sides lack to 1 are nobody's; `rough`: they are known to a point. `notes`: sentences below,
    such as what decided the fight.
    """

    left: v.FightSide
    right: v.FightSide | None = None
    foe: v.HealthRow | None = None
    rough: bool = False
    notes: tuple[v.Line, ...] = ()

    def chance(self, chance: float) -> str:
        """Return a chance as text, no more exact than it is."""
        return v.rough_percent(chance) if self.rough else percent(chance, certain=chance >= 1)

    @override
    def _sentences(self) -> Iterator[str]:
        yield from super()._sentences()
        for side in filter(None, (self.left, self.right)):
            if side.chance is not None:
                yield f"{side.name}: {self.chance(side.chance)} to win."
        foe, right = [self.foe] if self.foe else [], self.right.rows if self.right else ()
        yield from (f"{row.name} {row.figures}." for row in (*foe, *self.left.rows, *right))
        yield from (note if note[-1:] in "!?." else f"{note}." for note in self.notes)

    @override
    def draw(self) -> Card:
        return self.with_scene(None)

    def with_scene(self, scene: Scene | None, colors: tuple[Color, ...] = COLORS) -> Card:
        """Return the card: chances, a scene, a big opponent, a column for each side; `colors`: those of the file."""
        sides = [*filter(None, (self.left, self.right))]
        card, top = self.begun(colors)
        if any(side.chance is not None for side in sides):
            shares = [
                Share(side.chance or 0.0, color, f"{side.name} {self.chance(side.chance or 0.0)}")
                for side, color in zip(sides, (BLUE, ORANGE), strict=False)
            ]
            alone = [*shares, Share(1 - shares[0].chance, ORANGE)]
            parts.win_bar(card, top, parts.against(*shares) if self.right else alone)
            top += parts.WIN_BAR + 12
        if scene is not None:
            top = scene(card, top) + 16
        if self.foe is not None:
            top = parts.health(card, top, [[self.foe]], [ORANGE]) + 16
        columns, rows = [side.rows for side in sides], self.left.rows
        if self.right is None and len(rows) > 2:  # noqa: PLR2004  # two rows of a side alone fit below each other
            columns = [rows[: -(-len(rows) // 2)], rows[-(-len(rows) // 2) :]]
        top = parts.health(card, top, columns, [BLUE, ORANGE if self.right else BLUE][: len(columns)])
        edges, _ = parts.columns(len(columns))
        top = max([top, *(parts.more(card, top, side.more, x=edge) for edge, side in zip(edges, sides, strict=False))])
        for at, note in enumerate(self.notes):
            top = parts.paragraph(card, top, note, SOFT if at else INK)
        card.height = top + 16
        return card


_FACT, _FACT_GAP, _PAD, _FACE = 122, 14, 16, 116
SIDE_COLORS = {"blue": BLUE, "orange": ORANGE}
SideColor = Literal["blue", "orange"]


class SheetCard(TitledCard):
    """A list: `facts` in boxes, `rows` with bars below them, few of them one below the other, and a `note`.

    `more`: how many rows are left out. `color`: of the bars. `faces`: one for each row, on a token in place of its bar.
    """

    facts: tuple[v.Fact, ...] = ()
    rows: tuple[v.HealthRow, ...] = ()
    more: int = 0
    color: SideColor = "blue"
    note: v.Line = ""
    faces: tuple[Silhouette, ...] = ()

    @override
    def _sentences(self) -> Iterator[str]:
        yield from super()._sentences()
        yield from (f"{fact.label}: {fact.figure}." for fact in self.facts)
        yield from (f"{row.name}: {row.figures}." for row in self.rows)
        if self.more:
            yield f"And {self.more:,} more."
        if self.note:
            yield f"{self.note}."

    @override
    def draw(self) -> Card:
        edges, width = parts.columns(1 if len(self.rows) <= v.MAX_WIDE_ROWS else 2)
        high, color = -(-len(self.rows) // len(edges)), SIDE_COLORS[self.color]
        card, top = self.begun(level=3)
        widest = max((letters.width(fact.label, TEXT) for fact in self.facts), default=0) + 2 * _PAD
        fitting = [count for count in (2, 3, 4) if widest <= parts.columns(count, _FACT_GAP)[1]]
        beside = max((count for count in fitting if count <= len(self.facts)), default=1)
        for facts in (self.facts[at : at + beside] for at in range(0, len(self.facts), beside)):
            lefts, wide = parts.columns(len(facts), _FACT_GAP)
            for left, fact in zip(lefts, facts, strict=True):
                draw_fact(card, fact, left, top, wide)
            top += _FACT + _FACT_GAP
        for at, (row, face) in enumerate(zip(self.rows, self.faces, strict=False)):
            left, upper = edges[at // high], top + at % high * (_FACE + _FACT_GAP)
            parts.portrait(card, left, upper, _FACE, face, color)
            left, room = left + _FACE + _PAD, width - _FACE - _PAD
            card.name(left, upper + 46, row.name, room, TEXT, INK, instead=row.instead)
            card.name(left, upper + 46 + LINE, row.figures, room, TEXT, SOFT, bold=False)
        if self.faces:
            top += high * (_FACE + _FACT_GAP)
        else:
            sides = [self.rows[at * high : (at + 1) * high] for at in range(len(edges))]
            top = parts.health(card, top, sides, [color] * len(sides))
        top = parts.more(card, top, self.more)
        card.height = (parts.paragraph(card, top, self.note) if self.note else top) + 16
        return card


def draw_fact(card: Card, fact: v.Fact, left: int, top: int, width: int, height: int = _FACT) -> None:
    """Draw a box with a figure, as large as it fits."""
    room = width - 2 * _PAD
    card.box((left, top, left + width, top + height), TILE, radius=10)
    card.name(left + _PAD, top + 42, fact.label, room, TEXT, SOFT, bold=False)
    size = TITLE if height >= _FACT and letters.width(fact.figure, TITLE) <= room else HEAD
    card.name(left + _PAD, top + height - 18, fact.figure, room, size, INK)


_IN_A_ROW, _TILE_GAP, _TILE_PAD, _ICON_WIDTH, _ICON = 2, 18, 18, 76, 58


class TilesCard(CardRequest):
    """Games to choose from, two in a row."""

    title: v.Line
    tiles: tuple[v.Tile, ...]

    @override
    def draw(self) -> Card:
        rows = -(-len(self.tiles) // _IN_A_ROW)
        width = (RIGHT - LEFT - (_IN_A_ROW - 1) * _TILE_GAP) // _IN_A_ROW
        beside, room = width - 3 * _TILE_PAD - _ICON_WIDTH, width - 2 * _TILE_PAD
        titles = [len(letters.wrapped(tile.title, HEAD, beside)) * LINE for tile in self.tiles]
        head = max(_ICON, *titles)
        height = head + max(len(letters.wrapped(tile.line, TEXT, room)) for tile in self.tiles) * LINE + 2 * _TILE_PAD
        card = Card(TOP + rows * (height + _TILE_GAP) + 8)
        headline(card, [(self.title, INK)])
        for at, (tile, title) in enumerate(zip(self.tiles, titles, strict=True)):
            row, column = divmod(at, _IN_A_ROW)
            x, y = LEFT + column * (width + _TILE_GAP), TOP + row * (height + _TILE_GAP)
            card.box((x, y, x + width, y + height), TILE, radius=10)
            icon = round(min(_ICON, _ICON_WIDTH * tile.icon.height / tile.icon.width))
            card.silhouette(x + _TILE_PAD, y + _TILE_PAD + (head - icon) // 2, tile.icon, icon, tile.color)
            left, top = x + 2 * _TILE_PAD + _ICON_WIDTH, y + _TILE_PAD + (head - title) // 2 + 2
            parts.paragraph(card, top, tile.title, INK, x=left, room=beside, size=HEAD)
            parts.paragraph(card, y + _TILE_PAD + head + 10, tile.line, x=x + _TILE_PAD, room=room)
        return card


_LUCK_ROW, _BARS, _ROUND = 214, 84, 2


class LuckCard(TitledCard):
    """The luck of one or several, one below the other.

    The bar of the result is white; sums that it was luck to exceed are brighter than those that would have been better.
    """

    rows: Annotated[tuple[v.LuckRow, ...], Field(min_length=1, max_length=v.MAX_LUCK_ROWS)]

    @override
    def _sentences(self) -> Iterator[str]:
        yield from super()._sentences()
        yield from (f"{row.name}: {row.figures}; {row.place}." for row in self.rows)

    @override
    def draw(self) -> Card:
        card, top = self.begun()
        card.height = top + _LUCK_ROW * len(self.rows) + 14
        for row in self.rows:
            taken = card.text(RIGHT, top + 34, row.place, bold=True, align="right")
            card.name(LEFT, top + 34, row.name, RIGHT - LEFT - taken - 20, instead=row.instead)
            card.name(LEFT, top + 80, row.figures, RIGHT - LEFT, TEXT, SOFT, bold=False)
            base, pitch = top + 102 + _BARS, (RIGHT - LEFT) / len(row.bars)
            for at, share in enumerate(row.bars):
                left, right = round(LEFT + at * pitch), round(LEFT + (at + 1) * pitch)
                color = INK if at == row.at else NEUTRAL if at < row.at else TROUGH
                gap = _ROUND if right - left > 2 * _ROUND else 0
                box = (left, base - max(3, round(_BARS * share)), max(left + 1, right - gap), base)
                card.box(box, color, radius=_ROUND)
            top += _LUCK_ROW
        return card
