"""The engine of battles in which hits come in groups: submarines, air without a destroyer, the rest.

A side is a graph of reachable armies, numbered so that losses lead to higher numbers, with one successor per hit group.
A round has two halves. Surprise strikes move a pair of armies to a pair in the middle of the round; the general fire
moves it on from there. A strike never sinks a destroyer, so a pair in the middle shows by itself whose submarines have
struck. In each half the two sides' losses are independent, so the product of two short lists of successors is enough.
The round without losses is divided out instead of iterated, and pairs that can't change any more keep the mass that
reaches them.

Where losses to submarines are marked (`Fleet.marked`) and only one side has a destroyer, that side's marked units fire
in the general fire, which needs the pair before the strike: such a round is done at once, without a middle.
"""

from typing import NamedTuple

import numpy as np

from sim.axis_allies.odds.army_graph import NO_ARMY, OPEN, Fleet
from sim.axis_allies.odds.dice import NEGLIGIBLE
from sim.axis_allies.odds.land import Backward, settled
from sim.axis_allies.odds.layout import AIR, DESTROYERS, GOES_ON, REST, SUBMARINES, ArmyNumbers, Codes, Floats, Ints
from sim.core.kernels import inner, kernel, woven

MAX_WORK = 10_000_000_000
"""Maximum work of a fight, in products of two chances: some seconds."""


class Losses(NamedTuple):
    """Armies that a volley leaves, with chances; `position[s]`: index of army s in the list, or `NO_ARMY`."""

    army: ArmyNumbers
    chance: Floats
    position: ArmyNumbers


@inner
def _no_losses(size: int) -> Losses:
    """Return an empty list with room for `size` armies."""
    return Losses(np.zeros(size, np.uint32), np.zeros(size), np.full(size, NO_ARMY, np.uint32))


@woven
def shared(path: ArmyNumbers, reach: Ints, other: int, by_submarines: int, by_air: int, by_rest: int) -> np.uint32:
    """Return what hits of all groups, shared so that as many as possible take effect, leave of the army `other`.

    They fall in order until they lack those that may take a submarine, or a plane; the others fall on what is left.
    """
    total = by_submarines + by_air + by_rest
    below, high = reach[SUBMARINES, other, by_submarines + by_rest], reach[AIR, other, by_air + by_rest]
    fall = min(total, below, high)
    group = AIR * (below < total) + SUBMARINES * (below >= total)
    after: np.uint32 = path[group, path[REST, other, fall], total - fall]
    return after


@woven
def _volley(
    shooter: Fleet, army: int, target: Fleet, other: int, masks: tuple[int, int, int], least: float, losses: Losses
) -> int:
    """List what the volley of `army` leaves of the army `other`; return the length of the list.

    `masks`: groups whose hits are placed as submarines', as air's and as the rest's. Chances under `least` are dropped.
    """
    found = 0
    submarine_mask, air_mask, rest_mask = masks
    path, reach, table, window = target.path, target.reach, shooter.table, shooter.window
    for hits_s in range(window[submarine_mask, army, 0], window[submarine_mask, army, 1] + 1):
        chance_s = table[submarine_mask, army, hits_s]
        if chance_s < least:
            continue
        after_s = path[SUBMARINES, other, hits_s]
        for hits_a in range(window[air_mask, army, 0], window[air_mask, army, 1] + 1):
            chance_a = chance_s * table[air_mask, army, hits_a]
            if chance_a < least:
                continue
            after_a = path[AIR, after_s, hits_a]
            mixed = hits_s > 0 and hits_a > 0
            for hits_r in range(window[rest_mask, army, 0], window[rest_mask, army, 1] + 1):
                chance = chance_a * table[rest_mask, army, hits_r]
                if chance < least:
                    continue
                after = shared(path, reach, other, hits_s, hits_a, hits_r) if mixed else path[REST, after_a, hits_r]
                position = losses.position[after]
                if position == NO_ARMY:
                    losses.position[after] = found
                    losses.army[found] = after
                    losses.chance[found] = chance
                    found += 1
                else:
                    losses.chance[position] += chance
    for at in range(found):
        losses.position[losses.army[at]] = NO_ARMY
    return found


@woven
def _one_group(
    shooter: Fleet, army: int, target: Fleet, other: int, group: int, mask: int, least: float, losses: Losses
) -> int:
    """List what hits of one group leave of `other`, of the groups in `mask`, nobody's for 0; return the length."""
    found, last = 0, NO_ARMY
    for hits in range(shooter.window[mask, army, 0], shooter.window[mask, army, 1] + 1):
        chance = shooter.table[mask, army, hits]
        after = target.path[group, other, hits]
        if chance < least:
            continue
        if after == last:  # no more targets
            losses.chance[found - 1] += chance
        else:
            losses.army[found] = last = after
            losses.chance[found] = chance
            found += 1
    return found


@woven
def masks_of(shooter: Fleet, army: int, target: Fleet, other: int, struck: int) -> tuple[int, int, int]:
    """Return the masks of the general fire, see `_volley`; submarines that have `struck` (not 0) don't fire.

    A group with the same targets as the rest is thrown together with it, unless it fires in a step of its own.
    """
    sees = (shooter.has[army, AIR] == 0) | (shooter.has[army, DESTROYERS] > 0)
    air_apart = (not sees) & (target.has[other, SUBMARINES] > 0)
    below_apart = (target.has[other, AIR] > 0) | shooter.marked
    by_air, below = 2 * air_apart, 1 * (struck == 0)
    by_submarines = below * below_apart
    return by_submarines, by_air, 4 + (2 - by_air) + below - by_submarines


@woven
def _general_fire(
    shooter: Fleet, army: int, target: Fleet, other: int, struck: int, least: float, losses: Losses
) -> int:
    """List what the general fire of `army` leaves of `other`."""
    by_submarines, by_air, together = masks_of(shooter, army, target, other, struck)
    if by_submarines == 0 and by_air == 0:
        found = _one_group(shooter, army, target, other, REST, together, least, losses)
    else:
        found = _volley(shooter, army, target, other, (by_submarines, by_air, together), least, losses)
    return found


@woven
def strikers(attacker: Fleet, a: int, defender: Fleet, d: int) -> int:
    """Return whose submarines strike by surprise: 1 the attacker's, 2 the defender's, 3 both, 0 neither."""
    by_attacker = (attacker.has[a, SUBMARINES] > 0) * defender.has[d, OPEN]
    by_defender = (defender.has[d, SUBMARINES] > 0) * attacker.has[a, OPEN]
    return int(by_attacker + 2 * by_defender)


@woven
def _is_marked(attacker: Fleet, a: int, defender: Fleet, d: int) -> bool:
    """Return whether marked units fire in a round from here that strikes leave no pair for."""
    if not attacker.marked:
        return False
    strike = (attacker.has[a, SUBMARINES] > 0) & (defender.has[d, SUBMARINES] > 0)
    one_sees = (attacker.has[a, DESTROYERS] > 0) != (defender.has[d, DESTROYERS] > 0)
    return bool(strike & one_sees)


@woven
def _strike(
    attacker: Fleet, a: int, defender: Fleet, d: int, struck: int, least: float, left: Losses, right: Losses
) -> tuple[int, int]:
    """List what the surprise strikes leave of both armies; return the lengths of both lists."""
    n = _one_group(defender, d, attacker, a, SUBMARINES, struck >> 1, least, left)
    m = _one_group(attacker, a, defender, d, SUBMARINES, struck & 1, least, right)
    return n, m


@woven
def _exchange(
    attacker: Fleet, a: int, defender: Fleet, d: int, least: float, left: Losses, right: Losses
) -> tuple[int, int]:
    """List what the general fire leaves of both armies, of submarines that don't strike; return both lengths."""
    n = _general_fire(defender, d, attacker, a, int(attacker.has[a, OPEN]), least, left)
    m = _general_fire(attacker, a, defender, d, int(defender.has[d, OPEN]), least, right)
    return n, m


@woven
def _push_all(mass: Floats, force: float, left: Losses, n: int, right: Losses, m: int) -> None:
    """Move the mass `force` to all pairs of two lists of losses."""
    for left_at in range(n):
        row, share = mass[left.army[left_at]], force * left.chance[left_at]
        for right_at in range(m):
            row[right.army[right_at]] += share * right.chance[right_at]


@woven
def _chance_of(army: int, losses: Losses, count: int) -> float:
    """Return the chance of `army` in a list of `count`, 0 if it isn't in the list."""
    at = 0  # it is mostly the first one
    while at + 1 < count and losses.army[at] != army:
        at += 1
    return float(losses.chance[at] * ((count > 0) & (losses.army[at] == army)))


@woven
def _mean_of(source: Floats, left: Losses, n: int, right: Losses, m: int) -> float:
    """Return the mean of `source` after two lists of losses."""
    total = 0.0
    for left_at in range(n):
        row, part = source[left.army[left_at]], 0.0
        for right_at in range(m):
            part += right.chance[right_at] * row[right.army[right_at]]
        total += left.chance[left_at] * part
    return total


@inner
def _marked_round(
    attacker: Fleet,
    a: int,
    defender: Fleet,
    d: int,
    force: float,
    share: float,
    lists: tuple[Losses, Losses, Losses, Losses],
    table: Floats,
    settle: bool,
) -> tuple[float, float]:
    """Fight a round from (a, d) in which marked units fire; chances under `share` are dropped.

    The side without a destroyer loses what the strike sinks at once; the other one's losses to the same step are marked
    and still fire. The mass `force` goes to all pairs of `table`; with `settle` as often as the round is fought until
    (a, d) changes. Returns the mass that was moved in all, or the mean of `table` if there is none; and the chance that
    (a, d) doesn't change.
    """
    sunk, marked, left, right = lists
    attacker_leaves = attacker.has[a, DESTROYERS] == 0
    struck = int(np.int64(3))  # both sides'; a literal would be compiled for anew
    mean, stays = 0.0, 0.0
    moves = force > 0.0
    n, m = _strike(attacker, a, defender, d, struck, share, sunk, marked)
    for at in range(n):
        i = int(np.int64(sunk.army[at]))  # what it is given to is compiled anew for uint32
        for on in range(m):
            j = int(np.int64(marked.army[on]))
            part = sunk.chance[at] * marked.chance[on]
            if part < share:
                continue
            p = _general_fire(defender, d if attacker_leaves else j, attacker, i, struck, share / part, left)
            q = _general_fire(attacker, i if attacker_leaves else a, defender, j, struck, share / part, right)
            if i == a and j == d:  # before all other pairs
                stays = part * _chance_of(a, left, p) * _chance_of(d, right, q)
                force /= 1.0 - stays if settle else 1.0
            if moves:
                _push_all(table, force * part, left, p, right, q)
            else:
                mean += part * _mean_of(table, left, p, right, q)
    return force if moves else mean, stays


@kernel
def forward(
    attacker: Fleet,
    defender: Fleet,
    over: Codes,
    before: Floats,
    middle: Floats,
    after: Floats,
    least: float,
    settle: bool,
) -> bool:
    """Fight a round from `before`, the chance of each pair of armies, or with `settle` to the end.

    `over`: the code of each pair. `middle`: zeros, for the pairs in the middle of a round. `after`: the pairs with
    which the battle is over, with `settle` the same as `before`; what is found is added to it, see `land.forward`.
    Chances under `least` are dropped. Returns whether that took at most `MAX_WORK`; else what is found is of no use.
    """
    rows, columns = over.shape
    work = 0
    lists = _no_losses(rows), _no_losses(columns), _no_losses(rows), _no_losses(columns)
    sunk_left, sunk_right, left, right = lists
    for a in range(rows):
        for d in range(columns):
            goes_on = over[a, d] == GOES_ON
            force, begins = middle[a, d], before[a, d] if goes_on else 0.0
            if force + begins < least:
                continue
            if begins > 0.0 and _is_marked(attacker, a, defender, d):
                moved, _ = _marked_round(attacker, a, defender, d, begins, least / begins, lists, after, settle)
                after[a, d] = moved if settle else after[a, d]
                continue
            share = least / (force + begins)
            n, m = _exchange(attacker, a, defender, d, share, left, right)
            visits = 0.0
            if goes_on:
                own = strikers(attacker, a, defender, d)
                unhurt, quiet = 1.0, _chance_of(a, left, n) * _chance_of(d, right, m)
                if own:
                    i, j = _strike(attacker, a, defender, d, own, share, sunk_left, sunk_right)
                    unhurt = _chance_of(a, sunk_left, i) * _chance_of(d, sunk_right, j)
                visits = (begins + force * quiet) / (1.0 - unhurt * quiet) if settle else begins
                if own:
                    _push_all(middle, visits, sunk_left, i, sunk_right, j)
                force += visits * unhurt
            _push_all(after, force, left, n, right, m)
            work += n * m
            if settle and goes_on:
                after[a, d] = visits
        if work > MAX_WORK:
            return False
    return True


@kernel
def backward(attacker: Fleet, defender: Fleet, found: Backward, span: tuple[int, int], settle: bool) -> None:
    """Fill in a pass for a span of the attacker's armies, the last first: see `land.backward`.

    Its `scratch`: values of pairs in the middle of a round; NaN until needed.
    """
    over, floor, source, value, goes_on, middle = found
    rows, columns = over.shape
    lists = _no_losses(rows), _no_losses(columns), _no_losses(rows), _no_losses(columns)
    sunk_left, sunk_right, left, right = lists
    for a in range(span[1] - 1, span[0] - 1, -1):
        for d in range(columns - 1, -1, -1):
            if over[a, d] != GOES_ON:
                continue
            if _is_marked(attacker, a, defender, d):
                total, stays = _marked_round(attacker, a, defender, d, 0.0, NEGLIGIBLE, lists, source, settle)
            else:
                total, stays = 0.0, 0.0
                own = strikers(attacker, a, defender, d)
                n, m = _strike(attacker, a, defender, d, own, NEGLIGIBLE, sunk_left, sunk_right)
                for left_at in range(n):
                    for right_at in range(m):
                        chance = sunk_left.chance[left_at] * sunk_right.chance[right_at]
                        i, j = int(np.int64(sunk_left.army[left_at])), int(np.int64(sunk_right.army[right_at]))
                        mean, unhurt = middle[i, j], i == a and j == d
                        if np.isnan(mean):
                            p, q = _exchange(attacker, i, defender, j, NEGLIGIBLE, left, right)
                            mean = _mean_of(source, left, p, right, q)
                            if unhurt:
                                stays = chance * _chance_of(a, left, p) * _chance_of(d, right, q)
                            else:
                                middle[i, j] = mean
                        total += chance * mean
            goes_on[a, d] = settled(total, stays, floor[a, d]) if settle else total
            value[a, d] = max(goes_on[a, d], floor[a, d])
