"""A question for the odds of a duel, and the jobs that answer it, whole or in batches."""

from collections import Counter
from collections.abc import Sequence
from functools import cached_property, reduce
from itertools import pairwise, product
from operator import add
from typing import Annotated, Self

from pydantic import Field, model_validator
from typing_extensions import override

from sim.core.dice import Seed
from sim.core.errors import RuleError
from sim.core.request import Request
from sim.duel.battle.values import Group
from sim.duel.critter import Critter, can_harm
from sim.duel.odds.report import DuelOdds
from sim.duel.odds.tally import Tally

MOST_BATTLES = 10_000
FEWEST_BATTLES = 200

_SECONDS = 3.0  # for a simulation whose number of battles nobody asked for
_BATCHES = 10
_TURN = 25e-9  # seconds for a turn in the kernel, measured; the estimate of rounds is the upper figure
_CHECK = 5e-9  # seconds for a pair of fighters, once a battle at least
_ROUND = 20e-6  # seconds for a round of the exact way, likewise
_CELL = 0.5e-9  # seconds for a pair of numbers there


class DuelOddsRequest(Request):
    """A question for the odds of a duel: exact for one against one, simulated for groups.

    `battles` to simulate: left out, as many as take some seconds, at most 10,000. RuleError where nobody can ever hit
    anybody, so that the fight would never end, and for more battles than can be simulated.
    """

    group1: Group
    group2: Group
    battles: Annotated[int, Field(strict=True, ge=FEWEST_BATTLES, le=100_000)] | None = None
    seed: Seed = 0

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        if not (can_harm(self.group1, self.group2) or can_harm(self.group2, self.group1)):
            raise RuleError("This fight would never end: nobody can hit anybody, not even with a 20.")
        return self

    @property
    def is_exact(self) -> bool:
        """Whether one fights one."""
        return len(self.group1) == len(self.group2) == 1

    @property
    def fights(self) -> int:
        """How many battles are simulated."""
        if self.battles is not None:
            return self.battles
        return max(FEWEST_BATTLES, min(MOST_BATTLES, int(_SECONDS / self._seconds_a_battle)))

    @override
    def cost(self) -> float:
        if self.is_exact:
            first, second = self.group1[0], self.group2[0]
            cells = sum(
                victim.hp * min(victim.hp, striker.attacks * striker.damage.most)
                for striker, victim in ((first, second), (second, first))
            )
            return 0.01 + self._rounds * (_ROUND + _CELL * cells)
        return 0.01 + self.fights * self._seconds_a_battle

    def batches(self) -> "tuple[DuelOddsBatch, ...]":
        """Return the jobs whose tallies make the whole simulation, about the same work in each."""
        fights = self.fights
        cuts = [fights * number // _BATCHES for number in range(_BATCHES + 1)]
        return tuple(DuelOddsBatch(request=self, first=start, count=end - start) for start, end in pairwise(cuts))

    def run(self) -> DuelOdds:
        """Work the odds out: exactly where one fights one, else by simulation."""
        if self.is_exact:
            # Not at the top: who only asks the question must not load NumPy.
            from sim.duel.odds.exact import exact  # noqa: PLC0415

            return exact(self.group1[0], self.group2[0])
        return merged(self, [batch.run() for batch in self.batches()])

    @cached_property
    def _seconds_a_battle(self) -> float:
        fighters = len(self.group1) + len(self.group2)
        attacks = max(critter.attacks * (1 + critter.damage.count / 4) for critter in (*self.group1, *self.group2))
        # The order of a round is sorted by insertion, which is what larger groups cost.
        turns = self._rounds * fighters * (1 + attacks) * (1 + fighters / 100)
        return turns * _TURN + len(self.group1) * len(self.group2) * _CHECK

    @cached_property
    def _rounds(self) -> float:
        """Return about how many rounds the fight takes, rather too many than too few."""
        spans = [_span(self.group1, self.group2), _span(self.group2, self.group1)]
        return 10 + 2 * min(span for span in spans if span is not None)


class DuelOddsBatch(Request):
    """Battles number `first` to `first` + `count` - 1 of a question's simulation."""

    request: DuelOddsRequest
    first: Annotated[int, Field(ge=0)]
    count: Annotated[int, Field(ge=1)]

    @override
    def cost(self) -> float:
        return 0.01 + self.count * self.request._seconds_a_battle  # noqa: SLF001  # a part of the same question

    def run(self) -> Tally:
        """Fight them."""
        # Not at the top: who only asks the question must not load the kernel.
        from sim.duel.odds.simulate import simulate  # noqa: PLC0415

        request = self.request
        return simulate(request.group1, request.group2, self.count, request.seed, self.first)


class DuelChartRequest(Request):
    """A picture of odds: the chances of both sides, and what is left of each."""

    max_seconds = 1.0

    report: DuelOdds

    def run(self) -> bytes:
        """Draw it; returns a PNG."""
        # Not at the top: who only asks for it must not load matplotlib.
        from sim.duel.odds.chart import draw  # noqa: PLC0415

        return draw(self.report)


def merged(request: DuelOddsRequest, tallies: "Sequence[Tally]") -> DuelOdds:
    """Return what the tallies of some batches, one or more, tell together."""
    whole: Tally = reduce(add, tallies)
    return whole.odds(request.seed)


def _span(strikers: Sequence[Critter], targets: Sequence[Critter]) -> float | None:
    """Return about how many rounds `strikers` need for all `targets`; None when they could never hit."""
    # By armour class: of a hundred targets there are a few.
    armour = {target.armour_class: target for target in targets}
    counts = Counter(target.armour_class for target in targets)
    damage = sum(
        striker.hit_chance(armour[kind]) * count * striker.attacks * striker.damage.mean / len(targets)
        for striker, (kind, count) in product(strikers, counts.items())
    )
    return sum(target.hp for target in targets) / damage if damage else None
