"""Parts of a question side by side: in how many workers whatever, the same reports, and nobody is pushed aside."""

import asyncio
import os
import pickle
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from sim.core.errors import RuleError
from sim.core.staged_job import Continue, Job, answer
from sim.workers import (
    Caller,
    InlineSimulator,
    OverrunError,
    PoolLimits,
    PoolSimulator,
    Simulator,
    WorkerLostError,
)
from tests.sim.workers import jobs
from tests.sim.workers.waiting import gone, in_no_time, pid_in, until

ANN, BOB = Caller(1, 1), Caller(2, 1)

INLINE = 0


@asynccontextmanager
async def simulator_of(workers: int, wall_seconds: float = 60) -> AsyncIterator[InlineSimulator | PoolSimulator]:
    limits = PoolLimits(workers=max(1, workers), wall_seconds=wall_seconds)
    made = InlineSimulator(limits) if workers == INLINE else PoolSimulator(limits)
    try:
        yield made
        assert (made.queue.running, made.queue.waiting) == (0, 0)
    finally:
        await made.close()


async def answered(simulator: Simulator, question: jobs.Powers) -> list[int]:
    """Go through the stages of a question."""
    so_far: list[int] | None = None
    while so_far is None or question.parts(so_far):
        so_far = question.join(so_far, await simulator.map(question.parts(so_far), ANN))
    return so_far


@pytest.mark.process
@pytest.mark.parametrize("workers", [INLINE, 1, 2, 3])
async def test_the_same_reports_however_many_workers_there_are(workers: int) -> None:
    parts = [jobs.InJobs(number, 1 + number % 3) for number in range(7)]
    came: list[Sequence[int | Continue[int]]] = []
    sizes: list[int] = []
    async with simulator_of(workers) as simulator:
        assert await simulator.map(parts, ANN, came.append, sizes) == [2 * number for number in range(7)]
        assert await simulator.map([], ANN) == []
        assert await answered(simulator, jobs.Powers(3)) == answer(jobs.Powers(3))
    assert len(came) == len(sizes) == 13, "once for each job"
    assert [len(latest) for latest in came] == sorted(len(latest) for latest in came)
    assert sorted(report for report in came[-1] if isinstance(report, int)) == [2 * number for number in range(7)]


@pytest.mark.process
async def test_parts_run_at_the_same_time_in_all_workers(tmp_path: Path) -> None:
    async with simulator_of(2) as simulator:
        parts = [jobs.Hold(tmp_path / name, tmp_path / "release") for name in "abc"]
        mapped = asyncio.create_task(simulator.map(parts, ANN))
        assert await pid_in(tmp_path / "a") != await pid_in(tmp_path / "b")
        assert not (tmp_path / "c").exists()
        assert (simulator.queue.running, simulator.queue.waiting) == (2, 0)
        (tmp_path / "release").touch()
        assert await mapped == ["released"] * 3


@pytest.mark.process
async def test_cancelling_frees_all_workers(tmp_path: Path) -> None:
    async with simulator_of(2) as simulator:
        mapped = asyncio.create_task(simulator.map([jobs.Forever(tmp_path / name) for name in "abc"], ANN))
        pids = [await pid_in(tmp_path / name) for name in "ab"]
        mapped.cancel()
        with pytest.raises(asyncio.CancelledError):
            await mapped
        assert simulator.queue.running == 0
        await until(lambda: all(map(gone, pids)))
        assert await simulator.map([jobs.Double(number=number) for number in range(3)], ANN) == [0, 2, 4]
        assert not (tmp_path / "c").exists()


@pytest.mark.process
@pytest.mark.parametrize("fails", ["refused", "killed", "too slow"])
async def test_a_part_that_fails_ends_the_others(tmp_path: Path, fails: str) -> None:
    """With the error that it would have alone; the workers are free for the next question."""
    error = {"refused": RuleError, "killed": WorkerLostError, "too slow": OverrunError}[fails]
    async with simulator_of(2, wall_seconds=5 if fails == "too slow" else 60) as simulator:
        other = jobs.Forever(tmp_path / "other")
        failing = jobs.REFUSE if fails == "refused" else jobs.Forever(tmp_path / "failing")
        parts: list[Job[None]] = [other, failing, jobs.Forever(tmp_path / "never")]
        mapped = asyncio.create_task(simulator.map(parts, ANN))
        if fails == "killed":
            os.kill(await pid_in(tmp_path / "failing"), signal.SIGKILL)
        with pytest.raises(error):
            await mapped
        assert simulator.queue.running == 0
        if (tmp_path / "other").exists():
            pid = await pid_in(tmp_path / "other")
            await until(lambda: gone(pid))
        assert not (tmp_path / "never").exists()
        assert await simulator.map([jobs.Double(number=number) for number in range(3)], ANN) == [0, 2, 4]


class Clerk(InlineSimulator):
    """Workers whose jobs take as long as they cost."""

    def __init__(self, workers: int = 2) -> None:
        super().__init__(PoolLimits(workers=workers))
        self.lanes = workers

    async def ask(self, parts: int, seconds: float, caller: Caller) -> float:
        """Return the moment at which a question is answered."""
        await self.map([jobs.Costly(seconds)] * parts, caller)
        return asyncio.get_running_loop().time()

    async def work(self, payload: bytes, place: int) -> bytes | None:
        await asyncio.sleep(pickle.loads(payload).cost())
        return await super().work(payload, place)


@in_no_time
async def test_a_question_alone_takes_all_workers() -> None:
    assert await Clerk(workers=2).ask(20, 0.5, ANN) == pytest.approx(5.0)
    clerk = Clerk(workers=4)
    began = asyncio.get_running_loop().time()
    assert await clerk.ask(20, 0.5, ANN) - began == pytest.approx(2.5)


@in_no_time
async def test_two_questions_share_the_workers() -> None:
    """Whoever comes second doesn't wait for the first one's parts, however many those are."""
    clerk = Clerk()
    long = asyncio.create_task(clerk.ask(40, 0.5, ANN))
    await asyncio.sleep(1.1)
    assert await clerk.ask(4, 0.5, BOB) == pytest.approx(1.5 + 4 * 0.5)
    assert await long == pytest.approx((40 + 4) * 0.5 / 2)


@in_no_time
async def test_quick_questions_beside_one_in_parts_wait_for_a_part_at_most() -> None:
    clerk = Clerk()
    long = asyncio.create_task(clerk.ask(40, 0.5, ANN))
    for number in range(15):
        await asyncio.sleep(0.33)
        began = asyncio.get_running_loop().time()
        assert await clerk.ask(1, 0.01, Caller(10 + number, 1)) - began <= 0.5 + 0.01 + 1e-9
    await long


@in_no_time
async def test_whoever_asks_in_parts_has_one_question_at_a_time() -> None:
    """A second one of the same person takes turns with the first one's parts, and both with what others ask."""
    clerk = Clerk(workers=1)
    first = asyncio.create_task(clerk.ask(10, 0.5, ANN))
    second = asyncio.create_task(clerk.ask(10, 0.5, ANN))
    await asyncio.sleep(0.1)
    assert (clerk.queue.running, clerk.queue.waiting) == (1, 1)
    assert await clerk.ask(3, 0.5, BOB) < 6.0
    assert abs(await first - await second) == pytest.approx(0.5)
