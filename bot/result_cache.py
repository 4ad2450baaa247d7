"""Simulator wrapper that caches results and records metrics."""

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, TypeVar

from bot.health import Metrics
from sim.core.errors import RuleError
from sim.workers import Caller, Job, Simulator

R = TypeVar("R")

RESULTS_KEPT = 64
"""Number of results kept; the largest ones, battles of a thousand rounds, take about 4 MB each."""


class CachingSimulator:
    """A simulator that answers equal jobs from memory, so that turning a page computes nothing again.

    Jobs are frozen, and what they return depends on them alone.
    """

    def __init__(self, simulator: Simulator, metrics: Metrics, size: int = RESULTS_KEPT) -> None:
        self._simulator = simulator
        self._metrics = metrics
        self._size = size
        self._results: OrderedDict[Hashable, Any] = OrderedDict()

    async def run(self, job: Job[R], caller: Caller | None = None) -> R:
        """Return the job's result from the cache, or run the job; errors are not cached."""
        return await self.through((type(job), job), lambda: self._run_and_count(job, caller))

    async def through(self, key: Hashable, work: Callable[[], Awaitable[R]]) -> R:
        """Return the cached result of `key`, or do the work, such as a calculation in parts, and cache its result."""
        if key not in self._results:
            self._results[key] = await work()
        self._results.move_to_end(key)
        while len(self._results) > self._size:
            self._results.popitem(last=False)
        found: R = self._results[key]
        return found

    async def once(self, job: Job[R], caller: Caller | None = None) -> R:
        """Run a job that nobody asks for again, such as a battle's step; its result isn't cached."""
        return await self._run_and_count(job, caller)

    async def close(self) -> None:
        """Forget all results; the wrapped simulator stays open."""
        self._results.clear()

    async def _run_and_count(self, job: Job[R], caller: Caller | None) -> R:
        began = time.perf_counter()
        try:
            result = await self._simulator.run(job, caller)
        except RuleError as error:
            self._metrics.job_refused(type(error).__name__.removesuffix("Error").lower())
            raise
        self._metrics.job(time.perf_counter() - began)
        return result
