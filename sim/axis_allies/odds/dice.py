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
    units = _by_unit(order.slots, armies)
    plain = dict(units)
    thrown: list[tuple[Unit, Weapon, Ints]] = []
    for lift in arms.lifts:
        if not any(unit in plain for unit in lift.lifts):
            continue
        # A unit that lifts may be lifted itself, so all of its kind count.
        free = sum((units[unit] for unit in lift.by if unit in units), np.int64(0))
        for unit in lift.lifts:
            if unit in plain:
                pairs = np.minimum(free, plain[unit])
                plain[unit] = plain[unit] - pairs
                free = free - pairs
                thrown.append((unit, Weapon(lift.to), pairs))
    thrown += [(unit, arms.weapons[unit], left) for unit, left in plain.items()]
    thrown = [(unit, weapon, throwers) for unit, weapon, throwers in thrown if weapon.value]
    weapons = list(dict.fromkeys(weapon for _, weapon, _ in thrown)) or [Weapon(0)]
    kinds = np.zeros((len(thrown), len(HitGroup), len(weapons)), np.int64)
    for at, (unit, weapon, _) in enumerate(thrown):
        kinds[at, arms.group(unit), weapons.index(weapon)] = weapon.dice
    throwers = np.array([each for _, _, each in thrown], dtype=np.int64).reshape(len(thrown), len(armies))
    return DiceOf(
        (throwers.T @ kinds.reshape(len(thrown), len(HitGroup) * len(weapons))).reshape(-1, *kinds.shape[1:]),
        np.array([weapon.chance for weapon in weapons]),
        np.array([weapon.value for weapon in weapons], dtype=np.int64),
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
