"""A simulator without processes, for tests, with the same limits on cost and queue."""

import pickle
from typing import cast

from sim.workers import worker
from sim.workers.limits import RUNNING, Caller, Job, MemoryLimitError, PoolLimits, R, checked_cost
from sim.workers.queue import Queue


class InlineSimulator:
    """Runs each job at once in the calling process.

    Cost limit and queue are those of the pool. Jobs and reports are pickled as for a worker, so what can't be pickled
    fails here as well. There is no limit on time or memory.
    """

    def __init__(self, limits: PoolLimits | None = None) -> None:
        self._limits = limits or PoolLimits()
        self.queue = Queue(self._limits)

    async def run(self, job: Job[R], caller: Caller | None = None, sizes: list[int] | None = None) -> R:
        """Return the report of `job`; see Simulator.run for the errors and `sizes`."""
        async with self.queue.place(caller, checked_cost(job, self._limits)):
            try:
                payload = pickle.dumps(job)
                answered = worker.answer(payload)
                report = cast("R", worker.unpack(answered))
            except MemoryError as error:
                raise MemoryLimitError(self._limits.memory_bytes) from error
        if sizes is not None:
            sizes.append(len(payload) + len(answered))
        return report

    async def is_ready(self) -> bool:
        """Return True: the calling process is there."""
        return True

    def delay_reason(self, caller: Caller | None) -> str:
        """Return why the caller's job isn't done yet."""
        return str(self.queue.wait_of(caller) or RUNNING)

    async def close(self) -> None:
        """Do nothing: there is nothing to free."""
