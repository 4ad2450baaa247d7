"""Runs the parts of a question side by side: a few lanes take one part after the other, each in its turn."""

import asyncio
import pickle
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeAlias, cast

from sim.core.parts import Job, Part, Unfinished
from sim.workers import worker
from sim.workers.limits import Caller, PoolLimits, R, checked_cost
from sim.workers.own_types import Packages
from sim.workers.queue import THERE, Queue
from sim.workers.simulator import ignore

FAR_SECONDS = 0.2
"""Jobs that cost more go to the cluster, and so do all parts; others would spend more time on their way."""

Work: TypeAlias = Callable[[bytes, int], Awaitable[bytes | None]]
"""Has a worker at a place answer a pickled job; None if the job has to wait for better workers and then begin again."""


@dataclass(frozen=True, slots=True)
class Ways:
    """How a simulator does its jobs.

    `wait_for_better`: until workers here can do what `work` couldn't. `lanes`: the most parts at once, now. `packages`:
    whose types may come back, None for any.
    """

    queue: Queue
    limits: PoolLimits
    work: Work
    wait_for_better: Callable[[], Awaitable[None]]
    lanes: Callable[[], int]
    packages: Packages | None = None


class _Todo(NamedTuple):
    at: int
    job: Job[object]
    cost: float
    far: bool


class SideBySide(Generic[R]):
    """Parts at work for one caller: at any time one of them with a place of the caller's, the others with spare ones.

    `came` is called with all that the parts have reported, whenever one of them has. `sizes` gets how many bytes job
    and report of each have, pickled.
    """

    def __init__(
        self,
        ways: Ways,
        caller: Caller | None,
        came: Callable[[Sequence[R | Unfinished[R]]], None],
        sizes: list[int] | None,
    ) -> None:
        self._ways = ways
        self._caller = caller
        self._came = came
        self._sizes = sizes
        self._todo: deque[_Todo] = deque()
        self._latest: dict[int, R | Unfinished[R]] = {}
        self._missing = 0
        self._is_divided = False
        self._own_taken = False
        self._lanes: list[asyncio.Task[None]] = []

    async def run(self, parts: Sequence[Part[R]]) -> list[R]:
        """Return the reports in the order of the parts; what one of them raises ends the others."""
        self._is_divided = len(parts) > 1
        self._todo.extend(self._priced(at, part) for at, part in enumerate(parts))
        self._missing = len(parts)
        lanes = min(len(parts), self._ways.lanes())
        if lanes <= 1:
            await self._lane()
        else:
            await self._in_lanes(lanes)
        return [cast("R", self._latest[at]) for at in range(len(parts))]

    async def _in_lanes(self, count: int) -> None:
        self._lanes = [asyncio.create_task(self._lane()) for _ in range(count)]
        try:
            done, _ = await asyncio.wait(self._lanes, return_when=asyncio.FIRST_EXCEPTION)
            for lane in done:
                if not lane.cancelled():
                    lane.result()
        finally:
            self._stop_lanes()
            await asyncio.gather(*self._lanes, return_exceptions=True)

    def _stop_lanes(self) -> None:
        for lane in self._lanes:
            if lane is not asyncio.current_task():
                lane.cancel()

    async def _lane(self) -> None:
        """Take parts until none is left. A part whose job left a rest goes on before a new one begins."""
        while self._todo:
            part, answered = await self._one()
            if part is None:
                continue
            if answered is None:
                self._todo.appendleft(part._replace(far=False))
                await self._ways.wait_for_better()
                continue
            report = cast("R | Unfinished[R]", worker.unpack(answered, self._ways.packages))
            self._latest[part.at] = report
            if isinstance(report, Unfinished):
                self._todo.appendleft(self._priced(part.at, report.rest))
            else:
                self._missing -= 1
            self._came(tuple(self._latest.values()))
        if not self._missing:
            self._stop_lanes()  # they wait for spare places that are of no use any more

    async def _one(self) -> tuple[_Todo | None, bytes | None]:
        """Have the next part's job answered in its turn; no part if others have taken all of them meanwhile."""
        spare = self._own_taken
        self._own_taken = True
        try:
            cost = max(part.cost for part in self._todo)
            far = all(part.far for part in self._todo)
            async with self._ways.queue.place(self._caller, cost, spare=spare, far=far) as place:
                part = next((part for part in self._todo if part.far or place != THERE), None)
                if part is None:
                    return None, None
                self._todo.remove(part)
                payload = pickle.dumps(part.job)
                answered = await self._ways.work(payload, place)
        finally:
            if not spare:
                self._own_taken = False
        if self._sizes is not None and answered is not None:
            self._sizes.append(len(payload) + len(answered))
        return part, answered

    def _priced(self, at: int, job: Job[object]) -> _Todo:
        cost = checked_cost(job, self._ways.limits)
        return _Todo(at, job, cost, far=self._is_divided or cost > FAR_SECONDS)


class RunsParts:
    """What all simulators have in common: they run parts side by side, as their `Ways` say; a job is one part."""

    _ways: Ways

    async def run(self, job: Job[R], caller: Caller | None = None, sizes: list[int] | None = None) -> R:
        """Return the report of `job`; see Simulator.run for the errors and `sizes`."""
        (report,) = await self.map((job,), caller, sizes=sizes)
        return report

    async def map(
        self,
        parts: Sequence[Part[R]],
        caller: Caller | None = None,
        came: Callable[[Sequence[R | Unfinished[R]]], None] = ignore,
        sizes: list[int] | None = None,
    ) -> list[R]:
        """Return the reports of `parts`, as many at once as there are lanes; see Simulator.map."""
        return await SideBySide(self._ways, caller, came, sizes).run(parts)
