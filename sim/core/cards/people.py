"""The emblems and colors that people choose (emblems.txt), and the cards of people: a board, a profile, a campaign.

The last is a war diary; it has a banner for each battle, two facing ranks of tokens, and a sentence.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from types import MappingProxyType
from typing import Annotated, NamedTuple
from zlib import crc32

from pydantic import Field
from typing_extensions import override

from sim.core.cards import Ring, Silhouette, parts, polygon
from sim.core.cards import text as letters
from sim.core.cards import theme as t
from sim.core.cards.card import Card
from sim.core.cards.draw import SIDE_COLORS, CardRequest, SideColor, TitledCard
from sim.core.cards.figures import read_figures
from sim.core.cards.parts import LEFT, LINE, RIGHT
from sim.core.cards.values import Fact, Line, Share
from sim.core.values import Frozen, Number


class Emblem(NamedTuple):
    """A mark, its name on the list, and the sign that stands for it in text."""

    title: str
    sign: str
    shape: Silhouette


EMBLEMS: Mapping[str, Emblem] = MappingProxyType(
    {
        name: Emblem(title, sign, figure.silhouette)
        for figure in read_figures("sim.core.cards", "emblems.txt")
        for name, title, sign in [figure.heading]
    }
)

CREST_COLORS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "orange": ("#ff922b", "🟠"),
        "blue": ("#4dabf7", "🔵"),
        "green": ("#1ef069", "🟢"),
        "lavender": ("#b4a5d2", "🪻"),
        "cream": ("#f0ffb4", "🍦"),
        "sand": ("#e1c3a5", "🏜️"),
        "lime": ("#b4ff1e", "🍋"),
        "ice": ("#a5ffff", "🧊"),
        "moss": ("#78a55a", "🌿"),
        "rose": ("#c38796", "🌹"),
    }
)
"""Each with a sign for lists. Any two of them differ for every kind of color vision."""


class Crest(Frozen):
    """What a person is known by: an emblem and a color, by their names."""

    emblem: str
    color: str

    @classmethod
    def of(cls, user_id: int, emblem: str | None = None, color: str | None = None) -> "Crest":
        """Return what a person chose; for what nobody chose, or this version hasn't, something of their own."""
        emblems, colors = [*EMBLEMS], [*CREST_COLORS]
        number = crc32(str(user_id).encode())
        return cls(
            emblem=emblem if emblem in EMBLEMS else emblems[number % len(emblems)],
            color=color if color in CREST_COLORS else colors[number // len(emblems) % len(colors)],
        )

    @property
    def sign(self) -> str:
        """The sign in text."""
        return EMBLEMS[self.emblem].sign

    @property
    def ink(self) -> str:
        """The color as "#rrggbb"."""
        return CREST_COLORS[self.color][0]

    def __str__(self) -> str:
        return f"{EMBLEMS[self.emblem].title.lower()} in {self.color}"


MAX_STANDINGS = 5


class BoardRow(Frozen):
    """Somebody on a board: the place, the name, the crest, and the result, as text and as a share of the best."""

    place: Annotated[int, Field(ge=1)]
    name: Line
    crest: Crest
    figures: Line
    share: Share


_GAP, _BAR, _PLACE = 14, 12, 76
"""Pixels between rows, of a bar's height, and for a place's number."""


class BoardCard(TitledCard):
    """A board, the best first; `more`: how many are left out."""

    rows: Annotated[tuple[BoardRow, ...], Field(min_length=1, max_length=MAX_STANDINGS)]
    more: int = 0

    @override
    def _sentences(self) -> Iterator[str]:
        yield from super()._sentences()
        yield from (f"{row.place}. {row.name}: {row.figures}." for row in self.rows)
        if self.more:
            yield f"And {self.more:,} more."

    @override
    def draw(self) -> Card:
        inks = [row.crest.ink for row in self.rows]
        # Few colors make a light file.
        drawn, top = self.begun(t.palette((*t.COLORS, *map(t.rgb, inks)), product(inks, (t.TILE, t.DARK)), 2))
        for row in self.rows:
            ink, first = row.crest.ink, row.place == 1  # the winner stands larger, as in a profile
            foot = top + (184 if first else 148)
            middle, disc = (top + foot) // 2, 116 if first else 96
            drawn.box((LEFT, top, RIGHT, foot), t.TILE, radius=12)
            if first:
                drawn.silhouette(LEFT + 12, middle - 32, EMBLEMS["crown"].shape, 60, ink)
            else:
                drawn.text(LEFT + _PLACE // 2 + 4, middle + 16, str(row.place), t.HEAD, t.INK, align="center")
            parts.token(drawn, LEFT + _PLACE + 4, middle - disc // 2, disc, EMBLEMS[row.crest.emblem].shape, ink)
            left, right, size = LEFT + _PLACE + disc + 20, RIGHT - 16, t.HEAD if first else t.TEXT
            base, under = top + (62 if first else 50), foot - (22 if first else 16)
            drawn.name(left, base, row.name, right - left, size, t.INK, instead=f"Player {row.place}")
            drawn.name(left, base + LINE, row.figures, right - left, t.TEXT, t.SOFT, bold=False)
            bar = (left, under - _BAR, right, under)
            drawn.segments(bar, [(row.share, ink), (1 - row.share, t.TROUGH)], radius=_BAR // 2)
            top = foot + _GAP
        drawn.height = top + (50 if self.more else 12)
        if self.more:
            drawn.text(RIGHT, drawn.height - 14, f"and {self.more:,} more", t.TEXT, t.SOFT, align="right")
        return drawn


MAX_TROPHIES = 5


class TrophyCard(CardRequest):
    """A person's record in a few words, and what else there is, each with one of the emblems."""

    name: Line
    crest: Crest
    record: Line
    trophies: Annotated[tuple[tuple[str, Fact], ...], Field(max_length=MAX_TROPHIES)]

    def alt(self) -> str:
        """Return the card in words."""
        trophies = (f"{trophy.label}: {trophy.figure}." for _, trophy in self.trophies)
        return " ".join([f"{self.name}, {self.crest}: {self.record}.", *trophies])

    @override
    def draw(self) -> Card:
        ink = self.crest.ink
        colors = t.palette((*t.COLORS, t.rgb(ink)), product([ink], (t.GROUND, t.TILE, t.DARK)))
        drawn = Card(alt=self.alt(), colors=colors)
        parts.token(drawn, LEFT, _TOP, _PERSON, EMBLEMS[self.crest.emblem].shape, ink)
        beside, room = LEFT + _PERSON + 32, RIGHT - LEFT - _PERSON - 32
        size = t.TITLE if letters.width(self.name, t.TITLE) <= room else t.HEAD
        lines = letters.two_lines(self.name, size, room)
        record = letters.wrapped(self.record, t.TEXT, room)
        base = _TOP + 100 - (len(lines) + len(record) - 2) * LINE // 2
        for at, line in enumerate(lines):
            drawn.name(beside, base + at * LINE, line, room, size, t.INK, instead="A player")
        for at, line in enumerate(record, len(lines) - 1):
            drawn.name(beside, base + at * LINE + 68, line, room, t.TEXT, t.SOFT, bold=False)
        top, left, wide = _ROWS, LEFT + _TROPHY, RIGHT - LEFT - _TROPHY - _PAD
        for emblem, trophy in self.trophies:
            lines = letters.two_lines(trophy.figure, t.TEXT, wide)
            foot = top + _TROPHY + (len(lines) - 1) * LINE
            drawn.box((LEFT, top, RIGHT, foot), t.TILE, radius=12)
            drawn.silhouette(LEFT + _PAD, top + _PAD, EMBLEMS[emblem].shape, _TROPHY - 2 * _PAD, ink)
            drawn.text(left, top + 44, trophy.label, t.TEXT, t.SOFT)
            for at, line in enumerate(lines, 1):
                drawn.name(left, top + 44 + at * LINE, line, wide, t.TEXT, t.INK)
            top = foot + _GAP
        drawn.height = top + 12
        return drawn


_PERSON, _TOP = 220, 24
_ROWS = _TOP + _PERSON + 24
_TROPHY, _PAD = 108, 22


MAX_BANNERS, MAX_TOKENS = 8, 5
"""Battles on the card, the latest; fighters of a side, of which one that stands alone has twice as many.

One more is shown, too, where it is the only one left out.
"""


class Banner(Frozen):
    """A battle: its number, and the side that won it with the emblem of the winner; none if nobody did."""

    label: Line
    winner: Line = ""
    color: SideColor | None = None
    emblem: str | None = None


class Fighter(Frozen):
    """A fighter: the share that is left of it, 0 for the dead; its level, 0 where there are none.

    `emblem`: of the person, where the fighter is one.
    """

    name: Line
    instead: Line = ""
    left: Share
    level: Number = 0
    emblem: str | None = None


class Rank(Frozen):
    """A side: its fighters, and how many more there are."""

    title: Line
    color: SideColor
    tokens: Annotated[tuple[Fighter, ...], Field(max_length=2 * MAX_TOKENS + 1)]
    more: int = 0


class DiaryCard(TitledCard):
    """A campaign after a battle."""

    max_seconds = 0.15

    banners: Annotated[tuple[Banner, ...], Field(max_length=MAX_BANNERS)]
    ranks: Annotated[tuple[Rank, ...], Field(max_length=2)]
    caption: Line

    @override
    def _sentences(self) -> Iterator[str]:
        yield f"{self.title}, {self.aside}."
        yield from (f"Battle {banner.label}: {banner.winner or 'nobody'} won." for banner in self.banners)
        for rank in self.ranks:
            more = f" and {rank.more:,} more" if rank.more else ""
            levels = (f", level {token.level}" if token.level else "" for token in rank.tokens)
            left = (f"{token.left:.0%} left" if token.left else "dead" for token in rank.tokens)
            told = (
                f"{token.name} {figure}{level}" for token, figure, level in zip(rank.tokens, left, levels, strict=True)
            )
            yield f"{rank.title}: {'; '.join(told)}{more}."
        yield self.caption

    @override
    def draw(self) -> Card:
        card = Card(alt=self.alt())
        title = letters.fit(self.title, t.HEAD, RIGHT - LEFT, instead="A campaign")
        strip = parts.headline(card, [(title, t.INK)], self.aside)
        top = strip + _PENNANT[1] + LINE + 24
        ranks = [*self.ranks]
        if len(ranks) == 1:  # a side that stands alone has both columns
            (rank,), half = ranks, -(-len(ranks[0].tokens) // 2)
            ranks = [rank.model_copy(update={"tokens": rank.tokens[:half], "more": 0})]
            ranks.append(rank.model_copy(update={"title": "", "tokens": rank.tokens[half:]}))
        for at, banner in enumerate(self.banners):
            x, color = LEFT + at * _PITCH, t.TROUGH if banner.color is None else SIDE_COLORS[banner.color]
            card.silhouette(x, strip + 8, _CLOTH, _PENNANT[1], color)
            if banner.color is not None:  # the winner's, with the winner's emblem
                emblem = EMBLEMS.get(banner.emblem or "", EMBLEMS["crown"])
                card.silhouette(x + (_PENNANT[0] - 50) // 2, strip + 22, emblem.shape, 50, t.DARK)
            card.text(x + _PENNANT[0] // 2, strip + _PENNANT[1] + 46, banner.label, t.TEXT, t.SOFT, align="center")
        edges, width = parts.columns(2)
        for edge, rank, right in zip(edges, ranks, (False, len(self.ranks) > 1), strict=False):
            _draw_rank(card, (edge, top), width, rank, right=right)
        rows = max((len(rank.tokens) + bool(rank.more) for rank in ranks), default=0)
        foot = top + t.HEAD + 20 + rows * _ROW + LINE
        for line in letters.two_lines(self.caption, t.TEXT, RIGHT - LEFT):
            card.name(LEFT, foot - 4, line, RIGHT - LEFT, t.TEXT, t.INK)
            foot += LINE
        card.height = foot - LINE + 24
        return card


_PITCH, _PENNANT = 92, (72, 96)
_CLOTH = Silhouette(*_PENNANT, (polygon(0, 0, 72, 0, 72, 96, 36.0, 78, 0, 96),))
_TOKEN, _ROW = 96, 108
_CHEVRON = Silhouette(30, 16, (polygon(0, 16, 15, 6, 30, 16, 30, 10, 15, 0, 0, 10),))


def _draw_rank(card: Card, corner: tuple[int, int], width: int, rank: Rank, *, right: bool) -> None:
    """Draw a side, its tokens one below the other on the card's outer edge; `right`: it stands on the right."""
    x, top = corner
    edge, align = (x + width, "right") if right else (x, "left")
    card.text(edge, top + t.HEAD - 6, rank.title, t.HEAD, SIDE_COLORS[rank.color], align=align)
    top += t.HEAD + 20
    for at, token in enumerate(rank.tokens):
        _draw_token(card, edge - _TOKEN if right else edge, top + at * _ROW, token, SIDE_COLORS[rank.color])
        beside = edge - _TOKEN - 16 if right else edge + _TOKEN + 16
        _draw_name(card, (beside, top + at * _ROW), width - _TOKEN - 16, token, SIDE_COLORS[rank.color], align)
    if rank.more:
        card.text(edge, top + len(rank.tokens) * _ROW + LINE, f"and {rank.more:,} more", t.TEXT, t.SOFT, align=align)


def _draw_token(card: Card, x: int, top: int, token: Fighter, color: str) -> None:
    """Draw a disc: the ring is whole where health is left and striped where it is lost; the dead are skulls."""
    box = (x, top, x + _TOKEN, top + _TOKEN)
    card.box(box, t.TILE, _TOKEN // 2)
    left = max(1 / 24, token.left) if token.left else 0.0  # the least that is seen of a living fighter
    card.add(Ring(box, 10, left, 1 - left, color if token.left else t.NEUTRAL))
    emblem = EMBLEMS.get((token.emblem or "") if token.left else "skull")
    if emblem is not None:
        card.silhouette(x + 24, top + 24, emblem.shape, 48, t.INK if token.left else t.NEUTRAL)
    else:
        initial = letters.fit(token.name, t.HEAD, _TOKEN, instead=token.instead)[:1].upper()
        card.text(x + _TOKEN // 2, top + 64, initial, t.HEAD, t.INK, align="center")


def _draw_name(card: Card, beside: tuple[int, int], room: int, token: Fighter, color: str, align: str) -> None:
    """Write a name on one line above the chevrons of its level, or on two lines without them."""
    x, top = beside
    ink = t.INK if token.left else t.NEUTRAL
    lines = [token.name] if token.level else letters.two_lines(token.name, t.TEXT, room)
    base = top + (60 if len(lines) == 1 and not token.level else 40)
    for at, line in enumerate(lines):
        card.name(x, base + at * LINE, line, room, t.TEXT, ink, instead=token.instead, align=align)
    for at in range(min(token.level, 5)):
        left = x - 30 - at * 36 if align == "right" else x + at * 36
        card.silhouette(left, top + 60, _CHEVRON, 16, color if token.left else t.NEUTRAL)
