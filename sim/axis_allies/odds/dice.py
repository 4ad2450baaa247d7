"""The dice that an army throws, for every army a side can come to: whole units, pair bonuses and technologies."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from sim.axis_allies.arms import DIE, HitGroup, Weapon, arms_of
from sim.axis_allies.casualties import CasualtyOrder
from sim.axis_allies.odds.layout import Floats, Ints
from sim.axis_allies.units import Unit
from sim.core.kernels import kernel
from sim.core.values import Side

_GROUPS = len(HitGroup)


class DiceOf(NamedTuple):
    """`counts[s, g, v]`: dice of kind v whose hits are of group g that army s throws.

    `chances[v]`: the chance that a die of kind v hits; `values[v]`: its value, for low luck.
    """

    counts: Ints
    chances: Floats
    values: Ints


class _Throws(NamedTuple):
    """What the units of an army throw, whatever their numbers are.

    `own[u]`: how many dice unit u throws, their kind, and the group of their hits. `by[i, u]`: 1 if unit u gives pair
    bonus i. `steps`: bonus, unit that gets it, and kind of its die, the first to get it first.
    """

    own: Ints
    by: Ints
    steps: Ints
    chances: Floats
    values: Ints


def dice_of(order: CasualtyOrder, armies: Ints) -> DiceOf:
    """Return the dice of armies; `armies[s, k]`: units of slot k in army s."""
    units = tuple(dict.fromkeys(slot for slot in map(order.slots.__getitem__, order.typed) if isinstance(slot, Unit)))
    throws = _throws(order.arms.edition.name, order.side, order.arms.technology, units)
    of_slots = np.array([units.index(slot) if isinstance(slot, Unit) else -1 for slot in order.slots], dtype=np.int64)
    counts = count_dice(armies, of_slots, throws.own, throws.by, throws.steps, len(throws.chances))
    return DiceOf(counts, throws.chances, throws.values)


@lru_cache(maxsize=1024)
def _throws(edition: str, side: Side, technology: tuple[str, ...], units: tuple[Unit, ...]) -> _Throws:
    arms = arms_of(edition, side, technology)
    bonuses = [
        (at, unit, Weapon(lift.to)) for at, lift in enumerate(arms.lifts) for unit in lift.lifts if unit in units
    ]
    armed = [arms.weapons[unit] for unit in units if arms.weapons[unit].value]
    kinds = list(dict.fromkeys([*(weapon for _, _, weapon in bonuses), *armed])) or [Weapon(0)]
    own = [
        (weapon.dice, kinds.index(weapon), arms.group(unit)) if weapon.value else (0, 0, 0)
        for unit, weapon in ((unit, arms.weapons[unit]) for unit in units)
    ]
    steps = [(at, units.index(unit), kinds.index(weapon)) for at, unit, weapon in bonuses]
    return _Throws(
        np.array(own, dtype=np.int64).reshape(-1, 3),
        np.array([[unit in lift.by for unit in units] for lift in arms.lifts], dtype=np.int64).reshape(
            len(arms.lifts), len(units)
        ),
        np.array(steps, dtype=np.int64).reshape(-1, 3),
        np.array([weapon.chance for weapon in kinds]),
        np.array([weapon.value for weapon in kinds], dtype=np.int64),
    )


@kernel
def count_dice(armies: Ints, units: Ints, own: Ints, by: Ints, steps: Ints, kinds: int) -> Ints:
    """Return `counts` of `DiceOf`; `units[k]`: number of the unit in slot k, -1 for lives; the rest as in `_Throws`."""
    counts = np.zeros((len(armies), _GROUPS, kinds), np.int64)
    there, free = np.zeros(len(own), np.int64), np.zeros(len(by), np.int64)
    for army in range(len(armies)):
        there[:] = 0
        for slot in range(len(units)):
            if units[slot] >= 0:
                there[units[slot]] += armies[army, slot]
        # A unit that lifts may be lifted itself, so all of its kind count.
        free[:] = 0
        for lift in range(len(by)):
            for unit in range(len(own)):
                free[lift] += by[lift, unit] * there[unit]
        for step in range(len(steps)):
            lift, unit, kind = steps[step]
            pairs = min(free[lift], there[unit])
            free[lift] -= pairs
            there[unit] -= pairs
            counts[army, own[unit, 2], kind] += pairs
        for unit in range(len(own)):
            counts[army, own[unit, 2], own[unit, 1]] += there[unit] * own[unit, 0]
    return counts


def reinforced(dice: DiceOf, armies: Ints, ships: Sequence[Weapon]) -> DiceOf:
    """Return the dice if ships fire with some of the armies."""
    weapons = Counter(ships)
    size, groups, kinds = dice.counts.shape
    counts = np.zeros((size, groups, kinds + len(weapons)), np.int64)
    counts[:, :, :kinds] = dice.counts
    for kind, count in enumerate(weapons.values(), kinds):
        counts[armies, HitGroup.REST, kind] = count
    return DiceOf(
        counts,
        np.array(dice.chances.tolist() + [weapon.chance for weapon in weapons]),
        np.array(dice.values.tolist() + [weapon.value for weapon in weapons], dtype=np.int64),
    )


def low_luck(total: int) -> tuple[int, float]:
    """Return the sure hits of dice whose values add up to `total`, and the chance of one more."""
    return total // DIE, total % DIE / DIE
