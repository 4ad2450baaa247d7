"""Rows of the tables that `python -m tests.bench` prints: a piece of work, and what it may take."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import median

SECONDS = 0.4
"""Time to spend on repeats of one row."""

LEAST_REPEATS = 3
LEAST_MILLISECONDS = 2.0
MOST_TIMES = 1024


@dataclass(frozen=True)
class Row:
    """A piece of work; `limit`: the milliseconds that it may take, None for nothing in particular; `note` follows.

    `peers`: the milliseconds that other programs take. `clock` tells the seconds of processor time.
    """

    name: str
    work: Callable[[], object]
    limit: float | None = None
    note: str = ""
    peers: Mapping[str, float] = field(default_factory=dict)
    clock: Callable[[], float] = time.process_time

    def measure(self) -> tuple[float, float]:
        """Return the least and the median milliseconds of processor time, after one repeat for warmth.

        What takes less than the clock can tell is repeated within a measurement.
        """
        self.work()
        times = 1
        while (spent := self._milliseconds(times)) < LEAST_MILLISECONDS and times < MOST_TIMES:
            times *= 4
        found = [spent / times]
        end = time.perf_counter() + SECONDS
        while len(found) < LEAST_REPEATS or time.perf_counter() < end:
            found.append(self._milliseconds(times) / times)
        return min(found), median(found)

    def _milliseconds(self, times: int) -> float:
        start = self.clock()
        for _ in range(times):
            self.work()
        return (self.clock() - start) * 1e3
