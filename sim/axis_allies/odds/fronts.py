"""What becomes of one battle with many attackers, one after another or all in the same tables."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from sim.axis_allies.advice_reports import Result
from sim.axis_allies.army import Army
from sim.axis_allies.odds.army_graph import Builders, build_chain, build_graph, is_plain
from sim.axis_allies.odds.base_request import BattleRequest
from sim.axis_allies.odds.engine import solve
from sim.axis_allies.odds.layout import IPC
from sim.axis_allies.odds.tables import BattleTables, LandTables
from sim.axis_allies.odds.terms import Terms
from sim.axis_allies.units import Unit
from sim.core.numbers import probability


def results(front: BattleRequest, armies: Sequence[Army], *, by_land: bool) -> list[Result]:
    """Return what becomes of each attack on a front; TooMuchError for too large armies.

    `by_land`: it is taken by a land unit that is left; at sea it takes none.
    """
    most = {unit: max((int(army.count(unit)) for army in armies), default=0) for unit in Unit}
    terms = front.model_copy(update={"attacker": Army.of(most, front.edition)}).terms()
    # All attackers lose their units in one order, and nothing happens but rounds of fighting.
    opening = terms.guns or terms.bombardment or terms.attacker.exposed or terms.defender.exposed
    ends = terms.stop_after is not None or terms.withdrawal.possible or front.must_take
    if armies and is_plain(terms.attacker, terms.defender) and not (opening or ends):
        return list(_together(terms, armies, by_land=by_land))
    return [_alone(front, army, by_land=by_land) for army in armies]


def _alone(front: BattleRequest, attacker: Army, *, by_land: bool) -> Result:
    terms = front.model_copy(update={"attacker": attacker}).terms()
    solution = solve(terms, course=False)
    here, there = (side.totals[IPC] for side in solution.sides)
    chances = solution.chances
    return Result(
        probability(float(chances[solution.won(must_take=by_land)].sum())),
        terms.attacker.ipc - float(here[solution.rows] @ chances),
        terms.defender.ipc - float(there[solution.columns] @ chances),
    )


def _together(terms: Terms, armies: Sequence[Army], *, by_land: bool) -> Iterator[Result]:
    order, defender = terms.attacker, terms.defender
    builders = Builders(lru_cache(1)(build_chain), build_graph)
    room = LandTables.room(order, defender)
    for at in range(0, len(armies), room):
        orders = [order.with_counts(order.placed(army)) for army in armies[at : at + room]]
        tables = BattleTables.of(orders, defender, low_luck=terms.low_luck, builders=builders)
        firsts = tables.attacker.firsts
        ends, _ = tables.fight(tables.pairs(firsts, np.zeros_like(firsts), np.ones(len(firsts))))
        which = np.searchsorted(firsts, ends.rows, side="right") - 1
        weights = (
            tables.won(ends.codes, ends.rows, must_take=by_land),
            tables.attacker.totals[IPC][ends.rows],
            tables.defender.totals[IPC][ends.columns],
        )
        means = (np.bincount(which, ends.chances * each, len(orders)).tolist() for each in weights)
        for attacker, takes, own_left, enemy_left in zip(orders, *means, strict=True):
            yield Result(probability(takes), attacker.ipc - own_left, defender.ipc - enemy_left)
