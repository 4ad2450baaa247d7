"""Finds who moves the odds most: the same simulated battles once with everybody and once without each fighter.

Each fighter has its own random words in every round of every battle (see `kernel`), so most battles go the same with
and without somebody, and the differences come from that fighter alone. Estimating only the difference, from pairs of
battles, takes far fewer of them than two separate odds would.
"""

import math
from collections.abc import Sequence

from sim.core.numbers import Interval
from sim.marked_for_death.odds import sampling
from sim.marked_for_death.odds.lineup import Soldier
from sim.marked_for_death.odds.sampling import BatchCounts
from sim.marked_for_death.reports import SensitivityReport, Weight
from sim.marked_for_death.roster import Camp, Roster, all_fighters

MAX_LEFT_OUT = 40
"""The most fighters of both sides together to leave out in turn."""

DEFAULT_BATTLES = 20_000
"""The most battles with each line-up, unless a request says otherwise."""

MAX_WORK = 10_000_000_000
"""Work after which no more battles are fought: nanoseconds, overestimated."""

PRECISION = 0.01
"""The battles are enough once the 95% interval of every difference reaches no further than this either way."""

_FIRST_BATTLES = 500
_Z = 1.96
_PSEUDO = 0.5  # battles added to each kind of pair, so that an interval of few differences isn't too short


class SensitivityTally(BatchCounts):
    """The counts of battles fought with everybody and without each fighter left out.

    `heroes`, `villains`: won with everybody. `lost`, `gained`: for each fighter left out, the battles that its side won
    only with it, and only without it. `cut_off`: battles given up, with any line-up; nobody has won them.
    """

    heroes: int
    villains: int
    lost: tuple[int, ...]
    gained: tuple[int, ...]
    cut_off: int


def left_out(soldiers: Sequence[Soldier]) -> tuple[int, ...]:
    """Return the numbers of the fighters to leave out in turn: those that seem to weigh most.

    A fighter weighs its dice for every opponent that it attacks, and the dice of those it buffs, guards or takes along.
    """
    weights = [soldier.dice * soldier.aoe for soldier in soldiers]
    for at, soldier in enumerate(soldiers):
        touched = {boon.to for boon in soldier.boons} | {soldier.guarded} - {-1}
        weights[at] += sum(soldiers[friend].dice for friend in touched - {at})
        if soldier.linked_to >= 0:
            weights[soldier.linked_to] += soldier.dice
    present = [at for at, soldier in enumerate(soldiers) if soldier.hp > 0]
    return tuple(sorted(sorted(present, key=lambda at: -weights[at])[:MAX_LEFT_OUT]))


def next_count(tally: SensitivityTally | None, max_battles: int) -> int:
    """Return how many battles the next batch should have; 0 if those of `tally` are enough."""
    if tally is None:
        return min(max_battles, _FIRST_BATTLES)
    if tally.battles >= max_battles or tally.work >= MAX_WORK or _precise(tally):
        return 0
    affordable = math.ceil(sampling.BATCH_WORK / (tally.work / tally.battles))
    return min(max_battles - tally.battles, max(affordable, 1), sampling.MAX_BATCH)


def sensitivity_report(
    heroes: Roster, villains: Roster, left_out: Sequence[int], tally: SensitivityTally, seed: int
) -> SensitivityReport:
    """Return what the presence of each fighter in `left_out` is worth."""
    fighters = all_fighters(heroes, villains)
    weights = []
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
        seed=seed,
        cut_off=tally.cut_off,
    )


def paired_interval(lost: int, gained: int, battles: int) -> Interval:
    """Return the 95% interval of the difference of two chances seen in the same battles (Agresti and Min, 2005).

    `lost`: pairs in which only the first came true, `gained`: only the second, of `battles` pairs.
    """
    n = battles + 4 * _PSEUDO
    losses, gains = lost + _PSEUDO, gained + _PSEUDO
    gain = (losses - gains) / n
    half = _Z * math.sqrt(losses + gains - (losses - gains) ** 2 / n) / n
    return max(-1.0, gain - half), min(1.0, gain + half)


def _precise(tally: SensitivityTally) -> bool:
    if tally.battles < sampling.MIN_BATTLES:
        return False
    intervals = (paired_interval(*pair, tally.battles) for pair in zip(tally.lost, tally.gained, strict=True))
    return all((high - low) / 2 <= PRECISION for low, high in intervals)
