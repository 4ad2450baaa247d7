"""Works out what the slots of an army in casualty order stand for, whatever their counts are: once for each order.

And why a battle is over, as codes.
"""

from functools import lru_cache, reduce
from operator import or_
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.axis_allies.casualties import LIFE_OF, CasualtyOrder, Slot, slot_falls_to
from sim.axis_allies.unit_stats import HitGroup, UnitStats
from sim.axis_allies.units import Category, Unit

GOES_ON = 0
ATTACKER = 1
"""Only the attacker is left."""
DEFENDER = 2
"""Only the defender is left."""
TIE = 3
"""Nobody is left."""
STALEMATE = 4
"""Both are left and neither can ever hit the other."""
RETREAT = 5
"""The attacker has left the battle."""
ROUND_LIMIT = 6
"""Both are left at the round limit."""

Codes = NDArray[np.int8]
"""The codes above."""

Floats = NDArray[np.float64]
"""Chances, probability masses, means."""

Ints = NDArray[np.int64]
"""Counts of units or hits, numbers of armies."""

ArmyNumbers = NDArray[np.uint32]
"""Numbers of armies inside the kernels; unsigned, so that indexing skips the sign check."""

Flags = NDArray[np.bool_]


SUBMARINES, AIR, REST = (group.value for group in HitGroup)
"""Hit groups as plain numbers; a set of groups is a bit mask of 1 << group."""

DESTROYERS, UNITS, EXPOSED = 2, 3, 4
"""Rows of `Layout.worth`, after `SUBMARINES` and `AIR`."""

LAND, IPC = 5, 6
"""More rows of it."""


class Layout(NamedTuple):
    """What each slot stands for.

    `worth[w, k]`: what one of slot k counts, by `SUBMARINES`, `AIR` (planes), `DESTROYERS`, `UNITS`, `EXPOSED` (those
    that are lost without dice once nothing else is left), `LAND` and `IPC`. `kind[k]`: which of `kinds`, those in
    `CasualtyOrder.kinds`, slot k is. `lives[k]`: slot of the lives of ships in slot k, -1 for none. `targets[k]`: the
    groups, as a bit mask, whose hits may take slot k; `fires`: the groups that the army's own hits can belong to.
    """

    worth: Ints
    kinds: tuple[Slot, ...]
    kind: Ints
    lives: Ints
    targets: Ints
    fires: int


def layout_of(order: CasualtyOrder) -> Layout:
    """Return the layout of an order."""
    return order_layout(order.arms, order.slots, order.typed)


@lru_cache(maxsize=1024)
def order_layout(arms: UnitStats, slots: tuple[Slot, ...], typed: tuple[int, ...]) -> Layout:
    """Return the layout of an order with these slots."""
    kinds = tuple(dict.fromkeys(slots[at] for at in typed))
    lives = [LIFE_OF.get(slot) if isinstance(slot, Unit) else None for slot in slots]
    each = [_of_slot(arms, slot) for slot in slots]
    return Layout(
        np.array([worth for worth, _, _ in each], dtype=np.int64).reshape(-1, IPC + 1).T.copy(),
        kinds,
        np.array([kinds.index(slot) for slot in slots], dtype=np.int64),
        np.array([slots.index(life) if life in slots else -1 for life in lives], dtype=np.int64),
        np.array([targets for _, targets, _ in each], dtype=np.int64),
        reduce(or_, (fires for _, _, fires in each), 0),
    )


@lru_cache(maxsize=1024)
def _of_slot(arms: UnitStats, slot: Slot) -> tuple[tuple[int, ...], int, int]:
    """Return a column of `Layout.worth`, nothing for lives, the slot's `targets`, and the groups that it fires in."""
    targets = sum(1 << group for group in HitGroup if slot_falls_to(group, slot))
    if not isinstance(slot, Unit):
        return (0,) * (IPC + 1), targets, 0
    worth = (
        slot is Unit.SUBMARINE,
        slot.category is Category.AIR,
        slot is Unit.DESTROYER,
        1,
        slot in arms.rules.defenceless,
        slot.category is Category.LAND,
        arms.edition.cost(slot),
    )
    fires = 1 << arms.group(slot) if arms.score(slot) else 0
    return worth, targets, fires | (1 << REST if slot is Unit.DESTROYER else 0)
