"""Distribution of a side's hits after each number of hits taken, for a side that loses its units in a single order."""

from typing import NamedTuple

import numpy as np
from numba import njit

from sim.axis_allies.odds.codes import Floats, Ints

NEGLIGIBLE = 1e-18
"""Smaller chances are dropped one by one; even a million of them would not show in a sum."""


class HitDistribution(NamedTuple):
    """A side's hits: `table[i, h]` is the chance of h hits after i hits taken.

    `first[i]`, `last[i]`: the fewest and the most hits of row i with relevant chances.
    """

    table: Floats
    first: Ints
    last: Ints


class HitColumns(NamedTuple):
    """A side's hits transposed: `table[h, j]` is the chance of h hits after j hits taken.

    `first[h]`, `last[h]`: the fewest and the most hits taken with which h hits are relevant. The army that has lost
    everything has no entries.
    """

    table: Floats
    first: Ints
    last: Ints


@njit(cache=True)
def hit_distribution(chances: Floats) -> HitDistribution:
    """Return a side's hits; `chances[i]`: chance to hit of what hit i (from 0) takes, 0 for a life."""
    size = len(chances)
    table = np.zeros((size + 1, np.count_nonzero(chances) + 1))
    first, last = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64)
    table[size, 0] = 1.0
    for row in range(size - 1, -1, -1):
        chance = chances[row]
        low, high = first[row + 1], last[row + 1]
        old, new = table[row + 1], table[row]
        new[low] = old[low] * (1.0 - chance)
        for hits in range(low + 1, high + 1):
            new[hits] = old[hits] * (1.0 - chance) + old[hits - 1] * chance
        if chance > 0.0:
            high += 1
            new[high] = old[high - 1] * chance
        while new[low] < NEGLIGIBLE:
            low += 1
        while new[high] < NEGLIGIBLE:
            high -= 1
        first[row], last[row] = low, high
    return HitDistribution(table, first, last)


@njit(cache=True)
def hit_columns(hits_by_loss: HitDistribution) -> HitColumns:
    """Transpose a side's hits, so that the chances of each number of hits are contiguous."""
    size, most = len(hits_by_loss.first) - 1, hits_by_loss.table.shape[1]
    table = np.zeros((most, size + 1))
    first, last = np.full(most, size), np.full(most, -1)
    for row in range(size):
        for hits in range(hits_by_loss.first[row], hits_by_loss.last[row] + 1):
            table[hits, row] = hits_by_loss.table[row, hits]
            first[hits] = min(first[hits], row)
            last[hits] = max(last[hits], row)
    return HitColumns(table, first, last)


class VolleyChances(NamedTuple):
    """One row of `HitDistribution`: `chance[h]` of h hits, `beyond[h]` of h or more.

    `first`, `peak`, `last`: the fewest, likeliest and most hits that are relevant, at least 1.
    """

    chance: Floats
    beyond: Floats
    first: int
    peak: int
    last: int


@njit(cache=True)
def volley_chances(distribution: HitDistribution, row: int) -> VolleyChances:
    """Return the chances of a volley after `row` hits taken."""
    chance, last = distribution.table[row], distribution.last[row]
    beyond = np.zeros(len(chance) + 1)
    for hits in range(last, 0, -1):
        beyond[hits] = beyond[hits + 1] + chance[hits]
    return VolleyChances(chance, beyond, max(1, distribution.first[row]), max(1, int(np.argmax(chance))), last)
