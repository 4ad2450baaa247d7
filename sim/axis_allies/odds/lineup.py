"""What `order_search` needs to know of a side: its slots, every army it can come to in any order, and their dice."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations
from math import prod

import numpy as np

from sim.axis_allies.arms import HitGroup, Weapon, may_fall_on
from sim.axis_allies.casualties import CasualtyOrder, Last, Life, Place, Slot, unit_of
from sim.axis_allies.odds import layout
from sim.axis_allies.odds.army_graph import Armies, Graph, build_graph, is_plain
from sim.axis_allies.odds.dice import DiceOf, reinforced
from sim.axis_allies.odds.fleet import Fleet, endings, fleet_of
from sim.axis_allies.odds.layout import Codes, Flags, Floats, Ints, layout_of
from sim.axis_allies.odds.opening import after_antiaircraft_fire, antiaircraft_fire, hits_of
from sim.axis_allies.odds.order_search import AIMS, Fire, Lineup, Roots, pairs_to_try, try_orders
from sim.axis_allies.odds.tables import MAX_ARMIES
from sim.axis_allies.odds.terms import Terms, leaving, strafed
from sim.axis_allies.units import Category, Unit
from sim.core.values import Side

MAX_KEYS = 4_000_000
"""Maximum number of ways to have some of each slot."""

MAX_NUMBERS = 8_000_000
"""Maximum numbers in a table of values."""

MAX_FIRE = 1_000_000
"""Maximum length of all lists of losses that are kept."""

MAX_SECONDS = 10.0
"""Estimates are no higher than about this."""

_SEARCH = 2e-3  # seconds to prepare a search, measured
_LAND_SHOT = 9e-9  # seconds for a pair of armies and each unit of both sides that fires, measured
_SEA_PAIR, _SEA_SHOT = 0.6e-6, 50e-9  # the same, and for a pair alone
_MARKED = 3.0  # as much, where units that were hit still fire


@dataclass(frozen=True, slots=True)
class Slots:
    """What a side may lose: `order` has each slot once, in any order, those that are kept apart.

    `places`: their names in an explicit order. `kept`: whether the last slot is the land unit that is lost last of all.
    """

    order: CasualtyOrder
    places: tuple[Place, ...]
    kept: bool = False

    def named(self, indexes: Sequence[int]) -> tuple[Place, ...]:
        """Return an order of slots as an explicit order."""
        places = [self.places[at] for at in indexes]
        if Last.DESTROYER in places and places.index(Last.DESTROYER) == places.index(Unit.DESTROYER) + 1:
            places.remove(Last.DESTROYER)
        if self.kept:
            kept = places.pop()
            if kept not in places:
                places.append(kept)
        return tuple(places)


def slots_of(order: CasualtyOrder, *, must_take: bool) -> Iterator[Slots]:
    """Yield the slots of an army; with `must_take` for each type that may be the one whose last unit is kept."""
    counts: dict[Place, int] = {}
    for slot, count in zip(order.slots, order.counts, strict=True):
        several = slot is Unit.DESTROYER and count > 1
        counts[slot] = count - 1 if several else count
        if several:
            counts[Last.DESTROYER] = 1
    land = [place for place in counts if unit_of(place).category is Category.LAND and counts[place]]
    if order.side is Side.DEFENDER or not must_take or not land:
        yield _slots(order, counts)
        return
    for unit in land:
        yield _slots(order, {**counts, unit: counts[unit] - 1}, unit)


def _slots(order: CasualtyOrder, counts: dict[Place, int], kept: Place | None = None) -> Slots:
    lost = [(place, count) for place, count in counts.items() if count] + ([(kept, 1)] if kept else [])
    places = tuple(place for place, _ in lost)
    slots: tuple[Slot, ...] = tuple(place.unit if isinstance(place, Last) else place for place in places)
    own = replace(order, slots=slots, counts=tuple(count for _, count in lost), typed=tuple(range(len(slots))))
    return Slots(own, places, kept is not None)


@dataclass(frozen=True)
class _Opening(Graph):
    """Armies of which the last ones are those of the first round, when ships fire with them."""

    regular: int
    ships: tuple[Weapon, ...]

    @classmethod
    def of(cls, graph: Graph, first: Ints, ships: tuple[Weapon, ...]) -> "_Opening":
        """Add a copy of each of the armies `first`."""
        size = len(graph.counts)
        own = np.tile(np.arange(size, size + len(first)), (len(HitGroup), 1))
        return cls(
            graph.order,
            np.concatenate((graph.counts, graph.counts[first])),
            np.concatenate((graph.successor, own), axis=1),
            size,
            ships,
        )

    @cached_property
    def dice(self) -> DiceOf:
        """The dice that each army throws."""
        return reinforced(super().dice, np.arange(self.regular, len(self.counts)), self.ships)


class Search:
    """All orders of one side's slots that may be the best, against an enemy who keeps to its own order.

    `by_chance`: the swing decides between orders of the same chances only. `seconds`: an estimate, infinite if there
    are too many armies. An order's end is the slot that is lost last, or last before the one that is kept; `ends`: bit
    mask of all, `fork`: how many come after it.
    """

    def __init__(self, terms: Terms, slots: Slots, *, must_take: bool, by_chance: bool) -> None:
        """Prepare the search; TooMuchError for too many armies of the enemy."""
        self.slots, self.must_take, self.by_chance = slots, must_take, by_chance
        side = slots.order.side
        self.attacks = side is Side.ATTACKER
        self.terms = replace(terms, attacker=slots.order) if self.attacks else replace(terms, defender=slots.order)
        self.enemy = terms.defender if self.attacks else terms.attacker
        rules = terms.attacker.arms.rules
        self.ships = terms.bombardment if rules.bombarded_fire_back else ()
        self.shelled = hits_of(() if rules.bombarded_fire_back else terms.bombardment, low_luck=terms.low_luck)
        self.openings = list(after_antiaircraft_fire(self.terms))
        self.takes = self._takes()
        self.fork, self.ends = int(slots.kept), (1 << len(slots.places)) - 1
        self.layers = 1 if terms.stop_after is None else terms.stop_after + 1
        self.seconds, self.orders = np.inf, 0
        if prod(count + 1 for count in slots.order.counts) > MAX_KEYS:
            return
        self.enemies = [build_graph(enemy, [slots.order], MAX_ARMIES) for _, enemy in self._enemies()]
        self.lineup = self._lineup()
        largest = max(len(graph.counts) for graph in self.enemies)
        if largest * len(self.lineup.first) * AIMS * self.layers > MAX_NUMBERS:
            return
        shooters = slots.order.shooters + self.enemy.shooters + len(terms.bombardment)
        pair = _LAND_SHOT * max(1, shooters) if is_plain(slots.order, self.enemy) else _SEA_PAIR + _SEA_SHOT * shooters
        pair *= _MARKED if rules.marked_losses else 1.0
        step = pair * max(1, self.layers - 1)
        enemies = sum(len(graph.counts) for graph in self.enemies)
        self._limit = MAX_SECONDS / step
        pairs, self.orders = pairs_to_try(self.lineup, enemies, self._limit)
        self.seconds = _SEARCH * len(self.enemies) + pairs * step

    def _enemies(self) -> list[tuple[float, CasualtyOrder]]:
        """Return what the own side may meet, with chances."""
        return [(1.0, self.enemy)] if self.attacks else self.openings

    def _takes(self) -> Flags:
        """Return `Lineup.takes`."""
        order = self.slots.order
        units = [unit_of(slot) for slot in order.slots]
        fired = layout_of(self.enemy).fires
        takes = [[not fired >> group & 1 or may_fall_on(group, unit) for unit in units] for group in HitGroup]
        if self.attacks:
            takes += [[at in planes for at in range(len(units))] for _, planes in antiaircraft_fire(self.terms)]
        return np.array(takes, dtype=np.bool_)

    def _lineup(self) -> Lineup:
        order = self.slots.order
        counts = np.array(order.counts, dtype=np.int64)
        radix = np.cumprod([1, *(counts[:-1] + 1)]).astype(np.int64)
        keys = np.zeros(1, dtype=np.int64)
        for columns in np.unique(self.takes, axis=1).T:
            alike = np.flatnonzero((self.takes == columns[:, np.newaxis]).all(axis=0))
            keys = (keys[:, np.newaxis] + _in_turn(counts[alike], radix[alike])).ravel()
        keys = np.sort(keys)[::-1].copy()
        number = np.zeros(prod(count + 1 for count in order.counts), np.int32)
        number[keys] = np.arange(1, len(keys) + 1)
        first = np.arange(len(keys))
        if self.attacks and (self.ships or self.terms.withdrawal.possible):
            planes = [unit_of(slot).category is Category.AIR for slot in order.slots]
            starts = ((keys[:, np.newaxis] // radix % (counts + 1) == counts) | planes).all(axis=1)
            first[starts] = len(keys) + np.arange(starts.sum())
        self.idle = self._idle()
        return Lineup(counts, radix, keys, number, self.takes, self._later(), self.idle, first, self.fork, self.ends)

    def _later(self) -> Ints:
        """Return `Lineup.later`."""
        counts, places = self.slots.order.counts, self.slots.places
        later = np.zeros(len(places), np.int64)
        for at, place in enumerate(places):
            for other, after in enumerate(places):
                must = other == len(places) - 1 and self.slots.kept  # lost last of all
                must |= isinstance(place, Life) and after is place.unit  # a whole ship never sinks
                must |= place is Unit.DESTROYER and after is Last.DESTROYER
                if self.slots.kept and unit_of(place).category is Category.LAND:  # its type is the last on land
                    must |= after is places[-1] and place is not places[-1]
                # In each other's place they are lost after equally many hits.
                must |= counts[at] == counts[other] and bool(self.idle[other, at])
                if must and at != other:
                    later[at] |= 1 << other
        return later

    def _idle(self) -> Flags:
        """Return `Lineup.idle`."""
        size = len(self.slots.places)
        idle = np.zeros((size, size), np.bool_)
        if self.terms.withdrawal.possible:  # the attacker may leave earlier if it loses more slowly
            return idle
        here = set(self.slots.order.slots)
        lifts = [lift for lift in self.slots.order.arms.lifts if here & {*lift.by} and here & {*lift.lifts}]
        paired = {unit for lift in lifts for unit in (*lift.by, *lift.lifts)}
        for at, other in permutations(range(size - self.slots.kept), 2):
            units = {unit_of(self.slots.order.slots[which]) for which in (at, other)}
            groups = self.takes[: len(HitGroup)]
            if not units & paired and (groups[:, at] == groups[:, other]).all():
                idle[at, other] = self._is_better(at, other)
        return idle

    def _is_better(self, at: int, other: int) -> bool:
        """Return whether it is never better to have slot `other` than slot `at`, which the same hits may take."""
        order = self.slots.order
        arms, slot, after = order.arms, order.slots[at], order.slots[other]
        if isinstance(after, Life):
            return not isinstance(slot, Life) or at > other
        if isinstance(slot, Life):
            return False
        here, there = arms.weapons[slot], arms.weapons[after]
        cost, price = arms.edition.cost(slot), arms.edition.cost(after)
        watches = after is Unit.DESTROYER and slot is not after and self.enemy.count(Unit.SUBMARINE) > 0
        stands = slot in arms.rules.defenceless and after not in arms.rules.defenceless
        fires = there.dice > here.dice or there.chance > here.chance
        hits_others = arms.group(slot) is not arms.group(after) and not is_plain(order, self.enemy)
        if watches or stands or fires or hits_others:
            return False
        if here == there and cost == price:
            return at > other
        return price <= cost or (self.by_chance and here != there)

    def work(self) -> Iterator[tuple[int, float]]:
        """Yield the possible ends of an order, and how many pairs of armies are calculated for each."""
        enemies = sum(len(graph.counts) for graph in self.enemies)
        for end in range(len(self.slots.places)):
            pairs, orders = pairs_to_try(self.lineup._replace(ends=1 << end), enemies, self._limit)
            if orders:
                yield end, pairs

    def run(self, ends: int) -> tuple[Ints, Floats]:
        """Return orders of the slots, first loss first, and their values: own chance, the enemy's, the swing.

        `ends`: bit mask of the ends that are tried. The last end comes first.
        """
        lineup, size = self.lineup._replace(ends=ends), len(self.lineup.keys)
        counts = lineup.keys[:, np.newaxis] // lineup.radix % (lineup.counts + 1)
        # One unit less: most dice are the same.
        less = np.arange(size)
        for radix, units in zip(lineup.radix, counts.T, strict=True):
            known = (units > 0) & (lineup.number[lineup.keys - radix * (units > 0)] > 0) & (less == np.arange(size))
            less[known] = lineup.number[lineup.keys[known] - radix] - 1
        groups = len(HitGroup)
        graph = Graph(self.slots.order, counts, np.tile(less, (groups, 1)))
        armies = _Opening.of(graph, np.flatnonzero(lineup.first >= size), self.ships if self.attacks else ())
        own = _longer(fleet_of(armies, [self.enemy], low_luck=self.terms.low_luck), len(self.terms.bombardment))
        found, total = np.zeros((0, 0), np.int64), np.zeros((0, AIMS))
        for (chance, _), enemy in zip(self._enemies(), self.enemies, strict=True):
            there = _Opening.of(enemy, np.zeros(1, np.int64), () if self.attacks else self.ships)
            fleet = _longer(
                fleet_of(there, [self.slots.order], low_luck=self.terms.low_luck), len(self.terms.bombardment)
            )
            fleet.path[:, -1], fleet.reach[:, -1] = fleet.path[:, 0], fleet.reach[:, 0]
            both = (armies, there) if self.attacks else (there, armies)
            over = self._over(*((own, fleet) if self.attacks else (fleet, own)), *both)
            worth = worth_of(*both, over, must_take=self.must_take)
            if not self.attacks:
                over, worth = over.T.copy(), worth.swapaxes(0, 1)[..., [1, 0, 2]] * (1.0, 1.0, -1.0)
            value = np.repeat(worth[np.newaxis], self.layers, axis=0)
            fire = Fire(
                np.full(over.shape, -1),
                np.zeros(over.shape, np.int64),
                np.zeros(MAX_FIRE, np.uint32),
                np.zeros(MAX_FIRE),
                np.zeros(1, np.int64),
            )
            found, values = try_orders(
                own,
                fleet,
                self.attacks,
                is_plain(self.slots.order, self.enemy),
                lineup,
                over,
                value,
                np.full_like(value, np.nan),
                fire,
                self._roots(fleet),
                self.orders,
            )
            total = values * chance + (total if len(total) else 0.0)
        return found, total

    def _over(self, attacker: Fleet, defender: Fleet, attackers: Armies, defenders: Armies) -> Codes:
        terms = self.terms
        leaves, stops = leaving(terms.withdrawal, attackers, terms.attacker.ipc), strafed(terms.withdrawal, defenders)
        over: Codes = endings(attacker, defender, leaves, stops)
        if terms.withdrawal.possible:
            regular = attackers.regular if isinstance(attackers, _Opening) else len(attackers.counts)
            stays = endings(attacker, defender, np.zeros_like(leaves), np.zeros_like(stops))
            over[regular:] = stays[regular:]
        return over

    def _roots(self, enemy: Fleet) -> Roots:
        groups, flak = len(self.takes), len(HitGroup)
        hits, armies, chances = [], [], []
        first = len(enemy.has) - 1 if not self.attacks and (self.ships or self.terms.withdrawal.possible) else 0
        for chance, attacker in self.openings if self.attacks else [(1.0, self.enemy)]:
            lost = np.array(self.slots.order.counts) - np.array(attacker.counts) if self.attacks else None
            for shelled, p in enumerate(self.shelled):
                row = np.zeros(groups, np.int64)
                if lost is None:
                    row[HitGroup.REST] = shelled
                else:
                    row[flak:] = (self.takes[flak:] * lost).sum(axis=1)
                hits.append(row)
                armies.append(int(enemy.path[HitGroup.REST, 0, shelled]) if self.attacks else first)
                chances.append(chance * p)
        return Roots(np.array(hits), np.array(armies), np.array(chances))


def _in_turn(counts: Ints, radix: Ints) -> Ints:
    """Return the keys of all armies of slots that are lost one after the other, in any order."""
    keys = []
    for at, count in enumerate(counts):
        whole = np.zeros(1, dtype=np.int64)
        for other in range(len(counts)):
            if other != at:
                whole = np.concatenate((whole, whole + counts[other] * radix[other]))
        keys.append((whole[:, np.newaxis] + np.arange(count + 1) * radix[at]).ravel())
    unique: Ints = np.unique(np.concatenate(keys))
    return unique


def _longer(fleet: Fleet, more: int) -> Fleet:
    """Return a fleet whose paths are longer by some hits."""
    path = fleet.path
    for _ in range(more):
        path = np.concatenate((path, np.stack([row[row[:, -1], 1] for row in path])[:, :, np.newaxis]), axis=2)
    return fleet._replace(path=path.copy())


def worth_of(attacker: Armies, defender: Armies, over: Codes, *, must_take: bool) -> Floats:
    """Return for each pair of armies: whether the attacker has won, whether the defender has, and the swing in IPC.

    The swing is what the attacker has left minus what the defender has, after units that can't defend themselves.
    """
    won, lost = over == layout.ATTACKER, over == layout.DEFENDER
    exposed = attacker.order.arms.rules.defenceless
    left = np.where(lost & attacker.defenceless[:, np.newaxis], 0, attacker.ipc[:, np.newaxis])
    there = np.where(won & defender.defenceless, 0, defender.ipc)
    planes = attacker.planes == attacker.units
    price = sum(defender.count(unit) * defender.order.arms.edition.cost(unit) for unit in exposed)
    there = there - np.where((over == layout.STALEMATE) & planes[:, np.newaxis], price, 0)
    takes = won & (attacker.land_units > 0)[:, np.newaxis] if must_take else won
    return np.stack((takes, lost, left - there), axis=2).astype(np.float64)
