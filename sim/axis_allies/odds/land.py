"""The engine of battles in which any hit may take any unit: a side is the number of hits it has taken.

The casualty order is fixed, so the unit that the i-th hit takes is known in advance, and the generating function of a
side's hits is a product of one factor (1 - p + p z) for each die. From one row of the attacker's losses to the next the
product mostly loses one factor. `_gather` uses that: it sums rows by Horner's scheme, one factor at a time, instead of
convolving each pair of rows; only where the rows differ by more (a pair is broken, low luck) it fires the whole sum.
The round in which nobody hits is divided out instead of iterated.

All tables have one row (or column) for each number of hits taken. The battle is over from row `retreat_at` and column
`leave_at` on; before them are at most pairs that can't hit each other, which stay what they are. Where the attacker may
come with several armies, each has its own part of the rows, from `bounds[n]` to `bounds[n + 1]`. Masses below
`NEGLIGIBLE` are dropped; the lost mass is what is missing from the sum of all outcomes.
"""

from typing import NamedTuple

import numpy as np

from sim.axis_allies.odds.army_graph import PlainSide, chain_of, totals_of
from sim.axis_allies.odds.dice import (
    NEGLIGIBLE,
    Columns,
    Hits,
    VolleyChances,
    count_dice,
    hit_columns,
    hit_distribution,
    volley_chances,
)
from sim.axis_allies.odds.layout import GOES_ON, STALEMATE, Codes, Floats, Ints, Results, code_table, listed, standing
from sim.core.kernels import inner, kernel, woven


@inner
def _gather(
    target: int,
    stop: int,
    out: Hits,
    mass: Floats,
    span: Ints,
    back: Columns,
    work: Floats,
    now: int,
    after: Floats,
) -> tuple[int, int, int]:
    """Sum the masses that the defender's hits move from rows before `stop` to row `target` of the attacker's losses.

    `span[i]`: the first and the last column with mass in row i, none if they are the other way round. `work`: three
    empty rows. Returns which of the first two has the sum then, `now` if they don't change places, and its first and
    last column: masses after the fire of the units lost on the way, before the fire of the attacker's row `target`.
    Masses whose fire can't be finished by that row's go to `after`.
    """
    (table, _, factor), (back_hits, window) = out, back
    columns = mass.shape[1] - 1
    most = len(back_hits) - 1
    begin = max(0, target - most)
    wiped_out = target == len(table) - 1
    for hits in range(target - begin + 1 if wiped_out else most + 1, most + 1):
        _add(work[2], back_hits[hits])  # hits beyond the last unit: the chance of that many or more
    low, high = columns + 1, -1
    for row in range(begin, max(stop, target)):
        hits = target - row
        first, last = span[row, 0], span[row, 1]
        if wiped_out:
            _add(work[2], back_hits[hits])
        else:
            first, last = max(first, window[hits, 0]), min(last, window[hits, 1])
        if row < stop and first <= last:
            low, high = min(low, first), max(high, last)
            if wiped_out:
                _collect(mass[row], work[2], work[now], first, last)
            else:
                _collect(mass[row], back_hits[hits], work[now], first, last)
        if row < target and low <= high and factor[row] != 0.0:
            if np.isnan(factor[row]):
                _fire(work[now], low, high, low, volley_chances(out, row), back_hits[0], after)
                low, high = columns + 1, -1
            else:
                _one_shot(factor[row], work[now], work[1 - now], low, high)
                now = 1 - now
                low, high = _trimmed(work[now], low, min(high + 1, columns))
    return now, low, high


@woven
def _add(total: Floats, part: Floats) -> None:
    for at in range(len(total)):
        total[at] += part[at]


@woven
def _collect(masses: Floats, factors: Floats, total: Floats, first: int, last: int) -> None:
    """Add the masses from `first` to `last` times their factors to a row."""
    source, factor, sink = masses[first : last + 1], factors[first : last + 1], total[first : last + 1]
    for at in range(len(sink)):
        sink[at] += source[at] * factor[at]


@woven
def _one_shot(chance: float, old: Floats, new: Floats, low: int, high: int) -> None:
    """Fire one unit at each column of `old` from `low` to `high`; `new` gets the result, `old` is cleared."""
    miss = 1.0 - chance
    stay, move, sink = old[low + 1 : high + 1], old[low:high], new[low + 1 : high + 1]
    for at in range(len(sink)):
        sink[at] = stay[at] * miss + move[at] * chance
    new[low] = old[low] * miss
    beyond = min(high + 1, len(old) - 1)  # the last column has no targets
    new[beyond] += old[high] * chance
    old[low : high + 1] = 0.0


@woven
def _trimmed(row: Floats, low: int, high: int) -> tuple[int, int]:
    """Clear negligible masses at both ends of a row and return its new ends."""
    while low < high and row[low] < NEGLIGIBLE:
        row[low] = 0.0
        low += 1
    while low < high and row[high] < NEGLIGIBLE:
        row[high] = 0.0
        high -= 1
    return low, high


@woven
def _spread(force: float, column: int, volley: VolleyChances, first: int, last: int, row: Floats) -> tuple[int, int]:
    """Move the mass `force` from a column of `row` to later columns by the hits of `volley`.

    `first`, `last`: the previous column's window of hits, which changes little; returns this column's.
    """
    least = NEGLIGIBLE / force
    while first > volley.first and volley.chance[first - 1] >= least:
        first -= 1
    while first < volley.peak and volley.chance[first] < least:
        first += 1
    while last < volley.last and volley.chance[last + 1] >= least:
        last += 1
    while last > volley.peak and volley.chance[last] < least:
        last -= 1
    room = len(row) - 1 - column
    end = max(first, min(last + 1, room))
    source, sink = volley.chance[first:end], row[column + first : column + end]
    for at in range(len(sink)):
        sink[at] += source[at] * force
    row[-1] += force * volley.beyond[min(room, len(volley.beyond) - 1)] * (last >= room)
    return first, last


@inner
def _fire(
    acc: Floats, low: int, high: int, leave_at: int, volley: VolleyChances, all_miss: Floats, row: Floats
) -> None:
    """Move the masses in `acc` from `low` to `high` to `row` by one volley; clear `acc`.

    Before `leave_at` all rounds in which the defender misses follow: `all_miss[j]` is the chance that it scores no hit
    after j hits taken, and `row` has the masses that begin a round there already. It gets the expected number of rounds
    that begin in each cell, or its chance if nothing can happen there any more.
    """
    first, last = volley.first, volley.last
    miss = volley.chance[0]
    columns = len(row) - 1
    for column in range(low, high + 1):
        force = acc[column]
        acc[column] = 0.0
        if column == columns:
            row[column] += force
            break
        row[column] += force * miss
        if column < leave_at:
            again = miss * all_miss[column]
            if again < 1.0:
                row[column] /= 1.0 - again
                force += row[column] * all_miss[column]
        if force >= NEGLIGIBLE:
            first, last = _spread(force, column, volley, first, last, row)


@inner
def _extent(row: Floats, leave_at: int) -> tuple[int, int]:
    """Return the first and last relevant column of a row before `leave_at`."""
    low, high = 0, leave_at - 1
    while low <= high and row[low] < NEGLIGIBLE:
        low += 1
    while high >= low and row[high] < NEGLIGIBLE:
        high -= 1
    return low, high


@inner
def _part_of(hits: Hits, first: int, end: int) -> Hits:
    """Return the rows from `first` to before `end`."""
    table, window, factor = hits
    return table[first:end], window[first:end], factor[first:end]


@kernel
def forward(
    out: Hits, back: Columns, over: Codes, bounds: Ints, rows: Ints, columns: Ints, chances: Floats, settle: bool
) -> Results:
    """Fight a round from pairs of hits taken with their `chances`, or with `settle` to the end: see `layout.listed`.

    `out`, `back`: the attacker's and the defender's hits. `over`: the code of each pair; `bounds`: of the rows of each
    army that the attacker may come with.
    """
    before = np.zeros(over.shape)
    for at in range(len(rows)):
        before[rows[at], columns[at]] = chances[at]
    after = before.copy()
    for army in range(len(bounds) - 1):
        first, end = bounds[army], bounds[army + 1]
        part = _part_of(out, first, end)
        retreat_at, leave_at = 0, 0
        while _may_go_on(over[first + retreat_at, 0]):
            retreat_at += 1
        while _may_go_on(over[first, leave_at]):
            leave_at += 1
        _fight(part, back, before[first:end], after[first:end], retreat_at, leave_at, settle)
    return listed(after, over, settle)


@kernel
def fight_out(
    here: PlainSide, there: PlainSide, low_luck: bool
) -> tuple[tuple[Ints, Ints], tuple[Ints, Ints], Results]:
    """Fight to the end from two armies: see `forward`; return `counts` and `totals` of both sides' armies before that.

    The same as with the tables of a battle, with one call in place of a dozen, which take longer than a small battle.
    """
    counts, totals, dice, standing = _chain(here)
    enemy_counts, enemy_totals, enemy_dice, enemy_standing = _chain(there)
    out = hit_distribution(dice, here[7], here[8], low_luck)
    back = hit_columns(enemy_dice, there[7], there[8], low_luck)
    over, first = code_table(standing, enemy_standing), np.zeros(1, np.int64)
    results = forward(out, back, over, np.array([0, len(counts)]), first, first, np.ones(1), settle=True)
    return (counts, totals), (enemy_counts, enemy_totals), results


@inner
def _chain(side: PlainSide) -> tuple[Ints, Ints, Ints, Ints]:
    """Return `counts`, `totals` and dice of the armies of a chain, and their standing."""
    armies, lives, worth, kind, own, by, steps, chances, _ = side
    counts, _ = chain_of(armies, lives)
    totals, dice = totals_of(counts, worth), count_dice(counts, kind, own, by, steps, len(chances))
    return counts, totals, dice, standing(dice, totals, np.zeros(len(counts), np.bool_))


@inner
def _may_go_on(code: int) -> bool:
    """Return whether one side's losses leave the end open; a stalemate need not last once the other has losses, too."""
    return bool((code == GOES_ON) | (code == STALEMATE))


@inner
def _fight(
    out: Hits, back: Columns, before: Floats, after: Floats, retreat_at: int, leave_at: int, settle: bool
) -> None:
    """Fight with one of the attacker's armies; `after` has the same chances as `before`.

    It gets for each pair of hits taken its chance after the round; or the chance of ending there if the battle is over
    in that cell, else the expected number of rounds that begin there.
    """
    rows, columns = after.shape[0] - 1, after.shape[1] - 1
    source = after if settle else before
    span = np.zeros((rows + 1, 2), np.int64)
    work, now = np.zeros((3, columns + 1)), 0
    for row in range(0 if settle else retreat_at):
        span[row, 0], span[row, 1] = _extent(before[row], leave_at)
        after[row, :leave_at] = 0.0
    for row in range(rows + 1):
        stop = min(row if settle else row + 1, retreat_at)
        now, low, high = _gather(row, stop, out, source, span, back, work, now, after[row])
        volley = volley_chances(out, row)
        if settle and row < retreat_at:
            low = min(low, _extent(after[row], leave_at)[0])
            _fire(work[now], low, columns, leave_at, volley, back[0][0], after[row])
            span[row, 0], span[row, 1] = _extent(after[row], leave_at)
        else:
            _fire(work[now], low, high, low, volley, back[0][0], after[row])


class Backward(NamedTuple):
    """A backward pass: `value` has the values of pairs of armies, `goes_on` those of fighting a round.

    `over`, `floor`: see `BattleTables.backward`; `source`: values after the round, or `value` itself. `scratch`: what
    is known besides, by the tables.
    """

    over: Codes
    floor: Floats
    source: Floats
    value: Floats
    goes_on: Floats
    scratch: Floats


@kernel
def backward(out: Hits, back: Hits, found: Backward, bounds: Ints, settle: bool) -> None:
    """Fill in a pass from the last pair of hits taken to the first.

    `over` marks the pairs with a given value; with any other the attacker fights a round, or leaves if `floor`, the
    value of leaving, is higher. With `settle` the battle has no limit: the pass covers all rounds at once. After a
    round in which nobody hits the attacker chooses anew, between leaving and one more such round.

    `out`, `back`: the attacker's and the defender's hits. `bounds`: of the rows of each army that the attacker may come
    with.
    """
    over, floor, source, value, goes_on, scratch = found
    for army in range(len(bounds) - 1):
        at, to = bounds[army], bounds[army + 1]
        part = Backward(over[at:to], floor[at:to], source[at:to], value[at:to], goes_on[at:to], scratch)
        _fill_in(_part_of(out, at, to), back, part, settle)


@inner
def _fill_in(out: Hits, back: Hits, found: Backward, settle: bool) -> None:
    """Fill in a pass for one of the attacker's armies.

    From one row of the attacker's losses to the next, its fire mostly loses one die. So `struck`, the rows after that
    fire, is kept for all rows that the defender's hits may lead to, and each row on the way up adds the fire of one
    die; where it changes by more, all are fired anew.
    """
    over, floor, source, value, goes_on, _ = found
    (fires, out_window, factor), (returns, back_window, _) = out, back
    rows, columns = over.shape[0] - 1, over.shape[1] - 1
    most = returns.shape[1] - 1
    # The chance of h hits or more, for the last row: hits beyond the last unit are lost.
    beyond = np.zeros((columns + 1, most + 2))
    for column in range(columns):
        for hits in range(most, -1, -1):
            beyond[column, hits] = beyond[column, hits + 1] + returns[column, hits]
    struck = source.copy()  # the last row has no units to fire
    for row in range(rows - 1, -1, -1):
        reach = min(rows, row + most)
        own, first, last = fires[row], out_window[row, 0], out_window[row, 1]
        for later in range(row + 1, reach + 1):
            if np.isnan(factor[row]):
                _volley(own, first, last, source[later], struck[later])
            else:
                _add_shot(factor[row], struck[later])
        for column in range(columns - 1, -1, -1):
            if over[row, column] != GOES_ON:
                continue
            here = _after(own, first, last, source[row], column)
            chances, least, highest = returns[column], back_window[column, 0], back_window[column, 1]
            total = chances[0] * here
            for later in range(row + max(1, least), min(rows - 1, row + highest) + 1):
                total += chances[later - row] * struck[later, column]
            if rows - row <= most:
                total += beyond[column, rows - row] * struck[rows, column]
            goes_on[row, column] = settled(total, own[0] * chances[0], floor[row, column]) if settle else total
            value[row, column] = max(goes_on[row, column], floor[row, column])
        _volley(own, first, last, source[row], struck[row])


@inner
def _add_shot(chance: float, row: Floats) -> None:
    """Add the fire of one more unit to a row of values."""
    if chance > 0.0:
        for column in range(len(row) - 1):
            row[column] += chance * (row[column + 1] - row[column])


@inner
def _volley(chances: Floats, first: int, last: int, row: Floats, struck: Floats) -> None:
    """Fill in `struck`, the values of a row before a volley that leads to `row`."""
    for column in range(len(row) - 1):
        struck[column] = _after(chances, first, last, row, column)
    struck[-1] = row[-1]


@inner
def _after(chances: Floats, first: int, last: int, row: Floats, column: int) -> float:
    """Return the mean of a row after a volley at `column`."""
    end = len(row) - 1
    total = 0.0
    for hits in range(first, last + 1):
        total += chances[hits] * row[min(column + hits, end)]
    return total


@woven
def settled(total: float, stays: float, floor: float) -> float:
    """Return the value of fighting a round: `total`, and with the chance `stays` the same choice again.

    An attacker that leaves after a round without a hit would have left before it. So there are two cases: fighting
    until somebody hits, or one round and `floor`.
    """
    until_a_hit = total / (1.0 - stays)
    return until_a_hit if until_a_hit >= floor else total + stays * floor
