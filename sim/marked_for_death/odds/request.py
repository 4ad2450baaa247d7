"""A question for the odds of a battle, and the jobs that answer it."""

from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Self

from pydantic import Field
from typing_extensions import override

from sim.core.dice import Seed
from sim.core.request import Request
from sim.marked_for_death.battle.values import RoundCount
from sim.marked_for_death.odds import plan
from sim.marked_for_death.odds.duel import Duel
from sim.marked_for_death.odds.lineup import Terms, line_up
from sim.marked_for_death.odds.reports import OddsReport, summary
from sim.marked_for_death.odds.tally import Tally
from sim.marked_for_death.roster import Roster

MAX_BATTLES = 1_000_000
"""The most battles that may be asked for."""


class OddsRequest(Request):
    """A question for the odds of a battle of two rosters, and the job that answers it at one go.

    `max_rounds`: the battle stops undecided after so many, None for no limit. `battles`: the most that are simulated,
    None for as many as it takes. `seed` decides them. Whoever has no HP to begin with sits out.

    Where one fighter meets one, the odds are exact. Everything else is simulated until `plan.settled`, and may be asked
    for in parts, with the same answer:

        tally = None
        while (batch := next_batch(request, tally)) is not None:
            part = batch.run()
            tally = part if tally is None else tally + part
        answer = report(request, tally)

    `next_batch` gives None at once where the odds are exact: then `run` answers.
    """

    heroes: Roster
    villains: Roster
    max_rounds: RoundCount | None = None
    battles: Annotated[int, Field(ge=1, le=MAX_BATTLES)] | None = None
    seed: Seed = 0

    def __reduce__(self) -> tuple[Callable[[bytes], Self], tuple[bytes]]:
        """Travel to a worker as JSON, made once: two large rosters go along with every part of a simulation."""
        return type(self).model_validate_json, (_as_json(self),)

    def terms(self) -> Terms:
        """Return the battle in whole numbers."""
        return Terms(line_up(self.heroes, self.villains), len(self.heroes.fighters), self.max_rounds, self.seed)

    def duel(self) -> Duel | None:
        """Return the battle as one of single fighters whose odds are exact; None where they have to be simulated."""
        survivors = [sum(fighter.hp > 0 for fighter in side.fighters) for side in (self.heroes, self.villains)]
        if all(survivors) and sum(survivors) > len(survivors):
            return None  # as most battles, without a look at every figure
        duel = Duel.of(self.terms())
        return duel if duel is not None and duel.seconds() <= plan.MOST_EXACT_SECONDS else None

    @override
    def cost(self) -> float:
        duel = self.duel()
        return duel.seconds() if duel is not None else plan.seconds(self.terms(), self.battles)

    def run(self) -> OddsReport:
        """Work the odds out, exactly or by simulation, for `plan.MOST_WORK` at most."""
        duel = self.duel()
        if duel is not None:
            # Not at the top: who only asks the question must not load the kernels.
            from sim.marked_for_death.odds.exact import solve  # noqa: PLC0415

            return solve(self.heroes, self.villains, duel)
        tally = None
        while (batch := next_batch(self, tally)) is not None:
            part = batch.run()
            tally = part if tally is None else tally + part
        return report(self, tally)

    def batch(self, first: int, count: int) -> Tally:
        """Fight the battles from number `first` on: `count`, or fewer where those take long, but one at least."""
        from sim.marked_for_death.odds.simulate import simulate  # noqa: PLC0415  # likewise

        return simulate(self.terms(), first, count)


@lru_cache(maxsize=4)
def _as_json(request: OddsRequest) -> bytes:
    return request.model_dump_json().encode()


class OddsBatch(Request):
    """A part of a simulation as a job: `count` battles from number `first` on, or fewer where those take long."""

    max_seconds = plan.BATCH_SECONDS

    request: OddsRequest
    first: Annotated[int, Field(ge=0, lt=MAX_BATTLES)]
    count: Annotated[int, Field(ge=1, le=plan.MOST_BATCH)]

    def run(self) -> Tally:
        """Fight the battles."""
        return self.request.batch(self.first, self.count)


class OddsChartRequest(Request):
    """A picture of odds: the chances of both sides, and how likely each fighter survives."""

    max_seconds = 1.0

    report: OddsReport

    def run(self) -> bytes:
        """Draw it; returns a PNG."""
        # Not at the top: who only asks for it must not load matplotlib.
        from sim.marked_for_death.odds.chart import draw  # noqa: PLC0415

        return draw(self.report)


def next_batch(request: OddsRequest, tally: Tally | None) -> OddsBatch | None:
    """Return what to simulate after the battles of `tally` (None before the first); None when it is enough."""
    if tally is None and request.duel() is not None:
        return None
    count = plan.battles_next(tally, request.battles)
    return OddsBatch(request=request, first=tally.battles if tally is not None else 0, count=count) if count else None


def progress(request: OddsRequest, tally: Tally) -> float:
    """Return about how much of the simulation is done, from 0 to 1."""
    return plan.progress(tally, request.battles)


def report(request: OddsRequest, tally: Tally | None) -> OddsReport:
    """Return what simulated battles say of the odds; ValueError without one."""
    if tally is None:
        raise ValueError("no battle was simulated")
    return summary(
        request.heroes,
        request.villains,
        tally,
        seed=request.seed,
        max_rounds=request.max_rounds,
        settled=plan.settled(tally),
    )
