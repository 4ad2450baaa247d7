"""One side of a battle in which hits come in groups, as arrays for the kernels."""

from typing import NamedTuple

import numpy as np
from numba import njit

from sim.axis_allies.odds.arrays import Codes, Floats, Ints, Places
from sim.axis_allies.odds.codes import ATTACKER, DEFENDER, RETREAT, STALEMATE, TIE
from sim.axis_allies.odds.hit_distribution import NEGLIGIBLE

SUBMARINES, AIR, REST = 0, 1, 2
"""Hit groups, in the order in which they are placed; a set of groups is a bit mask of 1 << group."""

DESTROYERS, UNITS = 2, 3
"""Columns of `Fleet.has`, beside `SUBMARINES` and `AIR`."""


class Fleet(NamedTuple):
    """One side's reachable armies, n of them, the first the one that starts.

    `path[g, s, h]`: army after h hits of group g on army s. `table[m, s, h]`: chance that the guns of the groups in bit
    mask m score h hits, looked at from `window[m, s, 0]` to `window[m, s, 1]`. `has[s, ...]`: how many units army s
    has, by `SUBMARINES`, `AIR`, `DESTROYERS` and `UNITS` (all of them).
    """

    path: Places
    table: Floats
    window: Ints
    has: Ints


@njit(cache=True)
def fleet(successor: Ints, counts: Ints, chances: Floats, groups: Ints, destroyer: int, shots: int) -> Fleet:
    """Prepare a side.

    `successor[g, s]`: army after one hit of group g on army s, s itself when the hit is lost. `counts[s, k]`: how many
    of slot k army s has. `chances[k]`: chance that one of slot k hits, `groups[k]` its hit group, -1 for extra lives.
    `destroyer`: the destroyers' slot, -1 without. `shots`: the most hits that the enemy scores at once, at least 1.
    """
    size, slots = counts.shape
    path = np.empty((3, size, shots + 1), np.uint32)
    heirs = np.zeros(size, np.int64)
    has = np.zeros((size, 4), np.int64)
    for army in range(size - 1, -1, -1):
        heirs[army] = _walk(successor, army, path)
        for slot in range(slots):
            count, group = counts[army, slot], groups[slot]
            if group >= 0:
                has[army, UNITS] += count
                has[army, SUBMARINES] += count if group == SUBMARINES else 0
                has[army, AIR] += count if group == AIR else 0
                has[army, DESTROYERS] += count if slot == destroyer else 0
    table, window = _guns(counts, chances, groups, heirs)
    return Fleet(path, table, window, has)


@njit(cache=True)
def _walk(successor: Ints, army: int, path: Places) -> int:
    """Fill in the ways on from `army`, those of later armies being there; returns one that it comes to, or itself."""
    heir = army
    for group in range(3):
        after = successor[group, army]
        path[group, army, 0] = army
        for hits in range(1, path.shape[2]):
            path[group, army, hits] = path[group, after, hits - 1]
        if after != army:
            heir = after
    return heir


@njit(cache=True)
def _guns(counts: Ints, chances: Floats, groups: Ints, heirs: Ints) -> tuple[Floats, Ints]:
    """Return `table` and `window` of a fleet, from the last army to the first: each is another one before a loss."""
    size, slots = counts.shape
    guns = 0
    for slot in range(slots):
        guns += counts[0, slot] if chances[slot] > 0.0 else 0
    table = np.zeros((8, size, guns + 1))
    window = np.zeros((8, size, 2), np.int64)
    for army in range(size - 1, -1, -1):
        heir = heirs[army]
        for mask in range(8):
            row, last = table[mask, army], window[mask, heir, 1]
            row[0] = 1.0
            for hits in range(last + 1 if heir != army else 0):
                row[hits] = table[mask, heir, hits]
            for end in range(2):
                window[mask, army, end] = window[mask, heir, end]
            for slot in range(slots):
                if chances[slot] > 0.0 and mask >> groups[slot] & 1:
                    more = counts[army, slot] - (counts[heir, slot] if heir != army else 0)
                    for _ in range(more):
                        _add_gun(row, window[mask, army], chances[slot])
    return table, window


@njit(cache=True)
def _add_gun(row: Floats, window: Ints, chance: float) -> None:
    """Let one more unit fire: change a row of chances by number of hits, and its window."""
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
    """Return for each army two bit masks of hit groups: those that it fires in, and those that take something of it."""
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
def endings(attacker: Fleet, defender: Fleet, stand: int) -> Codes:
    """Return for each pair of armies why the battle ends there, or `GOES_ON` = 0 where it goes on.

    The attacker retreats when fewer than `stand` units are left.
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
            elif here < stand:
                result[a, d] = RETREAT
            elif fires_a[a] & suffers_d[d] == 0 and fires_d[d] & suffers_a[a] == 0:
                result[a, d] = STALEMATE
    return result
