"""Placement of hits: by a method, exactly as in the odds, or by a player's choice under the same rules.

The hits of one fire are shared so that as many as possible take effect (.docs/rules/axis_allies.md, "Hits").
Within that a player may choose any legal target for each.

Battles of the first version of these rules keep its way, to the last hash: the hits of one fire were placed in three
groups, the most restricted first, and a hit was lost if it had no legal target when its group was placed. A ship always
took its life first.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

from sim.axis_allies.army import Army, Group
from sim.axis_allies.battle import Hits, Loss, Losses
from sim.axis_allies.casualties import LIFE_OF, CasualtyOrder, Slot, unit_of, without
from sim.axis_allies.unit_stats import HitGroup, may_fall_on
from sim.axis_allies.units import Category, Unit
from sim.core.battle import IllegalActionError
from sim.core.numbers import quantity


@dataclass(frozen=True, slots=True)
class HitPlacement:
    """What is left of a side, in casualty order; `in_groups`: hits are placed as the first version of the rules did."""

    order: CasualtyOrder
    in_groups: bool = False

    @property
    def left(self) -> dict[Slot, int]:
        """What is left of each kind, first lost first."""
        return self.order.kinds_of(self.order.counts)

    def by_method(self, hits: Hits) -> Losses:
        """Return the losses to `hits` in casualty order."""
        order, groups = self.order, (hits.submarines, hits.air, hits.rest)
        if hits.planes:
            after = without(order.counts, order.slots_in(Category.AIR), hits.planes)
        elif self.in_groups:
            after = _place_in_groups(order, groups)
        else:
            after = order.place(order.counts, *groups)
        left = order.kinds_of(after)
        lost = {slot: count - left[slot] for slot, count in self.left.items()}
        for ship, life in LIFE_OF.items():
            if not self.in_groups and life in lost and order.slots.index(ship) < order.slots.index(life):
                del lost[life]  # as the order has it, it is lost only together with a whole ship
        return self._losses(lost)

    def by_choice(self, hits: Hits, losses: Losses) -> Losses:
        """Return a player's choice in the order of the army; IllegalActionError if the rules don't allow it."""
        chosen = {loss.slot: loss.count for loss in losses}
        if len(chosen) < len(losses):
            raise IllegalActionError("Name each unit only once.")
        for slot, count in chosen.items():
            here = self.left.get(slot, 0)
            if count > here:
                raise IllegalActionError(
                    f"You can't lose {loss_text(slot, count)}: you have {f'only {here}' if here else 'none'}."
                )
        if not self._ships_fit(chosen):
            raise IllegalActionError("An undamaged ship takes a hit first: damage it before you lose it.")
        if not self._possible(hits, chosen):
            due, number = self._due(hits), sum(chosen.values())
            if number != due:
                raise IllegalActionError(f"You must take {quantity(due, 'loss', 'losses')}, not {number}.")
            if hits.planes:
                raise IllegalActionError("Antiaircraft guns hit planes only.")
            raise IllegalActionError(
                "These hits can't fall like that: submarines never hit aircraft, "
                "and aircraft without a destroyer never hit submarines."
            )
        return self._losses(chosen)

    def has_choice(self, hits: Hits) -> bool:
        """Return whether there is more than one way to place `hits`."""
        losses = {loss.slot: loss.count for loss in self.by_method(hits)}
        left = self.left
        for less, more in permutations((None, *left), 2):  # the losses that differ by one unit
            other = {slot: losses.get(slot, 0) - (slot == less) + (slot == more) for slot in left}
            fits = all(0 <= count <= left[slot] for slot, count in other.items())
            if fits and self._ships_fit(other) and self._possible(hits, other):
                return True
        return False

    def _ships_fit(self, lost: Mapping[Slot, int]) -> bool:
        """Return whether every lost ship had lost its life."""
        left = {slot: count - lost.get(slot, 0) for slot, count in self.left.items()}
        return all(left.get(life, 0) <= left.get(ship, 0) for ship, life in LIFE_OF.items())

    def _possible(self, hits: Hits, lost: Mapping[Slot, int]) -> bool:
        """Return whether these losses share the hits so that as many as possible take effect."""
        if self.in_groups:
            return _may_fall_in_groups((hits.submarines, hits.air, hits.rest), self.left, lost)
        wet, high, others = _kinds(lost)
        total = wet + high + others
        return (
            wet <= hits.submarines + hits.rest
            and high <= hits.air + hits.rest + hits.planes
            and total - high <= hits.total - hits.planes
            and total == self._due(hits)
        )

    def _due(self, hits: Hits) -> int:
        return sum(loss.count for loss in self.by_method(hits))

    def _losses(self, lost: Mapping[Slot, int]) -> Losses:
        return tuple(Loss(slot=slot, count=lost[slot]) for slot in self.order.kinds if lost.get(slot))


def _place_in_groups(order: CasualtyOrder, hits: tuple[int, int, int]) -> tuple[int, ...]:
    """Return what is left of an army after hits of each group in the casualty order."""
    left = list(order.counts)
    for group, number in zip(HitGroup, hits, strict=True):
        targets = [at for at, slot in enumerate(order.slots) if may_fall_on(group, unit_of(slot))]
        for _ in range(number):
            at = next(filter(left.__getitem__, targets), None)
            if at is None:
                break
            life = order.life(at)
            left[at if life is None or left[at] > left[life] else life] -= 1
    return tuple(left)


def _may_fall_in_groups(hits: tuple[int, int, int], left: Mapping[Slot, int], lost: Mapping[Slot, int]) -> bool:
    """Return whether hits of each group placed one by one, each on a legal target, can cause these losses.

    There are three kinds of targets: submarines, which air can't hit, aircraft, which submarines can't hit, and the
    others. The more others the submarines' hits take, the fewer targets are left for air.
    """
    submarines, air, rest = hits
    wet, high, others = _kinds(left)
    lost_wet, lost_high, lost_others = _kinds(lost)
    by_submarines = min(submarines, wet + others)
    for on_others in range(min(by_submarines, lost_others) + 1):
        on_wet = by_submarines - on_others
        by_air = min(air, high + others - on_others)
        by_rest = min(rest, wet + high + others - by_submarines - by_air)
        if (
            on_wet <= lost_wet
            and max(0, by_air - lost_high) <= min(by_air, lost_others - on_others)
            and by_submarines + by_air + by_rest == sum(lost.values())
        ):
            return True
    return False


def _kinds(counts: Mapping[Slot, int]) -> tuple[int, int, int]:
    """Sum counts by submarines, aircraft and all others."""
    wet = counts.get(Unit.SUBMARINE, 0)
    high = sum(count for slot, count in counts.items() if unit_of(slot).category is Category.AIR)
    return wet, high, sum(counts.values()) - wet - high


def remove_losses(army: Army, losses: Losses) -> Army:
    """Return `army` without `losses`."""
    lost: Mapping[Slot, int] = {loss.slot: loss.count for loss in losses}
    groups = []
    for group in army.groups:
        count = group.count - lost.get(group.unit, 0)
        lives = group.lives - (lost.get(LIFE_OF[group.unit], 0) if group.unit in LIFE_OF else 0)
        if count:
            groups.append(Group(unit=group.unit, count=Fraction(count), lives=min(Fraction(lives), Fraction(count))))
    return army.with_groups(groups)


def loss_text(slot: Slot, count: int) -> str:
    """Return the text of losses of one slot: `2 tanks`, `1 battleship hit point`."""
    if isinstance(slot, Unit):
        return f"{count} {slot.named(str(count))}"
    return f"{count} {slot.unit} hit {'point' if count == 1 else 'points'}"
