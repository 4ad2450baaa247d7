"""Tables over all pairs of armies of a battle, for forward and backward passes, on land and at sea."""

from abc import ABC, abstractmethod

import numpy as np

from sim.axis_allies.casualties import CasualtyOrder, category
from sim.axis_allies.odds import backward_induction, codes, land, sea
from sim.axis_allies.odds.army_graph import (
    Chain,
    Graph,
    build_chain,
    build_graph,
    endings,
    fleet_of,
    is_plain,
)
from sim.axis_allies.odds.codes import Codes, Flags, Floats, Ints
from sim.axis_allies.odds.engine import MAX_ARMIES, MAX_CELLS, MAX_HITS, chain_endings
from sim.axis_allies.odds.hit_distribution import NEGLIGIBLE, hit_columns, hit_distribution
from sim.axis_allies.units import Category, Unit
from sim.core.errors import TooMuchError

_LAND_STEP = 0.7e-9  # seconds of a backward pass for a pair of armies and each shooter of both sides, measured
_SEA_STEP = 40e-9  # the same


class BattleTables(ABC):
    """The armies that both sides can come to.

    `over[a, d]`: one of `codes` for attacking army a and defending army d; the battle begins at 0, 0. `seconds`:
    estimate for a backward pass.
    """

    attacker: Chain | Graph
    defender: Chain | Graph
    over: Codes
    seconds: float

    @staticmethod
    def of(attacker: CasualtyOrder, defender: CasualtyOrder) -> "BattleTables":
        """Return the tables of a battle; TooMuchError for too many armies."""
        if max(attacker.hits, defender.hits) > MAX_HITS:
            raise TooMuchError("These armies are too large for exact odds.")
        return LandTables(attacker, defender) if is_plain(attacker, defender) else SeaTables(attacker, defender)

    @abstractmethod
    def forward(self, mass: Floats) -> Floats:
        """Return the chance of each pair of armies a round later."""

    @abstractmethod
    def backward(self, over: Codes, floor: Floats, ends: Floats, after: Floats | None) -> tuple[Floats, Floats]:
        """Return the value of each pair of armies before a round, and the value of fighting that round.

        `over`: pairs with which the battle is over, and `ends` their values. `floor`: values of leaving. `after`:
        values after the round; None for a battle without a limit.
        """

    def start(self) -> Floats:
        """Return the chance of each pair of armies before the battle."""
        mass = np.zeros(self.over.shape)
        mass[0, 0] = 1.0
        return mass

    def swing(self) -> Ints:
        """Return the defender's losses minus the attacker's in IPC, for each pair of armies."""
        attacker_ipc, defender_ipc = (ipc(side.order, side.counts) for side in (self.attacker, self.defender))
        swing: Ints = (attacker_ipc[:, np.newaxis] - attacker_ipc[0]) - (defender_ipc - defender_ipc[0])
        return swing

    def won(self, *, must_take: bool) -> Flags:
        """Return with which pairs the attacker has won; with `must_take`, only with a land unit left."""
        won: Flags = self.over == codes.ATTACKER
        if must_take:
            on_foot = [category(slot) is Category.LAND for slot in self.attacker.order.slots]
            won &= (self.attacker.counts[:, on_foot].sum(axis=1) > 0)[:, np.newaxis]
        return won


class LandTables(BattleTables):
    """A battle in which any hit may take any unit."""

    def __init__(self, attacker: CasualtyOrder, defender: CasualtyOrder) -> None:
        attacker_chain, defender_chain = self.attacker, self.defender = build_chain(attacker), build_chain(defender)
        cells = len(attacker_chain.counts) * len(defender_chain.counts)
        _require_room(
            cells, *(len(side.counts) * (side.order.shooters + 1) for side in (attacker_chain, defender_chain))
        )
        self.chances = attacker_chain.chances, defender_chain.chances
        self.over = chain_endings(*self.chances, len(attacker_chain.chances))
        self.fires = hit_distribution(attacker_chain.chances), hit_columns(hit_distribution(defender_chain.chances))
        self.seconds = cells * (attacker.shooters + defender.shooters) * _LAND_STEP

    def forward(self, mass: Floats) -> Floats:
        """Return the chance of each pair of armies a round later."""
        after: Floats = land.one_round(self.chances[0], *self.fires, len(self.chances[0]), mass)
        return after

    def backward(self, over: Codes, floor: Floats, ends: Floats, after: Floats | None) -> tuple[Floats, Floats]:
        """Return the value of each pair of armies before a round, and the value of fighting that round."""
        table, source = _tables(over, ends, after)
        return table, backward_induction.on_land(*self.chances, over, floor, source, table, settle=after is None)


class SeaTables(BattleTables):
    """A battle in which hits come in groups."""

    def __init__(self, attacker: CasualtyOrder, defender: CasualtyOrder) -> None:
        attacker_graph = self.attacker = build_graph(attacker, defender, MAX_ARMIES)
        defender_graph = self.defender = build_graph(defender, attacker, MAX_ARMIES)
        cells = len(attacker_graph.counts) * len(defender_graph.counts)
        _require_room(cells)
        self.fleets = fleet_of(attacker_graph, defender.shooters), fleet_of(defender_graph, attacker.shooters)
        self.over = endings(*self.fleets, 1)
        self.seconds = cells * (attacker.shooters + defender.shooters) * _SEA_STEP

    def forward(self, mass: Floats) -> Floats:
        """Return the chance of each pair of armies a round later."""
        after: Floats = sea.one_round(*self.fleets, self.over, mass, NEGLIGIBLE)
        return after

    def backward(self, over: Codes, floor: Floats, ends: Floats, after: Floats | None) -> tuple[Floats, Floats]:
        """Return the value of each pair of armies before a round, and the value of fighting that round."""
        table, source = _tables(over, ends, after)
        return table, backward_induction.at_sea(*self.fleets, over, floor, source, table, settle=after is None)


def _tables(over: Codes, ends: Floats, after: Floats | None) -> tuple[Floats, Floats]:
    """Return the table to fill in and the one after the round: the same if there is no limit."""
    table = np.where(over == codes.GOES_ON, 0.0, ends)
    return table, table if after is None else after


def ipc(order: CasualtyOrder, counts: Ints) -> Ints:
    """Return the prices of armies in IPC; `counts[s, k]`: units of slot k in army s."""
    costs = np.array([slot.cost if isinstance(slot, Unit) else 0 for slot in order.slots], dtype=np.int64)
    prices: Ints = counts @ costs
    return prices


def _require_room(*cells: int) -> None:
    if max(cells) > MAX_CELLS:
        raise TooMuchError("These armies are too large for exact odds.")
