"""Simulator wrapper: equal jobs are run once and their results kept, metrics count, and players read why they wait."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Sequence
from contextlib import asynccontextmanager, nullcontext
from contextvars import Context, ContextVar
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from typing import Any, Protocol, TypeVar

from bot.metrics import HOUSE, JobResult, Metrics
from sim.core import RuleError
from sim.core.staged_job import Continue, Job, JoinParts, P, Part, S, StagedJob
from sim.jobs import game_of
from sim.workers import Simulator, ignore
from sim.workers.queue import THERE, Caller

R = TypeVar("R")

BYTES_KEPT = 8 << 20
"""Size of all results kept with their jobs, pickled; reports of small objects take up to ten times that in memory."""

TELL_SECONDS = 2.5
"""How long a player waits before they read why; the reason is brought up to date as often."""

_SMALLEST = 1 << 10


class Notice(Protocol):
    """Shows the player of an interaction why they wait."""

    async def tell(self, reason: str) -> None:
        """Show the reason, in place of an earlier one."""

    async def clear(self) -> None:
        """Remove what is shown, unless the answer replaces it."""

    def update(self, share: float, task: str) -> None:
        """Take the progress of a question in parts: the `share` done (0 to 1) and the task, in words; never wait."""


current_notice: ContextVar[Notice | None] = ContextVar("current_notice", default=None)
"""Shows reasons and progress to the player for whom the current task works."""

_sizes: ContextVar[list[int] | None] = ContextVar("sizes", default=None)
"""Sizes of the jobs and reports that the current work is made of."""


@dataclass(eq=False, slots=True)
class _Work:
    """Work that one or more askers wait for; it ends with the last of them."""

    task: "asyncio.Task[Any]"
    caller: Caller | None
    askers: int = 0


class _Now(Enum):
    """What ends a wait: it takes long, something has come, or all has."""

    LATE = auto()
    CAME = auto()
    OVER = auto()


class CachingSimulator:
    """A simulator that answers equal jobs from memory, so that turning a page computes nothing again.

    Equal jobs at the same time are run once, in the turn of the first asker. Jobs are frozen, and what they return
    depends on them alone.
    """

    def __init__(self, simulator: Simulator, metrics: Metrics) -> None:
        self._simulator = simulator
        self._metrics = metrics
        queue = simulator.queue
        queue.on_turn = metrics.queue_seconds.observe
        queue.on_start = lambda place: metrics.started.labels("cluster" if place == THERE else "local").inc()
        metrics.cluster.set_function(lambda: queue.workers[THERE])
        metrics.queue.labels("waiting").set_function(lambda: queue.waiting)
        metrics.queue.labels("running").set_function(lambda: queue.running)
        self._size = 0
        self._results: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._under_way: dict[Hashable, _Work] = {}

    async def run(self, job: Job[R], caller: Caller | None = None) -> R:
        """Return the job's result from the cache, or run the job; errors are not cached."""
        return await self.through((type(job), job), lambda: self.once(job, caller), caller)

    async def through(self, key: Hashable, work: Callable[[], Awaitable[R]], caller: Caller | None = None) -> R:
        """Return the result kept under a key; without one, begin the work, or join in waiting for it.

        The work, such as a calculation in parts, tells the player who began it why it takes long.
        """
        if key in self._results:
            self._results.move_to_end(key)
            kept: R = self._results[key][0]
            return kept
        begun = self._under_way.get(key)
        telling = nullcontext() if begun is None else self._telling(begun.caller)
        if begun is None:
            begun = self._under_way[key] = _Work(asyncio.create_task(self._do(key, work)), caller)
        begun.askers += 1
        try:
            async with telling:
                result: R = await asyncio.shield(begun.task)
                return result
        finally:
            begun.askers -= 1
            if not begun.askers:
                begun.task.cancel()
                if self._under_way.get(key) is begun:
                    del self._under_way[key]

    async def once(self, job: Job[R], caller: Caller | None = None) -> R:
        """Run a job that nobody asks for again, such as a battle's step; its result isn't cached."""
        async with self._telling(caller):
            return await self._counted(job, self._simulator.run(job, caller, _sizes.get()))

    async def in_parts(self, question: StagedJob[P, S], caller: Caller | None) -> S:
        """Return the answer to a question in parts from the cache, or work them out side by side.

        The player for whom the current task works is shown the progress.
        """

        async def answer() -> S:
            so_far = await self._stage(question, None, question.parts(None), caller)
            while parts := question.parts(so_far):
                so_far = await self._stage(question, so_far, parts, caller)
            return so_far

        return await self.through(("in parts", type(question), question), answer)

    async def map(
        self,
        parts: Sequence[Part[R]],
        caller: Caller | None = None,
        came: Callable[[Sequence[R | Continue[R]]], None] = ignore,
    ) -> list[R]:
        """Return the reports of parts that don't depend on each other, run side by side; see Simulator.map."""
        async with self._telling(caller) as waits_anew:

            def hear(latest: Sequence[R | Continue[R]]) -> None:
                waits_anew()
                came(latest)

            return await self._counted(parts[0], self._simulator.map(parts, caller, hear, _sizes.get()))

    async def _stage(
        self, question: StagedJob[P, S], so_far: S | None, parts: Sequence[Part[P]], caller: Caller | None
    ) -> S:
        def show(latest: Sequence[P | Continue[P]]) -> None:
            if (notice := current_notice.get()) is not None:
                notice.update(*question.progress(so_far, latest))

        reports = await self.map(parts, caller, show)
        return await self.once(JoinParts(question, so_far, tuple(reports)), caller)

    async def is_ready(self) -> bool:
        """Return whether jobs begin at once."""
        return await self._simulator.is_ready()

    async def _do(self, key: Hashable, work: Callable[[], Awaitable[R]]) -> R:
        """Do the work and keep the result, and for it forget those that nobody has asked for the longest."""
        sizes: list[int] = []
        _sizes.set(sizes)
        result = await work()
        size = max(_SMALLEST, sum(sizes))
        self._results[key] = result, size
        self._size += size
        while self._size > BYTES_KEPT:
            _, (_, freed) = self._results.popitem(last=False)
            self._size -= freed
        return result

    async def _counted(self, job: object, work: Awaitable[R]) -> R:
        """Do the work of a job, or of parts like this one, and count it as one."""
        began = time.perf_counter()
        outcome: JobResult = "ok"
        try:
            return await work
        except RuleError as error:
            outcome = "refused"
            self._metrics.job_refused(type(error).__name__.removesuffix("Error").lower())
            raise
        except asyncio.CancelledError:
            outcome = "cancelled"
            raise
        except Exception:
            outcome = "failed"
            raise
        finally:
            self._metrics.job(game_of(job) or HOUSE, outcome, time.perf_counter() - began)

    @asynccontextmanager
    async def _telling(self, caller: Caller | None) -> AsyncIterator[Callable[[], None]]:
        """Tell the player for whom the current task works why a job of `caller` takes long.

        Yields what to call when something has come, and the wait begins anew.
        """
        notice = current_notice.get()
        if notice is None:
            yield lambda: None
            return
        waiting: asyncio.Queue[_Now] = asyncio.Queue()
        telling = asyncio.create_task(self._tell(notice, caller, waiting))
        try:
            yield partial(waiting.put_nowait, _Now.CAME)
        finally:
            waiting.put_nowait(_Now.OVER)
            await telling  # what is being shown must not come after the answer

    async def _tell(self, notice: Notice, caller: Caller | None, waiting: "asyncio.Queue[_Now]") -> None:
        """Tell a player why they wait, as long as they do."""
        loop, told = asyncio.get_running_loop(), False
        while True:
            # In a context of its own: under simcord the context decides which clock runs.
            timer = Context().run(loop.call_later, TELL_SECONDS, partial(waiting.put_nowait, _Now.LATE))
            now = await waiting.get()
            timer.cancel()
            if now is _Now.OVER:
                break
            if now is _Now.LATE:
                told = True
                await notice.tell(self._simulator.delay_reason(caller))
        if told:
            await notice.clear()
