"""Exact chances of every result of a battle, and the limits of exact calculations."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from sim.axis_allies.casualties import CasualtyOrder
from sim.axis_allies.odds import layout
from sim.axis_allies.odds.army_graph import Armies, is_plain, merge_alike
from sim.axis_allies.odds.layout import AIR, EXPOSED, UNITS, Codes, Flags, Floats, Ints
from sim.axis_allies.odds.tables import BattleTables, LandTables
from sim.axis_allies.odds.terms import DefenderDistribution, Terms, after_antiaircraft_fire, hits_of
from sim.axis_allies.units import Unit
from sim.core.errors import TooMuchError
from sim.core.kernels import kernel

COURSE_ROUNDS = 50
"""Maximum rounds of a battle's course."""

COURSE_REST = 1e-3
"""The course ends once the chance that the battle goes on is this or less."""

MAX_SECONDS = 5.0
"""Maximum estimate for an exact calculation; estimates are three to five times what is measured."""

_NEVER_ON = 1e-15  # negligible chance that the battle goes on


@dataclass(frozen=True, slots=True)
class Solution:
    """Every result of a battle.

    `sides`: both sides' armies. `rows`, `columns`, `chances`, `endings`, one entry per result: number of the attacking
    and the defending army, chance, and a code. `course[r]`: chance that the battle goes on after r rounds, and
    mean units of the attacker and of the defender; empty if it wasn't asked for. Simulations only: `battles`, their
    number, `seed`, and `round_squares`, the mean square of the number of rounds.
    """

    terms: Terms
    sides: tuple[Armies, Armies]
    rows: Ints
    columns: Ints
    chances: Floats
    endings: Codes
    mean_rounds: float
    course: Floats
    battles: int | None = None
    seed: int | None = None
    round_squares: float = 0.0

    @property
    def attackers(self) -> Ints:
        """The attacker's armies as counts by slot."""
        return self.sides[0].counts

    @property
    def defenders(self) -> Ints:
        """The defender's armies as counts by slot."""
        return self.sides[1].counts

    @property
    def lost(self) -> float:
        """Missing probability: dropped negligible chances, and rounding."""
        return abs(1.0 - float(self.chances.sum()))


def solve(terms: Terms, met: DefenderDistribution | None = None, *, course: bool = True) -> Solution:
    """Solve a battle exactly; TooMuchError if that would take too much time or memory.

    `met`: what the attacker meets, by default the defender as it came. The course of a battle without a limit can be
    left out.
    """
    parts = [_fight(terms, line, course=course) for line in lines(terms, met)]
    return parts[0] if len(parts) == 1 else _merged(terms, parts)


@dataclass(frozen=True, slots=True)
class Line:
    """Battles after antiaircraft fire: their tables and the chance of each pair of armies before the first round.

    `first`: the tables of the first round, which the attacker always fights. `bombarded`: the chance that a bombardment
    has ended the battle, which counts as a round.
    """

    tables: BattleTables
    start: Floats
    first: BattleTables
    bombarded: float = 0.0


def lines(terms: Terms, met: DefenderDistribution | None = None) -> Iterator[Line]:
    """Yield the battles that antiaircraft fire and a bombardment without return fire may leave."""
    met = met or DefenderDistribution(np.array([terms.defender.counts], dtype=np.int64), np.ones(1), (terms.attacker,))
    openings = _openings(terms, met)
    together = LandTables.room(terms.attacker, terms.defender) if is_plain(*met.enemies, terms.defender) else 1
    for at in range(0, len(openings), together):
        attackers, chances = zip(*openings[at : at + together], strict=True)
        tables = BattleTables.of(
            attackers,
            terms.defender,
            withdrawal=terms.withdrawal,
            ipc_before=terms.attacker.ipc,
            low_luck=terms.low_luck,
            enemies=met.enemies,
        )
        seconds = tables.forward_seconds(terms.stop_after or 0) / len(attackers)
        if len(openings) * seconds > MAX_SECONDS:  # the first are the largest
            raise TooMuchError("These armies are too large for exact odds.")
        before = np.zeros((len(attackers), len(tables.defender.counts)))
        before[:, tables.defender.numbers(met.armies)] = chances
        bombarded = 0.0
        if terms.bombardment and not terms.attacker.arms.rules.bombarded_fire_back:
            before = bombarded_before(before, terms)
            bombarded = float(before[:, -1].sum())
        firsts = tables.attacker.firsts
        first = tables
        if terms.withdrawal.possible and (tables.over[firsts][before > 0.0] == layout.RETREAT).any():
            first = BattleTables.of(attackers, terms.defender, low_luck=terms.low_luck, enemies=met.enemies)
        start = np.zeros(tables.over.shape)
        start[firsts] = before
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
    head = np.zeros((0, 3))
    mean_rounds = line.bombarded
    bombardment = terms.bombardment if terms.attacker.arms.rules.bombarded_fire_back else ()
    first = line.first
    if (bombardment or first is not tables) and (began := float(start[first.over == layout.GOES_ON].sum())) > 0.0:
        if course or limit is not None:
            head = first.course(start, 0, _NEVER_ON)[1]
        start = first.bombarded_round(start, bombardment) if bombardment else first.one_round(start)
        mean_rounds += began
        limit = None if limit is None else limit - 1
    if limit is None:
        mass = tables.fight(start)
        tail = np.zeros((0, 3))
        if course:
            tail = tables.course(start, COURSE_ROUNDS - len(head), COURSE_REST)[1]
        over = tables.over
    else:
        mass, tail = tables.course(start, limit, _NEVER_ON)
        mean_rounds += float(tail[:-1, 0].sum())
        over = np.where(tables.over == layout.GOES_ON, layout.ROUND_LIMIT, tables.over).astype(np.int8)
    if len(tables.attacker.firsts) > 1:  # antiaircraft fire and battle may lead to the same army
        merge_alike(tables.attacker.counts, mass)
    rows, columns, chances, endings, rounds = results(mass, over)
    solution = Solution(
        terms=terms,
        sides=(_as_it_came(tables.attacker, terms), tables.defender),
        rows=rows,
        columns=columns,
        chances=chances,
        endings=endings,
        mean_rounds=mean_rounds + rounds,
        course=np.concatenate((head, tail)) if len(tail) else tail,
    )
    return without_defenceless(solution)


def _as_it_came(attackers: Armies, terms: Terms) -> Armies:
    """Return the attacker's armies with what they were before antiaircraft fire, which may be sure to hit."""
    alike = attackers.order.counts == terms.attacker.counts
    return attackers if alike else Armies(terms.attacker, attackers.counts)


@kernel
def results(mass: Floats, over: Codes) -> tuple[Ints, Ints, Floats, Codes, float]:
    """Return the pairs of armies that have a chance: both numbers, the chance, and the code.

    Where the battle goes on, `mass` has the number of rounds; last of all comes their sum.
    """
    rounds = 0.0
    size = 0
    for a in range(mass.shape[0]):
        for d in range(mass.shape[1]):
            if over[a, d] == layout.GOES_ON:
                rounds += mass[a, d]
            elif mass[a, d] != 0.0:
                size += 1
    rows, columns = np.empty(size, np.int64), np.empty(size, np.int64)
    chances, endings = np.empty(size), np.empty(size, np.int8)
    found = 0
    for a in range(mass.shape[0]):
        for d in range(mass.shape[1]):
            if mass[a, d] != 0.0 and over[a, d] != layout.GOES_ON:
                rows[found], columns[found] = a, d
                chances[found], endings[found] = mass[a, d], over[a, d]
                found += 1
    return rows, columns, chances, endings, rounds


def without_defenceless(solution: Solution) -> Solution:
    """Remove the units that are lost without dice at the end of a battle.

    The defender's transports beside submarines sink, too, if planes can hit nothing else.
    """
    if not (solution.terms.attacker.exposed or solution.terms.defender.exposed):
        return solution
    here, there = solution.sides
    lost = unprotected(here.totals, there.totals, solution.endings, solution.rows, solution.columns)
    if not (lost[0].any() or lost[1].any()):
        return solution
    attackers, rows = _bare(here, solution.rows, lost[0])
    defenders, columns = _bare(there, solution.columns, lost[1])
    return replace(solution, sides=(attackers, defenders), rows=rows, columns=columns)


def unprotected(here: Ints, there: Ints, endings: Codes, rows: Ints, columns: Ints) -> tuple[Flags, Flags]:
    """Return in which results the attacker's and the defender's defenceless units are lost without dice.

    `here`, `there`: the totals of both sides' armies; the results as in `Solution`.
    """
    a, d = here[:, rows], there[:, columns]
    lost_a = (a[EXPOSED] > 0) & (endings == layout.DEFENDER) & (a[EXPOSED] == a[UNITS])
    sunk = (endings == layout.ATTACKER) & (d[EXPOSED] == d[UNITS])
    lost_d = (d[EXPOSED] > 0) & (sunk | ((endings == layout.STALEMATE) & (a[AIR] == a[UNITS])))
    return lost_a, lost_d


def _bare(side: Armies, which: Ints, lost: Flags) -> tuple[Armies, Ints]:
    """Return a side's armies and their numbers in the results, after the loss of what can't defend itself."""
    if not lost.any():
        return side, which
    exposed = [slot in side.order.arms.rules.defenceless for slot in side.order.slots]
    armies, places = np.unique(which[lost], return_inverse=True)
    bare = side.counts[armies].copy()
    bare[:, exposed] = 0
    numbers = which.copy()
    numbers[lost] = len(side.counts) + places
    return Armies(side.order, np.concatenate((side.counts, bare))), numbers


def _merged(terms: Terms, parts: list[Solution]) -> Solution:
    """Return one solution of battles that began with different attackers."""
    attackers, rows = np.unique(np.concatenate([part.attackers for part in parts]), axis=0, return_inverse=True)
    offsets = np.cumsum([0, *(len(part.attackers) for part in parts[:-1])])
    defenders, columns = np.unique(np.concatenate([part.defenders for part in parts]), axis=0, return_inverse=True)
    offsets_d = np.cumsum([0, *(len(part.defenders) for part in parts[:-1])])
    row = np.concatenate([rows[part.rows + offset] for part, offset in zip(parts, offsets, strict=True)])
    column = np.concatenate([columns[part.columns + offset] for part, offset in zip(parts, offsets_d, strict=True)])
    ending = np.concatenate([part.endings for part in parts])
    chances = np.concatenate([part.chances for part in parts])
    keys, first, where = np.unique(
        (row * len(defenders) + column) * (layout.ROUND_LIMIT + 1) + ending, return_index=True, return_inverse=True
    )
    rounds = max(len(part.course) for part in parts)
    course = np.zeros((rounds, 3))
    for part in parts if rounds else ():
        course[: len(part.course)] += part.course
        course[len(part.course) :] += part.course[-1]
    return Solution(
        terms=terms,
        sides=(Armies(terms.attacker, attackers), Armies(terms.defender, defenders)),
        rows=row[first],
        columns=column[first],
        chances=np.bincount(where, weights=chances, minlength=len(keys)).astype(np.float64),
        endings=ending[first],
        mean_rounds=sum(part.mean_rounds for part in parts),
        course=course,
    )
