"""One side of a battle as arrays: every army it can come to, numbered.

A `Chain` is a side whose losses have a single order, from one or more beginnings; a `Graph` has a successor for each
hit group; a `Fleet` is a graph prepared for the kernels.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod
from typing import NamedTuple

import numpy as np
from numba import njit

from sim.axis_allies.arms import HitGroup
from sim.axis_allies.casualties import LIFE_OF, CasualtyOrder, Life, Slot, slot_falls_to
from sim.axis_allies.editions import Strikes
from sim.axis_allies.odds.codes import (
    ATTACKER,
    DEFENDER,
    RETREAT,
    STALEMATE,
    TIE,
    ArmyNumbers,
    Codes,
    Flags,
    Floats,
    Ints,
)
from sim.axis_allies.odds.dice import DiceOf, dice_of
from sim.axis_allies.odds.hit_distribution import (
    HitColumns,
    HitDistribution,
    add_die,
    hit_columns,
    hit_distribution,
    low_luck_distribution,
)
from sim.axis_allies.units import Category, Unit
from sim.core.errors import TooMuchError

SUBMARINES, AIR, REST = 0, 1, 2
"""Hit groups as in `HitGroup`; a set of groups is a bit mask of 1 << group."""

DESTROYERS, UNITS, EXPOSED, OPEN = 2, 3, 4, 5
"""Columns of `Fleet.has`, after `SUBMARINES` and `AIR`."""

NO_ARMY = np.uint32(0xFFFFFFFF)
"""What is not known yet."""


@dataclass(frozen=True)
class Armies:
    """The armies that a side can come to; losses lead to higher numbers.

    `counts[s, k]`: units of slot k left in army s.
    """

    order: CasualtyOrder
    counts: Ints

    @property
    def firsts(self) -> Ints:
        """The numbers of the armies that the side may come with."""
        return np.zeros(1, np.int64)

    @cached_property
    def dice(self) -> DiceOf:
        """The dice that each army throws."""
        return dice_of(self.order, self.counts)

    def count(self, *units: Unit) -> Ints:
        """Return how many of some units each army has."""
        return self._total([slot in units for slot in self.order.slots])

    def _total(self, worth: Sequence[int]) -> Ints:
        """Return what each army is worth; `worth[k]`: a unit in slot k."""
        total: Ints = self.counts @ np.array(worth, dtype=np.int64)
        return total

    def _of(self, category: Category) -> Ints:
        return self._total([isinstance(slot, Unit) and slot.category is category for slot in self.order.slots])

    def numbers(self, armies: Ints) -> list[int]:
        """Return the numbers of armies given as counts by slot."""
        if len(armies) == 1 and (armies[0] == self.counts[0]).all():
            return [0]
        number = {counts: at for at, counts in enumerate(map(tuple, self.counts.tolist()))}
        return [number[counts] for counts in map(tuple, armies.tolist())]

    @cached_property
    def kinds(self) -> dict[Slot, Ints]:
        """The units of each army by slot, in the order typed, those that are kept with the others of their type."""
        kinds: dict[Slot, Ints] = {}
        for at in self.order.typed:
            slot = self.order.slots[at]
            kinds[slot] = kinds[slot] + self.counts[:, at] if slot in kinds else self.counts[:, at]
        return kinds

    @cached_property
    def units(self) -> Ints:
        """The number of units of each army."""
        return self._total([isinstance(slot, Unit) for slot in self.order.slots])

    @cached_property
    def land_units(self) -> Ints:
        """The number of land units of each army."""
        return self._of(Category.LAND)

    @cached_property
    def planes(self) -> Ints:
        """The number of planes of each army."""
        return self._of(Category.AIR)

    @cached_property
    def ipc(self) -> Ints:
        """The price of each army in IPC."""
        book = self.order.arms.edition
        return self._total([book.cost(slot) if isinstance(slot, Unit) else 0 for slot in self.order.slots])

    @cached_property
    def defenceless(self) -> Flags:
        """Whether nothing is left but units that are lost without dice."""
        if not self.order.exposed:
            return np.zeros(len(self.counts), np.bool_)
        flags: Flags = (self.units > 0) & (self.exposed == self.units)
        return flags

    @cached_property
    def exposed(self) -> Ints:
        """Number of units that are lost without dice once nothing else is left."""
        if not self.order.exposed:
            return np.zeros(len(self.counts), np.int64)
        return self.count(*self.order.arms.rules.defenceless)


@dataclass(frozen=True)
class Chain(Armies):
    """A side that loses its units in a single order.

    `bounds[n]`: number of the n-th army that it may come with; the next ones are what is left of it after 1, 2 hits and
    so on. The last entry is the number of all armies. `low_luck`: how its dice are thrown.
    """

    bounds: Ints
    low_luck: bool

    @property
    def firsts(self) -> Ints:
        """The numbers of the armies that the side may come with."""
        return self.bounds[:-1]

    @property
    def lasts(self) -> Ints:
        """The numbers of the armies that nothing is left of."""
        lasts: Ints = self.bounds[1:] - 1
        return lasts

    def part(self, first: int, end: int) -> "Chain":
        """Return what it is if the side may come with the armies from `first` to before `end` alone."""
        if first == 0 and end >= len(self.firsts):
            return self
        bounds = self.bounds[first : end + 1]
        return Chain(self.order, self.counts[bounds[0] : bounds[-1]], bounds - bounds[0], self.low_luck)

    @cached_property
    def hits(self) -> HitDistribution:
        """The chances of its hits."""
        dice = self.dice.counts.sum(axis=1)
        distribution: HitDistribution = (
            low_luck_distribution(dice, self.dice.values)
            if self.low_luck
            else hit_distribution(dice, self.dice.chances)
        )
        return distribution

    @cached_property
    def columns(self) -> HitColumns:
        """The chances of its hits by their number."""
        columns: HitColumns = hit_columns(self.hits)
        return columns


@dataclass(frozen=True)
class Graph(Armies):
    """A side with a successor for each hit group.

    `successor[g, s]`: army after a hit of group g on army s, s itself if no unit may take it.
    """

    successor: Ints


def build_chain(order: CasualtyOrder, *more: CasualtyOrder, low_luck: bool = False) -> Chain:
    """Build the chain of an army for hits that may take any of it, and of `more` with other counts."""
    armies = np.array([each.counts for each in (order, *more)], dtype=np.int64)
    return Chain(order, *chain_of(armies, _lives(order.slots)), low_luck)


@njit(cache=True)
def chain_of(armies: Ints, lives: Ints) -> tuple[Ints, Ints]:
    """Return `counts` and `bounds` of a chain; `lives[k]`: slot of the lives of ships in slot k, -1 for none."""
    counts = np.zeros((armies.sum() + len(armies), armies.shape[1]), np.int64)
    bounds = np.zeros(len(armies) + 1, np.int64)
    found = 0
    for number in range(len(armies)):
        counts[found] = armies[number]
        for slot in range(armies.shape[1]):
            while counts[found, slot] > 0:
                counts[found + 1] = counts[found]
                found += 1
                take(counts[found], slot, lives)
        found += 1
        bounds[number + 1] = found
    return counts[:found].copy(), bounds


@njit(cache=True)
def take(army: Ints, slot: int, lives: Ints) -> None:
    """Take a unit or a life; of ships the damaged ones go first, and a whole one takes its life with it."""
    army[slot] -= 1
    if lives[slot] >= 0:
        army[lives[slot]] = min(army[lives[slot]], army[slot])


@lru_cache(maxsize=1024)
def _lives(slots: tuple[Slot, ...]) -> Ints:
    """Return the slot of the lives of ships in each slot, -1 if they have none."""
    lives = [LIFE_OF.get(slot) if isinstance(slot, Unit) else None for slot in slots]
    return np.array([slots.index(life) if life in slots else -1 for life in lives], dtype=np.int64)


_TARGETS: dict[Slot, int] = {
    slot: sum(1 << group for group in HitGroup if slot_falls_to(group, slot)) for slot in (*Unit, *Life)
}
"""The groups, as bit masks, whose hits may take a slot."""


def build_graph(order: CasualtyOrder, enemies: Sequence[CasualtyOrder], limit: int) -> Graph:
    """Find every army that hits of any of `enemies` can leave; TooMuchError for more than `limit`."""
    groups = 0
    for group in {group for enemy in enemies for group in hit_groups(enemy)}:
        groups |= 1 << group
    if groups == 1 << SUBMARINES | 1 << AIR:  # the next unit falls to one of them, so both together may take any
        groups |= 1 << REST
    targets = [_TARGETS[slot] for slot in order.slots]
    hits = Counter[int]()
    for count, falls_to in zip(order.counts, targets, strict=True):
        hits[falls_to] += count
    most = min(limit, prod(count + 1 for count in hits.values()))  # what falls to the same groups has a single order
    start, falls = np.array([order.counts, targets], dtype=np.int64)
    counts, successor = reachable_armies(start, falls, _lives(order.slots), groups, most)
    if not len(counts):
        raise TooMuchError("There are too many ways in which these fleets can lose their units.")
    return Graph(order, counts, successor)


@njit(cache=True)
def reachable_armies(start: Ints, targets: Ints, lives: Ints, groups: int, limit: int) -> tuple[Ints, Ints]:
    """Return `counts` and `successor` of a graph, empty for more than `limit` armies.

    `targets[k]`: bit mask of the groups whose hits may take slot k; `lives[k]`: slot of the lives of ships in slot k,
    -1 if they have none; `groups`: bit mask of the groups of hits that fall. Armies are found in the order of hits
    taken, so losses lead to higher numbers.
    """
    slots = len(start)
    counts = np.zeros((limit, slots), np.int64)
    successor = np.zeros((3, limit), np.int64)
    buckets = np.full(4 * limit, -1)
    counts[0] = start
    found, here = 1, 0
    buckets[_bucket(start, counts, buckets)] = 0
    after = np.zeros(slots, np.int64)
    while here < found:
        exposed = _exposed(counts[here], targets)
        successor[:, here] = here
        for group in range(3):
            slot = _target(counts[here], targets, group) if groups >> group & 1 else slots
            if slot == slots:
                continue
            after[:] = counts[here]
            take(after, slot, lives)
            bucket = _bucket(after, counts, buckets)
            if buckets[bucket] < 0:
                if found == limit:
                    return counts[:0], successor[:, :0]
                counts[found] = after
                buckets[bucket] = found
                found += 1
            # Hits that may take every unit are thrown together with the rest.
            for placed in (group, REST if exposed >> group & 1 else group):
                successor[placed, here] = buckets[bucket]
        here += 1
    return counts[:found].copy(), successor[:, :found].copy()


@njit(cache=True)
def _exposed(army: Ints, targets: Ints) -> int:
    """Return the groups, as a bit mask, whose hits may take everything in an army."""
    groups = 7
    for slot in range(len(army)):
        if army[slot] > 0:
            groups &= targets[slot]
    return groups


@njit(cache=True)
def _target(army: Ints, targets: Ints, group: int) -> int:
    """Return the slot that a hit of `group` takes, the number of slots if there is none."""
    for slot in range(len(army)):
        if army[slot] > 0 and targets[slot] >> group & 1:
            return slot
    return len(army)


@njit(cache=True)
def _bucket(army: Ints, counts: Ints, buckets: Ints) -> int:
    """Return the bucket of an army in a hash table of army numbers: its own, or the free one for it."""
    key = np.int64(0)
    for count in army:
        key = (key * 1_000_003 + count) & 0x7FFFFFFF
    at = int(key % len(buckets))
    while buckets[at] >= 0 and not (counts[buckets[at]] == army).all():
        at = (at + 1) % len(buckets)
    return at


def hit_groups(shooter: CasualtyOrder) -> list[HitGroup]:
    """Return all groups that the hits of an army can belong to."""
    arms = shooter.arms
    groups = {arms.group(slot) for slot in shooter.slots if isinstance(slot, Unit) and arms.score(slot)}
    if Unit.DESTROYER in shooter.slots:
        groups.add(HitGroup.REST)
    return sorted(groups)


def is_plain(*orders: CasualtyOrder) -> bool:
    """Return whether any hit may take any unit and nobody strikes by surprise: there is no submarine."""
    return not any(Unit.SUBMARINE in side.slots for side in orders)


class Fleet(NamedTuple):
    """One side's reachable armies.

    `path[g, s, h]`: army after h hits of group g on army s. `reach[g, s, h]`: how many hits fall on army s in order
    with at most h of them on submarines (planes for `AIR`). `table[m, s, h]`: chance that the
    dice of the groups in bit mask m score h hits, relevant from `window[m, s, 0]` to `window[m, s, 1]`. `has[s, ...]`:
    number of units in army s, by `SUBMARINES`, `AIR` (those that hits of air and of submarines can't take),
    `DESTROYERS`, `UNITS` (all of them), `EXPOSED` (those that are lost without dice once nothing else is left), and
    `OPEN`, 1 if the enemy's submarines strike it by surprise, else 0. `marked`: submarines always fire first, and what
    they hit beside a destroyer still fires.
    """

    path: ArmyNumbers
    reach: Ints
    table: Floats
    window: Ints
    has: Ints
    marked: bool


def fleet_of(side: Graph, enemies: Sequence[CasualtyOrder], *, low_luck: bool = False) -> Fleet:
    """Prepare a side for the kernels."""
    arms = side.order.arms
    shots = max(1, *(enemy.shooters for enemy in enemies))
    has = np.zeros((len(side.counts), OPEN + 1), np.int64)
    has[:, SUBMARINES] = side.count(Unit.SUBMARINE)
    has[:, AIR] = side.planes
    has[:, DESTROYERS], has[:, UNITS] = side.count(Unit.DESTROYER), side.units
    has[:, EXPOSED] = side.exposed
    strikes = enemies[0].arms.strikes
    has[:, OPEN] = strikes is Strikes.ALWAYS or (strikes is Strikes.NO_DESTROYER) * (has[:, DESTROYERS] == 0)
    dice, chances, values = side.dice
    path, reach, table, window = build_fleet(side.successor, has, dice, chances, values, shots, low_luck)
    return Fleet(path, reach, table, window, has, arms.rules.marked_losses)


def shots_of(shooter: CasualtyOrder, group: HitGroup) -> int:
    """Return the most hits of a group that an army scores at once, air without a destroyer."""
    return sum(
        count * weapon.dice
        for slot, count, weapon in zip(shooter.slots, shooter.counts, shooter.weapons, strict=True)
        if weapon.value and isinstance(slot, Unit) and shooter.arms.group(slot) is group
    )


@njit(cache=True)
def build_fleet(
    successor: Ints, has: Ints, dice: Ints, chances: Floats, values: Ints, shots: int, low_luck: bool
) -> tuple[ArmyNumbers, Ints, Floats, Ints]:
    """Return `path`, `reach`, `table` and `window` of a fleet.

    `successor`: see `Graph`; `has`: see `Fleet`; `dice`, `chances`, `values`: see `DiceOf`. `shots`: maximum hits that
    the enemy scores at once, at least 1.
    """
    size = len(dice)
    path = np.empty((3, size, shots + 1), np.uint32)
    reach = np.empty((2, size, shots + 1), np.int64)
    later_armies = np.zeros(size, np.int64)
    for army in range(size - 1, -1, -1):
        later_armies[army] = _walk(successor, army, path)
        fill_in_reach(path, has, army, reach)
    table, window = _hit_tables(dice, chances, values, later_armies, low_luck)
    return path, reach, table, window


@njit(cache=True)
def _walk(successor: Ints, army: int, path: ArmyNumbers) -> int:
    """Fill in the paths of `army` from those of later armies; return one of its successors, or itself."""
    later = army
    for group in range(3):
        after = successor[group, army]
        path[group, army, 0] = army
        for hits in range(1, path.shape[2]):
            path[group, army, hits] = path[group, after, hits - 1]
        if after != army:
            later = after
    return later


@njit(cache=True)
def fill_in_reach(path: ArmyNumbers, has: Ints, army: int, reach: Ints) -> None:
    """Fill in the reach of hits on `army` from that on the army that the first one leaves."""
    after, most = int(path[REST, army, 1]), reach.shape[2] - 1
    for group in (SUBMARINES, AIR):
        lost = has[army, group] - has[after, group]
        for hits in range(most + 1):
            further = most if after == army else -1 if hits < lost else reach[group, after, hits - lost]
            reach[group, army, hits] = min(most, further + 1)


@njit(cache=True)
def _thrown(dice: Ints, mask: int, total: Ints) -> None:
    """Sum the dice of the groups in `mask` by kind."""
    for kind in range(len(total)):
        total[kind] = 0
        for group in range(3):
            total[kind] += (mask >> group & 1) * dice[group, kind]


@njit(cache=True)
def _hit_tables(dice: Ints, chances: Floats, values: Ints, later_armies: Ints, low_luck: bool) -> tuple[Floats, Ints]:
    """Return `table` and `window` of a fleet, from the last army to the first: mostly each has a few more dice."""
    size, kinds = len(dice), len(chances)
    width = 1
    for army in range(size):
        width = max(width, dice[army].sum() + 1)
    table = np.zeros((8, size, width + 1))
    window = np.zeros((8, size, 2), np.int64)
    here, there = np.zeros(kinds, np.int64), np.zeros(kinds, np.int64)
    for army in range(size - 1, -1, -1):
        later = later_armies[army]
        for mask in range(8):
            row, ends = table[mask, army], window[mask, army]
            _thrown(dice[army], mask, here)
            _thrown(dice[later], mask, there)
            grows = later != army
            for kind in range(kinds):
                grows &= here[kind] >= there[kind]
            if low_luck:
                points = (here * values).sum()
                sure, rest = points // 6, points % 6
                ends[0], ends[1] = sure, sure + (1 if rest else 0)
                row[ends[1]] = rest / 6.0
                row[sure] = 1.0 - rest / 6.0
                continue
            if grows:
                ends[0], ends[1] = window[mask, later, 0], window[mask, later, 1]
                row[ends[0] : ends[1] + 1] = table[mask, later, ends[0] : ends[1] + 1]
            else:
                row[0] = 1.0
            for kind in range(kinds):
                for _ in range(here[kind] - (there[kind] if grows else 0)):
                    ends[0], ends[1] = add_die(row, ends[0], ends[1], chances[kind])
    return table, window


@njit(cache=True)
def _reach(side: Fleet) -> tuple[Ints, Ints]:
    """Return two bit masks of hit groups for each army: those it fires in, and those it has targets for."""
    size = len(side.has)
    fires, suffers = np.zeros(size, np.int64), np.zeros(size, np.int64)
    for army in range(size):
        for group in range(3):
            if side.window[1 << group, army, 1] > 0:
                fires[army] |= 1 << (REST if group == AIR and side.has[army, DESTROYERS] > 0 else group)
        units = side.has[army, UNITS]
        suffers[army] |= 1 << SUBMARINES if units > side.has[army, AIR] else 0
        suffers[army] |= 1 << AIR if units > side.has[army, SUBMARINES] else 0
        suffers[army] |= 1 << REST if units > 0 else 0
    return fires, suffers


@njit(cache=True)
def endings(attacker: Fleet, defender: Fleet, leaves: Flags, stops: Flags) -> Codes:
    """Return for each pair of armies why the battle ends there, or `GOES_ON` = 0.

    `leaves[a]`, `stops[d]`: whether the attacker retreats with its army a, and before the defender's army d.
    """
    fires_a, suffers_a = _reach(attacker)
    fires_d, suffers_d = _reach(defender)
    result = np.zeros((len(attacker.has), len(defender.has)), np.int8)
    for a in range(result.shape[0]):
        here = attacker.has[a, UNITS]
        for d in range(result.shape[1]):
            there = defender.has[d, UNITS]
            hits, is_hit = fires_a[a] & suffers_d[d] != 0, fires_d[d] & suffers_a[a] != 0
            if here == 0 or there == 0:
                result[a, d] = ATTACKER if here > 0 else DEFENDER if there > 0 else TIE
            elif hits and defender.has[d, EXPOSED] == there:
                result[a, d] = ATTACKER
            elif is_hit and attacker.has[a, EXPOSED] == here:
                result[a, d] = DEFENDER
            elif _is_bare(attacker, a, defender, d):
                result[a, d] = STALEMATE
            elif leaves[a] or stops[d]:
                result[a, d] = RETREAT
            elif not (hits or is_hit):
                result[a, d] = STALEMATE
    return result


@njit(cache=True)
def _is_bare(attacker: Fleet, a: int, defender: Fleet, d: int) -> bool:
    """Return whether transports beside nothing but submarines, under planes alone, leave nothing to hit for anybody."""
    planes = attacker.has[a, AIR] == attacker.has[a, UNITS]
    below = defender.has[d, SUBMARINES] > 0 and defender.has[d, EXPOSED] > 0
    beside = defender.has[d, SUBMARINES] + defender.has[d, EXPOSED] == defender.has[d, UNITS]
    return bool(planes and below and beside and attacker.window[1 << AIR, a, 1] > 0)
