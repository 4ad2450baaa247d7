"""Placement of hits: by a method, exactly as in the odds, or by a player's choice under the same rules.

Hits are placed in three groups, most restricted first. Within a group a player may choose any legal target for each
hit; a hit is wasted only if no target is left at its turn (rules page, "The dice battle").
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from sim.axis_allies.army import Army, Group
from sim.axis_allies.battle.values import Hits, Loss, Losses
from sim.axis_allies.casualties import LIFE_OF, CasualtyOrder, Slot, unit_of
from sim.axis_allies.units import Category, Unit
from sim.core.battle import IllegalActionError


@dataclass(frozen=True, slots=True)
class HitPlacement:
    """What is left of a side, by slot, and its casualty order."""

    order: CasualtyOrder
    left: tuple[int, ...]

    @classmethod
    def of(cls, order: CasualtyOrder, army: Army) -> "HitPlacement":
        """Return the placement for `army`, what is left of the order's army."""
        return cls(order, order.placed(army))

    def by_method(self, hits: Hits) -> Losses:
        """Return the losses to `hits` in casualty order."""
        left = self.order.place(self.left, hits.submarines, hits.air, hits.rest)
        return self._losses(before - after for before, after in zip(self.left, left, strict=True))

    def by_choice(self, hits: Hits, losses: Losses) -> Losses:
        """Return a player's choice in the order of the army; IllegalActionError if the rules don't allow it."""
        chosen = {loss.slot: loss.count for loss in losses}
        if len(chosen) < len(losses):
            raise IllegalActionError("Name each unit only once.")
        for slot, count in chosen.items():
            here = self.left[self.order.slots.index(slot)] if slot in self.order.slots else 0
            if count > here:
                raise IllegalActionError(
                    f"You can't lose {loss_text(slot, count)}: you have {f'only {here}' if here else 'none'}."
                )
        lost = tuple(chosen.get(slot, 0) for slot in self.order.slots)
        if not self._ships_fit(lost):
            raise IllegalActionError("An undamaged ship takes a hit first: damage it before you lose it.")
        if not self._possible(hits, lost):
            raise IllegalActionError(self._why_not(hits, sum(lost)))
        return self._losses(lost)

    def has_choice(self, hits: Hits) -> bool:
        """Return whether there is more than one way to place `hits`."""
        losses = {loss.slot: loss.count for loss in self.by_method(hits)}
        lost = [losses.get(slot, 0) for slot in self.order.slots]
        return any(self._legal(hits, other) for other in _neighbours(lost))

    def _legal(self, hits: Hits, lost: Sequence[int]) -> bool:
        fits = all(0 <= count <= here for count, here in zip(lost, self.left, strict=True))
        return fits and self._ships_fit(lost) and self._possible(hits, lost)

    def _ships_fit(self, lost: Sequence[int]) -> bool:
        """Return whether every lost battleship had lost its life."""
        left = {slot: self.left[at] - lost[at] for at, slot in enumerate(self.order.slots)}
        return all(left.get(life, 0) <= left.get(ship, 0) for ship, life in LIFE_OF.items())

    def _possible(self, hits: Hits, lost: Sequence[int]) -> bool:
        """Return whether these losses share the hits so that as many as possible take effect."""
        wet, high, _ = self._kinds(lost)
        return (
            wet <= hits.submarines + hits.rest
            and high <= hits.air + hits.rest
            and sum(lost) == sum(loss.count for loss in self.by_method(hits))
        )

    def _kinds(self, counts: Sequence[int]) -> tuple[int, int, int]:
        """Sum `counts` by submarines, aircraft and all others."""
        by_kind = [0, 0, 0]
        for slot, count in zip(self.order.slots, counts, strict=True):
            by_kind[0 if slot == Unit.SUBMARINE else 1 if unit_of(slot).category is Category.AIR else 2] += count
        return by_kind[0], by_kind[1], by_kind[2]

    def _why_not(self, hits: Hits, chosen: int) -> str:
        due = sum(loss.count for loss in self.by_method(hits))
        if chosen != due:
            return f"You must take {'1 loss' if due == 1 else f'{due} losses'}, not {chosen}."
        return (
            "These hits can't fall like that: submarines never hit aircraft, "
            "and aircraft without a destroyer never hit submarines."
        )

    def _losses(self, lost: Iterator[int] | Sequence[int]) -> Losses:
        by_slot = list(lost)
        lost_of: dict[Slot, int] = {}
        for at in self.order.typed:
            lost_of[self.order.slots[at]] = lost_of.get(self.order.slots[at], 0) + by_slot[at]
        return tuple(Loss(slot=slot, count=count) for slot, count in lost_of.items() if count)


def _neighbours(lost: Sequence[int]) -> Iterator[list[int]]:
    """Yield the losses that differ by one unit."""
    for less, more in product(range(-1, len(lost)), repeat=2):
        if less != more:
            other = list(lost)
            if less >= 0:
                other[less] -= 1
            if more >= 0:
                other[more] += 1
            yield other


def remove_losses(army: Army, losses: Losses) -> Army:
    """Return `army` without `losses`."""
    lost: Mapping[Slot, int] = {loss.slot: loss.count for loss in losses}
    groups = []
    for group in army.groups:
        count = group.count - lost.get(group.unit, 0)
        lives = group.lives - (lost.get(LIFE_OF[group.unit], 0) if group.unit in LIFE_OF else 0)
        if count:
            groups.append(Group(unit=group.unit, count=Fraction(count), lives=Fraction(lives)))
    return army.with_groups(groups)


def loss_text(slot: Slot, count: int) -> str:
    """Return the text of losses of one slot: `2 tanks`, `1 battleship hit point`."""
    if isinstance(slot, Unit):
        return f"{count} {slot.named(str(count))}"
    return f"{count} {slot.unit} hit {'point' if count == 1 else 'points'}"
