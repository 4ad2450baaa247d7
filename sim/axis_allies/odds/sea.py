"""Exact odds where hits come in groups: submarines, air without a destroyer, all the rest.

A side is a graph of reachable armies, numbered so that losses only lead to higher numbers, with one successor per hit
group. A round is two half rounds. Surprise strikes move a pair of armies to a pair in the middle of its round, which
remembers whose submarines have struck; the general fire moves it on from there. In each half round the two sides'
losses are independent, so two short lists of successors and their product say all. The round in which nothing is lost
is divided out instead of iterated, and pairs that nothing can change any more just keep what reaches them.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from sim.axis_allies.odds.arrays import Codes, Floats, Ints, Places
from sim.axis_allies.odds.codes import GOES_ON
from sim.axis_allies.odds.fleet import AIR, DESTROYERS, REST, SUBMARINES, UNITS, Fleet
from sim.axis_allies.odds.hit_distribution import NEGLIGIBLE
from sim.axis_allies.odds.land import tally

UNLISTED = np.uint32(0xFFFFFFFF)
"""Place of an army that is on no list."""


class Losses(NamedTuple):
    """A list of armies that a volley leaves, with chances; `place[s]` is where army s stands in it, or `UNLISTED`."""

    army: Places
    chance: Floats
    place: Places


@njit(cache=True)
def no_losses(size: int) -> Losses:
    """Return an empty list with room for `size` armies."""
    return Losses(np.zeros(size, np.uint32), np.zeros(size), np.full(size, UNLISTED, np.uint32))


@njit(cache=True, inline="always")
def _volley(
    shooter: Fleet, army: int, target: Fleet, other: int, masks: tuple[int, int, int], worth: float, losses: Losses
) -> int:
    """List what the guns of `army` leave of the army `other`; returns how many armies that are.

    `masks`: the groups whose hits are placed as submarines', as air's and as the rest's. Chances under `worth` are left
    out.
    """
    found = 0
    submarine_mask, air_mask, rest_mask = masks
    path, table, window = target.path, shooter.table, shooter.window
    for hits_s in range(window[submarine_mask, army, 0], window[submarine_mask, army, 1] + 1):
        chance_s = table[submarine_mask, army, hits_s]
        if chance_s < worth:
            continue
        after_s = path[SUBMARINES, other, hits_s]
        for hits_a in range(window[air_mask, army, 0], window[air_mask, army, 1] + 1):
            chance_a = chance_s * table[air_mask, army, hits_a]
            if chance_a < worth:
                continue
            after_a = path[AIR, after_s, hits_a]
            for hits_r in range(window[rest_mask, army, 0], window[rest_mask, army, 1] + 1):
                chance = chance_a * table[rest_mask, army, hits_r]
                if chance < worth:
                    continue
                after = path[REST, after_a, hits_r]
                place = losses.place[after]
                if place == UNLISTED:
                    losses.place[after] = found
                    losses.army[found] = after
                    losses.chance[found] = chance
                    found += 1
                else:
                    losses.chance[place] += chance
    for at in range(found):
        losses.place[losses.army[at]] = UNLISTED
    return found


@njit(cache=True, inline="always")
def _general(shooter: Fleet, army: int, target: Fleet, other: int, struck: int, worth: float, losses: Losses) -> int:
    """List what the general fire of `army` leaves of `other`; submarines that have `struck` (not 0) are silent."""
    submarines = 0 if struck else 1
    mask_s, mask_a, mask_r = submarines, 2, 4
    # Groups that are as free as the rest in what they may hit are thrown together with it, as long as no group that is
    # less free has its hits placed between them.
    if shooter.has[army, AIR] == 0 or shooter.has[army, DESTROYERS] > 0 or target.has[other, SUBMARINES] == 0:
        mask_a, mask_r = 0, mask_r | 2
    if target.has[other, AIR] == 0 and mask_a == 0:
        mask_s, mask_r = 0, mask_r | submarines
    return _volley(shooter, army, target, other, (mask_s, mask_a, mask_r), worth, losses)


@njit(cache=True, inline="always")
def strikers(attacker: Fleet, a: int, defender: Fleet, d: int) -> int:
    """Return whose submarines strike by surprise: 1 the attacker's, 2 the defender's, 3 both, 0 nobody's."""
    by_attacker = attacker.has[a, SUBMARINES] > 0 and defender.has[d, DESTROYERS] == 0
    by_defender = defender.has[d, SUBMARINES] > 0 and attacker.has[a, DESTROYERS] == 0
    return (1 if by_attacker else 0) + (2 if by_defender else 0)


@njit(cache=True, inline="always")
def _torpedoes(shooter: Fleet, army: int, target: Fleet, other: int, mask: int, worth: float, losses: Losses) -> int:
    """List what the submarines of `army` (`mask` 1) or nobody (`mask` 0) leave of `other`; returns its length."""
    found = 0
    for hits in range(shooter.window[mask, army, 0], shooter.window[mask, army, 1] + 1):
        chance = shooter.table[mask, army, hits]
        after = target.path[SUBMARINES, other, hits]
        if chance < worth:
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
    attacker: Fleet, a: int, defender: Fleet, d: int, struck: int, worth: float, left: Losses, right: Losses
) -> tuple[int, int]:
    """List what the surprise strikes leave of both armies; returns the lengths of both lists."""
    n = _torpedoes(defender, d, attacker, a, struck >> 1, worth, left)
    m = _torpedoes(attacker, a, defender, d, struck & 1, worth, right)
    return n, m


@njit(cache=True, inline="always")
def exchange(
    attacker: Fleet, a: int, defender: Fleet, d: int, struck: int, worth: float, left: Losses, right: Losses
) -> tuple[int, int]:
    """List what the general fire leaves of both armies; returns the lengths of both lists."""
    n = _general(defender, d, attacker, a, struck & 2, worth, left)
    m = _general(attacker, a, defender, d, struck & 1, worth, right)
    return n, m


@njit(cache=True, inline="always")
def _push_all(mass: Floats, force: float, left: Losses, n: int, right: Losses, m: int) -> None:
    """Move `force` on to all pairs of two lists of losses."""
    for left_at in range(n):
        army = left.army[left_at]
        share = force * left.chance[left_at]
        for right_at in range(m):
            mass[army, right.army[right_at]] += share * right.chance[right_at]


@njit(cache=True, inline="always")
def _push(mass: Floats, force: float, left: Losses, n: int, right: Losses, m: int, a: int, d: int) -> float:
    """Move `force` on to all pairs of two lists of losses but (a, d); returns that pair's part."""
    before = mass[a, d]
    mass[a, d] = 0.0
    _push_all(mass, force, left, n, right, m)
    stays = float(mass[a, d])
    mass[a, d] = before
    return stays


@njit(cache=True, inline="always")
def chance_of(army: int, losses: Losses, count: int) -> float:
    """Return the chance of `army` in a list of `count`; 0 when it isn't there."""
    for at in range(count):
        if losses.army[at] == army:
            return float(losses.chance[at])
    return 0.0


@njit(cache=True)
def battle(attacker: Fleet, defender: Fleet, over: Codes) -> Floats:
    """Fight to the end and return one cell for each pair of armies.

    `over`: what `endings` says. Returns the chance of ending there for pairs where the battle is over, for all others
    the expected number of rounds that begin there.
    """
    rows, columns = over.shape
    mass = np.zeros((rows, columns))
    mass[0, 0] = 1.0
    # Pairs in the middle of a round, by who has struck.
    middle = np.zeros((4, rows, columns))
    left, right = no_losses(rows), no_losses(columns)
    sunk_left, sunk_right = no_losses(rows), no_losses(columns)
    for a in range(rows):
        for d in range(columns):
            goes_on = over[a, d] == GOES_ON
            own = strikers(attacker, a, defender, d) if goes_on else 0
            for turn in range(1, 5):
                struck = (own + turn) % 4
                # What reaches this pair comes in rounds that began earlier; then, last of all, rounds begin here.
                begins = goes_on and struck == own
                force = middle[struck, a, d]
                all_force = force + mass[a, d] if begins else force
                if all_force < NEGLIGIBLE:
                    continue
                worth = NEGLIGIBLE / all_force
                n, m = exchange(attacker, a, defender, d, struck, worth, left, right)
                if begins:
                    unhurt = 1.0
                    quiet = chance_of(a, left, n) * chance_of(d, right, m)
                    if own:
                        i, j = strike(attacker, a, defender, d, own, worth, sunk_left, sunk_right)
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
    """Let the surprise strikes of a round fall.

    Returns the pairs in the middle of the round, by who has struck (nobody, the attacker, the defender, both), and
    those where no round begins.
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
def _answer(attacker: Fleet, defender: Fleet, middle: Floats, after: Floats, least: float) -> None:
    """Let the general fire fall on the pairs in the middle of a round, and add what comes of them to `after`."""
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
    _answer(attacker, defender, middle, after, least)
    return after


@njit(cache=True)
def rounds(
    attacker: Fleet, defender: Fleet, over: Codes, most: int, rest: float, least: float
) -> tuple[Floats, Floats]:
    """Fight round by round: at most `most` rounds, no more once the chance that the battle goes on is `rest` or less.

    Chances under `least` are dropped. Returns the chance of each pair of armies then, and one row for each round begun
    or reached, the first before any: the chance that the battle goes on, the attacker's and the defender's mean number
    of units.
    """
    before = np.zeros(over.shape)
    before[0, 0] = 1.0
    units_a, units_d = _units(attacker), _units(defender)
    course = np.zeros((most + 1, 3))
    course[0] = tally(before, over, units_a, units_d)
    fought = 0
    while fought < most and course[fought, 0] > rest:
        before = one_round(attacker, defender, over, before, least)
        fought += 1
        course[fought] = tally(before, over, units_a, units_d)
    return before, course[: fought + 1]
