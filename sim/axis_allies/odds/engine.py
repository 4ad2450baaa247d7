"""Exact chances of every result of a battle, and the limits of exact calculations."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from sim.axis_allies.casualties import CasualtyOrder
from sim.axis_allies.odds import land, layout
from sim.axis_allies.odds.army_graph import BUILDERS, Armies, Builders, first_alike, is_plain, plain_side
from sim.axis_allies.odds.layout import IPC, Flags, Floats, Ints, Pairs, unprotected
from sim.axis_allies.odds.tables import BattleTables, LandTables
from sim.axis_allies.odds.terms import DefenderDistribution, after_antiaircraft_fire, hits_of
from sim.axis_allies.question import NEVER, Terms
from sim.axis_allies.units import Unit
from sim.core import TooMuchError

COURSE_ROUNDS = 50
"""Maximum rounds of a battle's course."""

COURSE_REST = 1e-3
"""The course ends once the chance that the battle goes on is this or less."""

MAX_SECONDS = 5.0
"""Maximum estimate for an exact calculation; estimates are three to five times what is measured."""

_NEVER_ON = 1e-15  # negligible chance that the battle goes on

NO_COURSE: Floats = np.zeros((0, 3))
"""Of a battle whose course wasn't asked for."""


class Solution(NamedTuple):
    """Every result of a battle.

    `sides`: both sides' armies; `ends`: which of them are left. `course[r]`: chance that the battle goes on after r
    rounds, and mean units of the attacker and of the defender; empty if it wasn't asked for. Simulations only:
    `battles`, their number, `seed`, and `round_squares`, the mean square of the number of rounds.
    """

    terms: Terms
    sides: tuple[Armies, Armies]
    ends: Pairs
    mean_rounds: float
    course: Floats
    battles: int | None = None
    seed: int | None = None
    round_squares: float = 0.0

    def won(self, *, must_take: bool) -> Flags:
        """Return in which results the attacker has won; with `must_take`, only with a land unit left."""
        return self.sides[0].won(self.ends.codes, self.ends.rows, must_take=must_take)

    @property
    def balance(self) -> Ints:
        """What the attacker has left in each of the ends, in IPC, minus what the defender has."""
        here, there = (side.totals[IPC] for side in self.sides)
        balance: Ints = here[self.ends.rows] - there[self.ends.columns]
        return balance

    def p_won(self, *, must_take: bool) -> float:
        """Return the chance that the attacker wins."""
        return float(self.ends.chances[self.won(must_take=must_take)].sum())


def solve(terms: Terms, met: DefenderDistribution | None = None, *, course: bool = True) -> Solution:
    """Solve a battle exactly; TooMuchError if that would take too much time or memory.

    `met`: what the attacker meets, by default the defender as it came. The course of a battle without a limit can be
    left out.
    """
    if met is None and not course and terms.is_small and is_plain(terms.attacker, terms.defender):
        here, there = terms.attacker, terms.defender
        own, enemy, (ends, rounds) = land.fight_out(plain_side(here), plain_side(there), terms.low_luck)
        return without_defenceless(
            Solution(terms, (Armies(here, *own), Armies(there, *enemy)), Pairs(*ends), rounds, NO_COURSE)
        )
    parts = [_fight(terms, line, course=course) for line in lines(terms, met)]
    return without_defenceless(parts[0] if len(parts) == 1 else _merged(terms, parts))


class Line(NamedTuple):
    """Battles after antiaircraft fire: their tables and the chance of each pair of armies before the first round.

    `first`: the tables of the first round, which the attacker always fights. `bombarded`: the chance that a bombardment
    has ended the battle, which counts as a round.
    """

    tables: BattleTables
    start: Pairs
    first: BattleTables
    bombarded: float = 0.0


def lines(
    terms: Terms,
    met: DefenderDistribution | None = None,
    *,
    builders: Builders = BUILDERS,
    most_seconds: float = MAX_SECONDS,
) -> Iterator[Line]:
    """Yield the battles that antiaircraft fire and a bombardment without return fire may leave.

    `builders`: of both sides' armies. TooMuchError for an estimate of more than `most_seconds`.
    """
    met = met or DefenderDistribution(np.array([terms.defender.counts], dtype=np.int64), np.ones(1))
    openings = _openings(terms, met)
    several = len(openings) > 1 and is_plain(*terms.enemies, terms.defender)
    together = LandTables.room(terms.attacker, terms.defender) if several else 1
    for at in range(0, len(openings), together):
        attackers, chances = zip(*openings[at : at + together], strict=True)
        tables = BattleTables.of(terms, attackers, builders)
        seconds = tables.forward_seconds(terms.stop_after or 0) / len(attackers)
        if len(openings) * seconds > most_seconds:  # the first are the largest
            raise TooMuchError("These armies are too large for exact odds.")
        bombarded = 0.0
        before = np.zeros((len(attackers), len(tables.defender.counts)))
        before[:, tables.defender.numbers(met.armies)] = chances
        if terms.bombardment and not terms.joining:
            before = bombarded_before(before, terms)
            bombarded = float(before[:, -1].sum())
        armies, columns = np.array(before.nonzero())
        start = tables.pairs(tables.attacker.firsts[armies], columns, before[armies, columns])
        first = tables
        if terms.withdrawal.possible and (start.codes == layout.RETREAT).any():
            first = BattleTables.of(terms._replace(withdrawal=NEVER), attackers)
        yield Line(tables, start, first, bombarded)


def _openings(terms: Terms, met: DefenderDistribution) -> list[tuple[CasualtyOrder, Floats]]:
    """Return what antiaircraft fire may leave of the attacker, each with its chance before each of the armies met."""
    defender = terms.defender
    if not terms.guns:
        return [(terms.attacker, met.chances)]
    guns = [terms.guns] * len(met.armies)
    if Unit.GUN in defender.slots:  # else they are a mark, or there are none
        guns = met.armies[:, defender.slots.index(Unit.GUN)].tolist()
    openings: dict[tuple[int, ...], tuple[CasualtyOrder, Floats]] = {}
    for number in sorted(set(guns), reverse=True):
        chances = np.where(np.array(guns) == number, met.chances, 0.0) if len(guns) > 1 else met.chances
        for chance, attacker in after_antiaircraft_fire(terms, number):
            _, known = openings.get(attacker.counts, (attacker, 0.0))
            openings[attacker.counts] = attacker, known + chance * chances
    return list(openings.values())


def bombarded_before(before: Floats, terms: Terms) -> Floats:
    """Return the chances of the defender's armies, which have lost 0, 1, 2 units and so on, after a bombardment.

    What it hits leaves without firing. `before`: a row for each of the attacker's armies.
    """
    hits = hits_of(terms.bombardment, low_luck=terms.low_luck)
    after = [np.convolve(row, hits) for row in before]
    last = before.shape[1] - 1
    return np.array([np.append(row[:last], row[last:].sum()) for row in after])


def _fight(terms: Terms, line: Line, *, course: bool) -> Solution:
    tables, start = line.tables, line.start
    limit = terms.stop_after
    head = tail = NO_COURSE
    mean_rounds = line.bombarded
    first = line.first
    if terms.joining or first is not tables:
        start = first.pairs(*start[:3])
        if (began := start.sum_of(layout.GOES_ON)) > 0.0:
            if course or limit is not None:
                head = first.course(start, 0, _NEVER_ON)[1]
            start = tables.pairs(*first.first_round(start, terms.joining)[:3])
            mean_rounds += began
            limit = None if limit is None else limit - 1
    if limit is None:
        ends, rounds = tables.fight(start)
        mean_rounds += rounds
        if course:
            tail = tables.course(start, COURSE_ROUNDS - len(head), COURSE_REST)[1]
    else:
        ends, tail = tables.course(start, limit, _NEVER_ON)
        mean_rounds += float(tail[:-1, 0].sum())
        codes = np.where(ends.codes == layout.GOES_ON, layout.ROUND_LIMIT, ends.codes).astype(np.int8)
        ends = ends._replace(codes=codes)
    attackers: Armies = tables.attacker
    several = len(attackers.firsts) > 1  # antiaircraft fire and battle may lead to the same army
    if attackers.order.counts != terms.attacker.counts:  # antiaircraft fire was sure to hit
        attackers = Armies(terms.attacker, attackers.counts)
    every = np.concatenate((head, tail)) if len(tail) else tail
    solution = Solution(terms, (attackers, tables.defender), ends, mean_rounds, every)
    return _each_once(solution) if several else solution


def without_defenceless(solution: Solution) -> Solution:
    """Remove the units that are lost without dice at the end of a battle.

    The defender's transports beside submarines sink, too, if planes can hit nothing else.
    """
    if not (solution.terms.attacker.exposed or solution.terms.defender.exposed):
        return solution
    (here, there), (rows, columns, chances, codes) = solution.sides, solution.ends
    lost, enemy_lost = unprotected(here.totals, there.totals, rows, columns, codes)
    if not (lost.any() or enemy_lost.any()):
        return solution
    # Behind the armies of each side come the same without what can't defend itself.
    attackers, defenders = (
        Armies(side.order, np.concatenate((side.counts, side.counts - side.exposed))) for side in (here, there)
    )
    ends = Pairs(rows + len(here.counts) * lost, columns + len(there.counts) * enemy_lost, chances, codes)
    return _each_once(solution._replace(sides=(attackers, defenders), ends=ends))


def _each_once(solution: Solution) -> Solution:
    """Return a solution with the chances of equal results added up, each army by its first number."""
    shape = *(len(side.counts) for side in solution.sides), layout.ROUND_LIMIT + 1
    rows, columns, chances, codes = solution.ends
    rows, columns = (first_alike(side.counts)[at] for side, at in zip(solution.sides, (rows, columns), strict=True))
    keys, where = np.unique(np.ravel_multi_index((rows, columns, codes), shape), return_inverse=True)
    rows, columns, endings = np.unravel_index(keys, shape)
    sums = np.bincount(where, weights=chances, minlength=len(keys)).astype(np.float64)
    return solution._replace(ends=Pairs(rows, columns, sums, endings.astype(np.int8)))


def _merged(terms: Terms, parts: list[Solution]) -> Solution:
    """Return one solution of battles that began with different attackers."""
    armies, defender = [part.sides[0].counts for part in parts], parts[0].sides[1]
    attackers, numbers = np.unique(np.concatenate(armies), axis=0, return_inverse=True)
    starts = np.cumsum([0, *map(len, armies[:-1])])
    ends = [part.ends._replace(rows=numbers[part.ends.rows + at]) for part, at in zip(parts, starts, strict=True)]
    rounds = max(len(part.course) for part in parts)
    course = np.zeros((rounds, 3))
    for part in parts if rounds else ():
        course[: len(part.course)] += part.course
        course[len(part.course) :] += part.course[-1]
    every = Pairs(*map(np.concatenate, zip(*ends, strict=True)))
    sides = Armies(terms.attacker, attackers), defender
    return _each_once(Solution(terms, sides, every, sum(part.mean_rounds for part in parts), course))
