"""The jobs of odds: how a battle of two rosters ends, and who matters most, in one go or in parts.

A simulation in parts fights a batch alone, then batches in parts, until the battles are enough. Importing this module
loads neither NumPy nor Numba; running a request does.
"""

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Generic, Self, TypeVar

from pydantic import Field
from typing_extensions import override

from sim.core.dice import Seed
from sim.core.numbers import Interval, chance_interval, mean_interval
from sim.core.staged_job import Continue, answer
from sim.core.values import Request
from sim.marked_for_death.battle import RoundCount
from sim.marked_for_death.odds import sampling
from sim.marked_for_death.odds.sampling import BatchCounts, Duel, Lineup, SensitivityTally, Tally, line_up
from sim.marked_for_death.reports import FighterOdds, OddsReport, SensitivityReport, Simulation, Weight
from sim.marked_for_death.roster import Camp, Fighter, Roster, all_fighters

MAX_EXACT_SECONDS = 2.0
"""The longest exact calculation to start."""

PARTS = 8
"""How many parts a batch is cut into once it is known how much work a battle is."""

PART_WORK = sampling.BATCH_WORK // 4
"""Work after which a part ends: twice its share of a batch, so that it hardly ever ends early."""

PART_SECONDS = 4 / 3 * (PART_WORK + sampling.MAX_BATTLE_WORK) / 1e9
"""The longest time of a part with its last battle, on a machine that takes a third longer than estimated."""

C = TypeVar("C", bound=BatchCounts)
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class SoFar(Generic[C, R]):
    """A simulation after some batches: its counts, the battles of the next one, and the report once it is over."""

    tally: C
    wanted: int
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
    first_battles: ClassVar[int]  # of the first batch
    fought: ClassVar[str]  # battles, as the progress tells of them

    battles: int | None

    @property
    def most_battles(self) -> int:
        """The most battles to fight, with each line-up."""
        return self.battles or sampling.MAX_BATTLES

    @abstractmethod
    def batch(self, first: int, count: int, max_work: int) -> C:
        """Fight `count` battles from number `first` on, or fewer if those take more work, but at least one."""

    @abstractmethod
    def report(self, tally: C) -> R:
        """Return what the battles fought say."""

    def next_count(self, tally: C | None) -> int:
        """Return how many battles the next batch should have; 0 if those of `tally` are enough."""
        if tally is None:
            return min(self.most_battles, self.first_battles)
        if tally.settled or tally.work >= self.most_work:
            return 0
        wanted = max(self._needed(tally) - tally.battles, tally.battles // 10, sampling.MIN_BATTLES)
        # A larger batch would end at its limit of work anyway.
        affordable = math.ceil(sampling.BATCH_WORK / (tally.work / tally.battles))
        return min(self.most_battles - tally.battles, wanted, affordable, sampling.MAX_BATCH)

    def _needed(self, tally: C) -> int:
        return min(self.most_battles, tally.needed)

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
        for batch, part in zip(self.parts(partial), after, strict=False):  # nothing comes after the first, alone
            early = early or batch.first != tally.battles
            if not early:
                tally += part
        wanted = self.next_count(tally)
        if early:
            wanted = min(wanted, PARTS * min(part.battles for part in reports))
        return SoFar(tally, wanted, None if wanted else self.report(tally))

    def progress(self, partial: SoFar[C, R] | None, latest: Sequence[C | Continue[C]]) -> tuple[float, str]:
        """Return roughly how much is done."""
        tallies = [part for part in latest if not isinstance(part, Continue)]
        tallies += [] if partial is None else [partial.tally]
        battles = sum(tally.battles for tally in tallies)
        work = sum(tally.work for tally in tallies) / self.most_work
        share = 0.0 if partial is None else min(1.0, max(battles / self._needed(partial.tally), work))
        return share, f"{battles:,} {self.fought}"


class OddsRequest(_Simulation[Tally, OddsReport]):
    """Estimate the odds of a battle of two rosters.

    `max_rounds`: the battle stops undecided after this many, None for no limit. `battles`: simulate at most this many,
    None until the odds are settled. `seed` decides them. Fighters without HP sit out.

    The odds of one fighter against one are exact (`duel`). All others are simulated until they are settled, in one go
    (`run`) or in `parts`, with the same result.
    """

    most_work = sampling.MAX_WORK
    first_battles = 2_000
    fought = "battles fought"

    heroes: Roster
    villains: Roster
    max_rounds: RoundCount | None = None
    battles: Annotated[int, Field(ge=1, le=sampling.MAX_BATTLES)] | None = None
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
            return None
        duel = Duel.of(self.lineup())
        return duel if duel.seconds() <= MAX_EXACT_SECONDS else None

    @override
    def cost(self) -> float:
        duel = self.duel()
        return duel.seconds() if duel is not None else sampling.seconds(self.lineup(), self.most_battles)

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
    def report(self, tally: Tally) -> OddsReport:
        n, sides = tally.battles, all_fighters(self.heroes, self.villains)
        names = ("p_heroes", "p_villains", "p_both_fall", "p_undecided")
        chances = dict(zip(names, tally.chances(), strict=False))  # leaves out everybody's survival
        return OddsReport(
            **chances,
            mean_rounds=tally.rounds / n,
            max_rounds=self.max_rounds,
            fighters=tuple(_fighter(camp, fighter, tally, at) for at, (camp, fighter) in enumerate(sides)),
            method="simulated",
            simulation=Simulation(
                battles=n,
                seed=self.seed,
                settled=tally.settled,
                cut_off=tally.cut_off / n,
                intervals={
                    **{name: chance_interval(p, n) for name, p in chances.items()},
                    "mean_rounds": _mean_interval(tally.rounds, tally.rounds_squared, n),
                },
            ),
        )


def _fighter(camp: Camp, fighter: Fighter, tally: Tally, at: int) -> FighterOdds:
    n = tally.battles
    survives, first = tally.survived[at] / n, tally.fell_first[at] / n
    return FighterOdds.of(
        camp,
        fighter,
        p_survives=survives,
        mean_hp=tally.hp_left[at] / n,
        p_falls_first=first,
        intervals={
            "p_survives": chance_interval(survives, n),
            "mean_hp": _mean_interval(tally.hp_left[at], tally.hp_squared[at], n),
            "p_falls_first": chance_interval(first, n),
        },
    )


def _mean_interval(total: int, squares: int, battles: int) -> Interval:
    """Return the interval of a mean from the sums of non-negative values and of their squares."""
    variance = (squares * battles - total * total) / (battles * max(1, battles - 1))
    low, high = mean_interval(total / battles, math.sqrt(variance), battles)
    return max(0.0, low), high


@lru_cache(maxsize=4)
def _as_json(request: OddsRequest) -> bytes:
    return request.model_dump_json().encode()


class SensitivityRequest(_Simulation[SensitivityTally, SensitivityReport]):
    """Estimate how each fighter's presence changes the odds of `odds`.

    `battles`: the most per line-up; `odds.battles` is ignored. Works in parts, too, as `OddsRequest` does. Leaves out
    at most `sampling.MAX_LEFT_OUT` fighters of both sides together: those that seem to weigh most.
    """

    most_work = sampling.MAX_WEIGHING
    first_battles = 500
    fought = "battles fought without each fighter"

    odds: OddsRequest
    battles: Annotated[int, Field(ge=1, le=sampling.MAX_BATTLES)] = 20_000

    def left_out(self) -> tuple[int, ...]:
        """Return the numbers of the fighters to leave out in turn, heroes first."""
        return sampling.left_out(self.odds.lineup().soldiers)

    @override
    def cost(self) -> float:
        lineups = 1 + len(self.left_out())
        return min(self.most_work / 1e9, lineups * sampling.seconds(self.odds.lineup(), self.battles))

    @override
    def batch(self, first: int, count: int, max_work: int) -> SensitivityTally:
        from sim.marked_for_death.odds.simulate import compare  # noqa: PLC0415  # loads the kernels

        return compare(self.odds.lineup(), self.left_out(), first, count, max_work)

    @override
    def report(self, tally: SensitivityTally) -> SensitivityReport:
        fighters = all_fighters(self.odds.heroes, self.odds.villains)
        left_out, weights = self.left_out(), []
        for at, lost, gained in zip(left_out, tally.lost, tally.gained, strict=True):
            camp, fighter = fighters[at]
            won = tally.heroes if camp is Camp.HEROES else tally.villains
            weights.append(
                Weight(
                    camp=camp,
                    name=fighter.name,
                    p_with=won / tally.battles,
                    p_without=(won - lost + gained) / tally.battles,
                    gain=(lost - gained) / tally.battles,
                    interval=sampling.paired_interval(lost, gained, tally.battles),
                )
            )
        return SensitivityReport(
            weights=tuple(sorted(weights, key=lambda weight: -abs(weight.gain))),
            skipped=sum(fighter.hp > 0 for _, fighter in fighters) - len(left_out),
            battles=tally.battles,
            seed=self.odds.seed,
            cut_off=tally.cut_off,
        )


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
