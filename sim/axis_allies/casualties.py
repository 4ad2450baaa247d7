"""Which units fire, what their hits may take, and which unit is lost first.

Source: the rules page of Axis & Allies 1941, sections "The average battle" and "The dice battle". The kernels of the
odds have the same rules as bit masks.

A casualty order depends on the army and on what the enemy had when the battle began, never on what the enemy has left.
So an army has one successor per hit group.

- "score": lowest own score, then lowest cost, then the first typed; transports last; at the battleships' turn the lives
  of all battleships go before the first ship.
- "lives-first": the same, but battleship lives before anything else.
- "smart": lives first, then the lowest product of cost and score, then the lowest score; transports last. If the enemy
  came with submarines, the last destroyer is kept up to the transports: it protects the fleet from their surprise
  strikes and lets aircraft hit them. If a territory must be taken, the attacker's last land unit is kept, too, longer
  than the destroyer.
- an explicit order: units it does not name follow by "score"; battleship lives it does not name go right before the
  battleships. At a battleship's turn a damaged one is lost; if none is damaged, one takes damage.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated, Literal, Self

from pydantic import Field

from sim.axis_allies.army import Army, Group, group_words
from sim.axis_allies.units import Category, Unit
from sim.core.errors import RuleError
from sim.core.values import Side

LIFE: Literal["battleship life"] = "battleship life"

Slot = Unit | Literal["battleship life"]
"""What a hit may take: a unit, or a battleship's life."""

Method = Literal["score", "lives-first", "smart"]
Order = Annotated[tuple[Slot, ...], Field(min_length=1)]
Casualties = Method | Order
"""How a side chooses its losses: by a method, or in an explicit order, first lost first."""


def strikers(units_by_side: Mapping[Side, Container[Unit]]) -> tuple[Side, ...]:
    """Return the sides whose submarines strike by surprise in a round that begins with these units.

    They do if the other side has no destroyer. Both strikes come from the armies as the round begins.
    """
    return tuple(
        side
        for side in Side
        if Unit.SUBMARINE in units_by_side[side] and Unit.DESTROYER not in units_by_side[side.other]
    )


def firing(units: Iterable[Unit], side: Side, *, surprise: bool, struck: bool) -> Iterator[Unit]:
    """Yield the units that fire on `side`, in order.

    In a surprise strike only submarines fire; in the general fire everything else does, and submarines that have not
    `struck` this round. Units without a score never fire.
    """
    for unit in units:
        submarine = unit is Unit.SUBMARINE
        if unit.score(side) and (submarine if surprise else not (submarine and struck)):
            yield unit


def can_harm(shooter: Army, side: Side, target: Army) -> bool:
    """Return whether any unit of `shooter`, fighting on `side`, can hit any unit of `target`."""
    destroyer = shooter.count(Unit.DESTROYER) > 0
    return any(
        group.unit.score(side) > 0 and group.unit.can_hit(foe.unit, own_destroyer=destroyer)
        for group in shooter.groups
        for foe in target.groups
    )


class HitGroup(IntEnum):
    """Hits with the same legal targets, in the order in which they are placed."""

    SUBMARINES = 0  # never on air
    AIR = 1  # of an army without a destroyer: never on submarines
    REST = 2


def category(slot: Slot) -> Category:
    """Return where a slot fights; battleship lives are naval."""
    return slot.category if isinstance(slot, Unit) else Category.NAVAL


def hit_group(slot: Slot) -> HitGroup:
    """Return the group of a unit's hits, for air without an own destroyer."""
    if slot == Unit.SUBMARINE:
        return HitGroup.SUBMARINES
    return HitGroup.AIR if category(slot) is Category.AIR else HitGroup.REST


def may_fall_on(group: HitGroup, slot: Slot) -> bool:
    """Return whether hits of `group` may take `slot`."""
    if group is HitGroup.SUBMARINES:
        return category(slot) is not Category.AIR
    return group is HitGroup.REST or slot != Unit.SUBMARINE


@dataclass(frozen=True, slots=True)
class CasualtyOrder:
    """An army as numbers: its slots, first lost first, and the count of each.

    `typed`: indexes of the slots in the order typed. `keep_destroyer`, `keep_land`: whether the last of these goes
    after everything else but transports.
    """

    side: Side
    slots: tuple[Slot, ...]
    counts: tuple[int, ...]
    typed: tuple[int, ...]
    keep_destroyer: bool = False
    keep_land: bool = False

    @classmethod
    def of(cls, army: Army, side: Side, casualties: Casualties, enemy: Army, *, must_take: bool = False) -> Self:
        """Put `army` in casualty order; RuleError for fractions and for a slot named twice in an explicit order."""
        counts: dict[Slot, int] = {}
        for group in army.groups:
            require_whole(group)
            counts[group.unit] = int(group.count)
            if group.unit.lives:
                counts[LIFE] = int(group.lives)
        slots = _order(list(counts), side, casualties)
        smart = casualties == "smart"
        return cls(
            side=side,
            slots=slots,
            counts=tuple(counts[slot] for slot in slots),
            typed=tuple(map(slots.index, counts)),
            keep_destroyer=smart and enemy.count(Unit.SUBMARINE) > 0,
            keep_land=smart and must_take and side is Side.ATTACKER,
        )

    @property
    def hits(self) -> int:
        """Number of hits that destroy the whole army."""
        return sum(self.counts)

    @property
    def chances(self) -> tuple[float, ...]:
        """Each slot's chance to hit; 0 for lives."""
        return tuple(slot.score(self.side) / 6 if isinstance(slot, Unit) else 0.0 for slot in self.slots)

    @property
    def shooters(self) -> int:
        """Number of units that can hit at all."""
        return sum(count for count, chance in zip(self.counts, self.chances, strict=True) if chance > 0)

    def next_loss(self, counts: Sequence[int], group: HitGroup) -> tuple[int, int] | None:
        """Return the slot that a hit of `group` takes, and how many such hits in a row it takes.

        `counts`: what is left of each slot. None if the hit has no legal target.
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
        # Of the kept units, the destroyer goes first.
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
        """Return the loss at the battleships' turn: damaged ships if there are any, else a life."""
        life = self.slots.index(LIFE)
        damaged = ships - counts[life]
        return (ship, damaged) if damaged else (life, 1)


def require_whole(group: Group) -> None:
    """Raise RuleError if a group has a fraction of a unit."""
    if group.count.denominator != 1 or group.lives.denominator != 1:
        raise RuleError(
            f"Dice need whole units: {group_words(group)} can fight an average battle, "
            "but odds are for whole units only."
        )


def _order(slots: list[Slot], side: Side, casualties: Casualties) -> tuple[Slot, ...]:
    typed = {slot: at for at, slot in enumerate(slots)}

    def rank(slot: Slot) -> tuple[int, ...]:
        unit = slot if isinstance(slot, Unit) else Unit.BATTLESHIP
        score, cost = unit.score(side), unit.cost
        value = (score * cost, score, cost) if casualties == "smart" else (score, cost)
        early = slot == LIFE and casualties in {"lives-first", "smart"}
        return (not early, unit is Unit.TRANSPORT, *value, typed[unit], slot != LIFE)

    ordered = sorted(slots, key=rank)
    if isinstance(casualties, str):
        return tuple(ordered)
    if len(set(casualties)) < len(casualties):
        raise RuleError("Name each unit only once in an order of losses.")
    named = [slot for slot in casualties if slot in typed]
    if LIFE in typed and LIFE not in named and Unit.BATTLESHIP in named:
        named.insert(named.index(Unit.BATTLESHIP), LIFE)
    return tuple(named + [slot for slot in ordered if slot not in named])
