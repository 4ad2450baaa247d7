"""The jobs of odds: how a battle of two rosters ends, and who matters most, in one go or in parts.

A simulation in parts fights a batch alone, then batches in parts, until the battles are enough. Importing this module
loads neither NumPy nor Numba; running a request does.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Generic, Self, TypeVar

from pydantic import Field
from typing_extensions import override

from sim.core.dice import Seed
from sim.core.staged_job import Continue, answer
from sim.core.values import Request
from sim.marked_for_death.battle.values import RoundCount
from sim.marked_for_death.odds import sampling, sensitivity
from sim.marked_for_death.odds.lineup import Duel, Lineup, line_up
from sim.marked_for_death.odds.sampling import BatchCounts, Tally
from sim.marked_for_death.odds.sensitivity import SensitivityTally
from sim.marked_for_death.reports import OddsReport, SensitivityReport
from sim.marked_for_death.roster import Fighter, Roster

MAX_BATTLES = 1_000_000
"""The most battles that a request may ask for."""

PARTS = 8
"""How many parts a batch is cut into once it is known how much work a battle is."""

PART_WORK = sampling.BATCH_WORK // 4
"""Work after which a part ends: twice its share of a batch, so that it hardly ever ends early."""

_SLOWER = 4 / 3  # times as long as by the estimate, on a slower machine

PART_SECONDS = _SLOWER * (PART_WORK + sampling.MAX_BATTLE_WORK) / 1e9
"""The longest time of a part, including its last battle and a slower machine."""

C = TypeVar("C", bound=BatchCounts)
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class SoFar(Generic[C, R]):
    """A simulation after some batches: the next one's battles, how many it takes in all, the report once it is over."""

    tally: C
    wanted: int
    needed: int
    report: R | None


def report_of(partial: SoFar[C, R]) -> R:
    """Return the report of a simulation that is over."""
    if partial.report is None:
        raise ValueError("the simulation goes on")
    return partial.report


@dataclass(frozen=True, slots=True)
class Batch(Generic[C]):
    """Battles `first` to `first` + `count` - 1 of a simulation, or fewer if those take more than `PART_WORK`."""

    request: "_Simulation[C, Any]"
    first: int
    count: int

    def cost(self) -> float:
        """Return the longest time that they take."""
        return PART_SECONDS

    def run(self) -> C:
        """Fight the battles."""
        return self.request.batch(self.first, self.count, PART_WORK)


class _Simulation(Request, Generic[C, R]):
    """A question that simulated battles answer: `run` asks all of it, `parts`, `join` and `progress` bit by bit."""

    most_work: ClassVar[int]
    fought: ClassVar[str]  # battles, as the progress tells of them

    @abstractmethod
    def batch(self, first: int, count: int, max_work: int) -> C:
        """Fight `count` battles from number `first` on, or fewer if those take more work, but at least one."""

    @abstractmethod
    def next_count(self, tally: C | None) -> int:
        """Return how many battles the next batch should have; 0 if those of `tally` are enough."""

    @abstractmethod
    def needed(self, tally: C) -> int:
        """Return about how many battles it takes in all."""

    @abstractmethod
    def report(self, tally: C) -> R:
        """Return what the battles fought say."""

    def run(self) -> R:
        """Fight all battles needed, and return what they say."""
        return report_of(answer(self))

    def parts(self, partial: SoFar[C, R] | None) -> tuple[Batch[C], ...]:
        """Return the parts of the next batch; the first one shows, alone, how much work a battle is."""
        if partial is None:
            return (Batch(self, 0, self.next_count(None)),)
        parts = min(PARTS, partial.wanted)
        cuts = [partial.wanted * number // parts for number in range(parts + 1)] if parts else []
        return tuple(Batch(self, partial.tally.battles + start, end - start) for start, end in pairwise(cuts))

    def join(self, partial: SoFar[C, R] | None, reports: Sequence[C]) -> SoFar[C, R]:
        """Return the counts of all battles, and the report once these are enough.

        The parts after one that ended early don't count: to leave out the battles after long ones would bend the odds.
        The next batch then has smaller parts.
        """
        tally, *after = reports if partial is None else (partial.tally, *reports)
        early = False
        for part in after:
            early = early or part.first != tally.first + tally.battles
            if not early:
                tally += part
        wanted = self.next_count(tally)
        if early:
            wanted = min(wanted, PARTS * min(part.battles for part in reports))
        return SoFar(tally, wanted, self.needed(tally), None if wanted else self.report(tally))

    def progress(self, partial: SoFar[C, R] | None, latest: Sequence[C | Continue[C]]) -> tuple[float, str]:
        """Return roughly how much is done."""
        tallies = [part for part in latest if not isinstance(part, Continue)]
        tallies += [] if partial is None else [partial.tally]
        battles = sum(tally.battles for tally in tallies)
        work = sum(tally.work for tally in tallies) / self.most_work
        share = 0.0 if partial is None else min(1.0, max(battles / partial.needed, work))
        return share, f"{battles:,} {self.fought}"


class OddsRequest(_Simulation[Tally, OddsReport]):
    """Estimate the odds of a battle of two rosters.

    `max_rounds`: the battle stops undecided after this many, None for no limit. `battles`: simulate at most this many,
    None until the odds are settled. `seed` decides them. Fighters without HP sit out.

    The odds of one fighter against one are exact (`duel`). All others are simulated until `sampling.settled`, in one go
    (`run`) or in `parts`, with the same result.
    """

    most_work = sampling.MAX_WORK
    fought = "battles fought"

    heroes: Roster
    villains: Roster
    max_rounds: RoundCount | None = None
    battles: Annotated[int, Field(ge=1, le=MAX_BATTLES)] | None = None
    seed: Seed = 0

    def __reduce__(self) -> tuple[Callable[[bytes], Self], tuple[bytes]]:
        """Pickle as JSON, encoded once: every batch of a simulation carries both rosters."""
        return type(self).model_validate_json, (_as_json(self),)

    def lineup(self) -> Lineup:
        """Return the battle in whole numbers."""
        return Lineup(line_up(self.heroes, self.villains), len(self.heroes.fighters), self.max_rounds, self.seed)

    def duel(self) -> Duel | None:
        """Return the battle as a duel whose odds are exact; None if they have to be simulated."""
        survivors = [sum(fighter.hp > 0 for fighter in side.fighters) for side in (self.heroes, self.villains)]
        if all(survivors) and sum(survivors) > len(survivors):
            return None  # the usual battle: skip the costly line-up
        duel = Duel.of(self.lineup())
        return duel if duel is not None and duel.seconds() <= sampling.MAX_EXACT_SECONDS else None

    @override
    def cost(self) -> float:
        duel = self.duel()
        return duel.seconds() if duel is not None else sampling.seconds(self.lineup(), self.battles)

    @override
    def run(self) -> OddsReport:
        """Return the odds, exact or simulated; a simulation does at most `sampling.MAX_WORK`."""
        duel = self.duel()
        if duel is None:
            return super().run()
        from sim.marked_for_death.odds.exact import solve  # noqa: PLC0415  # loads NumPy

        return solve(self.heroes, self.villains, duel)

    @override
    def batch(self, first: int, count: int, max_work: int = sampling.BATCH_WORK) -> Tally:
        from sim.marked_for_death.odds.simulate import simulate  # noqa: PLC0415  # loads the kernels

        return simulate(self.lineup(), first, count, max_work)

    @override
    def next_count(self, tally: Tally | None) -> int:
        return sampling.next_count(tally, self.battles)

    @override
    def needed(self, tally: Tally) -> int:
        return sampling.needed(tally, self.battles)

    @override
    def report(self, tally: Tally) -> OddsReport:
        return sampling.odds_report(self.heroes, self.villains, tally, self.seed, self.max_rounds)


@lru_cache(maxsize=4)
def _as_json(request: OddsRequest) -> bytes:
    return request.model_dump_json().encode()


class SensitivityRequest(_Simulation[SensitivityTally, SensitivityReport]):
    """Estimate how each fighter's presence changes the odds of `odds`.

    `battles`: the most per line-up; `odds.battles` is ignored. Works in parts, too, as `OddsRequest` does. Leaves out
    at most `sensitivity.MAX_LEFT_OUT` fighters of both sides together: those that seem to weigh most.
    """

    most_work = sensitivity.MAX_WORK
    fought = "battles fought without each fighter"

    odds: OddsRequest
    battles: Annotated[int, Field(ge=1, le=MAX_BATTLES)] = sensitivity.DEFAULT_BATTLES

    def left_out(self) -> tuple[int, ...]:
        """Return the numbers of the fighters to leave out in turn, heroes first."""
        return sensitivity.left_out(self.odds.lineup().soldiers)

    @override
    def cost(self) -> float:
        lineups = 1 + len(self.left_out())
        return min(sensitivity.MAX_WORK / 1e9, lineups * sampling.seconds(self.odds.lineup(), self.battles))

    @override
    def batch(self, first: int, count: int, max_work: int) -> SensitivityTally:
        from sim.marked_for_death.odds.simulate import compare  # noqa: PLC0415  # loads the kernels

        return compare(self.odds.lineup(), self.left_out(), first, count, max_work)

    @override
    def next_count(self, tally: SensitivityTally | None) -> int:
        return sensitivity.next_count(tally, self.battles)

    @override
    def needed(self, tally: SensitivityTally) -> int:
        return self.battles

    @override
    def report(self, tally: SensitivityTally) -> SensitivityReport:
        odds = self.odds
        return sensitivity.sensitivity_report(odds.heroes, odds.villains, self.left_out(), tally, odds.seed)


def warm_up() -> None:
    """Load every kernel from its cache on disk, or compile it; call this once in a worker.

    Takes ten seconds without the cache, a fraction of a second with it.
    """
    small = Roster(fighters=(Fighter(name="One", xp=1000),))
    OddsRequest(heroes=small, villains=small).run()
    large = Roster(fighters=(Fighter(name="One", xp=1000), Fighter(name="Two", xp=100_000, bonus_hp=100)))
    odds = OddsRequest(heroes=large, villains=large, battles=1)
    odds.run()
    SensitivityRequest(odds=odds, battles=1).run()
