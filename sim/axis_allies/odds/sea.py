"""Exact odds where hits come in groups: submarines, air without a destroyer, all the rest.

A side is a graph of reachable armies, numbered so that losses only lead to higher numbers, with one successor per hit
group. A round is two half rounds. Surprise strikes move a pair of armies to a pair in the middle of its round, which
remembers whose submarines have struck; the general fire moves it on from there. In each half round the two sides' losses
are independent, so two short lists of successors and their product say all. The round in which nothing is lost is
divided out instead of iterated, and pairs that nothing can change any more just keep what reaches them.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

SUBMARINES, AIR, REST = 0, 1, 2
"""Hit groups, in the order in which they are placed; a set of groups is a bit mask of 1 << group."""

NEGLIGIBLE = 1e-19
"""Chances under this are dropped one by one; what they add up to is missing from the sum of all outcomes."""

FINAL, ATTACKER, DEFENDER, TIE, STALEMATE, RETREAT = 0, 1, 2, 3, 4, 5


class Fleet(NamedTuple):
    """One side's reachable armies, n of them, the first the one that starts.

    `path[g, s, h]`: army after h hits of group g on army s. `table[m, s, h]`: chance that the guns of the groups in bit
    mask m score h hits, looked at from `first[m, s]` to `last[m, s]`. `destroyer[s]`, `submarine[s]`, `air[s]`: whether army
    s has such units; `units[s]`: how many units it has.
    """

    path: Ints
    table: Floats
    first: Ints
    last: Ints
    destroyer: Flags
    submarine: Flags
    air: Flags
    units: Ints


@njit(cache=True)
def fleet(successor: Ints, counts: Ints, chances: Floats, groups: Ints, destroyer: int) -> Fleet:
    """Prepare a side.

    `successor[g, s]`: army after one hit of group g on army s, s itself when the hit is lost. `counts[s, k]`: how many of
    slot k army s has. `chances[k]`: chance that one of slot k hits, `groups[k]` its hit group, -1 for extra lives.
    `destroyer`: the destroyers' slot, -1 without.
    """
    size, slots = counts.shape
    most = 0
    guns = 0
    for slot in range(slots):
        most += counts[0, slot]
        guns += counts[0, slot] if chances[slot] > 0.0 else 0
    path = np.empty((3, size, most + 1), np.int64)
    for group in range(3):
        for army in range(size):
            at = army
            for hits in range(most + 1):
                path[group, army, hits] = at
                at = successor[group, at]
    table = np.zeros((8, size, guns + 1))
    first, last = np.zeros((8, size), np.int64), np.zeros((8, size), np.int64)
    flags = np.zeros((3, size), np.bool_)
    units = np.zeros(size, np.int64)
    for army in range(size):
        for mask in range(8):
            table[mask, army, 0] = 1.0
        for slot in range(slots):
            group, count = groups[slot], counts[army, slot]
            if group < 0:
                continue
            units[army] += count
            flags[group, army] |= count > 0
            mask = 1 << group
            if chances[slot] > 0.0:
                for _ in range(count):
                    _add_gun(table[mask, army], last[mask, army], chances[slot])
                    last[mask, army] += 1
        for low, high in ((1, 2), (1, 4), (2, 4), (3, 4)):
            _join(table, last, low, high, army)
        for mask in range(8):
            row = table[mask, army]
            while row[first[mask, army]] < NEGLIGIBLE:
                first[mask, army] += 1
            while row[last[mask, army]] < NEGLIGIBLE:
                last[mask, army] -= 1
    has_destroyer = counts[:, destroyer] > 0 if destroyer >= 0 else np.zeros(size, np.bool_)
    return Fleet(path, table, first, last, has_destroyer, flags[SUBMARINES], flags[AIR], units)


@njit(cache=True)
def _add_gun(row: Floats, guns: int, chance: float) -> None:
    for hits in range(guns + 1, 0, -1):
        row[hits] = row[hits] * (1.0 - chance) + row[hits - 1] * chance
    row[0] *= 1.0 - chance


@njit(cache=True)
def _join(table: Floats, last: Ints, one: int, two: int, army: int) -> None:
    """Fill the row of the groups in masks `one` and `two` together."""
    both = one | two
    table[both, army, 0] = 0.0
    for hits in range(last[one, army] + 1):
        for more in range(last[two, army] + 1):
            table[both, army, hits + more] += table[one, army, hits] * table[two, army, more]
    last[both, army] = last[one, army] + last[two, army]


@njit(cache=True)
def can_hit(shooter: Fleet, army: int, target: Fleet, other: int) -> bool:
    """Tell whether any hit of `army` can have an effect on the army `other`."""
    air = REST if shooter.destroyer[army] else AIR
    return (
        (shooter.last[1, army] > 0 and target.path[SUBMARINES, other, 1] != other)
        or (shooter.last[2, army] > 0 and target.path[air, other, 1] != other)
        or (shooter.last[4, army] > 0 and target.path[REST, other, 1] != other)
    )


@njit(cache=True)
def endings(attacker: Fleet, defender: Fleet, stand: int) -> NDArray[np.int8]:
    """Return for each pair of armies why the battle ends there, or `FINAL` = 0 where it goes on.

    The attacker retreats when fewer than `stand` units are left.
    """
    result = np.zeros((len(attacker.units), len(defender.units)), np.int8)
    for a in range(result.shape[0]):
        for d in range(result.shape[1]):
            here, there = attacker.units[a], defender.units[d]
            if here == 0 and there == 0:
                result[a, d] = TIE
            elif there == 0:
                result[a, d] = ATTACKER
            elif here == 0:
                result[a, d] = DEFENDER
            elif here < stand:
                result[a, d] = RETREAT
            elif not can_hit(attacker, a, defender, d) and not can_hit(defender, d, attacker, a):
                result[a, d] = STALEMATE
    return result


class Losses(NamedTuple):
    """A list of armies that a volley leaves, with chances; `place[s]` is where army s stands in it, -1 if it doesn't."""

    army: Ints
    chance: Floats
    place: Ints


@njit(cache=True)
def _losses(size: int) -> Losses:
    return Losses(np.zeros(size, np.int64), np.zeros(size), np.full(size, -1))


@njit(cache=True)
def _volley(
    shooter: Fleet, army: int, target: Fleet, other: int, masks: tuple[int, int, int], worth: float, losses: Losses
) -> int:
    """List what the guns of `army` leave of the army `other`; returns how many armies that are.

    `masks`: the groups whose hits are placed as submarines', as air's and as the rest's. Chances under `worth` are left out.
    """
    found = 0
    mask_s, mask_a, mask_r = masks
    row_s, row_a, row_r = shooter.table[mask_s, army], shooter.table[mask_a, army], shooter.table[mask_r, army]
    most = target.path.shape[2] - 1
    for hits_s in range(shooter.first[mask_s, army], shooter.last[mask_s, army] + 1):
        chance_s = row_s[hits_s]
        if chance_s < worth:
            continue
        after_s = target.path[SUBMARINES, other, min(hits_s, most)]
        for hits_a in range(shooter.first[mask_a, army], shooter.last[mask_a, army] + 1):
            chance_a = chance_s * row_a[hits_a]
            if chance_a < worth:
                continue
            after_a = target.path[AIR, after_s, min(hits_a, most)]
            road = target.path[REST, after_a]
            for hits_r in range(shooter.first[mask_r, army], shooter.last[mask_r, army] + 1):
                chance = chance_a * row_r[hits_r]
                if chance < worth:
                    continue
                after = road[min(hits_r, most)]
                place = losses.place[after]
                if place < 0:
                    losses.place[after] = found
                    losses.army[found] = after
                    losses.chance[found] = chance
                    found += 1
                else:
                    losses.chance[place] += chance
    for at in range(found):
        losses.place[losses.army[at]] = -1
    return found


@njit(cache=True)
def _general(
    shooter: Fleet, army: int, target: Fleet, other: int, struck: bool, worth: float, losses: Losses
) -> int:
    """List what the general fire of `army` leaves of `other`; submarines that have `struck` are silent."""
    submarines = 0 if struck else 1
    mask_s, mask_a, mask_r = submarines, 2, 4
    # Groups that are as free as the rest in what they may hit are thrown together with it.
    if not target.air[other]:
        mask_s, mask_r = 0, mask_r | submarines
    if shooter.destroyer[army] or not target.submarine[other]:
        mask_a, mask_r = 0, mask_r | 2
    return _volley(shooter, army, target, other, (mask_s, mask_a, mask_r), worth, losses)


@njit(cache=True)
def _push(mass: Floats, force: float, left: Losses, n: int, right: Losses, m: int, a: int, d: int) -> float:
    """Move `force` on to all pairs of two lists of losses but (a, d); returns the chance of that pair."""
    stays = 0.0
    for one in range(n):
        army = left.army[one]
        share = force * left.chance[one]
        row = mass[army]
        if army == a:
            for two in range(m):
                if right.army[two] == d:
                    stays = left.chance[one] * right.chance[two]
                else:
                    row[right.army[two]] += share * right.chance[two]
        else:
            for two in range(m):
                row[right.army[two]] += share * right.chance[two]
    return stays


@njit(cache=True)
def _stays(left: Losses, n: int, right: Losses, m: int, a: int, d: int) -> float:
    """Return the chance that neither army loses anything."""
    here = there = 0.0
    for one in range(n):
        if left.army[one] == a:
            here = left.chance[one]
    for two in range(m):
        if right.army[two] == d:
            there = right.chance[two]
    return here * there


@njit(cache=True)
def battle(attacker: Fleet, defender: Fleet, over: NDArray[np.int8]) -> Floats:
    """Fight to the end and return one cell for each pair of armies.

    `over`: what `endings` says. Returns the chance of ending there for pairs where the battle is over, for all others the
    expected number of rounds that begin there.
    """
    rows, columns = over.shape
    mass = np.zeros((rows, columns))
    mass[0, 0] = 1.0
    # Pairs in the middle of a round, by who has struck: 1 the attacker, 2 the defender, 3 both.
    middle = np.zeros((4, rows, columns))
    left, right = _losses(rows), _losses(columns)
    for a in range(rows):
        for d in range(columns):
            own = 0
            if over[a, d] == FINAL:
                own += 1 if attacker.submarine[a] and not defender.destroyer[d] else 0
                own += 2 if defender.submarine[d] and not attacker.destroyer[a] else 0
            for struck in range(1, 4):
                force = middle[struck, a, d]
                if force < NEGLIGIBLE or (struck == own and over[a, d] == FINAL):
                    continue
                n = _general(defender, d, attacker, a, struck & 2 > 0, NEGLIGIBLE / force, left)
                m = _general(attacker, a, defender, d, struck & 1 > 0, NEGLIGIBLE / force, right)
                mass[a, d] += force * _push(mass, force, left, n, right, m, a, d)
            if over[a, d] != FINAL:
                continue
            already = middle[own, a, d]
            force = mass[a, d] + already
            if force < NEGLIGIBLE:
                mass[a, d] = 0.0
                continue
            worth = NEGLIGIBLE / force
            n = _general(defender, d, attacker, a, own & 2 > 0, worth, left)
            m = _general(attacker, a, defender, d, own & 1 > 0, worth, right)
            quiet = _stays(left, n, right, m, a, d)
            arrived = mass[a, d] + already * quiet
            if own == 0:
                mass[a, d] = arrived / (1.0 - quiet)
                _push(mass, mass[a, d], left, n, right, m, a, d)
                continue
            no_losses = shooting = 1.0
            if own & 2:
                no_losses = defender.table[1, d, 0]
            if own & 1:
                shooting = attacker.table[1, a, 0]
            if attacker.path[SUBMARINES, a, 1] == a:
                no_losses = 1.0
            if defender.path[SUBMARINES, d, 1] == d:
                shooting = 1.0
            unhurt = no_losses * shooting
            mass[a, d] = arrived / (1.0 - quiet * unhurt)
            _push(mass, already + mass[a, d] * unhurt, left, n, right, m, a, d)
            n = _volley(defender, d, attacker, a, (1 if own & 2 else 0, 0, 0), worth, left)
            m = _volley(attacker, a, defender, d, (1 if own & 1 else 0, 0, 0), worth, right)
            _push(middle[own], mass[a, d], left, n, right, m, a, d)
    return mass
