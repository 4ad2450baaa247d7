"""The dice that an army throws, for every army a side can come to: whole units, pair bonuses and technologies."""

from typing import NamedTuple

import numpy as np

from sim.axis_allies.arms import DIE, HitGroup, Weapon
from sim.axis_allies.casualties import CasualtyOrder, Slot
from sim.axis_allies.odds.codes import Floats, Ints
from sim.axis_allies.units import Unit


class DiceOf(NamedTuple):
    """`counts[s, g, v]`: dice of kind v whose hits are of group g that army s throws.

    `chances[v]`: the chance that a die of kind v hits; `values[v]`: its value, for low luck.
    """

    counts: Ints
    chances: Floats
    values: Ints


def dice_of(order: CasualtyOrder, armies: Ints) -> DiceOf:
    """Return the dice of armies; `armies[s, k]`: units of slot k in army s."""
    arms = order.arms
    weapons: list[Weapon] = []
    thrown: list[tuple[int, int, Ints]] = []

    def add(unit: Unit, weapon: Weapon, units: Ints) -> None:
        if weapon.value:
            if weapon not in weapons:
                weapons.append(weapon)
            thrown.append((int(arms.group(unit)), weapons.index(weapon), units * weapon.dice))

    plain = _by_unit(order.slots, armies)
    for lift in arms.lifts:
        if not any(unit in plain for unit in lift.lifts):
            continue
        # A unit that lifts may be lifted itself, so all of its kind count.
        free = sum((_by_unit(order.slots, armies)[unit] for unit in lift.by if unit in plain), np.int64(0))
        for unit in lift.lifts:
            if unit in plain:
                pairs = np.minimum(free, plain[unit])
                plain[unit] = plain[unit] - pairs
                free = free - pairs
                add(unit, Weapon(lift.to), pairs)
    for unit, units in plain.items():
        add(unit, arms.weapons[unit], units)
    counts = np.zeros((len(armies), len(HitGroup), max(1, len(weapons))), np.int64)
    for group, kind, dice in thrown:
        counts[:, group, kind] += dice
    known = weapons or [Weapon(0)]
    return DiceOf(
        counts,
        np.array([weapon.chance for weapon in known]),
        np.array([weapon.value for weapon in known], dtype=np.int64),
    )


def _by_unit(slots: tuple[Slot, ...], armies: Ints) -> dict[Unit, Ints]:
    units: dict[Unit, Ints] = {}
    for at, slot in enumerate(slots):
        if isinstance(slot, Unit):
            units[slot] = units[slot] + armies[:, at] if slot in units else armies[:, at]
    return units


def low_luck(total: int) -> tuple[int, float]:
    """Return the sure hits of dice whose values add up to `total`, and the chance of one more."""
    return total // DIE, total % DIE / DIE
