"""Exact odds where every hit may fall on every unit: a side is one number, the hits that it has taken.

The casualty order is fixed, so the unit that the i-th hit takes is known beforehand, and the firing strength of what is
left is a product of one factor (1 - p + p z) for each unit that still stands. That product loses one factor from each
row to the next, which is what `_gather` lives on: it works in Horner's manner, one factor at a time, instead of
convolving each pair of rows. The round in which nobody hits is divided out instead of iterated.

Tables have one row for each number of hits that the shooting side has taken. Masses below `NEGLIGIBLE` are dropped; what
is missing from the sum of all outcomes is the lost mass.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Codes = NDArray[np.int8]

NEGLIGIBLE = 1e-18
"""Chances under this are dropped one by one, far below what a sum of a million of them could show."""


@njit(cache=True)
def hit_table(chances: Floats) -> tuple[Floats, Ints, Ints]:
    """Return the chance of each number of hits by a side, after each number of losses.

    `chances[i]`: chance that the unit lost to hit i (0-based) hits in a round; 0 for an extra life. Returns `table` with
    `table[i, h]` = chance of h hits by the units still there after i hits taken, and the first and last h of each row that
    is worth looking at.
    """
    size = len(chances)
    guns = 0
    for chance in chances:
        guns += chance > 0.0
    table = np.zeros((size + 1, guns + 1))
    first = np.zeros(size + 1, np.int64)
    last = np.zeros(size + 1, np.int64)
    table[size, 0] = 1.0
    for row in range(size - 1, -1, -1):
        chance = chances[row]
        low, high = first[row + 1], last[row + 1]
        if chance == 0.0:
            table[row, low : high + 1] = table[row + 1, low : high + 1]
        else:
            old = table[row + 1, low : high + 1]
            new = table[row, low : high + 2]
            new[0] = old[0] * (1.0 - chance)
            for h in range(1, len(old)):
                new[h] = old[h] * (1.0 - chance) + old[h - 1] * chance
            new[len(old)] = old[len(old) - 1] * chance
            high += 1
        while table[row, low] < NEGLIGIBLE:
            low += 1
        while table[row, high] < NEGLIGIBLE:
            high -= 1
        first[row], last[row] = low, high
    return table, first, last


@njit(cache=True)
def _gather(
    target: int,
    own_row: bool,
    chances: Floats,
    mass: Floats,
    starts: Ints,
    ends: Ints,
    returned: Floats,
    low_hits: Ints,
    high_hits: Ints,
    acc: Floats,
    spare: Floats,
) -> tuple[Floats, Floats, int, int]:
    """Collect what the defender's hits bring to row `target` of the attacker's losses.

    Returns `acc` (and the other buffer) with its window: the mass of each column before the fire of the attacker in row
    `target` is applied to it; the fire of the units lost on the way has been.
    """
    size = len(chances)
    columns = mass.shape[1] - 1
    most = returned.shape[0] - 1
    begin = max(0, target - most)
    tail = np.zeros(columns + 1 if target == size else 1)
    if target == size:
        for hits in range(target - begin + 1, most + 1):
            tail += returned[hits]
    low, high = columns + 1, -1
    for row in range(begin, target + (1 if own_row else 0)):
        hits = target - row
        gun = returned[hits]
        if target == size:
            for column in range(columns + 1):
                tail[column] += gun[column]
            gun = tail
            one, two = starts[row], ends[row]
        else:
            one, two = max(starts[row], low_hits[hits]), min(ends[row], high_hits[hits])
        if one <= two:
            if high < low:
                low, high = one, two
            low, high = min(low, one), max(high, two)
            source, factor, sink = mass[row, one : two + 1], gun[one : two + 1], acc[one : two + 1]
            for at in range(len(sink)):
                sink[at] += source[at] * factor[at]
        if row < target and high >= low and chances[row] > 0.0:
            _one_gun(chances[row], acc, spare, low, high, columns)
            acc, spare = spare, acc
            high = min(high + 1, columns)
            while low < high and acc[low] < NEGLIGIBLE:
                acc[low] = 0.0
                low += 1
            while low < high and acc[high] < NEGLIGIBLE:
                acc[high] = 0.0
                high -= 1
    return acc, spare, low, high


@njit(cache=True)
def _one_gun(chance: float, old: Floats, new: Floats, low: int, high: int, columns: int) -> None:
    """Let one unit fire at each column of `old`'s window: `new` gets the result, `old` is cleared."""
    miss = 1.0 - chance
    stay, move = old[low + 1 : high + 1], old[low:high]
    sink = new[low + 1 : high + 1]
    for at in range(len(sink)):
        sink[at] = stay[at] * miss + move[at] * chance
    new[low] = old[low] * miss
    if high < columns:
        new[high + 1] = old[high] * chance
    else:
        new[columns] += old[columns] * chance  # nobody is left to be hit
    old[low : high + 1] = 0.0


@njit(cache=True)
def _fire_row(
    acc: Floats, low: int, high: int, shots: Floats, first: int, last: int, nobody: Floats, goes_on: bool, row: Floats
) -> None:
    """Apply the attacker's fire to the mass collected for one of its rows and clear `acc`.

    `shots[h]`, from `first` to `last`: chance of h hits; `nobody[j]`: chance that the defender with j losses misses with
    everything. With `goes_on` the row also feeds itself by rounds in which the defender misses; `row` then gets the
    expected number of rounds that begin in each cell, or the chance of cells where nothing can happen any more.
    """
    columns = len(row) - 1
    width = len(shots)
    beyond = np.zeros(width + 1)
    for hits in range(last, -1, -1):
        beyond[hits] = beyond[hits + 1] + shots[hits]
    for hits in range(last + 1, width):
        beyond[hits] = 0.0
    miss = shots[0]
    peak = max(1, np.argmax(shots))
    least = max(first, 1)
    one, two = least, last
    column = low
    while column < columns and (column <= high or goes_on):
        force = acc[column]
        if goes_on:
            arrived = row[column] + force * miss
            again = miss * nobody[column]
            if again < 1.0:
                row[column] = arrived / (1.0 - again)
                force += nobody[column] * row[column]
            else:
                row[column] = arrived
        else:
            row[column] += force * miss
        acc[column] = 0.0
        column += 1
        if force < NEGLIGIBLE:
            continue
        worth = NEGLIGIBLE / force
        # The window around the peak moves little from one column to the next.
        while one > least and shots[one - 1] >= worth:
            one -= 1
        while one < peak and shots[one] < worth:
            one += 1
        while two < last and shots[two + 1] >= worth:
            two += 1
        while two > peak and shots[two] < worth:
            two -= 1
        here = column - 1
        stop = min(two, columns - 1 - here)
        if one <= stop:
            source, sink = shots[one : stop + 1], row[here + one : here + stop + 1]
            for at in range(len(sink)):
                sink[at] += source[at] * force
        if two >= columns - here and columns - here <= last:
            row[columns] += force * beyond[columns - here]
    if high == columns and low <= high:
        row[columns] += acc[columns]
        acc[columns] = 0.0


@njit(cache=True)
def _returned(table: Floats, first: Ints, last: Ints) -> tuple[Floats, Ints, Ints]:
    """Turn a hit table: for each number of hits, their chance after each number of losses, and where it matters."""
    size = len(first) - 1
    turned = np.zeros((table.shape[1], size + 1))
    low = np.full(table.shape[1], size)
    high = np.full(table.shape[1], -1)
    for row in range(size):  # the army without units fires no more
        for hits in range(first[row], last[row] + 1):
            turned[hits, row] = table[row, hits]
            low[hits] = min(low[hits], row)
            high[hits] = max(high[hits], row)
    return turned, low, high


@njit(cache=True)
def battle(attack: Floats, defence: Floats, stand: int) -> Floats:
    """Fight to the end and return one cell for each pair of losses.

    `attack[i]`, `defence[j]`: chance to hit of the unit that the i-th and j-th hit takes, 0 for an extra life. `stand`:
    the attacker fights while it has taken fewer hits than this (its size: to the end). Returns `mass[i, j]`, shape
    (attacker's size + 1, defender's size + 1): the chance of ending there for cells where the battle is over, for all other
    cells the expected number of rounds that begin there.
    """
    shots, first, last = hit_table(attack)
    returned, low_hits, high_hits = _returned(*hit_table(defence))
    rows, columns = len(attack), len(defence)
    mass = np.zeros((rows + 1, columns + 1))
    mass[0, 0] = 1.0
    starts, ends = np.full(rows + 1, columns), np.full(rows + 1, -1)
    acc, spare = np.zeros(columns + 1), np.zeros(columns + 1)
    for row in range(rows + 1):
        low, high = 0, 0
        if row > 0:
            acc, spare, low, high = _gather(
                row, False, attack, mass, starts, ends, returned, low_hits, high_hits, acc, spare
            )
        goes_on = row < stand
        _fire_row(acc, low, high, shots[row], first[row], last[row], returned[0], goes_on, mass[row])
        if goes_on:
            starts[row], ends[row] = _span(mass[row])
    return mass


@njit(cache=True)
def rounds(
    attack: Floats, defence: Floats, stand: int, over: Codes, units_a: Ints, units_d: Ints, most: int, rest: float
) -> tuple[Floats, Floats]:
    """Fight round by round: at most `most` rounds, no more once the chance that the battle goes on is `rest` or less.

    `attack`, `defence`, `stand` as in `battle`. `over[i, j]`: not 0 where the battle is over; `units_a[i]`, `units_d[j]`:
    units left. Returns the chance of each pair of losses then, and one row for each round begun or reached, the first
    before any: the chance that the battle goes on, the attacker's and the defender's mean number of units.
    """
    shots, first, last = hit_table(attack)
    returned, low_hits, high_hits = _returned(*hit_table(defence))
    rows, columns = len(attack), len(defence)
    starts, ends = np.full(rows + 1, columns), np.full(rows + 1, -1)
    acc, spare = np.zeros(columns + 1), np.zeros(columns + 1)
    before = np.zeros((rows + 1, columns + 1))
    before[0, 0] = 1.0
    course = np.zeros((most + 1, 3))
    course[0] = tally(before, over, units_a, units_d)
    fought = 0
    while fought < most and course[fought, 0] > rest:
        after = np.zeros((rows + 1, columns + 1))
        after[:, columns] = before[:, columns]
        after[stand:] = before[stand:]
        for row in range(stand):
            starts[row], ends[row] = _span(before[row])
        for row in range(rows + 1):
            acc, spare, low, high = _gather(
                row, row < stand, attack, before, starts, ends, returned, low_hits, high_hits, acc, spare
            )
            _fire_row(acc, low, high, shots[row], first[row], last[row], returned[0], False, after[row])
        before = after
        fought += 1
        course[fought] = tally(before, over, units_a, units_d)
    return before, course[: fought + 1]


@njit(cache=True)
def _span(row: Floats) -> tuple[int, int]:
    """Return the first and the last column of a row worth going on with; the last one, an empty side, is over."""
    low, high = 0, len(row) - 2
    while low <= high and row[low] < NEGLIGIBLE:
        low += 1
    while high >= low and row[high] < NEGLIGIBLE:
        high -= 1
    return low, high


@njit(cache=True)
def tally(mass: Floats, over: Codes, units_a: Ints, units_d: Ints) -> Floats:
    """Return the chance that the battle goes on, and both sides' mean number of units."""
    sums = np.zeros(3)
    for a in range(mass.shape[0]):
        going = both = others = 0.0
        for d in range(mass.shape[1]):
            chance = mass[a, d]
            both += chance
            others += chance * units_d[d]
            if over[a, d] == 0:
                going += chance
        sums[0] += going
        sums[1] += both * units_a[a]
        sums[2] += others
    return sums
