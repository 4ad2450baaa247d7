"""Value of a battle from each pair of armies on: backward passes over the same tables as the forward ones.

A pass goes from the last pair to the first. `over` (from `chain_endings` or `endings`) marks the pairs with a given
value; with any other pair the attacker fights a round, or leaves if `floor`, the value of leaving, is higher. `source`
has the values after the round. If it is the table to fill in, the battle has no limit: the pass covers all rounds at
once. After a round in which nobody hits the attacker chooses anew, between leaving and one more such round. If it is
another table, the pass is one round.
"""

import numpy as np

from sim.axis_allies.odds.fleet import Fleet
from sim.axis_allies.odds.hit_distribution import NEGLIGIBLE, HitDistribution, Hits
from sim.axis_allies.odds.land import part_of
from sim.axis_allies.odds.layout import GOES_ON, Codes, Floats, Ints
from sim.axis_allies.odds.sea import (
    Losses,
    chance_of,
    exchange,
    four_lists,
    is_marked,
    marked_mean,
    mean_of,
    strike,
    strikers,
)
from sim.core.kernels import inner, kernel, woven


@kernel
def on_land(
    out: Hits,
    back: Hits,
    over: Codes,
    floor: Floats,
    source: Floats,
    value: Floats,
    bounds: Ints,
    *,
    settle: bool,
) -> Floats:
    """Fill in `value[i, j]` after i and j hits taken; return the values of fighting a round.

    `out`, `back`: the attacker's and the defender's hits. `bounds`: of the rows of each army that the attacker may come
    with. `settle`: `source` is `value`.
    """
    goes_on = value.copy()
    for army in range(len(bounds) - 1):
        at, to = bounds[army], bounds[army + 1]
        hits, fire = part_of(out, at, to), HitDistribution(*back)
        _fill(hits, fire, over[at:to], floor[at:to], source[at:to], value[at:to], goes_on[at:to], settle)
    return goes_on


@inner
def _fill(
    out: HitDistribution,
    back: HitDistribution,
    over: Codes,
    floor: Floats,
    source: Floats,
    value: Floats,
    goes_on: Floats,
    settle: bool,
) -> None:
    """Fill in `value` and `goes_on` for one of the attacker's armies.

    From one row of the attacker's losses to the next, its fire mostly loses one die. So `struck`, the rows after that
    fire, is kept for all rows that the defender's hits may lead to, and each row on the way up adds the fire of one
    die; where it changes by more, all are fired anew.
    """
    rows, columns = over.shape[0] - 1, over.shape[1] - 1
    most = back.table.shape[1] - 1
    # The chance of h hits or more, for the last row: hits beyond the last unit are lost.
    beyond = np.zeros((columns + 1, most + 2))
    for column in range(columns):
        for hits in range(most, -1, -1):
            beyond[column, hits] = beyond[column, hits + 1] + back.table[column, hits]
    struck = source.copy()  # the last row has no units to fire
    for row in range(rows - 1, -1, -1):
        reach = min(rows, row + most)
        own, first, last = out.table[row], out.window[row, 0], out.window[row, 1]
        for later in range(row + 1, reach + 1):
            if np.isnan(out.factor[row]):
                _fire(own, first, last, source[later], struck[later])
            else:
                _one_shot(out.factor[row], struck[later])
        for column in range(columns - 1, -1, -1):
            if over[row, column] != GOES_ON:
                continue
            here = _after(own, first, last, source[row], column)
            chances, least, highest = back.table[column], back.window[column, 0], back.window[column, 1]
            total = chances[0] * here
            for later in range(row + max(1, least), min(rows - 1, row + highest) + 1):
                total += chances[later - row] * struck[later, column]
            if rows - row <= most:
                total += beyond[column, rows - row] * struck[rows, column]
            goes_on[row, column] = _settled(total, own[0] * chances[0], floor[row, column]) if settle else total
            value[row, column] = max(goes_on[row, column], floor[row, column])
        _fire(own, first, last, source[row], struck[row])


@woven
def _settled(total: float, stays: float, floor: float) -> float:
    """Return the value of fighting a round: `total`, and with the chance `stays` the same choice again.

    An attacker that leaves after a round without a hit would have left before it. So there are two cases: fighting
    until somebody hits, or one round and `floor`.
    """
    until_a_hit = total / (1.0 - stays)
    return until_a_hit if until_a_hit >= floor else total + stays * floor


@inner
def _one_shot(chance: float, row: Floats) -> None:
    """Add the fire of one more unit to a row of values."""
    if chance > 0.0:
        for column in range(len(row) - 1):
            row[column] += chance * (row[column + 1] - row[column])


@inner
def _fire(chances: Floats, first: int, last: int, row: Floats, struck: Floats) -> None:
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


@kernel
def at_sea(
    attacker: Fleet, defender: Fleet, over: Codes, floor: Floats, source: Floats, value: Floats, *, settle: bool
) -> Floats:
    """Fill in `value[a, d]` for each pair of armies; return the values of fighting a round."""
    rows, columns = over.shape
    goes_on = value.copy()
    middle = np.full((rows, columns), np.nan)  # values of pairs in the middle of a round; NaN until needed
    lists = four_lists(rows, columns)
    sunk_left, sunk_right, left, right = lists
    for a in range(rows - 1, -1, -1):
        for d in range(columns - 1, -1, -1):
            if over[a, d] != GOES_ON:
                continue
            if is_marked(attacker, a, defender, d):
                total, stays = marked_mean(attacker, a, defender, d, lists, source)
                goes_on[a, d] = _settled(total, stays, floor[a, d]) if settle else total
                value[a, d] = max(goes_on[a, d], floor[a, d])
                continue
            total, stays = 0.0, 1.0
            own = strikers(attacker, a, defender, d)
            if own:
                n, m = strike(attacker, a, defender, d, own, NEGLIGIBLE, sunk_left, sunk_right)
                total, stays = _struck_mean(attacker, a, defender, d, n, m, lists, source, middle)
            if stays > 0.0:
                n, m = exchange(attacker, a, defender, d, NEGLIGIBLE, left, right)
                total += stays * mean_of(source, left, n, right, m)
                stays *= chance_of(a, left, n) * chance_of(d, right, m)
            goes_on[a, d] = _settled(total, stays, floor[a, d]) if settle else total
            value[a, d] = max(goes_on[a, d], floor[a, d])
    return goes_on


@woven
def _struck_mean(
    attacker: Fleet,
    a: int,
    defender: Fleet,
    d: int,
    n: int,
    m: int,
    lists: tuple[Losses, Losses, Losses, Losses],
    source: Floats,
    middle: Floats,
) -> tuple[float, float]:
    """Return the mean of `source` after strikes that hit, and the chance, which it leaves out, that none does.

    `n`, `m`: lengths of the first two lists. `middle`: values of pairs in the middle of a round, NaN until needed.
    """
    sunk_left, sunk_right, left, right = lists
    total, stays = 0.0, 0.0
    for left_at in range(n):
        for right_at in range(m):
            chance = sunk_left.chance[left_at] * sunk_right.chance[right_at]
            i, j = int(np.int64(sunk_left.army[left_at])), int(np.int64(sunk_right.army[right_at]))
            if i == a and j == d:
                stays = chance
                continue
            if np.isnan(middle[i, j]):
                p, q = exchange(attacker, i, defender, j, NEGLIGIBLE, left, right)
                middle[i, j] = mean_of(source, left, p, right, q)
            total += chance * middle[i, j]
    return total, stays
