"""Who is lost first: casualty methods as data, and the unit that a hit takes.

Source: the rules page of Axis & Allies 1941, section "The dice battle".

How losses are chosen depends on an army itself and on what the enemy was made of when the battle began, never on what
the enemy still has: so an army has one successor for each group of hits, whatever stands on the other side.

- "score": lowest own score, then lowest cost, then the first typed; transports last; a battleship's turn takes the
  lives of all battleships before the first ship.
- "lives-first": the same, but battleship lives before anything else.
- "smart": lives first, then the lowest product of cost and score (the price of the strength that is lost), then the
  lowest score; transports last. The last destroyer is kept, up to the transports, when the enemy came with submarines:
  it shields the fleet from them and lets aircraft hit them. The attacker's last land unit is kept likewise, and behind
  the destroyer, when a territory is to be taken.
- an explicit order: units that it does not name follow in the order of "score"; battleship lives that it does not name
  go right before the battleships. At a battleship's turn a damaged one is lost; when none is, one takes its damage.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated, Literal, Self

from pydantic import Field

from sim.axis_allies.army import Army, Group, shown_group
from sim.axis_allies.units import Category, Unit
from sim.core.errors import RuleError
from sim.core.outcomes import Side

LIFE: Literal["battleship life"] = "battleship life"

Slot = Unit | Literal["battleship life"]
"""What a hit may take: a unit, or one of the battleships' extra lives."""

Method = Literal["score", "lives-first", "smart"]
Order = Annotated[tuple[Slot, ...], Field(min_length=1)]
Casualties = Method | Order
"""How a side chooses its losses: by a method, or in an order of its own, the first to go first."""


class HitGroup(IntEnum):
    """Hits that may fall on the same targets, in the order in which they are placed."""

    SUBMARINES = 0  # never on air
    AIR = 1  # of an army without a destroyer: never on submarines
    REST = 2


def hit_group(slot: Slot) -> HitGroup:
    """Return the group of the hits that a unit scores, air without an own destroyer."""
    if slot == Unit.SUBMARINE:
        return HitGroup.SUBMARINES
    return HitGroup.AIR if category(slot) is Category.AIR else HitGroup.REST


def category(slot: Slot) -> Category:
    """Return where a slot fights; battleship lives are as naval as battleships."""
    return slot.category if isinstance(slot, Unit) else Category.NAVAL


@dataclass(frozen=True, slots=True)
class Muster:
    """An army as numbers, ready to lose: its slots from the first to go to the last, and how many of each there are.

    `typed`: the slots' places in the order typed. `keep_destroyer`, `keep_land`: whether the last of these goes after
    all others but the transports.
    """

    side: Side
    slots: tuple[Slot, ...]
    counts: tuple[int, ...]
    typed: tuple[int, ...]
    keep_destroyer: bool = False
    keep_land: bool = False

    @classmethod
    def of(cls, army: Army, side: Side, casualties: Casualties, enemy: Army, *, must_take: bool = False) -> Self:
        """Order `army` for its losses; RuleError for fractions and for a slot named twice in an explicit order."""
        counts: dict[Slot, int] = {}
        for group in army.groups:
            whole(group)
            counts[group.unit] = int(group.count)
            if group.unit.lives:
                counts[LIFE] = int(group.lives)
        order = _order(list(counts), side, casualties)
        smart = casualties == "smart"
        return cls(
            side=side,
            slots=order,
            counts=tuple(counts[slot] for slot in order),
            typed=tuple(map(order.index, counts)),
            keep_destroyer=smart and enemy.count(Unit.SUBMARINE) > 0,
            keep_land=smart and must_take and side is Side.ATTACKER,
        )

    @property
    def hits(self) -> int:
        """How many hits the whole army takes."""
        return sum(self.counts)

    @property
    def chances(self) -> tuple[float, ...]:
        """The chance of each slot's unit to hit; 0 for lives."""
        return tuple(slot.score(self.side) / 6 if isinstance(slot, Unit) else 0.0 for slot in self.slots)

    @property
    def guns(self) -> int:
        """How many units of the whole army can hit at all."""
        return sum(count for count, chance in zip(self.counts, self.chances, strict=True) if chance > 0)

    def next_loss(self, counts: Sequence[int], group: HitGroup) -> tuple[int, int] | None:
        """Return the slot that a hit of `group` takes, and how many such hits in a row it takes.

        `counts`: what is left, in the order of `slots`. None when the hit has no legal target.
        """
        kept: list[int] = []
        for at, slot in enumerate(self.slots):
            if not counts[at] or not may_fall_on(group, slot):
                continue
            if slot == Unit.TRANSPORT and kept:
                break
            spare = self._spare(slot, at, counts)
            if spare:
                return self._ship_or_life(at, spare, counts) if slot == Unit.BATTLESHIP else (at, spare)
            kept.append(at)
        if not kept:
            return None
        # The destroyer is the first that goes of those kept.
        return min(kept, key=lambda at: category(self.slots[at]) is Category.LAND), 1

    def _spare(self, slot: Slot, at: int, counts: Sequence[int]) -> int:
        """Return how many of a slot may go before the last one that is kept."""
        if self.keep_destroyer and slot == Unit.DESTROYER:
            return counts[at] - 1
        if self.keep_land and category(slot) is Category.LAND:
            land = sum(count for kind, count in zip(self.slots, counts, strict=True) if category(kind) is Category.LAND)
            return min(counts[at], land - 1)
        return counts[at]

    def _ship_or_life(self, ship: int, ships: int, counts: Sequence[int]) -> tuple[int, int]:
        """Return the loss at the battleships' turn: a damaged one if there is one, else a life."""
        life = self.slots.index(LIFE)
        damaged = ships - counts[life]
        return (ship, damaged) if damaged else (life, 1)


def whole(group: Group) -> None:
    """Refuse a group with a fraction: RuleError."""
    if group.count.denominator != 1 or group.lives.denominator != 1:
        raise RuleError(
            f"Dice need whole units: {shown_group(group)} can fight an average battle, "
            "but exact odds count whole units only."
        )


def may_fall_on(group: HitGroup, slot: Slot) -> bool:
    """Tell whether hits of `group` may take `slot`."""
    if group is HitGroup.SUBMARINES:
        return category(slot) is not Category.AIR
    return group is HitGroup.REST or slot != Unit.SUBMARINE


def _order(slots: list[Slot], side: Side, casualties: Casualties) -> tuple[Slot, ...]:
    typed = {slot: at for at, slot in enumerate(slots)}

    def worth(slot: Slot) -> tuple[int, ...]:
        unit = slot if isinstance(slot, Unit) else Unit.BATTLESHIP
        score, cost = unit.score(side), unit.cost
        value = (score * cost, score, cost) if casualties == "smart" else (score, cost)
        early = slot == LIFE and casualties in {"lives-first", "smart"}
        return (not early, unit is Unit.TRANSPORT, *value, typed[unit], slot != LIFE)

    ordered = sorted(slots, key=worth)
    if isinstance(casualties, str):
        return tuple(ordered)
    if len(set(casualties)) < len(casualties):
        raise RuleError("An order of losses names each unit once.")
    named = [slot for slot in casualties if slot in typed]
    if LIFE in typed and LIFE not in named and Unit.BATTLESHIP in named:
        named.insert(named.index(Unit.BATTLESHIP), LIFE)
    return tuple(named + [slot for slot in ordered if slot not in named])
