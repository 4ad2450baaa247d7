"""One side of a battle as arrays: every army it can come to, numbered.

A `Chain` is a side whose losses have a single order, from one or more beginnings; a `Graph` has a successor for each
hit group. At sea a graph is prepared for the kernels as a `Fleet`.
"""

from collections.abc import Callable, Sequence
from functools import cached_property, reduce
from operator import or_
from typing import NamedTuple

import numpy as np

from sim.axis_allies.casualties import CasualtyOrder, Slot
from sim.axis_allies.editions import Strikes
from sim.axis_allies.odds.dice import (
    FIRST,
    Columns,
    DiceOf,
    Hits,
    count_dice,
    fill_in_hits,
    hit_columns,
    hit_distribution,
)
from sim.axis_allies.odds.layout import (
    AIR,
    ATTACKER,
    DESTROYERS,
    EXPOSED,
    LAND,
    REST,
    SUBMARINES,
    ArmyNumbers,
    Codes,
    Flags,
    Floats,
    Ints,
    Layout,
    layout_of,
)
from sim.axis_allies.units import Unit
from sim.core import TooMuchError
from sim.core.kernels import copy, inner, kernel, woven

MAX_ARMIES = 8_000
"""Maximum number of armies that a side can come to if hits come in groups."""

NO_ARMY = np.uint32(0xFFFFFFFF)
"""What is not known yet."""


class Armies:
    """The armies that a side can come to; losses lead to higher numbers.

    `counts[s, k]`: units of slot k left in army s. `totals`: what each army has, by the rows of `Layout.worth`.
    """

    def __init__(self, order: CasualtyOrder, counts: Ints, totals: Ints | None = None) -> None:
        self.order, self.counts = order, counts
        self.totals: Ints = totals_of(counts, self.layout.worth) if totals is None else totals

    @cached_property
    def layout(self) -> Layout:
        """What its slots stand for."""
        return layout_of(self.order)

    @cached_property
    def dice(self) -> DiceOf:
        """The dice that each army throws."""
        own, by, steps, chances, values = self.layout.throws
        return DiceOf(count_dice(self.counts, self.layout.kind, own, by, steps, len(chances)), chances, values)

    @property
    def firsts(self) -> Ints:
        """The numbers of the armies that the side may come with."""
        return FIRST

    @cached_property
    def sizes(self) -> Ints:
        """How many hits each army takes."""
        sizes: Ints = self.counts.sum(axis=1)
        return sizes

    @property
    def exposed(self) -> Ints:
        """The defenceless units of each army, by slot."""
        exposed: Ints = self.counts * self.layout.worth[EXPOSED]
        return exposed

    def won(self, codes: Codes, which: Ints, *, must_take: bool) -> Flags:
        """Return with which codes and armies the attacker, this side, has won; with `must_take`, by land."""
        won: Flags = codes == ATTACKER
        return won & (self.totals[LAND][which] > 0) if must_take else won

    def numbers(self, armies: Ints) -> list[int]:
        """Return the numbers of armies given as counts by slot."""
        if len(armies) == 1 and armies[0].tolist() == self.counts[0].tolist():
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


@kernel
def totals_of(counts: Ints, worth: Ints) -> Ints:
    """Return what armies have, by the rows of `Layout.worth`."""
    totals = np.zeros((len(worth), len(counts)), np.int64)
    for row in range(len(worth)):
        for army in range(len(counts)):
            for slot in range(counts.shape[1]):
                totals[row, army] += worth[row, slot] * counts[army, slot]
    return totals


@kernel
def first_alike(counts: Ints) -> Ints:
    """Return for each army the number of the first one that is the same."""
    buckets, first = np.full(4 * len(counts), -1), np.arange(len(counts))
    for army in range(len(counts)):
        bucket = _bucket(counts[army], counts, buckets)
        if buckets[bucket] < 0:
            buckets[bucket] = army
        first[army] = buckets[bucket]
    return first


class Chain(Armies):
    """A side that loses its units in a single order.

    `bounds[n]`: number of the n-th army that it may come with; the next ones are what is left of it after 1, 2 hits and
    so on. The last entry is the number of all armies. `low_luck`: how its dice are thrown.
    """

    def __init__(self, order: CasualtyOrder, counts: Ints, bounds: Ints, low_luck: bool) -> None:
        super().__init__(order, counts)
        self.bounds, self.low_luck = bounds, low_luck

    @property
    def firsts(self) -> Ints:
        """The numbers of the armies that the side may come with."""
        return self.bounds[:-1]

    @cached_property
    def sizes(self) -> Ints:
        """How many hits each army takes."""
        return np.concatenate([np.arange(many - 1, -1, -1) for many in np.diff(self.bounds)])

    @cached_property
    def hits(self) -> Hits:
        """The chances of its hits: see `Hits`."""
        return hit_distribution(*self.dice, self.low_luck)

    @cached_property
    def columns(self) -> Columns:
        """The chances of its hits by their number: see `Columns`."""
        return hit_columns(*self.dice, self.low_luck)


class Graph(Armies):
    """A side with a successor for each hit group.

    `successor[g, s]`: army after a hit of group g on army s, s itself if no unit may take it. `low_luck`: how its dice
    are thrown. `fleet`: as the kernels need it, once it is prepared: see `fleet_of`.
    """

    def __init__(self, order: CasualtyOrder, counts: Ints, successor: Ints, low_luck: bool) -> None:
        super().__init__(order, counts)
        self.successor, self.low_luck = successor, low_luck
        self.fleet: Fleet | None = None


def build_chain(order: CasualtyOrder, *more: CasualtyOrder, low_luck: bool = False) -> Chain:
    """Build the chain of an army for hits that may take any of it, and of `more` with other counts."""
    armies = np.array([each.counts for each in (order, *more)], dtype=np.int64)
    return Chain(order, *chain_of(armies, layout_of(order).lives), low_luck)


@kernel
def chain_of(armies: Ints, lives: Ints) -> tuple[Ints, Ints]:
    """Return `counts` and `bounds` of a chain; `lives[k]`: slot of the lives of ships in slot k, -1 for none."""
    counts = np.zeros((armies.sum() + len(armies), armies.shape[1]), np.int64)
    bounds = np.zeros(len(armies) + 1, np.int64)
    found = 0
    for number in range(len(armies)):
        copy(armies[number], counts[found])
        for slot in range(armies.shape[1]):
            while counts[found, slot] > 0:
                copy(counts[found], counts[found + 1])
                found += 1
                take(counts[found], slot, lives)
        found += 1
        bounds[number + 1] = found
    return counts[:found].copy(), bounds


PlainSide = tuple[Ints, Ints, Ints, Ints, Ints, Ints, Ints, Floats, Ints]
"""An army for a kernel that builds its chain: its counts, `lives`, `worth` and `kind` of `Layout`, then `Throws`."""


def plain_side(order: CasualtyOrder) -> PlainSide:
    """Return an army for a kernel that builds its chain."""
    layout = layout_of(order)
    return (np.array((order.counts,), np.int64), layout.lives, layout.worth, layout.kind, *layout.throws)


@inner
def take(army: Ints, slot: int, lives: Ints) -> None:
    """Take a unit or a life; of ships the damaged ones go first, and a whole one takes its life with it."""
    army[slot] -= 1
    life = lives[slot] if lives[slot] >= 0 else slot
    army[life] = min(army[life], army[slot])


def hit_groups(*enemies: CasualtyOrder) -> int:
    """Return the groups, as a bit mask, of the hits of any of `enemies`."""
    groups = reduce(or_, (layout_of(enemy).fires for enemy in enemies))
    if groups == 1 << SUBMARINES | 1 << AIR:  # the next unit falls to one of them, so both together may take any
        groups |= 1 << REST
    return groups


def build_graph(order: CasualtyOrder, groups: int, *, low_luck: bool = False) -> Graph:
    """Find every army that hits of `groups`, a bit mask, can leave; TooMuchError for more than `MAX_ARMIES`."""
    start, layout = np.array(order.counts, np.int64), layout_of(order)
    counts, successor = reachable_armies(start, layout.targets, layout.lives, groups, MAX_ARMIES)
    if not len(counts):
        raise TooMuchError("There are too many ways in which these fleets can lose their units.")
    return Graph(order, counts, successor, low_luck)


class Builders(NamedTuple):
    """How both sides' armies are found; a search that meets the same enemy again and again keeps the latest."""

    chain: Callable[..., Chain]
    graph: Callable[..., Graph]


BUILDERS = Builders(build_chain, build_graph)
"""Keep nothing."""


@kernel
def reachable_armies(start: Ints, targets: Ints, lives: Ints, groups: int, limit: int) -> tuple[Ints, Ints]:
    """Return `counts` and `successor` of a graph, empty for more than `limit` armies.

    `targets`, `lives`: see `Layout`; `groups`: bit mask of the groups of hits that fall. Armies are found in the order
    of hits taken, so losses lead to higher numbers.
    """
    slots = len(start)
    most = 1  # what falls to the same groups has a single order
    for falls_to in range(8):
        alike = 1
        for slot in range(slots):
            alike += start[slot] if targets[slot] == falls_to else 0
        most = min(limit, most * alike)
    counts = np.zeros((most, slots), np.int64)
    successor = np.zeros((3, most), np.int64)
    buckets = np.full(4 * most, -1)
    copy(start, counts[0])
    found, here = 1, 0
    buckets[_bucket(start, counts, buckets)] = 0
    after = np.zeros(slots, np.int64)
    while here < found:
        army = counts[here]
        exposed = _exposed(army, targets)
        successor[:, here] = here
        for group in range(3):
            slot = _target(army, targets, group) if groups >> group & 1 else slots
            if slot == slots:
                continue
            copy(army, after)
            take(after, slot, lives)
            bucket = _bucket(after, counts, buckets)
            if buckets[bucket] < 0:
                if found == most:
                    return counts[:0], successor[:, :0]
                copy(after, counts[found])
                buckets[bucket] = found
                found += 1
            # Hits that may take every unit are thrown together with the rest.
            for placed in (group, REST if exposed >> group & 1 else group):
                successor[placed, here] = buckets[bucket]
        here += 1
    return counts[:found].copy(), successor[:, :found].copy()


@inner
def _exposed(army: Ints, targets: Ints) -> int:
    """Return the groups, as a bit mask, whose hits may take everything in an army."""
    groups = 7
    for slot in range(len(army)):
        if army[slot] > 0:
            groups &= targets[slot]
    return groups


@inner
def _target(army: Ints, targets: Ints, group: int) -> int:
    """Return the slot that a hit of `group` takes, the number of slots if there is none."""
    found = len(army)
    for slot in range(len(army) - 1, -1, -1):
        found = slot if (army[slot] > 0) & (targets[slot] >> group & 1 == 1) else found
    return found


@woven
def _bucket(army: Ints, counts: Ints, buckets: Ints) -> int:
    """Return the bucket of an army in a hash table of army numbers: its own, or the free one for it."""
    key = np.int64(0)
    for count in army:
        key = (key * 1_000_003 + count) & 0x7FFFFFFF
    at = int(key % len(buckets))
    while buckets[at] >= 0 and not _is_same(counts, buckets[at], army):
        at = (at + 1) % len(buckets)
    return at


@woven
def _is_same(counts: Ints, number: int, army: Ints) -> bool:
    same = True
    for slot in range(len(army)):
        same &= counts[number, slot] == army[slot]
    return same


def is_plain(*orders: CasualtyOrder) -> bool:
    """Return whether any hit may take any unit and nobody strikes by surprise: there is no submarine."""
    return not any(Unit.SUBMARINE in side.slots for side in orders)


OPEN = 5
"""Column of `Fleet.has`, after those that are the first rows of `Layout.worth`."""


class Fleet(NamedTuple):
    """One side's reachable armies.

    `path[g, s, h]`: army after h hits of group g on army s. `reach[g, s, h]`: how many hits fall on army s in order
    with at most h of them on submarines (planes for `AIR`). `table[m, s, h]`: chance that the dice of the groups in bit
    mask m score h hits, relevant from `window[m, s, 0]` to `window[m, s, 1]`. `has[s, ...]`: number of units in army s,
    by `SUBMARINES`, `AIR` (those that hits of air and of submarines can't take),
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


def fleet_of(side: Graph, enemies: Sequence[CasualtyOrder]) -> Fleet:
    """Prepare a side for the kernels, if it isn't prepared for at least the hits that these enemies score."""
    shots = max(1, *(enemy.shooters for enemy in enemies))
    if side.fleet is None or side.fleet.path.shape[2] <= shots:
        strikes, marked = enemies[0].arms.strikes, side.order.arms.rules.marked_losses
        open_to = strikes is Strikes.ALWAYS, strikes is Strikes.NO_DESTROYER
        side.fleet = build_fleet(side.successor, side.totals, open_to, *side.dice, shots, side.low_luck, marked)
    return side.fleet


@kernel
def build_fleet(
    successor: Ints,
    totals: Ints,
    open_to: tuple[bool, bool],
    dice: Ints,
    chances: Floats,
    values: Ints,
    shots: int,
    low_luck: bool,
    marked: bool,
) -> Fleet:
    """Prepare a side for the kernels.

    `successor`: see `Graph`; `totals`: see `Armies`; `dice`, `chances`, `values`: see `DiceOf`. `open_to`: whether the
    enemy's submarines always strike by surprise, and whether they do an army without a destroyer. `shots`: maximum hits
    that the enemy scores at once, at least 1. `marked`: see `Fleet`.
    """
    size = len(dice)
    has = np.zeros((size, OPEN + 1), np.int64)
    for army in range(size):
        for column in range(OPEN):
            has[army, column] = totals[column, army]
        has[army, OPEN] = open_to[0] or (open_to[1] and has[army, DESTROYERS] == 0)
    path = np.empty((3, size, shots + 1), np.uint32)
    reach = np.empty((2, size, shots + 1), np.int64)
    later_armies = np.zeros(size, np.int64)
    for army in range(size - 1, -1, -1):
        later_armies[army] = _walk(successor, army, path)
        _fill_in_reach(path, has, army, reach)
    table, window = _hit_tables(dice, chances, values, later_armies, low_luck)
    return Fleet(path, reach, table, window, has, marked)


@inner
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


@inner
def _fill_in_reach(path: ArmyNumbers, has: Ints, army: int, reach: Ints) -> None:
    """Fill in the reach of hits on `army` from that on the army that the first one leaves."""
    after, most = int(path[REST, army, 1]), reach.shape[2] - 1
    for group in (SUBMARINES, AIR):
        lost = has[army, group] - has[after, group]
        for hits in range(most + 1):
            further = most if after == army else -1 if hits < lost else reach[group, after, hits - lost]
            reach[group, army, hits] = min(most, further + 1)


@inner
def _hit_tables(dice: Ints, chances: Floats, values: Ints, later_armies: Ints, low_luck: bool) -> tuple[Floats, Ints]:
    """Return `table` and `window` of a fleet."""
    size, groups, kinds = dice.shape
    width = 1
    for army in range(size):
        width = max(width, dice[army].sum() + 1)
    table = np.zeros((1 << groups, size, width + 1))
    window = np.zeros((1 << groups, size, 2), np.int64)
    thrown = np.zeros((size, kinds), np.int64)
    for mask in range(1 << groups):
        thrown[:] = 0
        for group in range(groups):
            for army in range(size if mask >> group & 1 else 0):
                for kind in range(kinds):
                    thrown[army, kind] += dice[army, group, kind]
        fill_in_hits(thrown, chances, values, later_armies, low_luck, table[mask], window[mask])
    return table, window
