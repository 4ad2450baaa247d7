"""Tables over all pairs of armies of a battle, on land and at sea: what the kernels fight on, forward and backward."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from sim.axis_allies.arms import Weapon
from sim.axis_allies.casualties import CasualtyOrder
from sim.axis_allies.odds import land, layout, sea
from sim.axis_allies.odds.army_graph import Armies, Chain, build_chain, build_graph, is_plain
from sim.axis_allies.odds.dice import NEGLIGIBLE, reinforced
from sim.axis_allies.odds.fleet import endings, fleet_of
from sim.axis_allies.odds.layout import EXPOSED, UNITS, Codes, Flags, Floats, Ints
from sim.axis_allies.odds.terms import MAX_DICE, leaving, strafed
from sim.axis_allies.withdrawal import NEVER, Withdrawal
from sim.core.errors import TooMuchError
from sim.core.kernels import inner, kernel

MAX_ARMIES = 2_000
"""Maximum number of armies that a side can come to if hits come in groups."""

MAX_CELLS = 1_200_000
"""Maximum size of a table, in numbers: a few tables must fit into a worker's memory."""

MAX_HITS = 20_000
"""Maximum hits of a side in an exact calculation: rounding errors grow with each."""

_NEGLIGIBLE_COURSE = 1e-12  # chances that the course drops one by one
_LAND_STEP = 0.7e-9  # seconds of a backward pass for a pair of armies and each shooter of both sides, measured
_SEA_STEP = 40e-9  # the same
_LAND_CELL = 0.4e-6  # seconds of a forward pass for a pair of armies including the course, measured
_SEA_CELL = 0.03e-6  # the same, for each unit of both sides that fires
_LAND_ROUND = 4e-9  # seconds for a pair of armies in each round of a battle with a limit, at least
_SEA_ROUND = 20e-9  # the same


class BattleTables(ABC):
    """The armies that both sides can come to.

    `over[a, d]`: one of the codes for attacking army a and defending army d. `step_seconds`: estimate for a backward
    pass.
    """

    attacker: Armies
    defender: Armies
    over: Codes
    step_seconds: float

    @staticmethod
    def of(
        attackers: Sequence[CasualtyOrder],
        defender: CasualtyOrder,
        *,
        withdrawal: Withdrawal = NEVER,
        ipc_before: int = 0,
        low_luck: bool = False,
        enemies: Sequence[CasualtyOrder] = (),
    ) -> "BattleTables":
        """Return the tables of a battle; TooMuchError for too many armies.

        `attackers`: what antiaircraft fire may leave, the largest first; only one if hits come in groups. `ipc_before`:
        the attacker's price in the beginning. `enemies`: all attackers that the defender meets in turn, if there are
        more: the defender's armies are numbered alike in all their tables.
        """
        if max(attackers[0].hits, defender.hits) > MAX_HITS:
            raise TooMuchError("These armies are too large for exact odds.")
        every = enemies or attackers
        if is_plain(*every, defender):
            chains = build_chain(*attackers, low_luck=low_luck), build_chain(defender, low_luck=low_luck)
            return LandTables(*chains, withdrawal, ipc_before)
        return SeaTables(attackers[0], defender, withdrawal, ipc_before, every, low_luck=low_luck)

    @abstractmethod
    def fight(self, start: Floats) -> Floats:
        """Fight to the end: the chance of ending with each pair of armies, or the expected rounds that begin there."""

    @abstractmethod
    def one_round(self, before: Floats, least: float = NEGLIGIBLE) -> Floats:
        """Return the chance of each pair of armies a round later; chances under `least` may be dropped."""

    @abstractmethod
    def bombarded_round(self, before: Floats, bombardment: tuple[Weapon, ...]) -> Floats:
        """Return the chance of each pair a round later, if ships fire with the attacker's army as it came."""

    def course(self, start: Floats, limit: int, rest: float) -> tuple[Floats, Floats]:
        """Fight at most `limit` rounds, while the chance that the battle goes on is above `rest`.

        With a `rest` to speak of, for a picture, small chances may be dropped. Returns the chance of each pair of
        armies, and a row for each round from 0: the chance that the battle goes on, the attacker's and the defender's
        mean number of units.
        """
        least = _NEGLIGIBLE_COURSE if rest > _NEGLIGIBLE_COURSE else NEGLIGIBLE
        mass, course = start, [self._course_row(start)]
        while len(course) <= limit and course[-1][0] > rest:
            mass = self.one_round(mass, least)
            course.append(self._course_row(mass))
        return mass, np.array(course)

    def _course_row(self, mass: Floats) -> Floats:
        row: Floats = np.einsum("kad,ad->k", self._course_worth, mass)
        return row

    @cached_property
    def _course_worth(self) -> Floats:
        """What a pair of armies counts in each column of the course.

        Where a side has won, the other has at most units that are lost without dice; planes sink such units beside
        submarines, too.
        """
        here, there = self.attacker, self.defender
        sinks = (self.over == layout.STALEMATE) & (here.planes == here.units)[:, np.newaxis]
        attackers = here.units[:, np.newaxis] * (self.over != layout.DEFENDER)
        defenders = (there.units - there.exposed * sinks) * (self.over != layout.ATTACKER)
        return np.array((self.over == layout.GOES_ON, attackers, defenders), dtype=np.float64)

    @abstractmethod
    def backward(self, over: Codes, floor: Floats, ends: Floats, after: Floats | None) -> tuple[Floats, Floats]:
        """Return the value of each pair of armies before a round, and the value of fighting that round.

        `over`: pairs with which the battle is over, and `ends` their values. `floor`: values of leaving. `after`:
        values after the round; None for a battle without a limit.
        """

    @abstractmethod
    def forward_seconds(self, rounds: int) -> float:
        """Return an estimate for a forward pass; `rounds`: its limit, 0 for none."""

    def swing(self) -> Ints:
        """Return the defender's losses minus the attacker's in IPC, for each pair of armies."""
        attacker_ipc, defender_ipc = self.attacker.ipc, self.defender.ipc
        swing: Ints = (attacker_ipc[:, np.newaxis] - attacker_ipc[0]) - (defender_ipc - defender_ipc[0])
        return swing

    def won(self, *, must_take: bool) -> Flags:
        """Return with which pairs the attacker has won; with `must_take`, only with a land unit left."""
        won: Flags = self.over == layout.ATTACKER
        if must_take:
            won &= (self.attacker.land_units > 0)[:, np.newaxis]
        return won


class LandTables(BattleTables):
    """A battle in which any hit may take any unit."""

    attacker: Chain

    defender: Chain

    def __init__(
        self,
        here: Chain,
        there: Chain,
        withdrawal: Withdrawal = NEVER,
        ipc_before: int = 0,
    ) -> None:
        self.attacker, self.defender = here, there
        cells = len(here.counts) * len(there.counts)
        shooters = here.order.shooters, there.order.shooters
        require_room(cells, len(here.counts) * (shooters[0] + 1), len(there.counts) * (shooters[1] + 1))
        self.out, self.back, self.columns = here.hits, there.hits, there.columns
        leaves, stops = leaving(withdrawal, here, ipc_before), strafed(withdrawal, there)
        self.over, retreat_at, leave_at = chain_endings(
            here.bounds, self.out[1], self.back[1], here.totals, there.totals, leaves, stops
        )
        self.ends = here.bounds, retreat_at, leave_at
        self.step_seconds = cells * sum(shooters) * _LAND_STEP

    @staticmethod
    def room(attacker: CasualtyOrder, defender: CasualtyOrder) -> int:
        """Return how many attackers of at most this size have room in the same tables, at least 1."""
        widest = max(defender.hits, attacker.shooters) + 1
        return max(1, MAX_CELLS // ((attacker.hits + 1) * widest))

    def forward_seconds(self, rounds: int) -> float:
        """Return an estimate for a forward pass."""
        return self.over.size * (_LAND_CELL + rounds * _LAND_ROUND)

    def fight(self, start: Floats) -> Floats:
        """Fight to the end."""
        mass: Floats = land.battle(self.out, self.columns, start, *self.ends)
        return mass

    def one_round(self, before: Floats, least: float = NEGLIGIBLE) -> Floats:  # noqa: ARG002 - drops none above it
        """Return the chance of each pair of armies a round later."""
        after: Floats = land.one_round(self.out, self.columns, before, *self.ends)
        return after

    def bombarded_round(self, before: Floats, bombardment: tuple[Weapon, ...]) -> Floats:
        """Return the chance of each pair a round later, if ships fire with the attacker's army as it came."""
        if len(bombardment) > MAX_DICE:
            raise TooMuchError("These armies are too large for exact odds.")
        here = self.attacker
        out = here.hits_with(reinforced(here.dice, here.firsts, bombardment))
        after: Floats = land.one_round(out, self.columns, before, *self.ends)
        return after

    def backward(self, over: Codes, floor: Floats, ends: Floats, after: Floats | None) -> tuple[Floats, Floats]:
        """Return the value of each pair of armies before a round, and the value of fighting that round."""
        table, source = _tables(over, ends, after)
        bounds, settle = self.attacker.bounds, after is None
        return table, land.backward(self.out, self.back, over, floor, source, table, bounds, settle=settle)


class SeaTables(BattleTables):
    """A battle in which hits come in groups."""

    def __init__(
        self,
        attacker: CasualtyOrder,
        defender: CasualtyOrder,
        withdrawal: Withdrawal,
        ipc_before: int,
        enemies: Sequence[CasualtyOrder],
        *,
        low_luck: bool,
    ) -> None:
        here = self.attacker = build_graph(attacker, [defender], MAX_ARMIES)
        there = self.defender = build_graph(defender, enemies, MAX_ARMIES)
        cells = len(here.counts) * len(there.counts)
        require_room(cells)
        self.fleets = fleet_of(here, [defender], low_luck=low_luck), fleet_of(there, enemies, low_luck=low_luck)
        self.over = endings(*self.fleets, leaving(withdrawal, here, ipc_before), strafed(withdrawal, there))
        self.shooters = attacker.shooters + defender.shooters
        self.step_seconds = cells * self.shooters * _SEA_STEP

    def forward_seconds(self, rounds: int) -> float:
        """Return an estimate for a forward pass."""
        return self.over.size * (_SEA_CELL * self.shooters + rounds * _SEA_ROUND)

    def fight(self, start: Floats) -> Floats:
        """Fight to the end."""
        mass: Floats = sea.battle(*self.fleets, self.over, start)
        return mass

    def one_round(self, before: Floats, least: float = NEGLIGIBLE) -> Floats:
        """Return the chance of each pair of armies a round later; chances under `least` are dropped."""
        after: Floats = sea.one_round(*self.fleets, self.over, before, least)
        return after

    def bombarded_round(self, before: Floats, bombardment: tuple[Weapon, ...]) -> Floats:
        """No ships bombard a fleet."""
        raise NotImplementedError

    def backward(self, over: Codes, floor: Floats, ends: Floats, after: Floats | None) -> tuple[Floats, Floats]:
        """Return the value of each pair of armies before a round, and the value of fighting that round."""
        table, source = _tables(over, ends, after)
        return table, sea.backward(*self.fleets, over, floor, source, table, settle=after is None)


def _tables(over: Codes, ends: Floats, after: Floats | None) -> tuple[Floats, Floats]:
    """Return the table to fill in and the one after the round: the same if there is no limit."""
    table = np.where(over == layout.GOES_ON, 0.0, ends)
    return table, table if after is None else after


@inner
def _first_flagged(first: int, end: int, totals: Ints, flags: Flags) -> int:
    """Return after how many hits an army has a flag or only units that are lost without dice, or nothing at all.

    It is so with all later ones. `first`, `end`: its part of the armies.
    """
    at = first
    while at < end - 1 and not flags[at] and totals[EXPOSED, at] < totals[UNITS, at]:
        at += 1
    return at - first


@kernel
def chain_endings(
    bounds: Ints, window_a: Ints, window_d: Ints, totals_a: Ints, totals_d: Ints, leaves: Flags, stops: Flags
) -> tuple[Codes, Ints, int]:
    """Return for each pair of armies why the battle is over, one of the codes, if any hit may take any unit.

    And after how many hits of each of the attacker's armies, and of the defender, it is over at the latest. `bounds`:
    as in `Chain`. `window_a`, `window_d`: as in `HitDistribution`; `totals_a`, `totals_d`: see `Armies`;
    `leaves[a]`, `stops[d]`: whether the attacker leaves with, and before them.
    """
    most_a, most_d = window_a[:, 1], window_d[:, 1]
    rows, columns = len(most_a), len(most_d)
    over = np.zeros((rows, columns), np.int8)
    exposed_d = totals_d[EXPOSED] == totals_d[UNITS]
    retreat_at = np.zeros(len(bounds) - 1, np.int64)
    for army in range(len(bounds) - 1):
        retreat_at[army] = _first_flagged(bounds[army], bounds[army + 1], totals_a, leaves)
        for a in range(bounds[army], bounds[army + 1]):
            exposed_a = totals_a[EXPOSED, a] == totals_a[UNITS, a]
            for d in range(columns):
                gone_a, gone_d = a == bounds[army + 1] - 1, d == columns - 1
                if gone_a or gone_d:
                    over[a, d] = layout.DEFENDER if not gone_d else layout.TIE if gone_a else layout.ATTACKER
                elif exposed_a and most_d[d] > 0:
                    over[a, d] = layout.DEFENDER
                elif most_a[a] > 0 and exposed_d[d]:
                    over[a, d] = layout.ATTACKER
                elif leaves[a] or stops[d]:
                    over[a, d] = layout.RETREAT
                elif not (most_a[a] > 0 or most_d[d] > 0):
                    over[a, d] = layout.STALEMATE
    return over, retreat_at, _first_flagged(0, columns, totals_d, stops)


def require_room(*cells: int) -> None:
    """TooMuchError for a table of too many numbers."""
    if max(cells) > MAX_CELLS:
        raise TooMuchError("These armies are too large for exact odds.")
