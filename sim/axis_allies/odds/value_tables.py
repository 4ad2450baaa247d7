"""A battle laid out for passes over all its pairs of armies, forward or backward, on land and at sea alike."""

from abc import ABC, abstractmethod

import numpy as np

from sim.axis_allies.odds import backward_induction as worth
from sim.axis_allies.odds import codes, fleet, land, sea
from sim.axis_allies.odds.army_graph import Chain, Graph, chain, graph, is_plain
from sim.axis_allies.odds.arrays import Codes, Flags, Floats, Ints
from sim.axis_allies.odds.engine import MOST_ARMIES, MOST_CELLS, MOST_HITS, chain_endings
from sim.axis_allies.odds.hit_distribution import NEGLIGIBLE, answer, fire
from sim.axis_allies.odds.orders import Muster, category
from sim.axis_allies.units import Category, Unit
from sim.core.errors import TooMuchError

_LAND_STEP = 0.7e-9  # seconds of a backward pass for a pair of armies and each gun of both sides, measured
_SEA_STEP = 40e-9  # likewise


class Board(ABC):
    """The armies that both sides may come to, and why the battle is over where it is.

    `over[a, d]`: a number of `codes` for attacking army a and defending army d; the battle begins at 0, 0. `seconds`:
    estimate for one backward pass.
    """

    attacker: Chain | Graph
    defender: Chain | Graph
    over: Codes
    seconds: float

    @staticmethod
    def of(attacker: Muster, defender: Muster) -> "Board":
        """Lay out a battle; TooMuchError for more armies than fit."""
        if max(attacker.hits, defender.hits) > MOST_HITS:
            raise TooMuchError("These armies are too large for exact odds.")
        return Field(attacker, defender) if is_plain(attacker, defender) else Waters(attacker, defender)

    @abstractmethod
    def forward(self, mass: Floats) -> Floats:
        """Return the chance of each pair of armies a round later."""

    @abstractmethod
    def backward(self, over: Codes, floor: Floats, ends: Floats, after: Floats | None) -> tuple[Floats, Floats]:
        """Return what each pair of armies is worth before a round, and what fighting that round is worth.

        `over`: where the battle is over, and `ends` what that is worth. `floor`: what leaving is worth, elsewhere.
        `after`: the worth after the round; None for a battle that is fought to the end.
        """

    def start(self) -> Floats:
        """Return the chance of each pair of armies before the battle."""
        mass = np.zeros(self.over.shape)
        mass[0, 0] = 1.0
        return mass

    def swing(self) -> Ints:
        """Return the IPC that the defender has lost more than the attacker, for each pair of armies."""
        attacker_ipc, defender_ipc = (ipc(side.muster, side.counts) for side in (self.attacker, self.defender))
        swing: Ints = (attacker_ipc[:, np.newaxis] - attacker_ipc[0]) - (defender_ipc - defender_ipc[0])
        return swing

    def won(self, *, must_take: bool) -> Flags:
        """Tell where the attacker has won; with `must_take`, with a land unit left."""
        won: Flags = self.over == codes.ATTACKER
        if must_take:
            lasting = [category(slot) is Category.LAND for slot in self.attacker.muster.slots]
            won &= (self.attacker.counts[:, lasting].sum(axis=1) > 0)[:, np.newaxis]
        return won


class Field(Board):
    """A battle in which every hit may fall on every unit."""

    def __init__(self, attacker: Muster, defender: Muster) -> None:
        attacker_chain, defender_chain = self.attacker, self.defender = chain(attacker), chain(defender)
        cells = len(attacker_chain.counts) * len(defender_chain.counts)
        _fits(cells, *(len(side.counts) * (side.muster.guns + 1) for side in (attacker_chain, defender_chain)))
        self.chances = attacker_chain.chances, defender_chain.chances
        self.over = chain_endings(*self.chances, len(attacker_chain.chances))
        self.fires = fire(attacker_chain.chances), answer(fire(defender_chain.chances))
        self.seconds = cells * (attacker.guns + defender.guns) * _LAND_STEP

    def forward(self, mass: Floats) -> Floats:
        """Return the chance of each pair of armies a round later."""
        after: Floats = land.one_round(self.chances[0], *self.fires, len(self.chances[0]), mass)
        return after

    def backward(self, over: Codes, floor: Floats, ends: Floats, after: Floats | None) -> tuple[Floats, Floats]:
        """Return what each pair of armies is worth before a round, and what fighting that round is worth."""
        table, source = _tables(over, ends, after)
        return table, worth.on_land(*self.chances, over, floor, source, table, settle=after is None)


class Waters(Board):
    """A battle in which hits come in groups."""

    def __init__(self, attacker: Muster, defender: Muster) -> None:
        attacker_graph = self.attacker = graph(attacker, defender, MOST_ARMIES)
        defender_graph = self.defender = graph(defender, attacker, MOST_ARMIES)
        cells = len(attacker_graph.counts) * len(defender_graph.counts)
        _fits(cells)
        self.fleets = fleet_of(attacker_graph, defender.guns), fleet_of(defender_graph, attacker.guns)
        self.over = fleet.endings(*self.fleets, 1)
        self.seconds = cells * (attacker.guns + defender.guns) * _SEA_STEP

    def forward(self, mass: Floats) -> Floats:
        """Return the chance of each pair of armies a round later."""
        after: Floats = sea.one_round(*self.fleets, self.over, mass, NEGLIGIBLE)
        return after

    def backward(self, over: Codes, floor: Floats, ends: Floats, after: Floats | None) -> tuple[Floats, Floats]:
        """Return what each pair of armies is worth before a round, and what fighting that round is worth."""
        table, source = _tables(over, ends, after)
        return table, worth.at_sea(*self.fleets, over, floor, source, table, settle=after is None)


def _tables(over: Codes, ends: Floats, after: Floats | None) -> tuple[Floats, Floats]:
    """Return the table to fill in and the one to look ahead in: the same where there is no limit."""
    table = np.where(over == codes.GOES_ON, 0.0, ends)
    return table, table if after is None else after


def fleet_of(side: Graph, shots: int) -> fleet.Fleet:
    """Prepare a side for the kernels; `shots`: the most hits that the enemy scores at once."""
    made: fleet.Fleet = fleet.fleet(
        side.successor, side.counts, side.chances, side.groups, side.destroyer, max(1, shots)
    )
    return made


def ipc(muster: Muster, counts: Ints) -> Ints:
    """Return what armies are worth in IPC; `counts[s, k]`: how many of slot k army s has."""
    costs = np.array([slot.cost if isinstance(slot, Unit) else 0 for slot in muster.slots], dtype=np.int64)
    prices: Ints = counts @ costs
    return prices


def _fits(*cells: int) -> None:
    if max(cells) > MOST_CELLS:
        raise TooMuchError("These armies are too large for exact odds.")
