"""The chance to win of many armies against the same enemy, and nothing else about each battle."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.axis_allies.army import Army
from sim.axis_allies.odds import codes, fleet, land, sea
from sim.axis_allies.odds.army_graph import Graph, graph, hit_groups, is_plain, line
from sim.axis_allies.odds.arrays import Flags, Floats
from sim.axis_allies.odds.base_request import BattleRequest
from sim.axis_allies.odds.engine import MOST_ARMIES, MOST_CELLS, MOST_HITS
from sim.axis_allies.odds.orders import LIFE, HitGroup, Muster, Slot, category
from sim.axis_allies.odds.value_tables import fleet_of
from sim.axis_allies.units import Category, Unit
from sim.core.errors import TooMuchError
from sim.core.outcomes import Side

_TRIAL = 40e-6  # seconds for each army, measured
_MARK = 0.5e-9  # seconds to compare a hit with one of an army that failed, measured
_LAND_CELL = 0.06e-6  # seconds for a pair of armies, measured
_ARMY = 12e-6  # seconds to find one army that a fleet may come to, measured
_TABLE_CELL = 8e-9  # seconds for a number in the tables of a side's fire, measured
_GUN = 2e-9  # seconds for a pair of a fleet's guns, measured
_SEA_CELL = 0.005e-6  # seconds for a pair of armies and each unit of both sides that fires, measured


Marks = NDArray[np.int8]
"""Scores of the units that hits take, then where a victory is taken (1 or 0); -1 before the first hit."""


class _Enemy(NamedTuple):
    """The other side in battles of one kind: its armies, prepared for volleys of up to `shots` hits."""

    graph: Graph
    fleet: fleet.Fleet
    shots: int


class _Line(NamedTuple):
    """An army in the order of its losses: the chance to hit of what each hit takes, and where a victory is taken.

    `takes[i]`: whether the army wins what is fought for if it wins after i hits.
    """

    chances: Floats
    takes: Flags


class Trials:
    """Tries armies that one side may have, by what it buys.

    `seconds`: estimate of the time spent so far; `count`: battles worked out. `wanted`: the chance that armies are
    tried for. `most_seconds`: what the estimate of one battle may come to. An army that is not better than one that
    failed, hit for hit, is not worked out again.
    """

    def __init__(
        self, battle: BattleRequest, side: Side, buyable: Sequence[Unit], wanted: float, most_seconds: float
    ) -> None:
        self.side, self.must_take = side, battle.must_take
        self.wanted, self.most_seconds = wanted, most_seconds
        self.seconds = 0.0
        self.count = 0
        own = battle.army(side)
        everything = _with(own, dict.fromkeys(buyable, 1))
        self._all = self._muster(battle, everything)
        # What the enemy keeps may depend on whether submarines come.
        self._enemies = {
            submarines: battle.model_copy(
                update={self.side.value: _with(own, {Unit.SUBMARINE: 1}) if submarines else own}
            ).muster(self.side.other)
            for submarines in (False, True)
        }
        self._own: dict[Slot, int] = {group.unit: int(group.count) for group in own.groups}
        self._lives = int(sum(group.lives for group in own.groups))
        self._prepared: dict[tuple[tuple[HitGroup, ...], bool], _Enemy] = {}
        self._enemy_line = self._lined(self._enemies[False]).chances
        self._failed: Marks = np.full((0, 0), -1, np.int8)
        self.more_never_hurts = is_plain(self._all, self._enemies[False])

    def _muster(self, battle: BattleRequest, army: Army) -> Muster:
        return battle.model_copy(update={self.side.value: army}).muster(self.side)

    def chance(self, bought: dict[Unit, int]) -> float | None:
        """Return the chance to win with what is bought; None when it is known to be under the wanted one."""
        muster = self._reinforced(bought)
        submarines = Unit.SUBMARINE in muster.slots
        enemy = self._enemies[submarines]
        if max(muster.hits, enemy.hits) > MOST_HITS:
            raise TooMuchError("These armies are too large for exact odds.")
        self.seconds += _TRIAL
        if not muster.hits:
            return 0.0
        if not is_plain(muster, enemy):
            return self._at_sea(muster, enemy, submarines=submarines)
        lined = self._lined(muster)
        if self._hopeless(lined):
            return None
        chance = self._on_land(lined)
        if chance < self.wanted:
            self._remember(lined)
        return chance

    def _reinforced(self, bought: dict[Unit, int]) -> Muster:
        counts: dict[Slot, int] = {unit: self._own.get(unit, 0) + bought.get(unit, 0) for unit in Unit}
        counts[LIFE] = self._lives + sum(count * unit.lives for unit, count in bought.items())
        there = [slot for slot in self._all.slots if counts[Unit.BATTLESHIP if slot == LIFE else slot]]
        return Muster(
            side=self.side,
            slots=tuple(there),
            counts=tuple(counts[slot] for slot in there),
            typed=tuple(range(len(there))),
            keep_destroyer=self._all.keep_destroyer,
            keep_land=self._all.keep_land,
        )

    def _lined(self, muster: Muster) -> _Line:
        taken = line(muster)
        takes = np.ones(len(taken), np.bool_)
        if self.must_take and muster.side is Side.ATTACKER:
            on_foot = np.array([category(slot) is Category.LAND for slot in muster.slots], dtype=np.bool_)[taken]
            takes = np.logical_or.accumulate(on_foot[::-1])[::-1]
        return _Line(np.array(muster.chances, dtype=np.float64)[taken], takes)

    def _on_land(self, lined: _Line) -> float:
        for chances in (lined.chances, self._enemy_line):
            self._count_table((len(chances) + 1) * (int(np.count_nonzero(chances)) + 1))
        self._count((len(lined.chances) + 1) * (len(self._enemy_line) + 1), _LAND_CELL)
        if self.side is Side.ATTACKER:
            mass = land.battle(lined.chances, self._enemy_line, len(lined.chances))
            return float(mass[:-1, -1] @ lined.takes)
        mass = land.battle(self._enemy_line, lined.chances, len(self._enemy_line))
        return float(mass[-1, :-1].sum())

    def _at_sea(self, muster: Muster, enemy: Muster, *, submarines: bool) -> float:
        own = graph(muster, enemy, MOST_ARMIES)
        self.seconds += len(own.counts) * _ARMY + muster.guns**2 * _GUN
        self._count_table(len(own.counts) * (8 * muster.guns + 3 * enemy.guns))
        key = tuple(hit_groups(muster)), submarines
        other = self._prepared.get(key)
        if other is None or other.shots < muster.guns:
            armies = graph(enemy, muster, MOST_ARMIES) if other is None else other.graph
            self.seconds += len(armies.counts) * _ARMY
            shots = 1 << math.ceil(math.log2(max(1, muster.guns)))
            other = self._prepared[key] = _Enemy(armies, fleet_of(armies, shots), shots)
        cells = len(own.counts) * len(other.graph.counts)
        self._count(cells, _SEA_CELL * (muster.guns + enemy.guns))
        fleets = fleet_of(own, enemy.guns), other.fleet
        attacker, defender = fleets if self.side is Side.ATTACKER else fleets[::-1]
        over = fleet.endings(attacker, defender, 1)
        mass = sea.battle(attacker, defender, over)
        won = over == (codes.ATTACKER if self.side is Side.ATTACKER else codes.DEFENDER)
        if self.must_take and self.side is Side.ATTACKER:
            on_foot = [category(slot) is Category.LAND for slot in muster.slots]
            won &= (own.counts[:, on_foot].sum(axis=1) > 0)[:, np.newaxis]
        return float(mass[won].sum())

    def _count(self, cells: int, each: float) -> None:
        self._fits(cells, cells * each)
        self.seconds += cells * each
        self.count += 1

    def _count_table(self, cells: int) -> None:
        self._fits(cells, cells * _TABLE_CELL)
        self.seconds += cells * _TABLE_CELL

    def _fits(self, cells: int, seconds: float) -> None:
        if cells > MOST_CELLS or seconds > self.most_seconds:
            raise TooMuchError("These armies are too large for exact odds.")

    def _row(self, lined: _Line, width: int) -> Marks:
        """Return an army as a row to compare: the scores, aligned at the last hit that it takes."""
        row = np.full((2, width), -1, np.int8)
        size = len(lined.chances)
        if size:
            row[0, -size:], row[1, -size:] = np.rint(6 * lined.chances), lined.takes
        return row.ravel()

    def _hopeless(self, lined: _Line) -> bool:
        """Tell whether an army that failed was at least as good, whatever hits it took.

        With the same dice such an army hits at least as often and loses nothing that this one keeps.
        """
        width = self._failed.shape[1] // 2
        self.seconds += self._failed.size * _MARK
        if len(lined.chances) > width:
            return False
        return bool((self._failed >= self._row(lined, width)).all(axis=1).any())

    def _remember(self, lined: _Line) -> None:
        rows, width = len(self._failed), self._failed.shape[1] // 2
        wider = max(width, len(lined.chances))
        self.seconds += rows * 2 * wider * _MARK
        if wider > width:
            padded = np.full((rows, 2, wider), -1, np.int8)
            padded[:, :, wider - width :] = self._failed.reshape(rows, 2, width)
            self._failed = padded.reshape(rows, 2 * wider)
        row = self._row(lined, wider)
        self._failed = np.vstack([self._failed[(self._failed > row).any(axis=1)], row])


def _with(army: Army, more: dict[Unit, int]) -> Army:
    counts = {unit: army.count(unit) + more.get(unit, 0) for unit in Unit}
    return Army.of({unit: count for unit, count in counts.items() if count})
