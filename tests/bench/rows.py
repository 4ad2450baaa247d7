"""Rows of the tables that `python -m tests.bench` prints: a piece of work, and what it may take."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

SECONDS = 0.4
"""Time to spend on repeats of one row."""

LEAST_REPEATS = 3


@dataclass(frozen=True)
class Row:
    """A piece of work; `limit`: the milliseconds that it may take, None for nothing in particular; `note` follows."""

    name: str
    work: Callable[[], object]
    limit: float | None = None
    note: str = ""

    def measure(self) -> tuple[float, float]:
        """Return the least and the median milliseconds of processor time, after one repeat for warmth."""
        self.work()
        spent: list[float] = []
        end = time.perf_counter() + SECONDS
        while len(spent) < LEAST_REPEATS or time.perf_counter() < end:
            start = time.process_time()
            self.work()
            spent.append((time.process_time() - start) * 1e3)
        return min(spent), median(spent)
