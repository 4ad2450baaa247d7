"""From two armies to the chances of everything that may be left of them: the exact way, and when it is taken."""

from dataclasses import dataclass

import numpy as np

from sim.axis_allies.odds import codes, fleet, land, sea
from sim.axis_allies.odds.army_graph import Chain, Graph, chain, graph, is_plain
from sim.axis_allies.odds.arrays import Codes, Floats, Ints
from sim.axis_allies.odds.hit_distribution import NEGLIGIBLE
from sim.axis_allies.odds.orders import LIFE, Muster
from sim.core.errors import TooMuchError

COURSE_ROUNDS = 50
"""The most rounds that a battle's course is told for."""

COURSE_REST = 1e-3
"""The course is told until the chance that the battle goes on is this or less."""

MOST_ARMIES = 2_000
"""The most different armies that a side may come to where hits come in groups."""

MOST_CELLS = 1_200_000
"""The largest table, in numbers, that is worked on: a few of them have to fit into a worker's memory."""

MOST_HITS = 20_000
"""The most hits that a side may take in an exact calculation: rounding errors grow with each of them."""

MOST_SECONDS = 5.0
"""The longest exact calculation that is begun, by an estimate that is three to five times what is measured."""

_NOBODY_LEFT = 1e-15  # a chance to go on that no longer shows
_COURSE_GRAIN = 1e-13  # chances that a battle's course may drop one by one
_LAND_CELL = 0.4e-6  # seconds for a pair of armies, measured, the course included
_SEA_CELL = 0.03e-6  # likewise, for each unit of both sides that fires
_LAND_ROUND = 4e-9  # seconds for a pair of armies in each round of a battle with a limit, at least
_SEA_ROUND = 20e-9  # likewise


@dataclass(frozen=True, slots=True)
class Terms:
    """What is fought, and when the battle is broken off.

    `stop_after`: rounds, None for no limit. `retreat_below`: the attacker leaves when fewer units are left after a
    round.
    """

    attacker: Muster
    defender: Muster
    stop_after: int | None = None
    retreat_below: int = 1


@dataclass(frozen=True, slots=True)
class Solution:
    """Every way in which a battle may end, n of them.

    `attackers`, `defenders`: armies as counts by slot, shape (armies, slots). `rows`, `columns`, `chances`, `endings`,
    each of length n: number of the attacking and the defending army, chance, and a number of `codes`. `course[r]`:
    chance that the battle goes on after r rounds, mean units of the attacker and of the defender. `battles`: how many
    were simulated, None when all is exact; `seed` likewise. `round_squares`: mean square of the number of rounds,
    simulated only.
    """

    terms: Terms
    attackers: Ints
    defenders: Ints
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
    def lost(self) -> float:
        """The chance that no outcome has: what was dropped as negligible, and rounding."""
        return abs(1.0 - float(self.chances.sum()))


def solve(terms: Terms) -> Solution:
    """Work a battle out exactly; TooMuchError when that would take too long or too much memory."""
    if max(terms.attacker.hits, terms.defender.hits) > MOST_HITS:
        raise TooMuchError("These armies are too large for exact odds.")
    if is_plain(terms.attacker, terms.defender):
        return _solve_chains(terms, chain(terms.attacker), chain(terms.defender))
    attacker = graph(terms.attacker, terms.defender, MOST_ARMIES)
    return _solve_graphs(terms, attacker, graph(terms.defender, terms.attacker, MOST_ARMIES))


def _admit(seconds: float, cells: int) -> None:
    if seconds > MOST_SECONDS or cells > MOST_CELLS:
        raise TooMuchError("These armies are too large for exact odds.")


def _units(side: Chain | Graph) -> Ints:
    fighting = [slot != LIFE for slot in side.muster.slots]
    units: Ints = side.counts[:, fighting].sum(axis=1)
    return units


def _solve_chains(terms: Terms, attacker: Chain, defender: Chain) -> Solution:
    sizes = len(attacker.counts), len(defender.counts)
    cells = sizes[0] * sizes[1]
    tables = [size * (side.muster.guns + 1) for size, side in zip(sizes, (attacker, defender), strict=True)]
    _admit(cells * (_LAND_CELL + (terms.stop_after or 0) * _LAND_ROUND), max(cells, *tables))
    units_a, units_d = _units(attacker), _units(defender)
    stand = int(np.argmax(units_a < max(1, terms.retreat_below)))
    over = chain_endings(attacker.chances, defender.chances, stand)
    parts = attacker.chances, defender.chances, stand

    def course(most: int, rest: float) -> tuple[Floats, Floats]:
        return land.rounds(*parts, over, units_a, units_d, most, rest)

    if terms.stop_after is not None:
        mass, stages = course(terms.stop_after, _NOBODY_LEFT)
        return _stopped(terms, attacker, defender, over, mass, stages)
    return _fought_out(terms, attacker, defender, over, land.battle(*parts), course(COURSE_ROUNDS, COURSE_REST)[1])


def chain_endings(attack: Floats, defence: Floats, stand: int) -> Codes:
    """Return for each pair of hits taken why the battle is over there, a number of `codes`.

    `attack`, `defence`: the chance to hit of what each hit takes; the attacker fights until it has taken `stand` hits.
    """
    rows, columns = len(attack), len(defence)
    # The hits after which nobody is left who could hit.
    tame_a, tame_d = (int(np.max(np.flatnonzero(chances), initial=-1)) + 1 for chances in (attack, defence))
    over = np.zeros((rows + 1, columns + 1), np.int8)
    over[tame_a:, tame_d:] = codes.STALEMATE
    over[stand:] = codes.RETREAT
    over[:, columns] = codes.ATTACKER
    over[rows] = codes.DEFENDER
    over[rows, columns] = codes.TIE
    return over


def _solve_graphs(terms: Terms, attacker: Graph, defender: Graph) -> Solution:
    cells = len(attacker.counts) * len(defender.counts)
    guns = terms.attacker.guns, terms.defender.guns
    _admit(cells * (_SEA_CELL * sum(guns) + (terms.stop_after or 0) * _SEA_ROUND), cells)
    attacker_fleet, defender_fleet = (
        fleet.fleet(side.successor, side.counts, side.chances, side.groups, side.destroyer, max(1, shots))
        for side, shots in ((attacker, guns[1]), (defender, guns[0]))
    )
    over = fleet.endings(attacker_fleet, defender_fleet, terms.retreat_below)
    if terms.stop_after is not None:
        mass, stages = sea.rounds(attacker_fleet, defender_fleet, over, terms.stop_after, _NOBODY_LEFT, NEGLIGIBLE)
        return _stopped(terms, attacker, defender, over, mass, stages)
    course = sea.rounds(attacker_fleet, defender_fleet, over, COURSE_ROUNDS, COURSE_REST, _COURSE_GRAIN)[1]
    return _fought_out(terms, attacker, defender, over, sea.battle(attacker_fleet, defender_fleet, over), course)


def _fought_out(
    terms: Terms,
    attacker: Chain | Graph,
    defender: Chain | Graph,
    over: Codes,
    mass: Floats,
    course: Floats,
) -> Solution:
    """Part the expected rounds from the chances of the ends in what a kernel's `battle` returns."""
    going = over == codes.GOES_ON
    mean_rounds = float(mass[going].sum())
    mass[going] = 0.0
    return _ended(terms, attacker, defender, over, mass, course, mean_rounds)


def _stopped(
    terms: Terms,
    attacker: Chain | Graph,
    defender: Chain | Graph,
    over: Codes,
    mass: Floats,
    course: Floats,
) -> Solution:
    """Read what a kernel's `rounds` returns: pairs that would go on have come to the limit."""
    over[over == codes.GOES_ON] = codes.ROUND_LIMIT
    return _ended(terms, attacker, defender, over, mass, course, float(course[:-1, 0].sum()))


def _ended(
    terms: Terms,
    attacker: Chain | Graph,
    defender: Chain | Graph,
    over: Codes,
    mass: Floats,
    course: Floats,
    mean_rounds: float,
) -> Solution:
    rows, columns = np.nonzero(mass)
    return Solution(
        terms=terms,
        attackers=attacker.counts,
        defenders=defender.counts,
        rows=rows,
        columns=columns,
        chances=mass[rows, columns],
        endings=over[rows, columns],
        mean_rounds=mean_rounds,
        course=course,
    )
