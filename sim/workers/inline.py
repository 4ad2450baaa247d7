"""A simulator without processes, for tests, with the same limits on cost and queue."""

import pickle
from typing import cast

from sim.workers import worker
from sim.workers.limits import Caller, Job, MemoryLimitError, PoolLimits, R, check_cost
from sim.workers.queue import Admission


class InlineSimulator:
    """Runs each job at once in the calling process.

    Cost limit and queue are those of the pool. Jobs and reports are pickled as for a worker, so what can't be pickled
    fails here as well. There is no limit on time or memory.
    """

    def __init__(self, limits: PoolLimits | None = None) -> None:
        self._limits = limits or PoolLimits()
        self.admission = Admission(self._limits)

    async def run(self, job: Job[R], caller: Caller | None = None) -> R:
        """Return the report of `job`; see Simulator.run for the errors."""
        check_cost(job, self._limits)
        async with self.admission.place(caller):
            try:
                return cast("R", worker.unpack(worker.answer(pickle.dumps(job))))
            except MemoryError as error:
                raise MemoryLimitError(self._limits.memory_bytes) from error

    async def close(self) -> None:
        """Do nothing: there is nothing to free."""
