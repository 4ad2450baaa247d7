"""Works out what the slots of an army in casualty order stand for, whatever their counts are: once for each order.

And why a battle is over with a pair of armies, as codes, and lists of such pairs with their chances.

A side's `standing` is its totals, see `Armies`, with four rows more: `FIRES` and `SUFFERS`, the hit groups, as bit
masks, that an army fires in and that it has targets for; `ENDS`, whether the attacker leaves because of it; and
`FIGHTS`, whether with it, if the enemy fights, too, the battle goes on as long as anybody can hit.
"""

from functools import lru_cache, reduce
from operator import or_
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.axis_allies.casualties import LIFE_OF, CasualtyOrder, Slot, unit_of
from sim.axis_allies.odds_report import unit_key
from sim.axis_allies.unit_stats import HitGroup, UnitStats, Weapon, may_fall_on
from sim.axis_allies.units import Category, Unit
from sim.core.kernels import copy, kernel, woven

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


class Throws(NamedTuple):
    """What the units of an army throw, whatever their numbers are.

    `own[u]`: how many dice a unit of kind u throws, their kind, and the group of their hits. `by[i, u]`: 1 if it gives
    pair bonus i. `steps`: bonus, unit that gets it, and kind of its die, the first to get it first. `chances[v]`: the
    chance that a die of kind v hits; `values[v]`: its value, for low luck.
    """

    own: Ints
    by: Ints
    steps: Ints
    chances: Floats
    values: Ints


class Layout(NamedTuple):
    """What each slot stands for.

    `worth[w, k]`: what one of slot k counts, by `SUBMARINES`, `AIR` (planes), `DESTROYERS`, `UNITS`, `EXPOSED` (those
    that are lost without dice once nothing else is left), `LAND` and `IPC`. `kind[k]`: which of the kinds, those in
    `CasualtyOrder.kinds`, slot k is. `lives[k]`: slot of the lives of ships in slot k, -1 for none. `targets[k]`: the
    groups, as a bit mask, whose hits may take slot k; `fires`: the groups that the army's own hits can belong to.
    `throws`: of the kinds; `keys`: theirs in reports.
    """

    worth: Ints
    kind: Ints
    lives: Ints
    targets: Ints
    fires: int
    throws: Throws
    keys: tuple[str, ...]


def layout_of(order: CasualtyOrder) -> Layout:
    """Return the layout of an order."""
    return _layout(order.arms, order.slots, order.typed)


@lru_cache(maxsize=1024)
def _layout(arms: UnitStats, slots: tuple[Slot, ...], typed: tuple[int, ...]) -> Layout:
    kinds = tuple(dict.fromkeys(slots[at] for at in typed))
    lives = [LIFE_OF.get(slot) if isinstance(slot, Unit) else None for slot in slots]
    each = [_of_slot(arms, slot) for slot in slots]
    return Layout(
        np.array([worth for worth, _, _ in each], dtype=np.int64).reshape(-1, IPC + 1).T.copy(),
        np.array([kinds.index(slot) for slot in slots], dtype=np.int64),
        np.array([slots.index(life) if life in slots else -1 for life in lives], dtype=np.int64),
        np.array([targets for _, targets, _ in each], dtype=np.int64),
        reduce(or_, (fires for _, _, fires in each), 0),
        _throws(arms, kinds),
        tuple(map(unit_key, kinds)),
    )


def _throws(arms: UnitStats, units: tuple[Slot, ...]) -> Throws:
    """Return what units throw; lives throw nothing."""
    bonuses = [
        (at, unit, Weapon(lift.to)) for at, lift in enumerate(arms.lifts) for unit in lift.lifts if unit in units
    ]
    weapons = [arms.weapons[slot] if isinstance(slot, Unit) else Weapon(0) for slot in units]
    armed = [weapon for weapon in weapons if weapon.value]
    kinds = list(dict.fromkeys([*(weapon for _, _, weapon in bonuses), *armed])) or [Weapon(0)]
    own = [
        (weapon.dice, kinds.index(weapon), arms.group(unit_of(slot))) if weapon.value else (0, 0, 0)
        for slot, weapon in zip(units, weapons, strict=True)
    ]
    steps = [(at, units.index(unit), kinds.index(weapon)) for at, unit, weapon in bonuses]
    return Throws(
        np.array(own, dtype=np.int64).reshape(-1, 3),
        np.array([[unit in lift.by for unit in units] for lift in arms.lifts], dtype=np.int64).reshape(
            len(arms.lifts), len(units)
        ),
        np.array(steps, dtype=np.int64).reshape(-1, 3),
        np.array([weapon.chance for weapon in kinds]),
        np.array([weapon.value for weapon in kinds], dtype=np.int64),
    )


@lru_cache(maxsize=1024)
def _of_slot(arms: UnitStats, slot: Slot) -> tuple[tuple[int, ...], int, int]:
    """Return a column of `Layout.worth`, nothing for lives, the slot's `targets`, and the groups that it fires in."""
    targets = sum(1 << group for group in HitGroup if may_fall_on(group, unit_of(slot)))
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


FIRES, SUFFERS, ENDS, FIGHTS = range(IPC + 1, IPC + 5)


class Pairs(NamedTuple):
    """Pairs of armies, in the order of the attacker's: both numbers, the chance of each, and its code."""

    rows: Ints
    columns: Ints
    chances: Floats
    codes: Codes

    def sum_of(self, code: int) -> float:
        """Return the sum of the chances with a code."""
        return float(self.chances[self.codes == code].sum())


Results = tuple[tuple[Ints, Ints, Floats, Codes], float]
"""The fields of `Pairs`, and the mean number of rounds."""


@kernel
def standing(dice: Ints, totals: Ints, ends: Flags) -> Ints:
    """Return a side's standing from its dice; `ends[s]`: whether the attacker leaves with, or before, army s."""
    table = np.empty((FIGHTS + 1, len(dice)), np.int64)
    for row in range(len(totals)):
        copy(totals[row], table[row])
    for army in range(len(dice)):
        fires, units = 0, totals[UNITS, army]
        for group in range(dice.shape[1]):
            for kind in range(dice.shape[2]):
                if dice[army, group, kind] > 0:
                    fires |= 1 << (REST if group == AIR and totals[DESTROYERS, army] > 0 else group)
        suffers = 1 << SUBMARINES if units > totals[AIR, army] else 0
        suffers |= 1 << AIR if units > totals[SUBMARINES, army] else 0
        suffers |= 1 << REST if units > 0 else 0
        table[FIRES, army], table[SUFFERS, army], table[ENDS, army] = fires, suffers, ends[army]
        special = totals[EXPOSED, army] == units or totals[AIR, army] == units or _is_bare(totals, army)
        table[FIGHTS, army] = units > 0 and not (ends[army] or special)
    return table


@woven
def code_of(here: Ints, a: int, there: Ints, d: int) -> int:
    """Return the code of the attacking army a and the defending army d."""
    own, enemy = here[UNITS, a], there[UNITS, d]
    if own == 0 or enemy == 0:
        return ATTACKER if own > 0 else DEFENDER if enemy > 0 else TIE
    hits, is_hit = here[FIRES, a] & there[SUFFERS, d] != 0, there[FIRES, d] & here[SUFFERS, a] != 0
    if hits and there[EXPOSED, d] == enemy:
        return ATTACKER
    if is_hit and here[EXPOSED, a] == own:
        return DEFENDER
    if here[ENDS, a] or there[ENDS, d]:
        return RETREAT
    in_vain = here[FIRES, a] >> AIR & 1 and here[AIR, a] == own and _is_bare(there, d)
    return STALEMATE if in_vain or not (hits or is_hit) else GOES_ON


@woven
def _is_bare(totals: Ints, army: int) -> bool:
    """Return whether transports beside nothing but submarines, under planes alone, leave nothing to hit for anybody."""
    below, exposed = totals[SUBMARINES, army], totals[EXPOSED, army]
    return bool(below > 0 and exposed > 0 and below + exposed == totals[UNITS, army])


@kernel
def codes_of(here: Ints, there: Ints, rows: Ints, columns: Ints) -> Codes:
    """Return the codes of pairs of armies."""
    codes = np.empty(len(rows), np.int8)
    for at in range(len(rows)):
        codes[at] = code_of(here, rows[at], there, columns[at])
    return codes


@kernel
def code_table(here: Ints, there: Ints) -> Codes:
    """Return the codes of all pairs of armies."""
    codes = np.full((here.shape[1], there.shape[1]), np.int8(GOES_ON))
    for a in range(len(codes)):
        for d in range(codes.shape[1]):
            somebody = (here[FIRES, a] & there[SUFFERS, d]) | (there[FIRES, d] & here[SUFFERS, a])
            if not (somebody and here[FIGHTS, a] & there[FIGHTS, d]):  # most pairs go on
                codes[a, d] = code_of(here, a, there, d)
    return codes


@woven
def _sinks(here: Ints, a: int, there: Ints, d: int, code: int) -> bool:
    """Return whether planes that end a battle alone sink the defender's transports, beside nothing but submarines."""
    undecided = (code == STALEMATE) | (code == RETREAT)
    alone = (here[UNITS, a] > 0) & (here[AIR, a] == here[UNITS, a])
    return bool(undecided & alone & _is_bare(there, d))


@kernel
def unprotected(here: Ints, there: Ints, rows: Ints, columns: Ints, codes: Codes) -> tuple[Flags, Flags]:
    """Return in which results the attacker's and the defender's defenceless units are lost without dice.

    `here`, `there`: both sides' totals.
    """
    lost_a, lost_d = np.empty(len(rows), np.bool_), np.empty(len(rows), np.bool_)
    for at in range(len(rows)):
        a, d, code = rows[at], columns[at], codes[at]
        alone_a = here[EXPOSED, a] > 0 and here[EXPOSED, a] == here[UNITS, a]
        alone_d = there[EXPOSED, d] > 0 and there[EXPOSED, d] == there[UNITS, d]
        lost_a[at] = code == DEFENDER and alone_a
        lost_d[at] = (code == ATTACKER and alone_d) or _sinks(here, a, there, d, code)
    return lost_a, lost_d


@kernel
def course_row(here: Ints, there: Ints, rows: Ints, columns: Ints, chances: Floats, codes: Codes) -> Floats:
    """Return the chance that the battle goes on, and the attacker's and the defender's mean number of units.

    `here`, `there`: both sides' totals. Where a side has won, the other has at most units that are lost without dice.
    """
    row = np.zeros(3)
    for at in range(len(rows)):
        a, d, chance, code = rows[at], columns[at], chances[at], codes[at]
        row[0] += chance if code == GOES_ON else 0.0
        row[1] += chance * here[UNITS, a] if code != DEFENDER else 0.0
        if code != ATTACKER:
            sunk = there[EXPOSED, d] if _sinks(here, a, there, d, code) else 0
            row[2] += chance * (there[UNITS, d] - sunk)
    return row


@kernel
def listed(table: Floats, over: Codes, settle: bool) -> Results:
    """Return the fields of `Pairs` of a table of chances, with `settle` only those with which the battle is over.

    Last comes the sum of the others, the rounds that begin.
    """
    rounds, size = 0.0, 0
    for a in range(len(table)):
        for d in range(table.shape[1]):
            if table[a, d] != 0.0:
                if settle and over[a, d] == GOES_ON:
                    rounds += table[a, d]
                else:
                    size += 1
    rows, columns = np.empty(size, np.int64), np.empty(size, np.int64)
    chances, codes = np.empty(size), np.empty(size, np.int8)
    found = 0
    for a in range(len(table)):
        for d in range(table.shape[1]):
            if table[a, d] != 0.0 and not (settle and over[a, d] == GOES_ON):
                rows[found], columns[found], chances[found], codes[found] = a, d, table[a, d], over[a, d]
                found += 1
    return (rows, columns, chances, codes), rounds
