"""Worker processes. Here: runs jobs from asynchronous code, and the parts of a question side by side, each in turn."""

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, cast

from typing_extensions import override

from sim.core.staged_job import Continue, Job, Part
from sim.workers import worker
from sim.workers.queue import THERE, Caller, MemoryLimitError, PoolLimits, Queue, R, checked_cost
from sim.workers.worker import Packages, dumps

FAR_SECONDS = 0.2
"""Jobs that cost more go to the cluster, and so do all parts; others would spend more time on their way."""


def ignore(_latest: object) -> None:
    """Do nothing with what has come."""


class Simulator(ABC):
    """Runs jobs from asynchronous code, each in its turn.

    `packages`: whose types may be in jobs and reports, where these come from other machines; None for any.
    """

    def __init__(self, limits: PoolLimits | None = None, packages: Packages | None = None) -> None:
        self.limits = limits or PoolLimits()
        self.packages = packages
        self.queue = Queue(self.limits)

    async def run(self, job: Job[R], caller: Caller | None = None, sizes: list[int] | None = None) -> R:
        """Return the report of `job`, run in its caller's turn; without a caller it goes before what players ask.

        Raises the RuleErrors of `limits` and those of the job; any other exception of the job comes back as itself.
        Cancelling the awaiting task ends the job. `sizes` gets how many bytes job and report have, pickled.
        """
        (report,) = await self.map((job,), caller, sizes=sizes)
        return report

    async def map(
        self,
        parts: Sequence[Part[R]],
        caller: Caller | None = None,
        came: Callable[[Sequence[R | Continue[R]]], None] = ignore,
        sizes: list[int] | None = None,
    ) -> list[R]:
        """Return the reports of parts that don't depend on each other, in their order, run side by side.

        One of them at a time runs in the caller's turn, as a job; the others where nobody else waits for a worker.
        `came` gets what the parts have reported up to now whenever a job ends. Otherwise as `run`: what one part raises
        ends all of them, and so does cancelling.
        """
        return await _SideBySide(self, caller, came, sizes).run(parts)

    def delay_reason(self, caller: Caller | None) -> str:
        """Return why the caller's job isn't done yet, in a sentence for the player."""
        return str(self.queue.wait_of(caller) or "This calculation takes a few seconds.")

    @abstractmethod
    async def is_ready(self) -> bool:
        """Return whether a job would begin at once if nobody were before it."""

    @abstractmethod
    async def close(self) -> None:
        """End every job that is still running and free what the simulator holds; it can't be used again."""

    @property
    def lanes(self) -> int:
        """The most parts of a question at once, now."""
        return max(self.queue.workers)

    @abstractmethod
    async def work(self, payload: bytes, place: int) -> bytes | None:
        """Return what a worker at a place answers to a pickled job.

        None if the job has to wait for better workers and then begin again.
        """

    async def wait_for_better(self) -> None:
        """Wait until workers here can do what `work` couldn't."""
        raise AssertionError("there are no better workers")


class InlineSimulator(Simulator):
    """Runs each job at once in the calling process, for tests.

    Cost limit and queue are those of the pool. Jobs and reports are pickled as for a worker, so what can't be pickled
    fails here as well. There is no limit on time or memory.
    """

    lanes = 1

    @override
    async def work(self, payload: bytes, place: int) -> bytes | None:
        try:
            return worker.answer(payload)
        except MemoryError as error:
            raise MemoryLimitError(self.limits.memory_bytes) from error

    @override
    async def is_ready(self) -> bool:
        return True

    @override
    async def close(self) -> None:
        """Do nothing: there is nothing to free."""


class _Todo(NamedTuple):
    at: int
    job: Job[object]
    cost: float
    far: bool


@dataclass
class _SideBySide(Generic[R]):
    """Parts at work for one caller: at any time one of them with a place of the caller's, the others with spare ones.

    The first four fields are those of `Simulator.map`.
    """

    simulator: Simulator
    caller: Caller | None
    came: Callable[[Sequence[R | Continue[R]]], None]
    sizes: list[int] | None
    todo: deque[_Todo] = field(default_factory=deque)
    latest: dict[int, R | Continue[R]] = field(default_factory=dict)
    lanes: list[asyncio.Task[None]] = field(default_factory=list)
    missing: int = 0
    is_divided: bool = False
    own_taken: bool = False

    async def run(self, parts: Sequence[Part[R]]) -> list[R]:
        self.is_divided = len(parts) > 1
        self.todo.extend(self._priced(at, part) for at, part in enumerate(parts))
        self.missing = len(parts)
        lanes = min(len(parts), self.simulator.lanes)
        if lanes <= 1:
            await self._lane()
        else:
            await self._in_lanes(lanes)
        return [cast("R", self.latest[at]) for at in range(len(parts))]

    async def _in_lanes(self, count: int) -> None:
        self.lanes = [asyncio.create_task(self._lane()) for _ in range(count)]
        try:
            done, _ = await asyncio.wait(self.lanes, return_when=asyncio.FIRST_EXCEPTION)
            for lane in done:
                if not lane.cancelled():
                    lane.result()
        finally:
            self._stop_lanes()
            await asyncio.gather(*self.lanes, return_exceptions=True)

    def _stop_lanes(self) -> None:
        for lane in self.lanes:
            if lane is not asyncio.current_task():
                lane.cancel()

    async def _lane(self) -> None:
        """Take parts until none is left. A part whose job left a rest goes on before a new one begins."""
        while self.todo:
            async with self._place() as place:
                part = next((part for part in self.todo if part.far or place != THERE), None)
                if part is None:  # others have taken all of them meanwhile
                    continue
                self.todo.remove(part)
                payload = dumps(part.job)
                answered = await self.simulator.work(payload, place)
            if answered is None:
                self.todo.appendleft(part._replace(far=False))
                await self.simulator.wait_for_better()
                continue
            if self.sizes is not None:
                self.sizes.append(len(payload) + len(answered))
            report = cast("R | Continue[R]", worker.unpack(answered, self.simulator.packages))
            self.latest[part.at] = report
            if isinstance(report, Continue):
                self.todo.appendleft(self._priced(part.at, report.rest))
            else:
                self.missing -= 1
            self.came(tuple(self.latest.values()))
        if not self.missing:
            self._stop_lanes()  # they wait for spare places that are of no use any more

    @asynccontextmanager
    async def _place(self) -> AsyncIterator[int]:
        """Hold a place for a part, in the caller's turn unless another part has that."""
        spare, self.own_taken = self.own_taken, True
        try:
            cost, far = max(part.cost for part in self.todo), all(part.far for part in self.todo)
            async with self.simulator.queue.place(self.caller, cost, spare=spare, far=far) as place:
                yield place
        finally:
            if not spare:
                self.own_taken = False

    def _priced(self, at: int, job: Job[object]) -> _Todo:
        cost = checked_cost(job, self.simulator.limits)
        return _Todo(at, job, cost, far=self.is_divided or cost > FAR_SECONDS)
