"""One side of a battle as arrays: every army it can come to, numbered.

A `Chain` is a side whose losses have a single order; a `Graph` has a successor for each hit group; a `Fleet` is a graph
prepared for the kernels.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import NamedTuple

import numpy as np
from numba import njit

from sim.axis_allies.casualties import LIFE, CasualtyOrder, HitGroup, Slot, hit_group, may_fall_on
from sim.axis_allies.odds.codes import ATTACKER, DEFENDER, RETREAT, STALEMATE, TIE, ArmyNumbers, Codes, Floats, Ints
from sim.axis_allies.odds.hit_distribution import NEGLIGIBLE
from sim.axis_allies.units import Unit
from sim.core.errors import TooMuchError

SUBMARINES, AIR, REST = 0, 1, 2
"""Hit groups as in `HitGroup`; a set of groups is a bit mask of 1 << group."""

DESTROYERS, UNITS = 2, 3
"""Columns of `Fleet.has`, after `SUBMARINES` and `AIR`."""


@dataclass(frozen=True, slots=True)
class Chain:
    """A side that loses its units in a single order; army i is what is left after i hits.

    `counts[i, k]`: units of slot k left. `chances[i]`: chance to hit of the unit that hit i takes.
    """

    order: CasualtyOrder
    counts: Ints
    chances: Floats


@dataclass(frozen=True, slots=True)
class Graph:
    """A side with a successor for each hit group; losses lead to higher numbers.

    `counts[s, k]`: units of slot k in army s. `successor[g, s]`: army after a hit of group g on army s, s itself if no
    unit may take it.
    """

    order: CasualtyOrder
    counts: Ints
    successor: Ints

    @property
    def chances(self) -> Floats:
        """The chance to hit of one unit of each slot."""
        return np.array(self.order.chances, dtype=np.float64)

    @property
    def groups(self) -> Ints:
        """The hit group of each slot, -1 for lives."""
        return np.array([-1 if slot == LIFE else hit_group(slot) for slot in self.order.slots], dtype=np.int64)

    @property
    def destroyer(self) -> int:
        """The destroyers' slot, -1 if there is none."""
        slots = self.order.slots
        return slots.index(Unit.DESTROYER) if Unit.DESTROYER in slots else -1


def build_chain(order: CasualtyOrder) -> Chain:
    """Build the chain of an army for hits that may take any of it."""
    taken = loss_line(order)
    counts = np.tile(np.array(order.counts, dtype=np.int64), (len(taken) + 1, 1))
    for slot in range(len(order.slots)):
        counts[1:, slot] -= np.cumsum(taken == slot)
    return Chain(order, counts, np.array(order.chances)[taken])


def loss_line(order: CasualtyOrder) -> Ints:
    """Return the slot that each hit takes if hits may take any of the army."""
    left = list(order.counts)
    taken: list[int] = []
    lengths: list[int] = []
    while (loss := order.next_loss(left, HitGroup.REST)) is not None:
        slot, length = loss
        left[slot] -= length
        taken.append(slot)
        lengths.append(length)
    return np.repeat(np.array(taken, dtype=np.int64), lengths)


def build_graph(order: CasualtyOrder, enemy: CasualtyOrder, limit: int) -> Graph:
    """Find every army that hits of `enemy` can leave; TooMuchError for more than `limit`."""
    groups = hit_groups(enemy)
    number = {order.counts: 0}
    found = [order.counts]
    after: list[list[int]] = []
    for here, counts in enumerate(found):  # grows during the loop
        row = [here] * len(HitGroup)
        for group in groups:
            loss = order.next_loss(counts, group)
            if loss is None:
                continue
            slot = loss[0]
            left = (*counts[:slot], counts[slot] - 1, *counts[slot + 1 :])
            if left not in number:
                if len(found) == limit:
                    raise TooMuchError("There are too many ways in which these fleets can lose tlater units.")
                number[left] = len(found)
                found.append(left)
            row[group] = number[left]
            # Hits that may take every unit are thrown together with the rest.
            if group is not HitGroup.REST and all(map(may_fall_on, repeat(group), _occupied_slots(order, counts))):
                row[HitGroup.REST] = row[group]
        after.append(row)
    # Armies are found in the order of hits taken, so losses lead to higher numbers.
    return Graph(order, np.array(found, dtype=np.int64), np.array(after, dtype=np.int64).T.copy())


def _occupied_slots(order: CasualtyOrder, counts: tuple[int, ...]) -> Iterator[Slot]:
    return (slot for slot, count in zip(order.slots, counts, strict=True) if count)


def hit_groups(shooter: CasualtyOrder) -> list[HitGroup]:
    """Return all groups that the hits of an army can belong to."""
    armed = [slot for slot, chance in zip(shooter.slots, shooter.chances, strict=True) if chance > 0]
    groups = {hit_group(slot) for slot in armed}
    if Unit.DESTROYER in shooter.slots:
        groups.add(HitGroup.REST)
    return sorted(groups)


def is_plain(attacker: CasualtyOrder, defender: CasualtyOrder) -> bool:
    """Return whether any hit may take any unit and nobody strikes by surprise: there is no submarine."""
    return not any(Unit.SUBMARINE in side.slots for side in (attacker, defender))


class Fleet(NamedTuple):
    """One side's reachable armies; army 0 is the one at the start.

    `path[g, s, h]`: army after h hits of group g on army s. `table[m, s, h]`: chance that the units of the groups in
    bit mask m score h hits, relevant from `window[m, s, 0]` to `window[m, s, 1]`. `has[s, ...]`: number of units in
    army s, by `SUBMARINES`, `AIR`, `DESTROYERS` and `UNITS` (all of them).
    """

    path: ArmyNumbers
    table: Floats
    window: Ints
    has: Ints


def fleet_of(side: Graph, shots: int) -> Fleet:
    """Prepare a side for the kernels; `shots`: maximum hits that the enemy scores at once."""
    fleet: Fleet = build_fleet(side.successor, side.counts, side.chances, side.groups, side.destroyer, max(1, shots))
    return fleet


@njit(cache=True)
def build_fleet(successor: Ints, counts: Ints, chances: Floats, groups: Ints, destroyer: int, shots: int) -> Fleet:
    """Prepare a side.

    `successor`, `counts`, `groups`, `destroyer`: see `Graph`. `chances[k]`: chance to hit of a unit of slot k. `shots`:
    maximum hits that the enemy scores at once, at least 1.
    """
    size, slots = counts.shape
    path = np.empty((3, size, shots + 1), np.uint32)
    later_armies = np.zeros(size, np.int64)
    has = np.zeros((size, 4), np.int64)
    for army in range(size - 1, -1, -1):
        later_armies[army] = _walk(successor, army, path)
        for slot in range(slots):
            count, group = counts[army, slot], groups[slot]
            if group >= 0:
                has[army, UNITS] += count
                has[army, SUBMARINES] += count if group == SUBMARINES else 0
                has[army, AIR] += count if group == AIR else 0
                has[army, DESTROYERS] += count if slot == destroyer else 0
    table, window = _hit_tables(counts, chances, groups, later_armies)
    return Fleet(path, table, window, has)


@njit(cache=True)
def _walk(successor: Ints, army: int, path: ArmyNumbers) -> int:
    """Fill in the paths of `army` from those of later armies; return one of its successors, or itself."""
    later = army
    for group in range(3):
        after = successor[group, army]
        path[group, army, 0] = army
        for hits in range(1, path.shape[2]):
            path[group, army, hits] = path[group, after, hits - 1]
        if after != army:
            later = after
    return later


@njit(cache=True)
def _hit_tables(counts: Ints, chances: Floats, groups: Ints, later_armies: Ints) -> tuple[Floats, Ints]:
    """Return `table` and `window` of a fleet, from the last army to the first: each has more units than a later one."""
    size, slots = counts.shape
    shooters = 0
    for slot in range(slots):
        shooters += counts[0, slot] if chances[slot] > 0.0 else 0
    table = np.zeros((8, size, shooters + 1))
    window = np.zeros((8, size, 2), np.int64)
    for army in range(size - 1, -1, -1):
        later = later_armies[army]
        for mask in range(8):
            row, last = table[mask, army], window[mask, later, 1]
            row[0] = 1.0
            for hits in range(last + 1 if later != army else 0):
                row[hits] = table[mask, later, hits]
            for end in range(2):
                window[mask, army, end] = window[mask, later, end]
            for slot in range(slots):
                if chances[slot] > 0.0 and mask >> groups[slot] & 1:
                    more = counts[army, slot] - (counts[later, slot] if later != army else 0)
                    for _ in range(more):
                        _add_shooter(row, window[mask, army], chances[slot])
    return table, window


@njit(cache=True)
def _add_shooter(row: Floats, window: Ints, chance: float) -> None:
    """Add a unit to a row of chances by number of hits, and update its window."""
    low, high = window[0], window[1] + 1
    for hits in range(high, low, -1):
        row[hits] = row[hits] * (1.0 - chance) + row[hits - 1] * chance
    row[low] *= 1.0 - chance
    while row[low] < NEGLIGIBLE:
        row[low] = 0.0
        low += 1
    while row[high] < NEGLIGIBLE:
        row[high] = 0.0
        high -= 1
    window[0], window[1] = low, high


@njit(cache=True)
def _reach(side: Fleet) -> tuple[Ints, Ints]:
    """Return two bit masks of hit groups for each army: those it fires in, and those it has targets for."""
    size = len(side.has)
    fires, suffers = np.zeros(size, np.int64), np.zeros(size, np.int64)
    for army in range(size):
        for group in range(3):
            if side.window[1 << group, army, 1] > 0:
                fires[army] |= 1 << (REST if group == AIR and side.has[army, DESTROYERS] > 0 else group)
            if side.path[group, army, 1] != army:
                suffers[army] |= 1 << group
    return fires, suffers


@njit(cache=True)
def endings(attacker: Fleet, defender: Fleet, min_units: int) -> Codes:
    """Return for each pair of armies why the battle ends there, or `GOES_ON` = 0.

    The attacker retreats with fewer than `min_units` units.
    """
    fires_a, suffers_a = _reach(attacker)
    fires_d, suffers_d = _reach(defender)
    result = np.zeros((len(attacker.has), len(defender.has)), np.int8)
    for a in range(result.shape[0]):
        here = attacker.has[a, UNITS]
        for d in range(result.shape[1]):
            there = defender.has[d, UNITS]
            if here == 0 or there == 0:
                result[a, d] = ATTACKER if here > 0 else DEFENDER if there > 0 else TIE
            elif here < min_units:
                result[a, d] = RETREAT
            elif fires_a[a] & suffers_d[d] == 0 and fires_d[d] & suffers_a[a] == 0:
                result[a, d] = STALEMATE
    return result
