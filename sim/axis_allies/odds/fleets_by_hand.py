"""What a battle with submarines is worth if losses are chosen by hand: the best for every pair of armies.

A round has two halves, as in `sea`: the submarines that fire first, then the others. Losses are chosen after each half,
the attacker first: see .docs/rules/axis_allies.md, "The coach".
"""

from math import prod
from typing import NamedTuple

import numpy as np
from typing_extensions import override

from sim.axis_allies.casualties import CasualtyOrder
from sim.axis_allies.editions import Strikes
from sim.axis_allies.odds.army_graph import OPEN, Armies, Fleet, Graph, build_fleet
from sim.axis_allies.odds.dice import NEGLIGIBLE
from sim.axis_allies.odds.land import Backward, settled
from sim.axis_allies.odds.layout import AIR, DESTROYERS, GOES_ON, REST, SUBMARINES, Floats, Ints
from sim.axis_allies.odds.sea import masks_of, shared, strikers
from sim.axis_allies.odds.tables import BattleTables
from sim.core import TooMuchError
from sim.core.kernels import inner, kernel

TOO_MANY = "These armies are too large to weigh losses that are chosen by hand."

_MAX_CHOICES = 2_000_000
"""The most that a side's choices may lead to, counted for each of its armies."""

_MARKED = 30
"""How much longer it takes, measured, where marked losses fire: no pair in the middle of a round is met twice."""


class Choices(NamedTuple):
    """A side with what each of its armies may come to.

    `size[s]`: the hits that army s takes. `after`: the armies that s may come to by choice, after k hits from
    `bounds[s, k]` to `bounds[s, k + 1]`; `bounds` has no columns if losses have an order.
    """

    fleet: Fleet
    size: Ints
    bounds: Ints
    after: Ints


class Outcomes(NamedTuple):
    """What a fire may do: hits by group and the chance of each; `left[o]` to `left[o + 1]`: where in `army` it leads.

    `key`, `place`: outcomes that are the same to their target have the same key; where each is, -1 for none yet.
    """

    key: Ints
    hits: Ints
    chance: Floats
    left: Ints
    army: Ints
    place: Ints


def _choices_of(side: Armies, enemy: CasualtyOrder, *, low_luck: bool) -> Choices:
    """Return a side for the kernels; TooMuchError for too many choices."""
    rules, strikes = side.order.arms.rules, enemy.arms.strikes
    open_to = rules.marked_losses or strikes is Strikes.ALWAYS, strikes is Strikes.NO_DESTROYER
    size, shots, many = side.sizes, max(1, enemy.shooters), len(side.counts)
    successor = side.successor if isinstance(side, Graph) else np.tile(np.arange(many), (3, 1))
    fleet = build_fleet(successor, side.totals, open_to, *side.dice, shots, low_luck, rules.marked_losses)
    if isinstance(side, Graph):
        return Choices(fleet, size, np.zeros((many, 0), np.int64), np.zeros(0, np.int64))
    most = prod((count + 1) * (count + 2) // 2 for count in side.order.counts)
    if most > _MAX_CHOICES:
        raise TooMuchError(TOO_MANY)
    return Choices(fleet, size, *lead_to(side.counts, size, shots, most))


@kernel
def lead_to(counts: Ints, size: Ints, shots: int, most: int) -> tuple[Ints, Ints]:
    """Return `bounds` and `after` of `Choices`; `most`: at least how many there are."""
    bounds, after, found = np.zeros((len(counts), shots + 2), np.int64), np.zeros(most, np.int64), 0
    for army in range(len(counts)):
        hits = 0
        bounds[army, 0] = found
        for left in range(army, len(counts)):  # the largest first
            lost = size[army] - size[left]
            if lost > shots:
                break
            while hits < lost:
                hits += 1
                bounds[army, hits] = found
            fewer = True
            for slot in range(counts.shape[1]):
                fewer &= counts[left, slot] <= counts[army, slot]
            if fewer:
                after[found] = left
                found += 1
        bounds[army, hits + 1 :] = found
    return bounds, after[:found].copy()


class FleetsByHand(BattleTables):
    """A battle with submarines in which a side chooses its losses, or both do; `sides`: for the kernels."""

    step_seconds = 0.15e-9

    def __init__(self, here: Armies, there: Armies, *, low_luck: bool) -> None:
        super().__init__(here, there)
        one, other = here.order, there.order
        self.sides = _choices_of(here, other, low_luck=low_luck), _choices_of(there, one, low_luck=low_luck)

    @property
    @override
    def backward_seconds(self) -> float:
        here, there = (len(side.after) + len(side.size) for side in self.sides)
        more = _MARKED if self.sides[0].fleet.marked else 1
        return here * there * self.shooters * self.step_seconds * more

    @property
    @override
    def weights(self) -> Ints:
        here = self.sides[0]
        weights: Ints = here.bounds[:, -1] - here.bounds[:, 0] if len(here.after) else here.size + 1
        return weights

    @override
    def scratch(self) -> Floats:
        return np.zeros(self.over.shape)

    @override
    def fill_in(self, found: Backward, span: tuple[int, int], *, settle: bool) -> None:
        best_with_submarines(*self.sides, found, span)


@inner
def _room(side: Choices) -> Outcomes:
    """Return room for the outcomes of a fire at a side."""
    has, most = side.fleet.has, len(side.size)
    keys = (side.size[0] + 1) * (has[0, SUBMARINES] + 1) * (has[0, AIR] + 1)
    if side.bounds.shape[1]:  # as many hits may leave more of a damaged army than of the whole one
        most = (side.bounds[:, -1] - side.bounds[:, 0]).max() * (has[0, SUBMARINES] + 1) * (has[0, AIR] + 1)
    keys = max(keys, len(side.size))
    left, army = np.zeros(keys + 1, np.int64), np.zeros(most, np.int64)
    return Outcomes(left.copy(), np.zeros((keys, 3), np.int64), np.zeros(keys), left, army, np.full(keys, -1))


@inner
def _placed(target: Fleet, army: int, by_submarines: int, by_air: int, by_rest: int) -> int:
    """Return what hits leave of an army that loses its units in order."""
    path = target.path
    if by_submarines > 0 and by_air > 0:
        return int(shared(path, target.reach, army, by_submarines, by_air, by_rest))
    return int(path[REST, path[AIR, path[SUBMARINES, army, by_submarines], by_air], by_rest])


@inner
def _due(side: Choices, army: int, by_submarines: int, by_air: int, by_rest: int) -> int:
    """Return how many of these hits take effect on what chooses."""
    size, wet, high = side.size[army], side.fleet.has[army, SUBMARINES], side.fleet.has[army, AIR]
    below, above = by_submarines + by_rest + size - wet, by_air + by_rest + size - high
    return int(min(by_submarines + by_air + by_rest, below, above, size))


@inner
def _leave(side: Choices, army: int, by_submarines: int, by_air: int, by_rest: int, into: Ints, at: int) -> int:
    """List what hits may leave of an army from `into[at]` on; return where the list ends."""
    if side.bounds.shape[1] == 0:
        into[at] = _placed(side.fleet, army, by_submarines, by_air, by_rest)
        return at + 1
    due, has = _due(side, army, by_submarines, by_air, by_rest), side.fleet.has
    wet, high = has[army, SUBMARINES] - by_submarines - by_rest, has[army, AIR] - by_air - by_rest
    for one in range(side.bounds[army, due], side.bounds[army, due + 1]):
        left = side.after[one]
        if has[left, SUBMARINES] >= wet and has[left, AIR] >= high:
            into[at] = left
            at += 1
    return at


@inner
def _volley(
    shooter: Fleet, army: int, target: Choices, other: int, masks: tuple[int, int, int], found: Outcomes
) -> int:
    """List what the fire of `army` does to the army `other`; return how many outcomes there are.

    `masks`: groups whose hits are placed as submarines', as air's and as the rest's.
    """
    wet, high = target.fleet.has[other, SUBMARINES], target.fleet.has[other, AIR]
    (below, above, others), table, window, many = masks, shooter.table, shooter.window, 0
    for s in range(window[below, army, 0], window[below, army, 1] + 1):
        for a in range(window[above, army, 0], window[above, army, 1] + 1):
            for r in range(window[others, army, 0], window[others, army, 1] + 1):
                chance = table[below, army, s] * table[above, army, a] * table[others, army, r]
                if chance < NEGLIGIBLE:
                    continue
                if target.bounds.shape[1] == 0:
                    key = _placed(target.fleet, other, s, a, r)
                else:
                    key = (_due(target, other, s, a, r) * (wet + 1) + min(wet, s + r)) * (high + 1) + min(high, a + r)
                place = found.place[key]
                if place < 0:
                    place = found.place[key] = many
                    found.key[many], found.chance[many] = key, 0.0
                    found.hits[many, 0], found.hits[many, 1], found.hits[many, 2] = s, a, r
                    many += 1
                found.chance[place] += chance
    end = 0
    for one in range(many):
        found.place[found.key[one]] = -1
        end = _leave(target, other, found.hits[one, 0], found.hits[one, 1], found.hits[one, 2], found.army, end)
        found.left[one + 1] = end
    if many == 1:
        found.chance[0] = 1.0  # to the last bit
    return many


@inner
def _mean_of(own: Outcomes, n: int, a: int, enemy: Outcomes, m: int, d: int, source: Floats) -> tuple[float, float]:
    """Return the mean of the best choices without the case that (a, d) stays, and the chance of that."""
    mean, stays = 0.0, 0.0
    for here in range(n):
        for there in range(m):
            chance, first, last = own.chance[here] * enemy.chance[there], own.left[here], enemy.left[there]
            if own.army[first] == a and enemy.army[last] == d:
                stays += chance
                continue
            most = -np.inf
            for row in range(first, own.left[here + 1]):
                least = np.inf
                for column in range(last, enemy.left[there + 1]):
                    least = min(least, source[own.army[row], enemy.army[column]])
                    if least <= most:
                        break
                most = max(most, least)
            mean += chance * most
    return mean, stays


@inner
def _fire(
    attacker: Choices,
    a: int,
    defender: Choices,
    d: int,
    shooters: tuple[int, int],
    source: Floats,
    own: Outcomes,
    enemy: Outcomes,
) -> tuple[float, float]:
    """Return `_mean_of` the general fire at (a, d) by two armies that may be larger."""
    (x, y), here, there = shooters, attacker.fleet, defender.fleet
    n = _volley(there, y, attacker, a, masks_of(there, y, here, a, here.has[a, OPEN]), own)
    m = _volley(here, x, defender, d, masks_of(here, x, there, d, there.has[d, OPEN]), enemy)
    return _mean_of(own, n, a, enemy, m, d, source)


@inner
def _middle(
    attacker: Choices,
    a: int,
    defender: Choices,
    d: int,
    before: tuple[int, int],
    value: Floats,
    own: Outcomes,
    enemy: Outcomes,
) -> float:
    """Return what (a, d) is worth in the middle of a round that began with `before`; marked losses still fire."""
    x, y = a, d
    if attacker.fleet.marked:
        x = before[0] if attacker.fleet.has[before[0], DESTROYERS] else a
        y = before[1] if defender.fleet.has[before[1], DESTROYERS] else d
    mean, stays = _fire(attacker, a, defender, d, (x, y), value, own, enemy)
    return float(mean + stays * value[a, d])


@kernel
def best_with_submarines(attacker: Choices, defender: Choices, found: Backward, span: tuple[int, int]) -> None:
    """Fill in a pass where the battle goes on, for a span of the attacker's armies, the last one first.

    Its `scratch`: values of pairs in the middle of a round whose losses don't fire any more; filled in, too.
    """
    over, floor, _, value, goes_on, middle = found
    own, enemy, sunk, hit = _room(attacker), _room(defender), _room(attacker), _room(defender)
    here, there, marked = attacker.fleet, defender.fleet, np.zeros(value.shape)
    for a in range(span[1] - 1, span[0] - 1, -1):
        for d in range(value.shape[1] - 1, -1, -1):
            total, stays = _fire(attacker, a, defender, d, (a, d), value, own, enemy)
            middle[a, d] = total
            again, struck = stays, strikers(here, a, there, d)
            if over[a, d] == GOES_ON and struck:
                n = _volley(there, d, attacker, a, (struck >> 1, 0, 0), sunk)
                m = _volley(here, a, defender, d, (struck & 1, 0, 0), hit)
                source = middle
                if here.marked and (here.has[a, DESTROYERS] or there.has[d, DESTROYERS]):
                    source = marked
                    for row in sunk.army[: sunk.left[n]]:
                        for column in hit.army[: hit.left[m]]:
                            if row != a or column != d:
                                marked[row, column] = _middle(
                                    attacker, row, defender, column, (a, d), value, own, enemy
                                )
                mean, quiet = _mean_of(sunk, n, a, hit, m, d, source)
                total, again = mean + quiet * total, quiet * stays
            if over[a, d] == GOES_ON:
                goes_on[a, d] = settled(total, again, floor[a, d])
                value[a, d] = max(goes_on[a, d], floor[a, d])
            middle[a, d] += stays * value[a, d]


@kernel
def middle_of(
    attacker: Choices, defender: Choices, a: int, d: int, attackers: Ints, defenders: Ints, value: Floats
) -> Floats:
    """Return what pairs of these armies are worth in the middle of a round that began with (a, d)."""
    own, enemy = _room(attacker), _room(defender)
    middle = np.zeros((len(attackers), len(defenders)))
    for row in range(len(attackers)):
        for column in range(len(defenders)):
            here, there = attackers[row], defenders[column]
            middle[row, column] = _middle(attacker, here, defender, there, (a, d), value, own, enemy)
    return middle


@kernel
def left_of(side: Choices, army: int, by_submarines: int, by_air: int, by_rest: int) -> Ints:
    """Return what hits may leave of an army."""
    into = np.zeros(len(side.after) + 1, np.int64)
    return into[: _leave(side, army, by_submarines, by_air, by_rest, into, 0)].copy()
