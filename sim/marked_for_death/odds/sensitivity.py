"""Whose presence moves the odds most: the same simulated battles once with everybody and once without each one.

The same means: each fighter keeps its own words of chance in every round of every battle (see `kernel`), so that with
and without somebody most battles go alike, and what differs is that fighter's doing. Only the difference is estimated,
from pairs of battles, which takes far fewer of them than two separate odds would.
"""

import math
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field
from typing_extensions import override

from sim.core.intervals import Interval
from sim.core.request import Request
from sim.marked_for_death.odds import plan
from sim.marked_for_death.odds.lineup import Soldier
from sim.marked_for_death.odds.reports import SensitivityReport, Weight, everybody
from sim.marked_for_death.odds.request import MAX_BATTLES, OddsRequest
from sim.marked_for_death.odds.tally import SensitivityTally
from sim.marked_for_death.roster import Camp

MOST_LEFT_OUT = 40
"""The most fighters that are left out in turn; with more, those that seem to weigh most."""

MOST_BATTLES = 20_000
"""The most battles that are fought with each line-up."""

MOST_WORK = 10_000_000_000
"""Work after which no more battles are fought: nanoseconds, rather too many."""

CLOSE = 0.01
"""The battles are enough when every difference is known to this, either way."""

_FIRST_BATTLES = 500
_SURE = 1.96
_PSEUDO = 0.5  # battles added to each kind of pair, so that an interval of few differences isn't too short


class SensitivityRequest(Request):
    """A question for what each fighter's presence does to the odds of `odds`; `battles`: the most for each line-up.

    Its `odds.battles` don't matter here. May be asked for in parts as odds are: `next_sensitivity_batch` and
    `sensitivity_report`. Of many fighters, `MOST_LEFT_OUT` of both sides together are tried: those with the most dice,
    counted for every opponent that they attack, and with the dice of those whom they buff, guard or take along.
    """

    odds: OddsRequest
    battles: Annotated[int, Field(ge=1, le=MAX_BATTLES)] = MOST_BATTLES

    def left_out(self) -> tuple[int, ...]:
        """Return the numbers of those who are left out in turn, heroes first."""
        soldiers = self.odds.terms().soldiers
        weights = _weights(soldiers)
        here = [at for at, soldier in enumerate(soldiers) if soldier.hp > 0]
        return tuple(sorted(sorted(here, key=lambda at: -weights[at])[:MOST_LEFT_OUT]))

    @override
    def cost(self) -> float:
        lineups = 1 + len(self.left_out())
        return min(MOST_WORK / 1e9, lineups * plan.seconds(self.odds.terms(), self.battles))

    def run(self) -> SensitivityReport:
        """Fight all battles that it takes."""
        tally = None
        while (batch := next_sensitivity_batch(self, tally)) is not None:
            part = batch.run()
            tally = part if tally is None else tally + part
        return sensitivity_report(self, tally)


class SensitivityBatch(Request):
    """A part of it as a job: `count` battles from number `first` on, or fewer where those take long."""

    max_seconds = plan.BATCH_SECONDS

    request: SensitivityRequest
    first: Annotated[int, Field(ge=0, lt=MAX_BATTLES)]
    count: Annotated[int, Field(ge=1, le=plan.MOST_BATCH)]

    def run(self) -> SensitivityTally:
        """Fight the battles, with everybody and without each one."""
        # Not at the top: who only asks the question must not load the kernels.
        from sim.marked_for_death.odds.simulate import compare  # noqa: PLC0415

        return compare(self.request.odds.terms(), self.request.left_out(), self.first, self.count)


def next_sensitivity_batch(request: SensitivityRequest, tally: SensitivityTally | None) -> SensitivityBatch | None:
    """Return what to fight after the battles of `tally` (None before the first); None when it is enough."""
    if tally is None:
        return SensitivityBatch(request=request, first=0, count=min(request.battles, _FIRST_BATTLES))
    if tally.battles >= request.battles or tally.work >= MOST_WORK or _close(tally):
        return None
    affordable = math.ceil(plan.BATCH_WORK / (tally.work / tally.battles))
    count = min(request.battles - tally.battles, max(affordable, 1), plan.MOST_BATCH)
    return SensitivityBatch(request=request, first=tally.battles, count=count)


def sensitivity_progress(request: SensitivityRequest, tally: SensitivityTally) -> float:
    """Return about how much is done, from 0 to 1."""
    return min(1.0, max(tally.battles / request.battles, tally.work / MOST_WORK))


def sensitivity_report(request: SensitivityRequest, tally: SensitivityTally | None) -> SensitivityReport:
    """Return what the battles say; ValueError without one."""
    if tally is None:
        raise ValueError("no battle was simulated")
    fighters = everybody(request.odds.heroes, request.odds.villains)
    weights = []
    left_out = request.left_out()
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
                interval=paired_interval(lost, gained, tally.battles),
            )
        )
    return SensitivityReport(
        weights=tuple(sorted(weights, key=lambda weight: -abs(weight.gain))),
        skipped=sum(fighter.hp > 0 for _, fighter in fighters) - len(left_out),
        battles=tally.battles,
        seed=request.odds.seed,
        cut_off=tally.cut_off,
    )


def paired_interval(lost: int, gained: int, battles: int) -> Interval:
    """Return the 95 % interval of the difference of two chances seen in the same battles (Agresti and Min, 2005).

    `lost`: pairs in which only the first came true, `gained`: only the second, of `battles` pairs.
    """
    n = battles + 4 * _PSEUDO
    losses, gains = lost + _PSEUDO, gained + _PSEUDO
    gain = (losses - gains) / n
    half = _SURE * math.sqrt(losses + gains - (losses - gains) ** 2 / n) / n
    return max(-1.0, gain - half), min(1.0, gain + half)


def _close(tally: SensitivityTally) -> bool:
    if tally.battles < plan.LEAST_BATTLES:
        return False
    intervals = (paired_interval(*pair, tally.battles) for pair in zip(tally.lost, tally.gained, strict=True))
    return all((high - low) / 2 <= CLOSE for low, high in intervals)


def _weights(soldiers: Sequence[Soldier]) -> list[int]:
    """Return roughly what hangs on each one, in dice: its own, and those of whom it buffs, guards or takes along."""
    weights = [soldier.dice * soldier.aoe for soldier in soldiers]
    for at, soldier in enumerate(soldiers):
        touched = {boon.to for boon in soldier.boons} | {soldier.guarded} - {-1}
        weights[at] += sum(soldiers[friend].dice for friend in touched - {at})
        if soldier.linked_to >= 0:
            weights[soldier.linked_to] += soldier.dice
    return weights
