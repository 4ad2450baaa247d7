"""Odds by simulation: for armies too large for exact odds, and to check those.

The rules of the kernels, for many battles at once: a row for each battle, a column for each slot.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.axis_allies.casualties import unit_of
from sim.axis_allies.editions import Strikes
from sim.axis_allies.odds import layout
from sim.axis_allies.odds.army_graph import Armies
from sim.axis_allies.odds.dice import DiceOf, dice_of_weapons, reinforced
from sim.axis_allies.odds.engine import COURSE_REST, COURSE_ROUNDS, Solution, without_defenceless
from sim.axis_allies.odds.layout import Codes, Flags, Floats, Ints, Pairs, codes_of, course_row
from sim.axis_allies.odds.terms import standings
from sim.axis_allies.question import NEVER, Terms
from sim.axis_allies.unit_stats import DIE, HitGroup, Weapon, may_fall_on
from sim.axis_allies.units import Category, Unit

MAX_STEPS = 2_000
"""Longer battles are given up; a step is a round, or many if one side can't hit."""

MAX_THROWS = 20_000_000
"""Total rounds of all battles after which those that still go on are given up."""

_Sides = tuple[Armies, Armies]
"""Attacker and defender of some battles; `counts[b, k]`: units of slot k left in battle b."""


@dataclass(frozen=True, slots=True)
class _Thrower:
    """Throws the dice of many battles."""

    generator: np.random.Generator
    low_luck: bool

    def hits(self, dice: DiceOf, times: Ints) -> Ints:
        """Throw all dice `times` times; return the hits of each battle by group."""
        if self.low_luck:
            points = dice.counts @ dice.values
            rest: Ints = self.generator.binomial(times[:, np.newaxis], points % DIE / DIE)
            return points // DIE * times[:, np.newaxis] + rest
        hits = np.zeros(dice.counts.shape[:2], np.int64)
        for group, kind in np.argwhere(dice.counts.any(axis=0)):
            hits[:, group] += self.generator.binomial(dice.counts[:, group, kind] * times, dice.chances[kind])
        return hits


def simulate(terms: Terms, battles: int, seed: int) -> Solution:
    """Simulate `battles` battles; the same seed gives the same answer."""
    throw = _Thrower(np.random.default_rng(seed), terms.low_luck)
    attackers, defenders = (
        np.tile(np.array(order.counts, dtype=np.int64), (battles, 1)) for order in (terms.attacker, terms.defender)
    )
    _fire_at_planes(terms, attackers, throw)
    limit = terms.stop_after or np.iinfo(np.int64).max
    lengths = np.zeros(battles, np.int64)
    endings = _endings(terms, _sides(terms, attackers, defenders), fresh=True)
    course = [_course_row(_sides(terms, attackers, defenders), endings)]
    throws = 0
    for step in range(1, MAX_STEPS + 1):
        going = endings == layout.GOES_ON
        throws += int(np.count_nonzero(going))
        if not going.any() or throws > MAX_THROWS:
            break
        sides = _sides(terms, attackers[going], defenders[going])
        times = np.ones(len(sides[0].counts), np.int64)
        # The course needs every round; later, rounds that can't differ are thrown together.
        if step > COURSE_ROUNDS and not terms.withdrawal.possible:
            times = np.minimum(_rounds_at_once(sides), limit - lengths[going])
        sides = _fight(sides, times, throw, terms.bombardment if step == 1 else ())
        attackers[going], defenders[going] = (side.counts for side in sides)
        lengths[going] += times
        now = _endings(terms, sides)
        endings[going] = np.where((now == layout.GOES_ON) & (lengths[going] == limit), layout.ROUND_LIMIT, now)
        if step <= COURSE_ROUNDS and course[-1][0] > COURSE_REST:
            course.append(_course_row(_sides(terms, attackers, defenders), endings))
    return _solution(terms, attackers, defenders, endings, lengths, np.array(course), seed)


def _sides(terms: Terms, attackers: Ints, defenders: Ints) -> _Sides:
    return Armies(terms.attacker, attackers), Armies(terms.defender, defenders)


def _fire_at_planes(terms: Terms, attackers: Ints, throw: _Thrower) -> None:
    every, gun = np.arange(len(attackers)), Weapon(terms.defender.arms.gun_hits)
    once = np.ones_like(every)
    for dice, slots in terms.attacker.volleys_of(terms.guns, terms.defender):
        due = throw.hits(dice_of_weapons([gun] * dice, every, len(every)), once)[:, HitGroup.REST]
        for at in slots:
            taken = np.minimum(due, attackers[:, at])
            attackers[:, at] -= taken
            due -= taken


def _fight(sides: _Sides, times: Ints, throw: _Thrower, ships: Sequence[Weapon]) -> _Sides:
    """Fight `times` rounds, the first with the dice of bombarding ships."""
    (attacker, defender), every = sides, np.arange(len(times))
    if ships and not attacker.order.arms.rules.bombarded_fire_back:
        defender = _after(defender, throw.hits(dice_of_weapons(ships, every, len(every)), times))
        ships = ()
    opens = _opens(attacker, defender), _opens(defender, attacker)
    here, fires = _opening_fire(attacker, defender, opens[1], times, throw)
    there, returns = _opening_fire(defender, attacker, opens[0], times, throw)
    by_attacker, by_defender = _joined(fires, there, struck=opens[0]), _joined(returns, here, struck=opens[1])
    if ships:
        by_attacker = reinforced(by_attacker, every, ships)
    return _after(here, throw.hits(by_defender, times)), _after(there, throw.hits(by_attacker, times))


def _opening_fire(target: Armies, shooter: Armies, opens: Flags, times: Ints, throw: _Thrower) -> tuple[Armies, Armies]:
    """Return what is left of `target` after submarines that fire first, and what of it still fires."""
    if Unit.SUBMARINE not in shooter.order.slots:
        return target, target
    strike = np.zeros_like(shooter.dice.counts)
    strike[:, HitGroup.SUBMARINES] = shooter.dice.counts[:, HitGroup.SUBMARINES] * opens[:, np.newaxis]
    left = _after(target, throw.hits(shooter.dice._replace(counts=strike), times))
    marked = target.order.arms.rules.marked_losses & (target.totals[layout.DESTROYERS] > 0)
    return left, Armies(target.order, np.where(marked[:, np.newaxis], target.counts, left.counts))


def _opens(side: Armies, enemy: Armies) -> Flags:
    """Return in which battles the submarines of `side` fire before everything else."""
    arms = side.order.arms
    if arms.rules.marked_losses or arms.strikes is Strikes.ALWAYS:
        return np.ones(len(side.counts), np.bool_)
    unseen: Flags = enemy.totals[layout.DESTROYERS] == 0
    return unseen & np.bool_(arms.strikes is Strikes.NO_DESTROYER)


def _joined(shooter: Armies, target: Armies, *, struck: Flags | None = None) -> DiceOf:
    """Return the dice of the general fire; those with the same targets are thrown together."""
    counts = shooter.dice.counts.copy()
    if struck is not None:
        counts[:, HitGroup.SUBMARINES] *= ~struck[:, np.newaxis]
    free = {
        HitGroup.SUBMARINES: target.totals[layout.AIR] == 0,
        HitGroup.AIR: (shooter.totals[layout.DESTROYERS] > 0) | (target.totals[layout.SUBMARINES] == 0),
    }
    for group, joins in free.items():
        moved = counts[:, group] * joins[:, np.newaxis]
        counts[:, HitGroup.REST] += moved
        counts[:, group] -= moved
    return shooter.dice._replace(counts=counts)


def _after(target: Armies, hits: Ints) -> Armies:
    """Return what hits of one fire leave: see `CasualtyOrder.place`."""
    order, left = target.order, target.counts.copy()
    total = hits.sum(axis=1)
    wet, high = total - hits[:, HitGroup.AIR], total - hits[:, HitGroup.SUBMARINES]
    for at, slot in enumerate(order.slots):
        reach = [total]
        if slot is Unit.SUBMARINE:
            reach.append(wet)
        elif unit_of(slot).category is Category.AIR:
            reach.append(high)
        taken = np.minimum.reduce([left[:, at], *reach])
        left[:, at] -= taken
        for bound in reach:
            np.subtract(bound, taken, out=bound)
        life = order.life(at)
        if life is not None:  # the damaged ships go first
            left[:, life] = np.minimum(left[:, life], left[:, at])
    return Armies(order, left)


def _rounds_at_once(sides: _Sides) -> Ints:
    """Return how many rounds may be thrown at once: many if one side can't hit and the other wastes no hit."""
    (harms, rounds), (is_harmed, rounds_back) = _safe_rounds(*sides), _safe_rounds(*reversed(sides))
    return np.where(harms == is_harmed, 1, np.where(harms, rounds, rounds_back))


def _safe_rounds(shooter: Armies, target: Armies) -> tuple[Flags, Ints]:
    """Return in which battles any hit of `shooter` can have an effect, and a number of rounds that waste none.

    In these, `target` surely has other units than defenceless ones left for every hit.
    """
    dice, slots = _joined(shooter, target).counts.sum(axis=2), target.order.slots
    falls = ([may_fall_on(group, unit_of(slot)) for slot in slots] for group in HitGroup)
    room = np.stack([target.counts[:, each].sum(axis=1) for each in falls], axis=1)
    least = np.where(dice > 0, room, np.iinfo(np.int64).max).min(axis=1) - target.totals[layout.EXPOSED]
    return np.any((dice > 0) & (room > 0), axis=1), np.maximum(1, least // np.maximum(1, dice.sum(axis=1)))


def _endings(terms: Terms, sides: _Sides, *, fresh: bool = False) -> Codes:
    """Return why battles are over, one of the codes; `fresh`: before the first round the attacker never leaves."""
    every = np.arange(len(sides[0].counts))
    here, there = standings(NEVER if fresh else terms.withdrawal, *sides, terms.attacker.ipc)
    return codes_of(here, there, every, every)


def _course_row(sides: _Sides, endings: Codes) -> Floats:
    every, chances = np.arange(len(endings)), np.full(len(endings), 1.0 / len(endings))
    return course_row(sides[0].totals, sides[1].totals, every, every, chances, endings)


def _solution(
    terms: Terms, attackers: Ints, defenders: Ints, endings: Codes, lengths: Ints, course: Floats, seed: int
) -> Solution:
    armies, rows = np.unique(attackers, axis=0, return_inverse=True)
    others, columns = np.unique(defenders, axis=0, return_inverse=True)
    done = endings != layout.GOES_ON
    pairs, first, counts = np.unique(rows[done] * len(others) + columns[done], return_index=True, return_counts=True)
    solution = Solution(
        terms=terms,
        sides=_sides(terms, armies, others),
        ends=Pairs(pairs // len(others), pairs % len(others), counts / len(endings), endings[done][first]),
        mean_rounds=float(lengths.mean()),
        course=course,
        battles=len(endings),
        seed=seed,
        round_squares=float((lengths.astype(np.float64) ** 2).mean()),
    )
    return without_defenceless(solution)
