"""The card of a battle in the fog: two banks of cloud, and the hits that flash in them. It has no hidden figure."""

from collections.abc import Iterable
from itertools import chain
from math import cos, pi, sin

from typing_extensions import override

from sim.axis_allies.battle.values import Event, Fired, RoundBegan
from sim.axis_allies.silhouettes import COLORS
from sim.core.cards import parts
from sim.core.cards.card import Card
from sim.core.cards.draw import CardRequest
from sim.core.cards.marks import Silhouette, oval, polygon
from sim.core.cards.parts import LEFT, LINE, RIGHT, TOP
from sim.core.cards.theme import DARK, INK, NEUTRAL, TEXT, TITLE, TROUGH
from sim.core.numbers import quantity
from sim.core.values import Number, Side

_CLOUD = Silhouette(
    340,
    180,
    (
        oval(0, 78, 124, 180),
        oval(52, 26, 194, 168),
        oval(140, 0, 276, 150),
        oval(222, 66, 340, 180),
        polygon(62, 120, 284, 110, 284, 180, 62, 180),
    ),
)
_POINTS = 16
_FLASH = Silhouette(
    50,
    50,
    (
        polygon(
            *chain.from_iterable(
                (25 + reach * cos(pi * at / 8), 25 + reach * sin(pi * at / 8))
                for at, reach in zip(range(_POINTS), (25, 11) * 8, strict=True)
            )
        ),
    ),
)
_MOST_FLASHES = 6
_FOOT = 22


class FogCardRequest(CardRequest):
    """Draws a round in the fog from what everybody may know: how often each side was hit in it."""

    max_seconds = 0.1

    round: Number
    attacker: Number
    defender: Number

    @classmethod
    def of(cls, number: int, events: Iterable[Event]) -> "FogCardRequest":
        """Return the card of round `number`, 0 before the first, from the events up to now."""
        hits = dict.fromkeys(Side, 0)
        for event in events:
            if isinstance(event, RoundBegan) and event.number > 1:  # the first has what comes before it
                hits = dict.fromkeys(Side, 0)
            elif isinstance(event, Fired):
                hits[event.side.other] += event.hits.total
        return cls(round=number, attacker=hits[Side.ATTACKER], defender=hits[Side.DEFENDER])

    @override
    def draw(self) -> Card:
        title = f"Round {self.round} in the fog" if self.round else "Fog over the field"
        taken = {Side.ATTACKER: self.attacker, Side.DEFENDER: self.defender}
        hurt = {side: f"took {quantity(hits, 'hit')}" if hits else "unhurt" for side, hits in taken.items()}
        told = [f"{side.capitalize()} {words}." for side, words in hurt.items()] if self.round else []
        foot = TOP + 16 + round(_CLOUD.height) + LINE
        card = Card(foot + _FOOT + (LINE if self.round else 0))
        parts.headline(card, [(title, INK)])
        for side, hits in taken.items():
            left = LEFT if side is Side.ATTACKER else RIGHT - round(_CLOUD.width)
            self._bank(card, left, hits, COLORS[side.other])
            middle = left + round(_CLOUD.width) // 2
            card.text(middle, foot, side.capitalize(), TEXT, COLORS[side], bold=True, align="center")
            if self.round:
                card.text(middle, foot + LINE, hurt[side], TEXT, INK, align="center")
        card.alt = " ".join([f"{title}.", *told, "Both armies are hidden until the end."])
        return card

    def _bank(self, card: Card, left: int, hits: int, color: str) -> None:
        """Draw a bank of cloud with question marks, and the hits on who is in it, in the color of who scored them."""
        top = TOP + 8
        card.silhouette(left + 40, top - 8, _CLOUD, 120, TROUGH)
        card.silhouette(left, top, _CLOUD, round(_CLOUD.height), NEUTRAL)
        for x, base in ((78, 128), (170, 92), (258, 128)):
            card.text(left + x, top + base, "?", TITLE, DARK, align="center")
        for at in range(min(hits, _MOST_FLASHES)):
            x, y = left + 12 + 53 * at, top + (112 if at % 2 else 126)
            card.silhouette(x - 6, y - 6, _FLASH, 64, DARK)
            card.silhouette(x, y, _FLASH, 52, color)
