"""Odds by simulation: for armies too large for exact odds, and to check those.

The rules of the kernels, for many battles at once: a row for each battle, a column for each slot.
"""

from collections.abc import Iterator

import numpy as np

from sim.axis_allies.arms import HitGroup
from sim.axis_allies.casualties import CasualtyOrder
from sim.axis_allies.odds import codes
from sim.axis_allies.odds.codes import Codes, Flags, Floats, Ints
from sim.axis_allies.odds.engine import COURSE_REST, COURSE_ROUNDS, Solution, Terms
from sim.axis_allies.units import Category, Unit

MAX_STEPS = 2_000
"""Longer battles are given up; a step is a round, or many if one side can't hit."""

MAX_THROWS = 20_000_000
"""Total rounds of all battles after which those that still go on are given up."""


class _ArmyBatch:
    """One side of many battles; `left[b, k]`: units of slot k left in battle b."""

    def __init__(self, order: CasualtyOrder, left: Ints) -> None:
        self.order = order
        self.left = left
        self.slots = order.slots
        self.chances = order.chances
        self.is_land = [category(slot) is Category.LAND for slot in self.slots]

    def select(self, battles: Flags) -> "_ArmyBatch":
        return _ArmyBatch(self.order, self.left[battles])

    def count(self, unit: Unit) -> Ints:
        if unit in self.slots:
            here: Ints = self.left[:, self.slots.index(unit)]
            return here
        return np.zeros(len(self.left), np.int64)

    def units(self) -> Ints:
        units: Ints = self.left[:, [slot != LIFE for slot in self.slots]].sum(axis=1)
        return units

    def hits(self, group: HitGroup, times: Ints, dice: np.random.Generator) -> Ints:
        """Throw `times` times for all units of a hit group, air as if without a destroyer."""
        total = np.zeros(len(self.left), np.int64)
        for at, slot in enumerate(self.slots):
            if self.chances[at] > 0 and hit_group(slot) is group:
                total += dice.binomial(self.left[:, at] * times, self.chances[at])
        return total

    def volley(self, struck: Flags, times: Ints, dice: np.random.Generator) -> dict[HitGroup, Ints]:
        """Throw the general fire; submarines that have `struck` don't fire."""
        hits = {group: self.hits(group, times, dice) for group in HitGroup}
        free = self.count(Unit.DESTROYER) > 0
        hits[HitGroup.SUBMARINES] = np.where(struck, 0, hits[HitGroup.SUBMARINES])
        hits[HitGroup.REST] = hits[HitGroup.REST] + np.where(free, hits[HitGroup.AIR], 0)
        hits[HitGroup.AIR] = np.where(free, 0, hits[HitGroup.AIR])
        return hits

    def lose(self, hits: Ints, group: HitGroup) -> None:
        """Place hits by slot; those without a legal target are wasted."""
        hits = hits.copy()
        kept: list[int] = []
        for at, slot in enumerate(self.slots):
            if not may_fall_on(group, slot):
                continue
            if slot == Unit.TRANSPORT:
                self._lose_kept(kept, hits)
                kept = []
            if slot == Unit.BATTLESHIP:
                self._lose_battleships(at, hits)
                continue
            spare = self._spare(at)
            if spare is not self.left[:, at]:
                kept.append(at)
            self._take(at, hits, spare)
        self._lose_kept(kept, hits)

    def _spare(self, at: int) -> Ints:
        """Return how many of a slot may go before the last one that is kept."""
        here: Ints = self.left[:, at]
        if self.order.keep_destroyer and self.slots[at] == Unit.DESTROYER:
            spare: Ints = np.maximum(here - 1, 0)
            return spare
        if self.order.keep_land and self.is_land[at]:
            land: Ints = np.clip(self.left[:, self.is_land].sum(axis=1) - 1, 0, here)
            return land
        return here

    def _take(self, at: int, hits: Ints, most: Ints) -> None:
        taken = np.minimum(hits, most)
        self.left[:, at] -= taken
        hits -= taken

    def _lose_kept(self, kept: list[int], hits: Ints) -> None:
        for at in sorted(kept, key=lambda at: self.is_land[at]):
            self._take(at, hits, self.left[:, at])

    def _lose_battleships(self, ship: int, hits: Ints) -> None:
        life = self.slots.index(LIFE)
        self._take(ship, hits, self.left[:, ship] - self.left[:, life])
        # None is damaged now: each takes two hits, its damage first.
        whole = np.minimum(hits, 2 * self.left[:, ship])
        whole[self.left[:, ship] != self.left[:, life]] = 0
        self.left[:, life] -= (whole + 1) // 2
        self.left[:, ship] -= whole // 2
        hits -= whole

    def fires(self, group: HitGroup) -> Flags:
        """Return in which battles any unit fires in `group`."""
        armed = np.array(self.chances) > 0
        belongs = np.array([hit_group(slot) is group for slot in self.slots], dtype=np.bool_)
        firing: Flags = self.left[:, armed & belongs].sum(axis=1) > 0
        if group is HitGroup.SUBMARINES:
            return firing
        free = self.count(Unit.DESTROYER) > 0
        if group is HitGroup.AIR:
            alone: Flags = firing & ~free
            return alone
        flying = np.array([hit_group(slot) is HitGroup.AIR for slot in self.slots], dtype=np.bool_)
        joined: Flags = firing | (free & (self.left[:, armed & flying].sum(axis=1) > 0))
        return joined

    def harms(self, other: "_ArmyBatch") -> Flags:
        """Return in which battles any hit of this side can have an effect."""
        harm = np.zeros(len(self.left), np.bool_)
        for group in HitGroup:
            targets = [may_fall_on(group, slot) for slot in other.slots]
            harm |= self.fires(group) & (other.left[:, targets].sum(axis=1) > 0)
        return harm

    def safe_rounds(self, other: "_ArmyBatch") -> Ints:
        """Return a number of rounds in which an `other` that can't hit surely has targets for every hit."""
        shooters = np.maximum(1, self.left[:, np.array(self.chances) > 0].sum(axis=1))
        targets = np.full(len(self.left), np.iinfo(np.int64).max)
        for group in HitGroup:
            open_to = other.left[:, [may_fall_on(group, slot) for slot in other.slots]].sum(axis=1)
            targets = np.where(self.fires(group), np.minimum(targets, open_to), targets)
        rounds: Ints = np.maximum(1, targets // shooters)
        return rounds


def simulate(terms: Terms, battles: int, seed: int) -> Solution:
    """Simulate `battles` battles; the same seed gives the same answer."""
    dice = np.random.default_rng(seed)
    attacker, defender = (
        _ArmyBatch(order, np.tile(np.array(order.counts, dtype=np.int64), (battles, 1)))
        for order in (terms.attacker, terms.defender)
    )
    limit = terms.stop_after or np.iinfo(np.int64).max
    lengths = np.zeros(battles, np.int64)
    endings = _endings(terms, attacker, defender)
    course = [_course_row(attacker, defender, endings)]
    throws = 0
    for step in range(1, MAX_STEPS + 1):
        going = endings == codes.GOES_ON
        throws += int(np.count_nonzero(going))
        if not going.any() or throws > MAX_THROWS:
            break
        here, there = attacker.select(going), defender.select(going)
        # The course needs every round; later, rounds that can't differ are thrown together.
        times = _rounds_at_once(here, there) if step > COURSE_ROUNDS else np.ones(len(here.left), np.int64)
        times = np.minimum(times, limit - lengths[going])
        _fight(here, there, times, dice)
        attacker.left[going], defender.left[going] = here.left, there.left
        lengths[going] += times
        now = _endings(terms, here, there)
        endings[going] = np.where((now == codes.GOES_ON) & (lengths[going] == limit), codes.ROUND_LIMIT, now)
        if step <= COURSE_ROUNDS and course[-1][0] > COURSE_REST:
            course.append(_course_row(attacker, defender, endings))
    return _solution(terms, attacker, defender, endings, lengths, np.array(course), seed)


def _rounds_at_once(attacker: _ArmyBatch, defender: _ArmyBatch) -> Ints:
    """Return how many rounds may be thrown at once: many if one side can't hit and the other wastes no hit."""
    attacker_harms, defender_harms = attacker.harms(defender), defender.harms(attacker)
    rounds = np.where(attacker_harms & ~defender_harms, attacker.safe_rounds(defender), 1)
    return np.where(defender_harms & ~attacker_harms, defender.safe_rounds(attacker), rounds)


def _course_row(attacker: _ArmyBatch, defender: _ArmyBatch, endings: Codes) -> tuple[float, float, float]:
    going = float((endings == codes.GOES_ON).mean())
    return going, float(attacker.units().mean()), float(defender.units().mean())


def _fight(attacker: _ArmyBatch, defender: _ArmyBatch, times: Ints, dice: np.random.Generator) -> None:
    sides = attacker, defender
    struck = [
        (shooter.count(Unit.SUBMARINE) > 0) & (target.count(Unit.DESTROYER) == 0) for shooter, target in _both(sides)
    ]
    strikes = [
        np.where(strike, shooter.hits(HitGroup.SUBMARINES, times, dice), 0)
        for strike, shooter in zip(struck, sides, strict=True)
    ]
    for hits, (_, target) in zip(strikes, _both(sides), strict=True):
        target.lose(hits, HitGroup.SUBMARINES)
    volleys = [shooter.volley(strike, times, dice) for strike, shooter in zip(struck, sides, strict=True)]
    for volley, (_, target) in zip(volleys, _both(sides), strict=True):
        for group in HitGroup:
            target.lose(volley[group], group)


def _both(sides: tuple[_ArmyBatch, _ArmyBatch]) -> Iterator[tuple[_ArmyBatch, _ArmyBatch]]:
    yield sides[0], sides[1]
    yield sides[1], sides[0]


def _endings(terms: Terms, attacker: _ArmyBatch, defender: _ArmyBatch) -> Codes:
    here, there = attacker.units(), defender.units()
    harmless = ~attacker.harms(defender) & ~defender.harms(attacker)
    endings = np.select(
        [(here == 0) & (there == 0), there == 0, here == 0, here < terms.retreat_below, harmless],
        [codes.TIE, codes.ATTACKER, codes.DEFENDER, codes.RETREAT, codes.STALEMATE],
        codes.GOES_ON,
    )
    return endings.astype(np.int8)


def _solution(
    terms: Terms, attacker: _ArmyBatch, defender: _ArmyBatch, endings: Codes, lengths: Ints, course: Floats, seed: int
) -> Solution:
    attackers, rows = np.unique(attacker.left, axis=0, return_inverse=True)
    defenders, columns = np.unique(defender.left, axis=0, return_inverse=True)
    done = endings != codes.GOES_ON
    pairs, first, counts = np.unique(rows[done] * len(defenders) + columns[done], return_index=True, return_counts=True)
    return Solution(
        terms=terms,
        attackers=attackers,
        defenders=defenders,
        rows=pairs // len(defenders),
        columns=pairs % len(defenders),
        chances=counts / len(endings),
        endings=endings[done][first],
        mean_rounds=float(lengths.mean()),
        course=course,
        battles=len(endings),
        seed=seed,
        round_squares=float((lengths.astype(np.float64) ** 2).mean()),
    )
