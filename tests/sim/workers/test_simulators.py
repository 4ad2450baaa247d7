"""What both simulators promise alike; and parts of a question side by side.

In how many workers whatever: the same reports, and nobody is pushed aside.
"""

import asyncio
import math
import os
import pickle
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from sim.core import Problem, RuleError, Span, TextError, TooMuchError
from sim.core.staged_job import Continue, Job
from sim.workers import InlineSimulator, Simulator
from sim.workers import queue as w
from sim.workers.pool import PoolSimulator
from tests.sim.workers import jobs
from tests.sim.workers.test_queue import EARLIER
from tests.sim.workers.waiting import LONG, gone, in_no_time, pid_in, until

INLINE = 0
TOO_MANY_LONG = "Too many long calculations are running right now"


@asynccontextmanager
async def simulator_of(workers: int, wall: float = 60, patience: float = 60) -> AsyncIterator[Simulator]:
    limits = w.PoolLimits(workers=workers or 2, wall_seconds=wall, patience_seconds=patience)
    made = InlineSimulator(limits) if workers == INLINE else PoolSimulator(limits)
    try:
        yield made
        assert (made.queue.running, made.queue.waiting) == (0, 0)
    finally:
        await made.close()


@pytest.fixture(params=[INLINE, pytest.param(2, marks=pytest.mark.process)], ids=["inline", "pool"])
async def simulator(request: pytest.FixtureRequest) -> AsyncIterator[Simulator]:
    async with simulator_of(request.param, patience=0) as made:
        yield made


async def test_a_job_comes_back_as_its_report(simulator: Simulator) -> None:
    assert await simulator.run(jobs.Double(number=21)) == 42
    assert await simulator.run(jobs.Double(number=4), w.Caller(1, None)) == 8


async def test_the_size_of_a_job_and_its_report_is_known(simulator: Simulator) -> None:
    sizes: list[int] = []
    await simulator.run(jobs.Double(number=21), sizes=sizes)
    report = await simulator.run(jobs.Call(bytes, 100_000), sizes=sizes)
    await simulator.run(jobs.Call(len, bytes(100_000)), sizes=sizes)
    assert len(report) == 100_000
    small, *large = sizes
    assert small < 200
    assert [size // 1000 for size in large] == [100, 100]


@pytest.mark.parametrize("price", [5.01, math.inf, math.nan])
async def test_a_job_over_the_cost_limit_never_starts(simulator: Simulator, price: float, tmp_path: Path) -> None:
    with pytest.raises(w.CostError):
        await simulator.run(jobs.Call(Path.touch, tmp_path / "ran", price))
    assert not (tmp_path / "ran").exists()
    await simulator.run(jobs.Call(Path.touch, tmp_path / "ran", 5.0))
    assert (tmp_path / "ran").exists()


async def test_a_job_may_refuse_to_name_a_price(simulator: Simulator) -> None:
    with pytest.raises(RuleError, match=r"^At most 30 units\.$"):
        await simulator.run(jobs.Unpriceable())


@pytest.mark.parametrize(
    "error",
    [
        RuleError("The attacker has no units."),
        TextError(
            "6 tnks 3 ifn",
            (Problem(Span(9, 12), "No unit is called ifn."), Problem(Span(2, 6), "No unit is called tnks.", "tanks")),
        ),
        TimeoutError("the job's own"),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_an_error_comes_back_as_it_was(simulator: Simulator, error: Exception) -> None:
    """A job's own time-out is no overrun, and the problems of a text are in its order."""
    with pytest.raises(type(error)) as caught:
        await simulator.run(jobs.Raise(error), w.Caller(1, 1))
    assert (type(caught.value), str(caught.value)) == (type(error), str(error))
    assert vars(error).items() <= vars(caught.value).items()


async def test_another_exception_comes_back_with_its_traceback(simulator: Simulator) -> None:
    with pytest.raises(ZeroDivisionError, match="a mistake of ours") as caught:
        await simulator.run(jobs.FAIL)
    (note,) = caught.value.__notes__
    assert "jobs.py" in note
    assert "in run" in note


async def test_an_exception_that_can_t_be_read_back_is_told_in_words(simulator: Simulator) -> None:
    with pytest.raises(RuntimeError, match="StubbornError: too bad: no reason"):
        await simulator.run(jobs.FailStubbornly())
    assert await simulator.run(jobs.Double(number=1)) == 2


async def test_a_job_out_of_memory_is_too_much(simulator: Simulator) -> None:
    with pytest.raises(w.MemoryLimitError):
        await simulator.run(jobs.Raise(MemoryError()))
    assert await simulator.run(jobs.Double(number=1)) == 2


@pytest.mark.parametrize("job", [jobs.Unpicklable(), jobs.Unreadable(), jobs.ReportLambda()])
async def test_what_can_t_travel_harms_nobody_else(
    simulator: Simulator, job: jobs.Unpicklable | jobs.Unreadable | jobs.ReportLambda
) -> None:
    with pytest.raises((TypeError, ImportError, AttributeError, pickle.PicklingError)):
        await simulator.run(job)
    assert await simulator.run(jobs.Double(number=1)) == 2


async def test_a_busy_caller_is_refused(simulator: Simulator) -> None:
    """Here nobody has any patience; the queue itself is tested in test_queue.py."""
    async with simulator.queue.place(w.Caller(1, None), 0):
        with pytest.raises(w.BusyError):
            await simulator.run(jobs.Double(number=1), w.Caller(1, None))
        assert await simulator.run(jobs.Double(number=1), w.Caller(2, None)) == 2
        assert await simulator.run(jobs.Double(number=1)) == 2


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (w.CostError(41.3, 5.0), "This calculation would take about 41 seconds; the limit is 5 seconds."),
        (w.CostError(math.inf, 1.0), "This calculation would take more than a day; the limit is 1 second."),
        (w.OverrunError(2.5), "This calculation was stopped after 2.5 seconds, the longest allowed."),
        (w.MemoryLimitError(2 << 30), "This calculation needs more than the 2 GiB of memory allowed."),
        (w.MemoryLimitError(3 << 29), "This calculation needs more than the 1.5 GiB of memory allowed."),
        (w.MemoryLimitError(300 << 20), "This calculation needs more than the 300 MiB of memory allowed."),
        (w.WorkerLostError(), "This calculation was interrupted."),
        (w.ClosedError(), "The bot is restarting."),
        (w.StartingError(), "The bot has just started and is still getting ready, which can take a minute."),
        (w.BusyError(w.Scope.USER, w.Wait(1, 0)), f"Your {EARLIER} (1 ahead, about 1 second)."),
        (w.BusyError(w.Scope.SLOW, w.Wait(14, 60)), f"{TOO_MANY_LONG} (14 ahead, about 60 seconds)."),
    ],
)
def test_what_the_player_reads(error: RuleError, sentence: str) -> None:
    """Each error is a sentence and an advice, and survives pickling."""
    advice = "Try something smaller." if isinstance(error, TooMuchError) else "Please try again"
    assert str(error).startswith(f"{sentence} {advice}")
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), vars(copy)) == (type(error), str(error), vars(error))


@pytest.mark.parametrize("wrong", [{"workers": 0}, {"wall_seconds": 0.0}, {"patience_seconds": -1.0}])
def test_limits_that_nobody_could_meet_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        w.PoolLimits(**wrong)  # type: ignore[arg-type] # mypy doesn't tell the fields apart


def test_inline_leaves_ctrl_c_to_the_program() -> None:
    """In the calling process an exit is an exit."""
    with pytest.raises(SystemExit):
        asyncio.run(InlineSimulator().run(jobs.Raise(SystemExit(4))))


ANN, BOB = w.Caller(1, 1), w.Caller(2, 1)


@pytest.mark.process
@pytest.mark.parametrize("workers", [INLINE, 1, 2, 3])
async def test_the_same_reports_however_many_workers_there_are(workers: int) -> None:
    parts = [jobs.InJobs(number, 1 + number % 3) for number in range(7)]
    came: list[Sequence[int | Continue[int]]] = []
    sizes: list[int] = []
    async with simulator_of(workers) as simulator:
        assert await simulator.map(parts, ANN, came.append, sizes) == [2 * number for number in range(7)]
        assert await simulator.map([], ANN) == []
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
    async with simulator_of(2, wall=10 * LONG) as simulator:
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
    error = {"refused": RuleError, "killed": w.WorkerLostError, "too slow": w.OverrunError}[fails]
    async with simulator_of(2, wall=5 if fails == "too slow" else 60) as simulator:
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
        super().__init__(w.PoolLimits(workers=workers))
        self.lanes = workers

    async def ask(self, parts: int, seconds: float, caller: w.Caller) -> float:
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
        assert await clerk.ask(1, 0.01, w.Caller(10 + number, 1)) - began <= 0.5 + 0.01 + 1e-9
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
