"""One side of a battle at sea as the kernels need it: a `Graph` with hits, dice and what each army has."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sim.axis_allies.casualties import CasualtyOrder
from sim.axis_allies.editions import Strikes
from sim.axis_allies.odds.army_graph import Graph
from sim.axis_allies.odds.dice import fill_in_hits
from sim.axis_allies.odds.layout import AIR, DESTROYERS, REST, SUBMARINES, ArmyNumbers, Floats, Ints
from sim.core.kernels import inner, kernel

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
    strikes = enemies[0].arms.strikes
    open_to = strikes is Strikes.ALWAYS, strikes is Strikes.NO_DESTROYER
    fleet: Fleet | None = side.fleets.get(open_to)
    if fleet is None or fleet.path.shape[2] <= shots:
        marked = side.order.arms.rules.marked_losses
        fleet = build_fleet(side.successor, side.totals, open_to, *side.dice, shots, side.low_luck, marked)
        side.fleets[open_to] = fleet
    return fleet


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
