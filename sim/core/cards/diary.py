"""Draws the card of a campaign, a war diary: a banner for each battle, two facing ranks of tokens, and a sentence."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import override

from sim.core.cards import parts
from sim.core.cards import text as letters
from sim.core.cards.card import Card
from sim.core.cards.draw import CardRequest
from sim.core.cards.emblems import EMBLEMS
from sim.core.cards.marks import Ring, Silhouette, polygon
from sim.core.cards.parts import LEFT, LINE, RIGHT
from sim.core.cards.theme import BLUE, DARK, HEAD, INK, NEUTRAL, ORANGE, SOFT, TEXT, TILE, TROUGH
from sim.core.cards.values import Line, Share, Told
from sim.core.values import Frozen, Number

MAX_BANNERS, MAX_TOKENS = 8, 5
"""Battles on the card, the latest; fighters of a side, of which one that stands alone has twice as many.

One more is shown, too, where it is the only one left out.
"""

SideColor = Literal["orange", "blue"]
_COLORS = {"orange": ORANGE, "blue": BLUE}


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


class DiaryCard(Told, CardRequest):
    """A campaign after a battle."""

    max_seconds = 0.15

    instead: Line = ""
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
        strip = parts.below(self.title, self.aside)
        top = strip + _PENNANT[1] + LINE + 24
        ranks = [*self.ranks]
        if len(ranks) == 1:  # a side that stands alone has both columns
            (rank,), half = ranks, -(-len(ranks[0].tokens) // 2)
            ranks = [rank.model_copy(update={"tokens": rank.tokens[:half], "more": 0})]
            ranks.append(rank.model_copy(update={"title": "", "tokens": rank.tokens[half:]}))
        rows = max((len(rank.tokens) + bool(rank.more) for rank in ranks), default=0)
        caption = letters.two_lines(self.caption, TEXT, RIGHT - LEFT)
        foot = top + HEAD + 20 + rows * _ROW + LINE
        card = Card(foot + (len(caption) - 1) * LINE + 24, self.alt(), level=5)
        title = letters.fit(self.title, HEAD, RIGHT - LEFT, instead=self.instead)
        parts.headline(card, [(title, INK)], self.aside)
        for at, banner in enumerate(self.banners):
            x, color = LEFT + at * _PITCH, TROUGH if banner.color is None else _COLORS[banner.color]
            card.silhouette(x, strip + 8, _CLOTH, _PENNANT[1], color)
            if banner.color is not None:  # the winner's, with the winner's emblem
                emblem = EMBLEMS.get(banner.emblem or "", EMBLEMS["crown"])
                card.silhouette(x + (_PENNANT[0] - 50) // 2, strip + 22, emblem.shape, 50, DARK)
            card.text(x + _PENNANT[0] // 2, strip + _PENNANT[1] + 46, banner.label, TEXT, SOFT, align="center")
        edges, width = parts.columns(2)
        for edge, rank, right in zip(edges, ranks, (False, len(self.ranks) > 1), strict=False):
            _draw_rank(card, (edge, top), width, rank, right=right)
        for at, line in enumerate(caption):
            card.name(LEFT, foot + at * LINE - 4, line, RIGHT - LEFT, TEXT, INK)
        return card


_PITCH, _PENNANT = 92, (72, 96)
_CLOTH = Silhouette(*_PENNANT, (polygon(0, 0, 72, 0, 72, 96, 36.0, 78, 0, 96),))
_TOKEN, _RING, _ROW = 96, 10, 108
_CHEVRONS, _CHEVRON_PITCH = 5, 36
_CHEVRON = Silhouette(30, 16, (polygon(0, 16, 15, 6, 30, 16, 30, 10, 15, 0, 0, 10),))
_LEAST = 1 / 24
"""The least of a ring that is seen of who lives."""


def _draw_rank(card: Card, corner: tuple[int, int], width: int, rank: Rank, *, right: bool) -> None:
    """Draw a side, its tokens one below the other on the card's outer edge; `right`: it stands on the right."""
    x, top = corner
    edge, align = (x + width, "right") if right else (x, "left")
    card.text(edge, top + HEAD - 6, rank.title, HEAD, _COLORS[rank.color], align=align)
    top += HEAD + 20
    for at, token in enumerate(rank.tokens):
        _draw_token(card, edge - _TOKEN if right else edge, top + at * _ROW, token, _COLORS[rank.color])
        beside = edge - _TOKEN - 16 if right else edge + _TOKEN + 16
        _draw_name(card, (beside, top + at * _ROW), width - _TOKEN - 16, token, _COLORS[rank.color], align)
    if rank.more:
        card.text(edge, top + len(rank.tokens) * _ROW + LINE, f"and {rank.more:,} more", TEXT, SOFT, align=align)


def _draw_token(card: Card, x: int, top: int, token: Fighter, color: str) -> None:
    """Draw a disc: the ring is whole where health is left and striped where it is lost; the dead are skulls."""
    box = (x, top, x + _TOKEN, top + _TOKEN)
    card.box(box, TILE, _TOKEN // 2)
    left = max(_LEAST, token.left) if token.left else 0.0
    card.add(Ring(box, _RING, left, 1 - left, color if token.left else NEUTRAL))
    emblem = EMBLEMS.get((token.emblem or "") if token.left else "skull")
    if emblem is not None:
        card.silhouette(x + 24, top + 24, emblem.shape, 48, INK if token.left else NEUTRAL)
    else:
        initial = letters.fit(token.name, HEAD, _TOKEN, instead=token.instead)[:1].upper()
        card.text(x + _TOKEN // 2, top + 64, initial, HEAD, INK, align="center")


def _draw_name(card: Card, beside: tuple[int, int], room: int, token: Fighter, color: str, align: str) -> None:
    """Write a name on one line above the chevrons of its level, or on two lines without them."""
    x, top = beside
    ink = INK if token.left else NEUTRAL
    lines = [token.name] if token.level else letters.two_lines(token.name, TEXT, room)
    base = top + (60 if len(lines) == 1 and not token.level else 40)
    for at, line in enumerate(lines):
        card.name(x, base + at * LINE, line, room, TEXT, ink, instead=token.instead, align=align)
    for at in range(min(token.level, _CHEVRONS)):
        left = x - (at + 1) * _CHEVRON_PITCH + 6 if align == "right" else x + at * _CHEVRON_PITCH
        card.silhouette(left, top + 60, _CHEVRON, 16, color if token.left else NEUTRAL)
