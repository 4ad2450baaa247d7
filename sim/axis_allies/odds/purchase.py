"""The cheapest reinforcement: tries all purchases in rising order of price."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.axis_allies.advice_reports import Purchase, PurchaseReport
from sim.axis_allies.army import Army, army_words, battle_notes
from sim.axis_allies.casualties import LIFE, CasualtyOrder, HitGroup, Slot, category
from sim.axis_allies.odds import codes, land, sea
from sim.axis_allies.odds.army_graph import (
    Fleet,
    Graph,
    build_graph,
    endings,
    fleet_of,
    hit_groups,
    is_plain,
    loss_line,
)
from sim.axis_allies.odds.base_request import BattleRequest
from sim.axis_allies.odds.codes import Flags, Floats
from sim.axis_allies.odds.engine import MAX_ARMIES, MAX_CELLS, MAX_HITS
from sim.axis_allies.units import Category, Unit
from sim.core.errors import RuleError, TooMuchError
from sim.core.numbers import probability
from sim.core.values import Side

MAX_OTHERS = 3
"""Maximum purchases reported besides the best one."""

EXTRA_IPC = 12
"""Range above the cheapest price in which other purchases are searched for."""

_FIRST_STEP = 16  # IPC, a power of two
_SAME = 1e-12  # chances that differ by less are the same
_DECIMALS = 12  # of chances that decide which purchase is better

_BATTLE = 40e-6  # seconds for each army, measured
_SCORE = 0.5e-9  # seconds to compare one score with that of a failed army, measured
_LAND_CELL = 0.06e-6  # seconds for a pair of armies, measured
_ARMY = 12e-6  # seconds to find one army of a graph, measured
_TABLE_CELL = 8e-9  # seconds for a number in the tables of a side's hits, measured
_SHOOTER_PAIR = 2e-9  # seconds for a pair of units that fire, measured
_SEA_CELL = 0.005e-6  # seconds for a pair of armies and each unit of both sides that fires, measured


_Scores = NDArray[np.int8]
"""Rows of the scores of the units that hits take, then of `takes` (1 or 0); -1 before the first hit."""


class _Enemy(NamedTuple):
    """The other side's armies, prepared for volleys of up to `shots` hits."""

    graph: Graph
    fleet: Fleet
    shots: int


class _LossLine(NamedTuple):
    """An army in casualty order.

    `chances[i]`: chance to hit of what hit i takes. `takes[i]`: whether the army can take the territory after i hits.
    """

    chances: Floats
    takes: Flags


class _PurchaseOdds:
    """Chances to win of one side with different purchases, and nothing else about each battle.

    `seconds`: estimate of the time spent; `count`: battles calculated. `wanted`: the chance to reach. `max_seconds`:
    maximum estimate for a battle. An army that is not better than a failed one, hit for hit, is not calculated.
    """

    def __init__(
        self, battle: BattleRequest, side: Side, buyable: Sequence[Unit], wanted: float, max_seconds: float
    ) -> None:
        self.side, self.must_take = side, battle.must_take
        self.wanted, self.max_seconds = wanted, max_seconds
        self.seconds = 0.0
        self.count = 0
        own = battle.army(side)
        everything = _add_units(own, dict.fromkeys(buyable, 1))
        self._all = self._casualty_order(battle, everything)
        # The units that the enemy keeps may depend on whether submarines come.
        self._enemies = {
            submarines: battle.model_copy(
                update={self.side.value: _add_units(own, {Unit.SUBMARINE: 1}) if submarines else own}
            ).casualty_order(self.side.other)
            for submarines in (False, True)
        }
        self._own: dict[Slot, int] = {group.unit: int(group.count) for group in own.groups}
        self._lives = int(sum(group.lives for group in own.groups))
        self._prepared: dict[tuple[tuple[HitGroup, ...], bool], _Enemy] = {}
        self._enemy_line = self._loss_line(self._enemies[False]).chances
        self._failed: _Scores = np.full((0, 0), -1, np.int8)
        self.more_never_hurts = is_plain(self._all, self._enemies[False])

    def _casualty_order(self, battle: BattleRequest, army: Army) -> CasualtyOrder:
        return battle.model_copy(update={self.side.value: army}).casualty_order(self.side)

    def chance(self, bought: dict[Unit, int]) -> float | None:
        """Return the chance to win with a purchase, None if it is known to be below the wanted one."""
        order = self._order_with(bought)
        submarines = Unit.SUBMARINE in order.slots
        enemy = self._enemies[submarines]
        if max(order.hits, enemy.hits) > MAX_HITS:
            raise TooMuchError("These armies are too large for exact odds.")
        self.seconds += _BATTLE
        if not order.hits:
            return 0.0
        if not is_plain(order, enemy):
            return self._at_sea(order, enemy, submarines=submarines)
        line = self._loss_line(order)
        if self._is_dominated(line):
            return None
        chance = self._on_land(line)
        if chance < self.wanted:
            self._add_failure(line)
        return chance

    def _order_with(self, bought: dict[Unit, int]) -> CasualtyOrder:
        counts: dict[Slot, int] = {unit: self._own.get(unit, 0) + bought.get(unit, 0) for unit in Unit}
        counts[LIFE] = self._lives + sum(count * unit.lives for unit, count in bought.items())
        there = [slot for slot in self._all.slots if counts[Unit.BATTLESHIP if slot == LIFE else slot]]
        return CasualtyOrder(
            side=self.side,
            slots=tuple(there),
            counts=tuple(counts[slot] for slot in there),
            typed=tuple(range(len(there))),
            keep_destroyer=self._all.keep_destroyer,
            keep_land=self._all.keep_land,
        )

    def _loss_line(self, order: CasualtyOrder) -> _LossLine:
        taken = loss_line(order)
        takes = np.ones(len(taken), np.bool_)
        if self.must_take and order.side is Side.ATTACKER:
            on_foot = np.array([category(slot) is Category.LAND for slot in order.slots], dtype=np.bool_)[taken]
            takes = np.logical_or.accumulate(on_foot[::-1])[::-1]
        return _LossLine(np.array(order.chances, dtype=np.float64)[taken], takes)

    def _on_land(self, line: _LossLine) -> float:
        for chances in (line.chances, self._enemy_line):
            self._add_table_cost((len(chances) + 1) * (int(np.count_nonzero(chances)) + 1))
        self._add_cost((len(line.chances) + 1) * (len(self._enemy_line) + 1), _LAND_CELL)
        if self.side is Side.ATTACKER:
            mass = land.battle(line.chances, self._enemy_line, len(line.chances))
            return probability(float(mass[:-1, -1] @ line.takes))
        mass = land.battle(self._enemy_line, line.chances, len(self._enemy_line))
        return probability(float(mass[-1, :-1].sum()))

    def _at_sea(self, order: CasualtyOrder, enemy: CasualtyOrder, *, submarines: bool) -> float:
        own = build_graph(order, enemy, MAX_ARMIES)
        self.seconds += len(own.counts) * _ARMY + order.shooters**2 * _SHOOTER_PAIR
        self._add_table_cost(len(own.counts) * (8 * order.shooters + 3 * enemy.shooters))
        key = tuple(hit_groups(order)), submarines
        other = self._prepared.get(key)
        if other is None or other.shots < order.shooters:
            armies = build_graph(enemy, order, MAX_ARMIES) if other is None else other.graph
            self.seconds += len(armies.counts) * _ARMY
            shots = 1 << math.ceil(math.log2(max(1, order.shooters)))
            other = self._prepared[key] = _Enemy(armies, fleet_of(armies, shots), shots)
        cells = len(own.counts) * len(other.graph.counts)
        self._add_cost(cells, _SEA_CELL * (order.shooters + enemy.shooters))
        fleets = fleet_of(own, enemy.shooters), other.fleet
        attacker, defender = fleets if self.side is Side.ATTACKER else fleets[::-1]
        over = endings(attacker, defender, 1)
        mass = sea.battle(attacker, defender, over)
        won = over == (codes.ATTACKER if self.side is Side.ATTACKER else codes.DEFENDER)
        if self.must_take and self.side is Side.ATTACKER:
            on_foot = [category(slot) is Category.LAND for slot in order.slots]
            won &= (own.counts[:, on_foot].sum(axis=1) > 0)[:, np.newaxis]
        return probability(float(mass[won].sum()))

    def _add_cost(self, cells: int, each: float) -> None:
        self._require_feasible(cells, cells * each)
        self.seconds += cells * each
        self.count += 1

    def _add_table_cost(self, cells: int) -> None:
        self._require_feasible(cells, cells * _TABLE_CELL)
        self.seconds += cells * _TABLE_CELL

    def _require_feasible(self, cells: int, seconds: float) -> None:
        if cells > MAX_CELLS or seconds > self.max_seconds:
            raise TooMuchError("These armies are too large for exact odds.")

    def _row(self, line: _LossLine, width: int) -> _Scores:
        """Return an army as a row to compare, aligned at its last hit."""
        row = np.full((2, width), -1, np.int8)
        size = len(line.chances)
        if size:
            row[0, -size:], row[1, -size:] = np.rint(6 * line.chances), line.takes
        return row.ravel()

    def _is_dominated(self, line: _LossLine) -> bool:
        """Return whether a failed army was at least as good after every number of hits.

        With the same dice such an army hits at least as often and keeps at least as much.
        """
        width = self._failed.shape[1] // 2
        self.seconds += self._failed.size * _SCORE
        if len(line.chances) > width:
            return False
        return bool((self._failed >= self._row(line, width)).all(axis=1).any())

    def _add_failure(self, line: _LossLine) -> None:
        rows, width = len(self._failed), self._failed.shape[1] // 2
        wider = max(width, len(line.chances))
        self.seconds += rows * 2 * wider * _SCORE
        if wider > width:
            padded = np.full((rows, 2, wider), -1, np.int8)
            padded[:, :, wider - width :] = self._failed.reshape(rows, 2, width)
            self._failed = padded.reshape(rows, 2 * wider)
        row = self._row(line, wider)
        self._failed = np.vstack([self._failed[(self._failed > row).any(axis=1)], row])


def _add_units(army: Army, more: dict[Unit, int]) -> Army:
    counts = {unit: army.count(unit) + more.get(unit, 0) for unit in Unit}
    return Army.of({unit: count for unit, count in counts.items() if count})


def purchase_report(
    battle: BattleRequest, side: Side, wanted: float, units: Sequence[Unit], seconds: float
) -> PurchaseReport:
    """Return the cheapest purchase of `units` that reaches the wanted chance; `seconds`: limit of the search.

    All times are estimates, so that the same request always gets the same answer.
    """
    odds = _PurchaseOdds(battle, side, units, wanted - _SAME, seconds)
    search = _Search(odds, units)
    before = odds.chance({}) or 0.0
    if before >= odds.wanted:
        search.found.append(Purchase(units=Army(), ipc=0, chance=before))
    else:
        search.nearest = Purchase(units=Army(), ipc=0, chance=before)
        search.run(_max_useful(battle, side, units))
    best, *others = search.found
    return PurchaseReport(
        attacker=battle.attacker,
        defender=battle.defender,
        side=side,
        wanted=wanted,
        chance_before=before,
        best=best,
        others=tuple(others),
        looked_up_to=search.price,
        battles=odds.count,
        notes=battle_notes(battle.attacker, battle.defender),
    )


def purchases(units: Sequence[Unit], ipc: int) -> Iterator[dict[Unit, int]]:
    """Yield all purchases of `units` for exactly `ipc` IPC."""
    if not units:
        if ipc == 0:
            yield {}
        return
    first, rest = units[0], units[1:]
    if not rest:
        if ipc % first.cost == 0:
            yield {first: ipc // first.cost} if ipc else {}
        return
    for count in range(ipc // first.cost, -1, -1):
        for more in purchases(rest, ipc - count * first.cost):
            yield ({first: count} if count else {}) | more


def _max_useful(battle: BattleRequest, side: Side, units: Sequence[Unit]) -> int | None:
    """Return the IPC above which more units change nothing; None if more may always help.

    Units that can't hit are lost last: with one per enemy unit that fires, they are never gone before the rest.
    """
    if any(unit.score(side) > 0 for unit in units) or not isinstance(battle.casualties_of(side), str):
        return None
    enemy: CasualtyOrder = battle.casualty_order(side.other)
    return max(unit.cost for unit in units) * max(1, enemy.shooters)


class _Search:
    """A search.

    `found`: purchases that reach the chance, best first. `nearest`: the best that doesn't. `enough`: one that reaches
    it, perhaps not the cheapest. `price`: up to it, every purchase was checked or can't reach the chance.
    """

    def __init__(self, odds: _PurchaseOdds, units: Sequence[Unit]) -> None:
        self.odds = odds
        self.units = sorted(units, key=lambda unit: unit.cost)
        self.found: list[Purchase] = []
        self.nearest: Purchase | None = None
        self.enough: Purchase | None = None
        self.price = 0
        self.limit = odds.max_seconds

    def run(self, useful: int | None) -> None:
        """Try all purchases in rising order of price, until a little after the wanted chance is reached."""
        if self.odds.more_never_hurts and useful is None:
            self._skip()
            self.limit += self.odds.max_seconds / 3  # the price is known; this is for the best purchase at that price
        while not self._done():
            if useful is not None and self.price >= useful:
                names = " and ".join(unit.stats.plural for unit in self.units)
                raise RuleError(f"{self._best_so_far()} More {names} won't help: they never hit.")
            reached = list(self._at(self.price + 1))
            if self._out_of_time():
                return
            self.price += 1
            reached.sort(
                key=lambda purchase: (
                    -round(purchase.chance, _DECIMALS),
                    sum(group.count for group in purchase.units.groups),
                )
            )
            for purchase in reached:
                if len(self.found) <= MAX_OTHERS and not any(_contains(purchase, known) for known in self.found):
                    self.found.append(purchase)

    def _skip(self) -> None:
        """Find the last price up to which nothing reaches the chance, by doubling and bisection.

        A cheaper purchase plus some of the cheapest unit falls into any range of prices as wide as that unit's price:
        if nothing in such a range reaches the chance, nothing below it does.
        """
        step = _FIRST_STEP
        while not self._reaches(self.price + step):
            self.price += step
            step *= 2
        while step > 1:
            step //= 2
            if not self._reaches(self.price + step):
                self.price += step

    def _reaches(self, price: int) -> bool:
        """Return whether any purchase for `price` or less reaches the chance."""
        cheapest = min(unit.cost for unit in self.units)
        for below in range(min(cheapest, price)):
            purchase = next(self._at(price - below), None)
            if purchase is not None:
                self.enough = purchase
                return True
        self._out_of_time()
        return False

    def _done(self) -> bool:
        return bool(self.found) and (len(self.found) > MAX_OTHERS or self.price >= self.found[0].ipc + EXTRA_IPC)

    def _out_of_time(self) -> bool:
        """Return whether the time is up; TooMuchError if nothing was found."""
        if self.odds.seconds <= self.limit:
            return False
        if not self.found:
            raise TooMuchError(f"{self._best_so_far()} Searching further would take too long.")
        return True

    def _best_so_far(self) -> str:
        price = f"up to {self.price:,} IPC" if self.price else "tried so far"
        text = f"Nothing {price} reaches {_percent(self.odds.wanted)}"
        if self.enough is not None:
            return f"{text}; {_purchase_text(self.enough)} does. The cheapest is in between."
        if self.nearest is None or not self.nearest.units:
            return f"{text}, and nothing tried so far helps."
        return f"{text}: the best found is {_percent(self.nearest.chance)} with {_purchase_text(self.nearest)}."

    def _at(self, price: int) -> Iterator[Purchase]:
        """Yield the purchases for exactly `price` that reach the chance."""
        for bought in purchases(self.units, price):
            if self.odds.seconds > self.limit:
                return
            try:
                chance = self.odds.chance(bought)
            except TooMuchError:
                self.limit = 0.0  # nothing more expensive is feasible
                return
            if chance is None:
                continue
            if chance < self.odds.wanted and self.nearest is not None and chance <= self.nearest.chance:
                continue
            army = Army.of({unit: bought[unit] for unit in Unit if unit in bought})
            purchase = Purchase(units=army, ipc=price, chance=chance)
            if chance >= self.odds.wanted:
                yield purchase
            else:
                self.nearest = purchase


def _purchase_text(purchase: Purchase) -> str:
    return f"{army_words(purchase.units)} for {purchase.ipc:,} IPC"


def _percent(chance: float) -> str:
    return f"{100 * chance:.4f}".rstrip("0").rstrip(".") + "%"


def _contains(purchase: Purchase, known: Purchase) -> bool:
    return all(purchase.units.count(group.unit) >= group.count for group in known.units.groups)
