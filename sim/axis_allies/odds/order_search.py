"""Every order of losses of one side, tried: what is lost last is placed first, and its values serve all that follows.

The value of a battle from an army on depends only on the order of what that army still has. So a walk through the tree
of orders, from the last loss to the first, calculates for each slot that it places only the armies that have some of
it, backward over the enemy's armies; whatever comes after it in the order is known. Armies have the same number in
every order (`Lineup.number`); an army's row is overwritten once the walk has left the orders that it belongs to.

Values are own chance to win, the enemy's, and the swing in IPC, the last axis of `value`; the first is the number of
rounds to go, one entry if there is no limit.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.axis_allies.odds.fleet import Fleet, fill_in_reach
from sim.axis_allies.odds.hit_distribution import NEGLIGIBLE
from sim.axis_allies.odds.layout import GOES_ON, REST, SUBMARINES, ArmyNumbers, Codes, Flags, Floats, Ints
from sim.axis_allies.odds.sea import (
    Losses,
    four_lists,
    general_fire,
    is_marked,
    marked_mean,
    may_strike,
    surprise_losses,
)
from sim.core.kernels import copy, inner, kernel, woven

AIMS = 3
"""Values of a pair of armies: own chance to win, the enemy's, the swing."""

ALL = 7
"""Bit mask of all hit groups."""


class Lineup(NamedTuple):
    """What a side may lose, by slot, and rules for the order.

    `counts`, `radix`: an army's key is the sum of its counts times `radix`. `keys`: of all armies, falling; `number`:
    an army's number + 1 by its key. `takes[g, k]`: whether hits of group g may take slot k; groups after `REST` are
    antiaircraft fire. `later[k]`: bit mask of the slots that are lost later than k in any order to try. `idle[k, l]`:
    having l is never better than having k, so k is not lost directly before it. `first[s]`: number of army s in the
    round in which ships bombard or nobody may leave, s itself if there is no such round. `ends`: bit mask of the slots
    that may be placed after the first `fork`, the slot that is lost last of all if there is one.
    """

    counts: Ints
    radix: Ints
    keys: Ints
    number: NDArray[np.int32]
    takes: Flags
    later: Ints
    idle: Flags
    first: Ints
    fork: int
    ends: int


class Fire(NamedTuple):
    """What the own side's general fire leaves of the enemy, which is the same in every order.

    `start[s, e]`: where the list for army s against the enemy's army e begins in `army` and `chance`, -1 if it isn't
    known yet; `length[s, e]`: its length. `used`: that of all lists.
    """

    start: Ints
    length: Ints
    army: ArmyNumbers
    chance: Floats
    used: Ints


class Roots(NamedTuple):
    """How the battle may begin: hits of each group on the own army, number of the enemy's army, and the chance."""

    hits: Ints
    enemy: Ints
    chance: Floats


@kernel
def pairs_to_try(lineup: Lineup, enemies: int, limit: float) -> tuple[float, int]:
    """Return how many pairs of armies a search calculates, at most about `limit`, and the number of orders."""
    size = len(lineup.counts)
    placed, tried = np.zeros(size, np.int64), np.zeros(size + 1, np.int64)
    used, depth, orders = 0, 0, 0
    pairs = 0.0
    while depth >= 0 and pairs < limit:
        if depth == size:
            orders += 1
        slot = _next_slot(lineup, placed, tried, used, depth)
        if slot < 0:
            depth -= 1
            used ^= 1 << placed[depth] if depth >= 0 else 0
            continue
        beside = 1
        for group in range(len(lineup.takes)):
            if not lineup.takes[group, slot]:
                beside *= 1 + _hits_left(lineup, group, used)
        pairs += beside * lineup.counts[slot] * enemies
        placed[depth] = slot
        used |= 1 << slot
        depth += 1
        tried[depth] = 0
    return pairs, orders


@inner
def _hits_left(lineup: Lineup, group: int, used: int) -> int:
    total = 0
    for slot in range(len(lineup.counts)):
        if used >> slot & 1 and lineup.takes[group, slot]:
            total += lineup.counts[slot]
    return total


@inner
def _next_slot(lineup: Lineup, placed: Ints, tried: Ints, used: int, depth: int) -> int:
    """Return the next slot to try before those placed, -1 if there is none: the last first."""
    while tried[depth] < len(lineup.counts):
        tried[depth] += 1
        slot = len(lineup.counts) - tried[depth]
        free = used >> slot & 1 == 0 and lineup.later[slot] & ~used == 0
        free = free and (depth != lineup.fork or lineup.ends >> slot & 1)
        if free and (depth == 0 or not lineup.idle[slot, placed[depth - 1]]):
            return int(slot)
    return -1


@kernel
def try_orders(
    own: Fleet,
    enemy: Fleet,
    attacks: bool,
    plain: bool,
    lineup: Lineup,
    over: Codes,
    value: Floats,
    middle: Floats,
    fire: Fire,
    roots: Roots,
    orders: int,
) -> tuple[Ints, Floats]:
    """Return all orders, first loss first, and the values of the battle with each.

    `attacks`: the own side is the attacker. `plain`: any hit may take any unit. `over[s, e]`, `value[:, s, e]`: the own
    army first; `value` is given for pairs with which the battle is over, and at the round limit. `middle`: room for the
    same pairs in the middle of a round. The enemy's last army is what it comes with, in the first round.
    """
    size, groups = len(lineup.counts), len(lineup.takes)
    found = np.zeros((orders, size), np.int64)
    worth = np.zeros((orders, AIMS))
    placed, tried = np.zeros(size, np.int64), np.zeros(size + 1, np.int64)
    whole = np.zeros(size + 1, np.int64)  # the army of all slots placed
    whole[0] = lineup.number[0] - 1
    after = np.full((groups, len(lineup.keys)), whole[0])  # the empty army stays as it is
    own.path[:, whole[0]] = whole[0]
    fill_in_reach(own.path, own.has, whole[0], own.reach)
    lists = four_lists(*over.shape) if attacks else four_lists(over.shape[1], over.shape[0])
    beside = np.zeros(len(lineup.keys), np.int64)
    regular = np.arange(over.shape[1] - 1)[::-1].copy()  # the enemy's armies but for that of the first round
    used, depth, count = 0, 0, 0
    while depth >= 0:
        if depth == size:
            copy(placed[::-1], found[count])
            for at in range(len(roots.chance)):
                army, other = _after_hits(whole[size], roots.hits[at], after), roots.enemy[at]
                first = lineup.first[army]
                for group in range(len(own.path)):
                    copy(own.path[group, army], own.path[group, first])
                for group in range(len(own.reach)):
                    copy(own.reach[group, army], own.reach[group, first])
                _fill_in(own, enemy, attacks, first, roots.enemy[at : at + 1], over, value, middle, fire, lists)
                _add(roots.chance[at], value[-1, first, other], worth[count])
            count += 1
        slot = _next_slot(lineup, placed, tried, used, depth)
        if slot < 0:
            depth -= 1
            used ^= 1 << placed[depth] if depth >= 0 else 0
            continue
        several = _find_beside(lineup, slot, whole[depth], after, beside)
        for units in range(1, lineup.counts[slot] + 1):
            for others in beside[:several]:
                army = _link(own, lineup, slot, units, others, after)
                if plain:
                    _fill_in_on_land(own, enemy, army, over[army], value)
                else:
                    middle[:, army] = np.nan
                    _fill_in(own, enemy, attacks, army, regular, over, value, middle, fire, lists)
        placed[depth] = slot
        used |= 1 << slot
        depth += 1
        whole[depth] = lineup.number[lineup.keys[whole[depth - 1]] + lineup.counts[slot] * lineup.radix[slot]] - 1
        tried[depth] = 0
    return found[:count], worth[:count]


@inner
def _after_hits(army: int, hits: Ints, after: Ints) -> int:
    for group in range(len(hits)):
        for _ in range(hits[group]):
            army = after[group, army]
    return army


@inner
def _find_beside(lineup: Lineup, slot: int, whole: int, after: Ints, beside: Ints) -> int:
    """List what hits that can't take a slot may leave of the army `whole` after it, the smallest army first.

    Returns their number.
    """
    beside[0] = whole
    count, at = 1, 0
    while at < count:
        for group in range(len(lineup.takes)):
            less = after[group, beside[at]]
            if not lineup.takes[group, slot] and not _has(beside[:count], less):
                beside[count] = less
                count += 1
        at += 1
    for end in range(1, count):  # losses lead to higher numbers
        army, place = beside[end], end
        while place > 0 and beside[place - 1] < army:
            beside[place] = beside[place - 1]
            place -= 1
        beside[place] = army
    return count


@inner
def _has(armies: Ints, army: int) -> bool:
    at = 0
    while at < len(armies) and armies[at] != army:
        at += 1
    return at < len(armies)


@inner
def _link(own: Fleet, lineup: Lineup, slot: int, units: int, others: int, after: Ints) -> int:
    """Link the army of some units of a slot and `others` to those that hits leave of it; return its number."""
    radix = lineup.radix[slot]
    army = int(lineup.number[lineup.keys[others] + units * radix]) - 1
    for group in range(len(lineup.takes)):
        taken = lineup.takes[group, slot]
        left, unit = (others, units - 1) if taken else (after[group, others], units)
        less = lineup.number[lineup.keys[left] + unit * radix] - 1
        after[group, army] = less
        if group <= REST:
            own.path[group, army] = army
            copy(own.path[group, less, :-1], own.path[group, army, 1:])
    fill_in_reach(own.path, own.has, army, own.reach)
    return army


@inner
def _fill_in_on_land(own: Fleet, enemy: Fleet, army: int, over: Codes, value: Floats) -> None:
    """Calculate the values of an army against all of the enemy's, which are numbered by the hits they have taken."""
    columns, limit = len(over) - 1, len(value) - 1
    volley = own.table[ALL, army, : own.window[ALL, army, 1] + 1]
    most = 0
    for other in range(columns):
        most = max(most, enemy.window[ALL, other, 1])
    row = np.zeros((columns + len(volley)) * AIMS)  # the last army again and again: hits beyond the last unit
    struck, total = np.zeros(columns * AIMS), np.zeros(columns * AIMS)
    for rounds in range(min(1, limit), limit + 1):
        total[:] = 0.0
        for hits in range(0 if limit else 1, most + 1):
            _repeat_last(value[max(0, rounds - 1), own.path[REST, army, hits], :columns], row)
            struck[:] = 0.0
            for own_hits in range(len(volley)):
                _add(volley[own_hits], row[own_hits * AIMS :], struck)
            for other in range(columns):
                at = other * AIMS
                _add(enemy.table[ALL, other, hits], struck[at : at + AIMS], total[at : at + AIMS])
        here = value[rounds, army]
        for other in range(columns - 1, -1, -1):
            if over[other] != GOES_ON:
                continue
            place, on = total[other * AIMS : other * AIMS + AIMS], 1.0
            if limit == 0:  # and the rounds in which this army isn't hit
                quiet = enemy.table[ALL, other, 0]
                for own_hits in range(1, len(volley)):
                    _add(quiet * volley[own_hits], here[min(other + own_hits, columns - 1)], place)
                on -= volley[0] * quiet
            here[other] = 0.0
            _add(1.0 / on, place, here[other])


@woven
def _repeat_last(values: Floats, row: Floats) -> None:
    for other in range(len(row) // AIMS):
        for aim in range(AIMS):
            row[other * AIMS + aim] = values[min(other, len(values) - 1), aim]


@woven
def _add(chance: float, values: Floats, total: Floats) -> None:
    for at in range(len(total)):
        total[at] += chance * values[at]


@inner
def _fill_in(
    own: Fleet,
    enemy: Fleet,
    attacks: bool,
    army: int,
    others: Ints,
    over: Codes,
    value: Floats,
    middle: Floats,
    fire: Fire,
    lists: tuple[Losses, Losses, Losses, Losses],
) -> None:
    """Calculate the values of an army against some of the enemy's armies, those that have lost most first."""
    limit = len(value) - 1
    attacker, defender = (own, enemy) if attacks else (enemy, own)
    for other in others:
        if over[army, other] != GOES_ON:
            continue
        a, d = (army, other) if attacks else (other, army)
        if limit == 0:
            value[0, army, other] = 0.0
        for rounds in range(min(1, limit), limit + 1):
            later = value[max(0, rounds - 1)]
            if is_marked(attacker, a, defender, d):
                p, stays = _marked(attacker, a, defender, d, lists, later[:, :, 0], attacks)
                q = _marked(attacker, a, defender, d, lists, later[:, :, 1], attacks)[0]
                s = _marked(attacker, a, defender, d, lists, later[:, :, 2], attacks)[0]
            else:
                p, q, s, stays = _round(own, army, enemy, other, attacks, later, middle[rounds], fire, lists)
            on = 1.0 - stays if limit == 0 else 1.0
            here = value[rounds, army, other]
            here[0], here[1], here[2] = p / on, q / on, s / on


@inner
def _marked(
    attacker: Fleet,
    a: int,
    defender: Fleet,
    d: int,
    lists: tuple[Losses, Losses, Losses, Losses],
    later: Floats,
    attacks: bool,
) -> tuple[float, float]:
    """Return the mean of `later`, the own army first, after a round in which marked units fire."""
    if attacks:
        return marked_mean(attacker, a, defender, d, lists, later)
    return marked_mean(attacker, a, defender, d, lists, later.T)


@woven
def _round(
    own: Fleet,
    army: int,
    enemy: Fleet,
    other: int,
    attacks: bool,
    later: Floats,
    middle: Floats,
    fire: Fire,
    lists: tuple[Losses, Losses, Losses, Losses],
) -> tuple[float, float, float, float]:
    """Return the mean values after a round but for the chance, returned last, that the pair doesn't change."""
    sunk_left, sunk_right, left, right = lists if attacks else (lists[1], lists[0], lists[3], lists[2])
    p, q, s, stays = 0.0, 0.0, 0.0, 0.0
    by_own = own.has[army, SUBMARINES] > 0 and may_strike(enemy, other)
    by_enemy = enemy.has[other, SUBMARINES] > 0 and may_strike(own, army)
    n = surprise_losses(enemy, other, own, army, 1 if by_enemy else 0, NEGLIGIBLE, sunk_left)
    m = surprise_losses(own, army, enemy, other, 1 if by_own else 0, NEGLIGIBLE, sunk_right)
    for left_at in range(n):
        for right_at in range(m):
            chance = sunk_left.chance[left_at] * sunk_right.chance[right_at]
            i, j = army, other
            if by_own or by_enemy:
                i, j = int(sunk_left.army[left_at]), int(sunk_right.army[right_at])
            half = middle[i, j]
            same = i == army and j == other
            here, there, swing = half[0], half[1], half[2]
            if same or np.isnan(here):
                here, there, swing, quiet = _mean(own, i, enemy, j, later, fire, left, right)
                if same:
                    stays = chance * quiet
                else:
                    half[0], half[1], half[2] = here, there, swing
            p += chance * here
            q += chance * there
            s += chance * swing
    return p, q, s, stays


@woven
def _mean(
    own: Fleet, army: int, enemy: Fleet, other: int, later: Floats, fire: Fire, left: Losses, right: Losses
) -> tuple[float, float, float, float]:
    """Return the mean values after the general fire of a pair, and the chance that it doesn't change."""
    if fire.start[army, other] < 0:
        struck = 1 if may_strike(enemy, other) else 0
        m = general_fire(own, army, enemy, other, struck, NEGLIGIBLE, right)
        begin = fire.used[0]
        if begin + m <= len(fire.army):
            fire.start[army, other], fire.length[army, other] = begin, m
            copy(right.army[:m], fire.army[begin:])
            copy(right.chance[:m], fire.chance[begin:])
            fire.used[0] += m
        armies, chances = right.army[:m], right.chance[:m]
    else:
        begin, m = fire.start[army, other], fire.length[army, other]
        armies, chances = fire.army[begin : begin + m], fire.chance[begin : begin + m]
    n = general_fire(enemy, other, own, army, 1 if may_strike(own, army) else 0, NEGLIGIBLE, left)
    p, q, s, stays = 0.0, 0.0, 0.0, 0.0
    for at in range(n):
        row = later[left.army[at]]
        here, there, swing = 0.0, 0.0, 0.0
        for on in range(len(armies)):
            column, chance = armies[on], chances[on]
            here += chance * row[column, 0]
            there += chance * row[column, 1]
            swing += chance * row[column, 2]
            if column == other and left.army[at] == army:
                stays = left.chance[at] * chance
        p += left.chance[at] * here
        q += left.chance[at] * there
        s += left.chance[at] * swing
    return p, q, s, stays
