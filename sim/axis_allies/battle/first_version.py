"""How the first version of these rules placed hits; its battles keep it, to the last hash.

The hits of one fire were placed in three groups, the most restricted first, and a hit was lost if it had no legal
target when its group was placed. A ship always took its life first.
"""

from collections.abc import Mapping, Sequence

from sim.axis_allies.arms import HitGroup
from sim.axis_allies.casualties import LIFE_OF, CasualtyOrder, Slot, slot_falls_to, unit_of
from sim.axis_allies.units import Category, Unit

GroupedHits = tuple[int, int, int]
"""Hits of submarines, of air without a destroyer, and all others."""


def place_in_groups(order: CasualtyOrder, counts: Sequence[int], hits: GroupedHits) -> tuple[int, ...]:
    """Return what is left of `counts` after hits in the casualty order."""
    left = list(counts)
    for group, number in zip(HitGroup, hits, strict=True):
        due = number
        while due and (loss := _next_loss(order, left, group)) is not None:
            at, length = loss
            taken = min(due, length)
            left[at] -= taken
            due -= taken
    return tuple(left)


def _next_loss(order: CasualtyOrder, left: Sequence[int], group: HitGroup) -> tuple[int, int] | None:
    """Return the slot that a hit takes, and how many such hits in a row it takes."""
    for at, slot in enumerate(order.slots):
        if not left[at] or not slot_falls_to(group, slot):
            continue
        life = LIFE_OF.get(slot) if isinstance(slot, Unit) else None
        if life not in order.slots:
            return at, left[at]
        whole = order.slots.index(life)
        damaged = left[at] - left[whole]
        return (at, damaged) if damaged else (whole, 1)
    return None


def may_fall_in_groups(hits: GroupedHits, left: Mapping[Slot, int], lost: Mapping[Slot, int]) -> bool:
    """Return whether hits placed one by one, each on a legal target, can cause these losses.

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
