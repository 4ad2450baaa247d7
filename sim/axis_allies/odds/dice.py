"""The dice of every army that a side can come to: whole units, pair bonuses, technologies; and the hits they score."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sim.axis_allies.odds.layout import Floats, Ints
from sim.axis_allies.unit_stats import DIE, HitGroup, Weapon
from sim.core.kernels import inner, kernel

_GROUPS = len(HitGroup)


class DiceOf(NamedTuple):
    """`counts[s, g, v]`: dice of kind v whose hits are of group g that army s throws.

    `chances[v]`: the chance that a die of kind v hits; `values[v]`: its value, for low luck.
    """

    counts: Ints
    chances: Floats
    values: Ints


@kernel
def count_dice(armies: Ints, units: Ints, own: Ints, by: Ints, steps: Ints, kinds: int) -> Ints:
    """Return `counts` of `DiceOf`; `armies[s, k]`: units of slot k in army s.

    `units`: `Layout.kind`; `kinds`: how many of dice; the rest as in `Throws`.
    """
    counts = np.zeros((len(armies), _GROUPS, kinds), np.int64)
    there, free = np.zeros(len(own), np.int64), np.zeros(len(by), np.int64)
    for army in range(len(armies)):
        there[:] = 0
        for slot in range(len(units)):
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


FIRST: Ints = np.zeros(1, np.int64)
"""The number of the first army, or of the only one."""


def dice_of_weapons(weapons: Sequence[Weapon], armies: Ints, size: int) -> DiceOf:
    """Return the dice of weapons that may hit anything and that some of `size` armies fire, the others nothing."""
    kinds = Counter(weapons)
    counts = np.zeros((size, _GROUPS, len(kinds)), np.int64)
    counts[armies, HitGroup.REST] = list(kinds.values())
    chances, values = ([getattr(kind, name) for kind in kinds] for name in ("chance", "value"))
    return DiceOf(counts, np.array(chances, dtype=np.float64), np.array(values, dtype=np.int64))


def reinforced(dice: DiceOf, armies: Ints, ships: Sequence[Weapon]) -> DiceOf:
    """Return the dice if ships fire with some of the armies."""
    more = dice_of_weapons(ships, armies, len(dice.counts))
    return DiceOf(*(np.concatenate(both, axis=-1) for both in zip(dice, more, strict=True)))


NEGLIGIBLE = 1e-18
"""Smaller chances are dropped one by one; even a million of them would not show in a sum."""


Hits = tuple[Floats, Ints, Floats]
"""A side's hits, as a plain tuple, which kernels take in half the time: `table`, `window` and `factor`.

`table[i, h]`: the chance of h hits after i hits taken. `window[i]`: the fewest and the most hits of row i with relevant
chances. `factor[i]`: the chance to hit of the one die that row i has more than row i + 1, 0 if there is none; NaN if
the rows differ by anything else.
"""

Columns = tuple[Floats, Ints]
"""A side's hits transposed: `table[h, j]` is the chance of h hits after j hits taken; and `window`.

`window[h]`: the fewest and the most hits taken with which h hits are relevant. The army that has lost everything has no
entries.
"""


@kernel
def hit_distribution(dice: Ints, chances: Floats, values: Ints, low_luck: bool) -> Hits:
    """Return a side's hits.

    `dice[i, g, v]`: dice of kind v after i hits taken, `chances[v]`: their chance to hit, `values[v]`: their value.
    `low_luck`: six points of value are a hit, one die decides on the rest.
    """
    thrown = dice[:, 0] + dice[:, 1] + dice[:, 2]
    size, kinds = len(thrown), len(chances)
    width = 1
    for row in range(size):
        width = max(width, (thrown[row] * values).sum() // DIE + 2 if low_luck else thrown[row].sum() + 1)
    table, window = np.zeros((size, width)), np.zeros((size, 2), np.int64)
    later = np.minimum(np.arange(size) + 1, size - 1)
    fill_in_hits(thrown, chances, values, later, low_luck, table, window)
    factor = np.full(size, np.nan)
    for row in range(0 if low_luck else size - 1):
        more, grows, chance = 0, True, 0.0
        for kind in range(kinds):
            extra = thrown[row, kind] - thrown[row + 1, kind]
            more += extra
            grows = grows and extra >= 0
            chance = chances[kind] if extra > 0 else chance
        if grows and more <= 1:
            factor[row] = chance
    return table, window, factor


@inner
def fill_in_hits(
    dice: Ints, chances: Floats, values: Ints, later: Ints, low_luck: bool, table: Floats, window: Ints
) -> None:
    """Fill in `table` and `window` of a distribution from the last row to the first.

    `dice[i, v]`: as in `hit_distribution`, of all groups together. `later[i]`: a later row of which row i mostly has
    the dice and a few more, else itself.
    """
    kinds = len(chances)
    for row in range(len(dice) - 1, -1, -1):
        # Of so little, slices would take longer than what is done with them.
        low, high, known = 0, 0, later[row]
        grows = known != row
        for kind in range(kinds):
            grows &= dice[row, kind] >= dice[known, kind]
        if low_luck:
            points = (dice[row] * values).sum()
            low, rest = points // DIE, points % DIE
            high = low + (1 if rest else 0)
            table[row, high] = rest / DIE
            table[row, low] = 1.0 - rest / DIE
        elif grows:
            low, high = window[known, 0], window[known, 1]
            for hits in range(low, high + 1):
                table[row, hits] = table[known, hits]
        else:
            table[row, 0] = 1.0
        for kind in range(0 if low_luck else kinds):
            for _ in range(dice[row, kind] - (dice[known, kind] if grows else 0)):
                low, high = _add_die(table, row, low, high, chances[kind])
        window[row, 0], window[row, 1] = low, high


@inner
def _add_die(table: Floats, row: int, low: int, high: int, chance: float) -> tuple[int, int]:
    """Add a die to a row of chances that are relevant from `low` to `high`; return its new ends."""
    high += 1
    for hits in range(high, low, -1):
        table[row, hits] = table[row, hits] * (1.0 - chance) + table[row, hits - 1] * chance
    table[row, low] *= 1.0 - chance
    while table[row, low] < NEGLIGIBLE:
        table[row, low] = 0.0
        low += 1
    while table[row, high] < NEGLIGIBLE:
        table[row, high] = 0.0
        high -= 1
    return low, high


@kernel
def hit_columns(dice: Ints, chances: Floats, values: Ints, low_luck: bool) -> Columns:
    """Return what `hit_distribution` does transposed, so that the chances of each number of hits are contiguous."""
    rows, ends, _ = hit_distribution(dice, chances, values, low_luck)
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
    """One row of `Hits`: `chance[h]` of h hits, `beyond[h]` of h or more.

    `first`, `peak`, `last`: the fewest, likeliest and most hits that are relevant, at least 1.
    """

    chance: Floats
    beyond: Floats
    first: int
    peak: int
    last: int


@inner
def volley_chances(hits: Hits, row: int) -> VolleyChances:
    """Return the chances of a volley after `row` hits taken."""
    chance, (first, last) = hits[0][row], hits[1][row]
    beyond = np.zeros(len(chance) + 1)
    for at in range(last, 0, -1):
        beyond[at] = beyond[at + 1] + chance[at]
    return VolleyChances(chance, beyond, max(1, first), max(1, int(np.argmax(chance))), last)
