"""Exact chances of every result of a battle, and the limits of exact calculations."""

from dataclasses import dataclass

import numpy as np

from sim.axis_allies.casualties import LIFE, CasualtyOrder
from sim.axis_allies.odds import codes, land, sea
from sim.axis_allies.odds.army_graph import Chain, Graph, build_chain, build_graph, endings, fleet_of, is_plain
from sim.axis_allies.odds.codes import Codes, Floats, Ints
from sim.axis_allies.odds.hit_distribution import NEGLIGIBLE
from sim.core.errors import TooMuchError

COURSE_ROUNDS = 50
"""Maximum rounds of a battle's course."""

COURSE_REST = 1e-3
"""The course ends once the chance that the battle goes on is this or less."""

MAX_ARMIES = 2_000
"""Maximum number of armies that a side can come to if hits come in groups."""

MAX_CELLS = 1_200_000
"""Maximum size of a table, in numbers: a few tables must fit into a worker's memory."""

MAX_HITS = 20_000
"""Maximum hits of a side in an exact calculation: rounding errors grow with each."""

MAX_SECONDS = 5.0
"""Maximum estimate for an exact calculation; estimates are three to five times what is measured."""

_NEVER_ON = 1e-15  # negligible chance that the battle goes on
_NEGLIGIBLE_COURSE = 1e-13  # chances that the course drops one by one
_LAND_CELL = 0.4e-6  # seconds for a pair of armies including the course, measured
_SEA_CELL = 0.03e-6  # the same, for each unit of both sides that fires
_LAND_ROUND = 4e-9  # seconds for a pair of armies in each round of a battle with a limit, at least
_SEA_ROUND = 20e-9  # the same


@dataclass(frozen=True, slots=True)
class Terms:
    """Both sides and when the battle is broken off.

    `stop_after`: rounds, None for no limit. `retreat_below`: the attacker leaves after a round that leaves it fewer
    units.
    """

    attacker: CasualtyOrder
    defender: CasualtyOrder
    stop_after: int | None = None
    retreat_below: int = 1


@dataclass(frozen=True, slots=True)
class Solution:
    """Every result of a battle.

    `attackers`, `defenders`: armies as counts by slot, shape (armies, slots). `rows`, `columns`, `chances`, `endings`,
    one entry per result: number of the attacking and the defending army, chance, and one of `codes`. `course[r]`:
    chance that the battle goes on after r rounds, and mean units of the attacker and of the defender. Simulations only:
    `battles`, their number, `seed`, and `round_squares`, the mean square of the number of rounds.
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
        """Missing probability: dropped negligible chances, and rounding."""
        return abs(1.0 - float(self.chances.sum()))


def solve(terms: Terms) -> Solution:
    """Solve a battle exactly; TooMuchError if that would take too much time or memory."""
    if max(terms.attacker.hits, terms.defender.hits) > MAX_HITS:
        raise TooMuchError("These armies are too large for exact odds.")
    if is_plain(terms.attacker, terms.defender):
        return _solve_chains(terms, build_chain(terms.attacker), build_chain(terms.defender))
    attacker = build_graph(terms.attacker, terms.defender, MAX_ARMIES)
    return _solve_graphs(terms, attacker, build_graph(terms.defender, terms.attacker, MAX_ARMIES))


def _require_feasible(seconds: float, cells: int) -> None:
    if seconds > MAX_SECONDS or cells > MAX_CELLS:
        raise TooMuchError("These armies are too large for exact odds.")


def _units(side: Chain | Graph) -> Ints:
    fighting = [slot != LIFE for slot in side.order.slots]
    units: Ints = side.counts[:, fighting].sum(axis=1)
    return units


def _solve_chains(terms: Terms, attacker: Chain, defender: Chain) -> Solution:
    sizes = len(attacker.counts), len(defender.counts)
    cells = sizes[0] * sizes[1]
    tables = [size * (side.order.shooters + 1) for size, side in zip(sizes, (attacker, defender), strict=True)]
    _require_feasible(cells * (_LAND_CELL + (terms.stop_after or 0) * _LAND_ROUND), max(cells, *tables))
    units_a, units_d = _units(attacker), _units(defender)
    retreat_at = int(np.argmax(units_a < max(1, terms.retreat_below)))
    over = chain_endings(attacker.chances, defender.chances, retreat_at)
    sides = attacker.chances, defender.chances, retreat_at
    units = units_a, units_d
    if terms.stop_after is None:
        mass, course = land.battle(*sides), land.rounds(*sides, over, *units, COURSE_ROUNDS, COURSE_REST)[1]
    else:
        mass, course = land.rounds(*sides, over, *units, terms.stop_after, _NEVER_ON)
    return _solution(terms, attacker, defender, over, mass, course)


def chain_endings(attack: Floats, defence: Floats, retreat_at: int) -> Codes:
    """Return for each pair of hits taken why the battle is over, one of `codes`.

    `attack`, `defence`: chance to hit of what each hit takes; the attacker fights until it has taken `retreat_at` hits.
    """
    rows, columns = len(attack), len(defence)
    # Number of hits after which no unit is left that can hit.
    tame_a, tame_d = (int(np.max(np.flatnonzero(chances), initial=-1)) + 1 for chances in (attack, defence))
    over = np.zeros((rows + 1, columns + 1), np.int8)
    over[tame_a:, tame_d:] = codes.STALEMATE
    over[retreat_at:] = codes.RETREAT
    over[:, columns] = codes.ATTACKER
    over[rows] = codes.DEFENDER
    over[rows, columns] = codes.TIE
    return over


def _solve_graphs(terms: Terms, attacker: Graph, defender: Graph) -> Solution:
    cells = len(attacker.counts) * len(defender.counts)
    shooters = terms.attacker.shooters, terms.defender.shooters
    _require_feasible(cells * (_SEA_CELL * sum(shooters) + (terms.stop_after or 0) * _SEA_ROUND), cells)
    fleets = fleet_of(attacker, shooters[1]), fleet_of(defender, shooters[0])
    over = endings(*fleets, terms.retreat_below)
    if terms.stop_after is None:
        mass, course = (
            sea.battle(*fleets, over),
            sea.rounds(*fleets, over, COURSE_ROUNDS, COURSE_REST, _NEGLIGIBLE_COURSE)[1],
        )
    else:
        mass, course = sea.rounds(*fleets, over, terms.stop_after, _NEVER_ON, NEGLIGIBLE)
    return _solution(terms, attacker, defender, over, mass, course)


def _solution(
    terms: Terms, attacker: Chain | Graph, defender: Chain | Graph, over: Codes, mass: Floats, course: Floats
) -> Solution:
    """Return the solution from the masses of a kernel's `battle`, or of `rounds` if there is a limit."""
    going = over == codes.GOES_ON
    if terms.stop_after is None:  # `battle` has expected rounds in these cells
        mean_rounds = float(mass[going].sum())
        mass[going] = 0.0
    else:
        mean_rounds = float(course[:-1, 0].sum())
        over[going] = codes.ROUND_LIMIT
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
