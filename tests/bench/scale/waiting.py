"""How long jobs wait in the real queue, in simulated time: many servers, a few workers, jobs as they were measured."""

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from selectors import SelectorKey, SelectSelector

from sim.workers.limits import BusyError, Caller, PoolLimits
from sim.workers.queue import Queue

JOBS = 4000
SEED = 17
GOOD_WAIT, PART = 1.0, 0.99
"""At peak, 99 in 100 jobs should wait for no longer than so many seconds."""


class _Jump(SelectSelector):
    """Jumps to the next event instead of waiting for it."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
        self.now += max(0.0, timeout or 0.0)
        return []


class SimulatedTime(asyncio.SelectorEventLoop):
    """An event loop for tasks that only wait for each other and for the time, which it simulates."""

    def __init__(self) -> None:
        self._jump = _Jump()
        super().__init__(self._jump)

    def time(self) -> float:
        """Return the simulated seconds."""
        return self._jump.now


@dataclass(frozen=True)
class Waits:
    """Seconds that jobs waited, in order, and how many were refused."""

    seconds: Sequence[float]
    refused: int

    def at(self, part: float) -> float:
        """Return what so large a part of the jobs waited at most; infinite where it was refused."""
        place = math.ceil(part * (len(self.seconds) + self.refused)) - 1
        return self.seconds[place] if place < len(self.seconds) else math.inf


def simulate(rate: float, seconds: Sequence[float], workers: int, jobs: int = JOBS) -> Waits:
    """Return how long jobs wait that come at random, `rate` a second, each of one of these `seconds`.

    Everybody asks once, in a server of their own; a job's cost is what it takes.
    """
    with asyncio.Runner(loop_factory=SimulatedTime) as runner:
        return runner.run(_arrivals(rate, seconds, workers, jobs))


async def _arrivals(rate: float, seconds: Sequence[float], workers: int, jobs: int) -> Waits:
    random = Random(SEED)
    queue = Queue(PoolLimits(workers=workers))
    waits: list[float] = []
    queue.on_turn = waits.append

    async def job(number: int, takes: float) -> None:
        async with queue.place(Caller(number, number), takes):
            await asyncio.sleep(takes)

    running = []
    for number in range(jobs):
        running.append(asyncio.create_task(job(number, random.choice(seconds))))
        await asyncio.sleep(random.expovariate(rate))
    ended = await asyncio.gather(*running, return_exceptions=True)
    return Waits(sorted(waits), sum(isinstance(end, BusyError) for end in ended))


def fewest_workers(rate: float, seconds: Sequence[float], least: int) -> int:
    """Return how few workers, at the least so many, let 99 in 100 jobs wait for no longer than GOOD_WAIT."""
    workers = max(least, math.ceil(rate * sum(seconds) / len(seconds)))
    while simulate(rate, seconds, workers).at(PART) > GOOD_WAIT:
        workers += 1
    return workers
