"""The fire of a side whose losses are one line: how many hits it scores after each number of losses."""

from typing import NamedTuple

import numpy as np
from numba import njit

from sim.axis_allies.odds.arrays import Floats, Ints

NEGLIGIBLE = 1e-18
"""Chances under this are dropped one by one, far below what a sum of a million of them could show."""


class Fire(NamedTuple):
    """The fire of a side: `table[i, h]` is the chance of h hits by what is left of it after i hits taken.

    `first[i]` and `last[i]`: the fewest and the most hits of row i that are worth looking at.
    """

    table: Floats
    first: Ints
    last: Ints


class Answer(NamedTuple):
    """The defender's fire by hits: `table[h, j]` is the chance of h hits after j hits taken.

    `first[h]` and `last[h]`: the fewest and the most losses with which h hits are worth looking at. The army that has
    lost everything has no entries.
    """

    table: Floats
    first: Ints
    last: Ints


@njit(cache=True)
def fire(chances: Floats) -> Fire:
    """Return the fire of a side; `chances[i]`: the chance to hit of what hit i (from 0) takes, 0 for an extra life."""
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
    return Fire(table, first, last)


@njit(cache=True)
def answer(shots: Fire) -> Answer:
    """Turn a side's fire over, so that all losses stand side by side for each number of hits."""
    size, most = len(shots.first) - 1, shots.table.shape[1]
    table = np.zeros((most, size + 1))
    first, last = np.full(most, size), np.full(most, -1)
    for row in range(size):
        for hits in range(shots.first[row], shots.last[row] + 1):
            table[hits, row] = shots.table[row, hits]
            first[hits] = min(first[hits], row)
            last[hits] = max(last[hits], row)
    return Answer(table, first, last)


class Shots(NamedTuple):
    """One row of `Fire`: `chance[h]` of h hits from `first` to `last`, `peak` the likeliest, `beyond[h]` of h or more.

    No hit at all is not among them.
    """

    chance: Floats
    beyond: Floats
    first: int
    peak: int
    last: int


@njit(cache=True)
def shots(volleys: Fire, row: int) -> Shots:
    """Return the fire after `row` hits taken, ready to be looked at closely."""
    chance, last = volleys.table[row], volleys.last[row]
    beyond = np.zeros(len(chance) + 1)
    for hits in range(last, 0, -1):
        beyond[hits] = beyond[hits + 1] + chance[hits]
    return Shots(chance, beyond, max(1, volleys.first[row]), max(1, int(np.argmax(chance))), last)
