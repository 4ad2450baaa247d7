"""Distribution of a side's hits after each number of hits taken, for a side that loses its units in a single order."""

from typing import NamedTuple

import numpy as np

from sim.axis_allies.odds.layout import Floats, Ints
from sim.core.kernels import copy, inner, kernel

NEGLIGIBLE = 1e-18
"""Smaller chances are dropped one by one; even a million of them would not show in a sum."""


class HitDistribution(NamedTuple):
    """A side's hits: `table[i, h]` is the chance of h hits after i hits taken.

    `window[i]`: the fewest and the most hits of row i with relevant chances. `factor[i]`: the chance to hit of the one
    die that row i has more than row i + 1, 0 if there is none; NaN if the rows differ by anything else.
    """

    table: Floats
    window: Ints
    factor: Floats


class HitColumns(NamedTuple):
    """A side's hits transposed: `table[h, j]` is the chance of h hits after j hits taken.

    `window[h]`: the fewest and the most hits taken with which h hits are relevant. The army that has lost everything
    has no entries.
    """

    table: Floats
    window: Ints


Hits = tuple[Floats, Ints, Floats]
"""A `HitDistribution` as a kernel is called with it: it takes plain tuples in half the time."""

Columns = tuple[Floats, Ints]
"""The fields of `HitColumns`, for the same reason."""


@kernel
def hit_distribution(dice: Ints, chances: Floats) -> Hits:
    """Return a side's hits; `dice[i, g, v]`: dice of kind v after i hits taken, `chances[v]`: their chance to hit."""
    dice = dice[:, 0] + dice[:, 1] + dice[:, 2]
    size, kinds = len(dice) - 1, len(chances)
    width = 1
    for row in range(size + 1):
        width = max(width, dice[row].sum() + 1)
    table = np.zeros((size + 1, width))
    window = np.zeros((size + 1, 2), np.int64)
    factor = np.full(size + 1, np.nan)
    for row in range(size, -1, -1):
        more, grows = 0, row < size
        for kind in range(kinds):
            extra = dice[row, kind] - (dice[row + 1, kind] if row < size else 0)
            more += extra
            grows = grows and extra >= 0
        if grows:
            copy(window[row + 1], window[row])
            copy(table[row + 1], table[row])
            factor[row] = 0.0 if more == 0 else np.nan
        else:
            table[row, 0] = 1.0
        for kind in range(kinds):
            extra = dice[row, kind] - (dice[row + 1, kind] if grows else 0)
            for _ in range(extra):
                low, high = add_die(table[row], window[row, 0], window[row, 1], chances[kind])
                window[row, 0], window[row, 1] = low, high
            if grows and more == 1 and extra == 1:
                factor[row] = chances[kind]
    return table, window, factor


@kernel
def with_more_dice(hits: Hits, rows: Ints, dice: Floats) -> Hits:
    """Return a side's hits if more dice, with these chances to hit, are thrown in some rows."""
    table, window, factor = hits
    wider = np.zeros((len(table), table.shape[1] + len(dice)))
    for row in range(len(table)):
        copy(table[row], wider[row])
    window, factor = window.copy(), factor.copy()
    for row in rows:
        factor[row] = np.nan
        for chance in dice:
            low, high = add_die(wider[row], window[row, 0], window[row, 1], chance)
            window[row, 0], window[row, 1] = low, high
    return wider, window, factor


@inner
def add_die(row: Floats, low: int, high: int, chance: float) -> tuple[int, int]:
    """Add a die to a row of chances that are relevant from `low` to `high`; return its new ends."""
    high += 1
    for hits in range(high, low, -1):
        row[hits] = row[hits] * (1.0 - chance) + row[hits - 1] * chance
    row[low] *= 1.0 - chance
    while row[low] < NEGLIGIBLE:
        row[low] = 0.0
        low += 1
    while row[high] < NEGLIGIBLE:
        row[high] = 0.0
        high -= 1
    return low, high


@kernel
def low_luck_distribution(dice: Ints, values: Ints) -> Hits:
    """Return a side's hits with low luck: six points of value are a hit, one die decides on the rest.

    `dice`: as in `hit_distribution`; `values[v]`: of its kinds.
    """
    size = len(dice) - 1
    totals, most = np.zeros(size + 1, np.int64), 0
    for row in range(size + 1):
        for group in range(dice.shape[1]):
            for kind in range(len(values)):
                totals[row] += dice[row, group, kind] * values[kind]
        most = max(most, totals[row])
    table = np.zeros((size + 1, most // 6 + 2))
    window = np.zeros((size + 1, 2), np.int64)
    for row in range(size + 1):
        sure, rest = totals[row] // 6, totals[row] % 6
        window[row, 0], window[row, 1] = sure, sure + (1 if rest else 0)
        table[row, sure] = 1.0 - rest / 6.0
        table[row, window[row, 1]] += rest / 6.0 if rest else 0.0
    return table, window, np.full(size + 1, np.nan)


@kernel
def hit_columns(hits_by_loss: Hits) -> Columns:
    """Transpose a side's hits, so that the chances of each number of hits are contiguous."""
    rows, ends, _ = hits_by_loss
    size, most = len(rows) - 1, rows.shape[1]
    table = np.zeros((most, size + 1))
    window = np.empty((most, 2), np.int64)
    window[:, 0], window[:, 1] = size, -1
    for row in range(size):
        for hits in range(ends[row, 0], ends[row, 1] + 1):
            table[hits, row] = rows[row, hits]
            window[hits, 0] = min(window[hits, 0], row)
            window[hits, 1] = max(window[hits, 1], row)
    return table, window


class VolleyChances(NamedTuple):
    """One row of `HitDistribution`: `chance[h]` of h hits, `beyond[h]` of h or more.

    `first`, `peak`, `last`: the fewest, likeliest and most hits that are relevant, at least 1.
    """

    chance: Floats
    beyond: Floats
    first: int
    peak: int
    last: int


@inner
def volley_chances(distribution: HitDistribution, row: int) -> VolleyChances:
    """Return the chances of a volley after `row` hits taken."""
    chance, first, last = distribution.table[row], distribution.window[row, 0], distribution.window[row, 1]
    beyond = np.zeros(len(chance) + 1)
    for hits in range(last, 0, -1):
        beyond[hits] = beyond[hits + 1] + chance[hits]
    return VolleyChances(chance, beyond, max(1, first), max(1, int(np.argmax(chance))), last)
