"""Simulations in stages: a batch alone, then batches in parts, until the battles are enough."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from sim.core.parts import Unfinished
from sim.marked_for_death.odds import sampling
from sim.marked_for_death.odds.sampling import BatchCounts

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


def report_of(so_far: SoFar[C, R]) -> R:
    """Return the report of a simulation that is over."""
    if so_far.report is None:
        raise ValueError("the simulation goes on")
    return so_far.report


def cut(first: int, count: int) -> Iterator[tuple[int, int]]:
    """Yield the first battle and the number of battles of the parts of a batch."""
    parts = min(PARTS, count)
    for number in range(parts):
        start, end = count * number // parts, count * (number + 1) // parts
        yield first + start, end - start


def joined(so_far: SoFar[C, R] | None, parts: Sequence[C], next_count: Callable[[C], int]) -> tuple[C, int]:
    """Return the counts with those of a batch's parts, and the battles of the next batch.

    The parts after one that ended early don't count: to leave out the battles after long ones would bend the odds. The
    next batch then has smaller parts.
    """
    tally, *after = parts if so_far is None else (so_far.tally, *parts)
    early = False
    for part in after:
        early = early or part.first != tally.first + tally.battles
        if not early:
            tally += part
    wanted = next_count(tally)
    return tally, min(wanted, PARTS * min(part.battles for part in parts)) if early else wanted


def share(so_far: SoFar[C, R] | None, latest: Sequence[C | Unfinished[C]], max_work: int) -> tuple[float, int]:
    """Return roughly how much is done, from 0 to 1, with parts of the next batch; and the battles fought."""
    tallies = [part for part in latest if not isinstance(part, Unfinished)]
    tallies += [] if so_far is None else [so_far.tally]
    battles = sum(tally.battles for tally in tallies)
    if so_far is None:
        return 0.0, battles
    return min(1.0, max(battles / so_far.needed, sum(tally.work for tally in tallies) / max_work)), battles
