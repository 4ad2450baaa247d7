"""Exact odds if hits come in groups: submarines, air without a destroyer, the rest.

A side is a graph of reachable armies, numbered so that losses lead to higher numbers, with one successor per hit group.
A round has two halves. Surprise strikes move a pair of armies to a pair in the middle of the round, which remembers
whose submarines have struck; the general fire moves it on from there. In each half the two sides' losses are
independent, so the product of two short lists of successors is enough. The round without losses is divided out instead
of iterated, and pairs that can't change any more keep the mass that reaches them.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from sim.axis_allies.odds.army_graph import AIR, DESTROYERS, REST, SUBMARINES, UNITS, Fleet
from sim.axis_allies.odds.codes import GOES_ON, ArmyNumbers, Codes, Floats, Ints
from sim.axis_allies.odds.hit_distribution import NEGLIGIBLE
from sim.axis_allies.odds.land import tally

UNLISTED = np.uint32(0xFFFFFFFF)
"""Position of an army that is not in the list."""


class Losses(NamedTuple):
    """Armies that a volley leaves, with chances; `position[s]`: index of army s in the list, or `UNLISTED`."""

    army: ArmyNumbers
    chance: Floats
    position: ArmyNumbers


@njit(cache=True)
def no_losses(size: int) -> Losses:
    """Return an empty list with room for `size` armies."""
    return Losses(np.zeros(size, np.uint32), np.zeros(size), np.full(size, UNLISTED, np.uint32))


@njit(cache=True, inline="always")
def _volley(
    shooter: Fleet, army: int, target: Fleet, other: int, masks: tuple[int, int, int], least: float, losses: Losses
) -> int:
    """List what the volley of `army` leaves of the army `other`; return the length of the list.

    `masks`: groups whose hits are placed as submarines', as air's and as the rest's. Chances under `least` are dropped.
    """
    found = 0
    submarine_mask, air_mask, rest_mask = masks
    path, table, window = target.path, shooter.table, shooter.window
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
            for hits_r in range(window[rest_mask, army, 0], window[rest_mask, army, 1] + 1):
                chance = chance_a * table[rest_mask, army, hits_r]
                if chance < least:
                    continue
                after = path[REST, after_a, hits_r]
                position = losses.position[after]
                if position == UNLISTED:
                    losses.position[after] = found
                    losses.army[found] = after
                    losses.chance[found] = chance
                    found += 1
                else:
                    losses.chance[position] += chance
    for at in range(found):
        losses.position[losses.army[at]] = UNLISTED
    return found


@njit(cache=True, inline="always")
def _general(shooter: Fleet, army: int, target: Fleet, other: int, struck: int, least: float, losses: Losses) -> int:
    """List what the general fire of `army` leaves of `other`; submarines that have `struck` (not 0) don't fire."""
    submarines = 0 if struck else 1
    mask_s, mask_a, mask_r = submarines, 2, 4
    # A group with the same targets as the rest is thrown together with it, unless the hits of a more restricted group
    # are placed between them.
    if shooter.has[army, AIR] == 0 or shooter.has[army, DESTROYERS] > 0 or target.has[other, SUBMARINES] == 0:
        mask_a, mask_r = 0, mask_r | 2
    if target.has[other, AIR] == 0 and mask_a == 0:
        mask_s, mask_r = 0, mask_r | submarines
    return _volley(shooter, army, target, other, (mask_s, mask_a, mask_r), least, losses)


@njit(cache=True, inline="always")
def strikers(attacker: Fleet, a: int, defender: Fleet, d: int) -> int:
    """Return whose submarines strike by surprise: 1 the attacker's, 2 the defender's, 3 both, 0 neither."""
    by_attacker = attacker.has[a, SUBMARINES] > 0 and defender.has[d, DESTROYERS] == 0
    by_defender = defender.has[d, SUBMARINES] > 0 and attacker.has[a, DESTROYERS] == 0
    return (1 if by_attacker else 0) + (2 if by_defender else 0)


@njit(cache=True, inline="always")
def _surprise_losses(
    shooter: Fleet, army: int, target: Fleet, other: int, mask: int, least: float, losses: Losses
) -> int:
    """List what the submarines of `army` (`mask` 1) or nobody (`mask` 0) leave of `other`; return the length."""
    found = 0
    for hits in range(shooter.window[mask, army, 0], shooter.window[mask, army, 1] + 1):
        chance = shooter.table[mask, army, hits]
        after = target.path[SUBMARINES, other, hits]
        if chance < least:
            continue
        if found > 0 and losses.army[found - 1] == after:  # no more targets
            losses.chance[found - 1] += chance
        else:
            losses.army[found] = after
            losses.chance[found] = chance
            found += 1
    return found


@njit(cache=True, inline="always")
def strike(
    attacker: Fleet, a: int, defender: Fleet, d: int, struck: int, least: float, left: Losses, right: Losses
) -> tuple[int, int]:
    """List what the surprise strikes leave of both armies; return the lengths of both lists."""
    n = _surprise_losses(defender, d, attacker, a, struck >> 1, least, left)
    m = _surprise_losses(attacker, a, defender, d, struck & 1, least, right)
    return n, m


@njit(cache=True, inline="always")
def exchange(
    attacker: Fleet, a: int, defender: Fleet, d: int, struck: int, least: float, left: Losses, right: Losses
) -> tuple[int, int]:
    """List what the general fire leaves of both armies; return the lengths of both lists."""
    n = _general(defender, d, attacker, a, struck & 2, least, left)
    m = _general(attacker, a, defender, d, struck & 1, least, right)
    return n, m


@njit(cache=True, inline="always")
def _push_all(mass: Floats, force: float, left: Losses, n: int, right: Losses, m: int) -> None:
    """Move the mass `force` to all pairs of two lists of losses."""
    for left_at in range(n):
        army = left.army[left_at]
        share = force * left.chance[left_at]
        for right_at in range(m):
            mass[army, right.army[right_at]] += share * right.chance[right_at]


@njit(cache=True, inline="always")
def _push(mass: Floats, force: float, left: Losses, n: int, right: Losses, m: int, a: int, d: int) -> float:
    """Move the mass `force` to all pairs of two lists of losses except (a, d); return that pair's share."""
    before = mass[a, d]
    mass[a, d] = 0.0
    _push_all(mass, force, left, n, right, m)
    stays = float(mass[a, d])
    mass[a, d] = before
    return stays


@njit(cache=True, inline="always")
def chance_of(army: int, losses: Losses, count: int) -> float:
    """Return the chance of `army` in a list of `count`, 0 if it isn't in the list."""
    for at in range(count):
        if losses.army[at] == army:
            return float(losses.chance[at])
    return 0.0


@njit(cache=True)
def battle(attacker: Fleet, defender: Fleet, over: Codes) -> Floats:
    """Fight to the end and return a cell for each pair of armies.

    `over`: from `endings`. Returns the chance of ending there if the battle is over with that pair, else the expected
    number of rounds that begin there.
    """
    rows, columns = over.shape
    mass = np.zeros((rows, columns))
    mass[0, 0] = 1.0
    # Pairs in the middle of a round, by whose submarines have struck.
    middle = np.zeros((4, rows, columns))
    left, right = no_losses(rows), no_losses(columns)
    sunk_left, sunk_right = no_losses(rows), no_losses(columns)
    for a in range(rows):
        for d in range(columns):
            goes_on = over[a, d] == GOES_ON
            own = strikers(attacker, a, defender, d) if goes_on else 0
            for turn in range(1, 5):
                struck = (own + turn) % 4
                # First the mass from rounds that began earlier; last, rounds begin here.
                begins = goes_on and struck == own
                force = middle[struck, a, d]
                all_force = force + mass[a, d] if begins else force
                if all_force < NEGLIGIBLE:
                    continue
                least = NEGLIGIBLE / all_force
                n, m = exchange(attacker, a, defender, d, struck, least, left, right)
                if begins:
                    unhurt = 1.0
                    quiet = chance_of(a, left, n) * chance_of(d, right, m)
                    if own:
                        i, j = strike(attacker, a, defender, d, own, least, sunk_left, sunk_right)
                        unhurt = chance_of(a, sunk_left, i) * chance_of(d, sunk_right, j)
                    mass[a, d] = (mass[a, d] + force * quiet) / (1.0 - unhurt * quiet)
                    force += mass[a, d] * unhurt
                    if own:
                        _push(middle[own], mass[a, d], sunk_left, i, sunk_right, j, a, d)
                stays = _push(mass, force, left, n, right, m, a, d)
                if not begins:
                    mass[a, d] += stays
    return mass


@njit(cache=True)
def _units(side: Fleet) -> Ints:
    units = np.zeros(len(side.has), np.int64)
    for army in range(len(units)):
        units[army] = side.has[army, UNITS]
    return units


@njit(cache=True)
def _surprise(attacker: Fleet, defender: Fleet, over: Codes, before: Floats, least: float) -> tuple[Floats, Floats]:
    """Apply the surprise strikes of a round.

    Returns the pairs in the middle of the round, by whose submarines have struck (neither's, the attacker's, the
    defender's, both), and the pairs for which no round begins.
    """
    rows, columns = over.shape
    middle, after = np.zeros((4, rows, columns)), np.zeros((rows, columns))
    left, right = no_losses(rows), no_losses(columns)
    for a in range(rows):
        for d in range(columns):
            force = before[a, d]
            if over[a, d] != GOES_ON or force < least:
                after[a, d] = force
                continue
            own = strikers(attacker, a, defender, d)
            if own == 0:
                middle[0, a, d] = force
            else:
                n, m = strike(attacker, a, defender, d, own, least / force, left, right)
                _push_all(middle[own], force, left, n, right, m)
    return middle, after


@njit(cache=True)
def _general_fire(attacker: Fleet, defender: Fleet, middle: Floats, after: Floats, least: float) -> None:
    """Apply the general fire to the pairs in the middle of a round, and add the results to `after`."""
    left, right = no_losses(after.shape[0]), no_losses(after.shape[1])
    for struck in range(4):
        for a in range(after.shape[0]):
            for d in range(after.shape[1]):
                force = middle[struck, a, d]
                if force >= least:
                    n, m = exchange(attacker, a, defender, d, struck, least / force, left, right)
                    _push_all(after, force, left, n, right, m)


@njit(cache=True)
def one_round(attacker: Fleet, defender: Fleet, over: Codes, before: Floats, least: float) -> Floats:
    """Return the chance of each pair of armies a round after `before`; chances under `least` are dropped."""
    middle, after = _surprise(attacker, defender, over, before, least)
    _general_fire(attacker, defender, middle, after, least)
    return after


@njit(cache=True)
def rounds(
    attacker: Fleet, defender: Fleet, over: Codes, limit: int, rest: float, least: float
) -> tuple[Floats, Floats]:
    """Fight at most `limit` rounds, and only while the chance that the battle goes on is above `rest`.

    Chances under `least` are dropped. Returns the final chance of each pair of armies, and a row for each round
    reached, starting with round 0: the chance that the battle goes on, the attacker's and the defender's mean number of
    units.
    """
    before = np.zeros(over.shape)
    before[0, 0] = 1.0
    units_a, units_d = _units(attacker), _units(defender)
    course = np.zeros((limit + 1, 3))
    course[0] = tally(before, over, units_a, units_d)
    fought = 0
    while fought < limit and course[fought, 0] > rest:
        before = one_round(attacker, defender, over, before, least)
        fought += 1
        course[fought] = tally(before, over, units_a, units_d)
    return before, course[: fought + 1]
