"""A simulator without processes, for tests, with the same limits on cost and queue."""

from sim.workers import worker
from sim.workers.limits import RUNNING, Caller, MemoryLimitError, PoolLimits
from sim.workers.queue import Queue
from sim.workers.side_by_side import RunsParts, Ways


class InlineSimulator(RunsParts):
    """Runs each job at once in the calling process.

    Cost limit and queue are those of the pool. Jobs and reports are pickled as for a worker, so what can't be pickled
    fails here as well. There is no limit on time or memory.
    """

    def __init__(self, limits: PoolLimits | None = None) -> None:
        self._limits = limits or PoolLimits()
        self.queue = Queue(self._limits)
        self._ways = Ways(self.queue, self._limits, self._work, wait_for_better=self._never, lanes=lambda: 1)

    async def _work(self, payload: bytes, _place: int) -> bytes:
        try:
            return worker.answer(payload)
        except MemoryError as error:
            raise MemoryLimitError(self._limits.memory_bytes) from error

    async def _never(self) -> None:
        raise AssertionError("the calling process can do all that it ever can")

    async def is_ready(self) -> bool:
        """Return True: the calling process is there."""
        return True

    def delay_reason(self, caller: Caller | None) -> str:
        """Return why the caller's job isn't done yet."""
        return str(self.queue.wait_of(caller) or RUNNING)

    async def close(self) -> None:
        """Do nothing: there is nothing to free."""
