"""Tables over all pairs of armies of a battle, on land and at sea: what the kernels fight on, forward and backward."""

import math
import mmap
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from typing_extensions import override

from sim.axis_allies.casualties import CasualtyOrder
from sim.axis_allies.odds import land, layout, sea
from sim.axis_allies.odds.army_graph import BUILDERS, Armies, Builders, Chain, Graph, fleet_of, hit_groups, is_plain
from sim.axis_allies.odds.dice import NEGLIGIBLE, Hits, hit_distribution, reinforced
from sim.axis_allies.odds.layout import Codes, Floats, Ints, Pairs, code_table, course_row, listed
from sim.axis_allies.odds.terms import MAX_DICE, standings
from sim.axis_allies.question import NEVER, Terms, Withdrawal
from sim.axis_allies.unit_stats import Weapon
from sim.axis_allies.units import Unit
from sim.core import TooMuchError

MAX_CELLS = 1_200_000
"""Maximum size of a table for advice, in numbers: a few of them must fit into a worker's memory."""

MAX_LAND_CELLS = 2_500_000
"""Maximum size of a table for the odds of a battle on land, of which there are only two."""

MAX_SEA_CELLS = 36_000_000
"""Maximum size of a table for the odds of a battle at sea, of which little is ever written to."""

MAX_HITS = 20_000
"""Maximum hits of a side in an exact calculation: rounding errors grow with each."""

_NEGLIGIBLE_COURSE = 1e-12  # chances that the course drops one by one


class BattleTables(ABC):
    """The armies that both sides can come to.

    `over[a, d]`: one of the codes for attacking army a and defending army d. `shooters`: the most dice of both sides.
    The class has estimates in seconds, measured: for a pair of armies in a forward pass including the course, more for
    each round of a battle with a limit, and for a pair and each of `shooters` in a backward pass.
    """

    cell_seconds: float
    round_seconds: ClassVar[float]
    step_seconds: ClassVar[float]

    def __init__(self, attacker: Armies, defender: Armies, withdrawal: Withdrawal = NEVER, ipc_before: int = 0) -> None:
        self.attacker, self.defender = attacker, defender
        self.over: Codes = code_table(*standings(withdrawal, attacker, defender, ipc_before))
        self.shooters = attacker.order.shooters + defender.order.shooters

    def pairs(self, rows: Ints, columns: Ints, chances: Floats) -> Pairs:
        """Return pairs of armies with their codes."""
        return Pairs(rows, columns, chances, self.over[rows, columns])

    @staticmethod
    def of(terms: Terms, attackers: Sequence[CasualtyOrder], builders: Builders = BUILDERS) -> "BattleTables":
        """Return the tables of a battle; TooMuchError for too many armies.

        `attackers`: what antiaircraft fire may leave, the largest first; only one if hits come in groups. `builders`:
        of both sides' armies. The defender's are numbered alike in the tables of all its enemies.
        """
        defender, low_luck = terms.defender, terms.low_luck
        leaves = terms.withdrawal, terms.attacker.ipc
        if max(attackers[0].hits, defender.hits) > MAX_HITS:
            raise TooMuchError("These armies are too large for exact odds.")
        if is_plain(*terms.enemies, defender):
            here, there = builders.chain(*attackers, low_luck=low_luck), builders.chain(defender, low_luck=low_luck)
            return LandTables(here, there, *leaves)
        fleet = builders.graph(attackers[0], hit_groups(defender), low_luck=low_luck)
        enemy = builders.graph(defender, hit_groups(*terms.enemies), low_luck=low_luck)
        return SeaTables(fleet, enemy, terms.enemies, *leaves)

    def fight(self, start: Pairs) -> tuple[Pairs, float]:
        """Fight to the end: return the results, and the expected number of rounds; TooMuchError for too many pairs."""
        return self._forward(start, NEGLIGIBLE, settle=True)

    def one_round(self, before: Pairs, least: float = NEGLIGIBLE) -> Pairs:
        """Return the pairs a round later; chances under `least` may be dropped."""
        return self._forward(before, least, settle=False)[0]

    def first_round(self, before: Pairs, ships: tuple[Weapon, ...]) -> Pairs:
        """Return the pairs a round later, if ships fire with the attacker's army as it came."""
        if ships:
            raise ValueError("no ships bombard a fleet")
        return self.one_round(before)

    def _forward(self, before: Pairs, least: float, *, settle: bool) -> tuple[Pairs, float]:
        """Fight a round or, with `settle`, to the end."""
        raise NotImplementedError("choices have no chances")

    def course(self, start: Pairs, limit: int, rest: float) -> tuple[Pairs, Floats]:
        """Fight at most `limit` rounds, while the chance that the battle goes on is above `rest`.

        With a `rest` to speak of, for a picture, small chances may be dropped. Returns the pairs after them, and a row
        for each round from 0: the chance that the battle goes on, the attacker's and the defender's mean number of
        units.
        """
        least = _NEGLIGIBLE_COURSE if rest > _NEGLIGIBLE_COURSE else NEGLIGIBLE
        pairs, course = start, [self._course_row(start)]
        while len(course) <= limit and course[-1][0] > rest:
            pairs = self.one_round(pairs, least)
            course.append(self._course_row(pairs))
        return pairs, np.array(course)

    def _course_row(self, pairs: Pairs) -> Floats:
        return course_row(self.attacker.totals, self.defender.totals, *pairs)

    def backward(self, over: Codes, floor: Floats, ends: Floats, after: Floats | None) -> tuple[Floats, Floats]:
        """Return the value of each pair of armies before a round, and the value of fighting that round.

        `over`: pairs with which the battle is over, and `ends` their values. `floor`: values of leaving. `after`:
        values after the round; None for a battle without a limit.
        """
        found = self.backward_pass(over, floor, ends, after)
        self.fill_in(found, (0, len(self.weights)), settle=after is None)
        return found.value, found.goes_on

    def backward_pass(self, over: Codes, floor: Floats, ends: Floats, after: Floats | None = None) -> land.Backward:
        """Return a pass that is only begun: see `backward`."""
        table = np.where(over == layout.GOES_ON, 0.0, ends)
        return land.Backward(over, floor, table if after is None else after, table, table.copy(), self.scratch())

    @property
    def weights(self) -> Ints:
        """The lines that a backward pass may be cut into, filled in from the last to the first: how long each takes."""
        return np.ones(1, np.int64)

    def scratch(self) -> Floats:
        """Return room for what a pass knows besides its values."""
        return np.zeros(0)

    @abstractmethod
    def fill_in(self, found: land.Backward, span: tuple[int, int], *, settle: bool) -> None:
        """Fill in a span of the lines of a pass."""

    def forward_seconds(self, rounds: int) -> float:
        """Return an estimate for a forward pass; `rounds`: its limit, 0 for none."""
        return self.over.size * (self.cell_seconds + rounds * self.round_seconds)

    @property
    def backward_seconds(self) -> float:
        """An estimate for a backward pass."""
        return self.over.size * self.shooters * self.step_seconds


class LandTables(BattleTables):
    """A battle in which any hit may take any unit."""

    attacker: Chain
    defender: Chain
    cell_seconds = 0.4e-6
    round_seconds = 4e-9
    step_seconds = 0.7e-9

    def __init__(self, here: Chain, there: Chain, withdrawal: Withdrawal = NEVER, ipc_before: int = 0) -> None:
        widest = max(len(there.counts), here.order.shooters + 1)
        if max(len(here.counts) * widest, len(there.counts) * (there.order.shooters + 1)) > MAX_LAND_CELLS:
            raise TooMuchError("These armies are too large for exact odds.")
        super().__init__(here, there, withdrawal, ipc_before)
        self.out, self.columns = here.hits, there.columns

    @staticmethod
    def room(attacker: CasualtyOrder, defender: CasualtyOrder) -> int:
        """Return how many attackers of at most this size have room in the same tables, at least 1."""
        widest = max(defender.hits, attacker.shooters) + 1
        return max(1, MAX_CELLS // ((attacker.hits + 1) * widest))

    @override
    def first_round(self, before: Pairs, ships: tuple[Weapon, ...]) -> Pairs:
        if not ships:
            return self.one_round(before)
        if len(ships) > MAX_DICE:
            raise TooMuchError("These armies are too large for exact odds.")
        here = self.attacker
        dice = reinforced(here.dice, here.firsts, ships)
        return self._forward(before, settle=False, out=hit_distribution(*dice, here.low_luck))[0]

    @override
    def _forward(
        self, before: Pairs, least: float = NEGLIGIBLE, *, settle: bool, out: Hits | None = None
    ) -> tuple[Pairs, float]:
        """Fight; `out`: other hits of the attacker. Drops nothing above `NEGLIGIBLE`."""
        bounds = self.attacker.bounds
        found, rounds = land.forward(out or self.out, self.columns, self.over, bounds, *before[:3], settle)
        return Pairs(*found), rounds

    @override
    def fill_in(self, found: land.Backward, span: tuple[int, int], *, settle: bool) -> None:
        land.backward(self.out, self.defender.hits, found, self.attacker.bounds, settle)


class SeaTables(BattleTables):
    """A battle in which hits come in groups."""

    round_seconds = 20e-9
    step_seconds = 40e-9

    def __init__(
        self,
        here: Graph,
        there: Graph,
        enemies: Sequence[CasualtyOrder],
        withdrawal: Withdrawal,
        ipc_before: int,
    ) -> None:
        dice = 1 + max(order.shooters for order in (here.order, there.order, *enemies))
        armies = len(here.counts), len(there.counts)
        if max(armies) * dice > MAX_CELLS or math.prod(armies) > MAX_SEA_CELLS:
            raise TooMuchError("These armies are too large for exact odds.")
        super().__init__(here, there, withdrawal, ipc_before)
        seen = all(side.order.count(Unit.DESTROYER) for side in (here, there))
        self.cell_seconds = 0.15e-6 if seen else 0.03e-6 * self.shooters
        self.fleets = fleet_of(here, [there.order]), fleet_of(there, enemies)

    @override
    def _forward(self, before: Pairs, least: float, *, settle: bool) -> tuple[Pairs, float]:
        begins, middle = _untouched(self.over.shape), _untouched(self.over.shape)
        after = begins if settle else _untouched(self.over.shape)
        begins[before.rows, before.columns] = before.chances
        if not settle:
            ended = before.codes != layout.GOES_ON
            after[before.rows[ended], before.columns[ended]] = before.chances[ended]
        if not sea.forward(*self.fleets, self.over, begins, middle, after, least, settle):
            raise TooMuchError("These armies are too large for exact odds.")
        found, rounds = listed(after, self.over, settle)
        return Pairs(*found), rounds

    @property
    @override
    def weights(self) -> Ints:
        weights: Ints = self.attacker.counts.sum(axis=1) + 1
        return weights

    @override
    def scratch(self) -> Floats:
        return np.full(self.over.shape, np.nan)

    @override
    def fill_in(self, found: land.Backward, span: tuple[int, int], *, settle: bool) -> None:
        sea.backward(*self.fleets, found, span, settle)


def _untouched(shape: tuple[int, ...]) -> Floats:
    """Return a table of zeros, of which only what is written to takes memory.

    NumPy asks the system for large pages, and a single number would take two megabytes.
    """
    size = math.prod(shape)
    if size <= MAX_CELLS:
        return np.zeros(shape)
    return np.frombuffer(mmap.mmap(-1, 8 * size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS), np.float64).reshape(shape)
