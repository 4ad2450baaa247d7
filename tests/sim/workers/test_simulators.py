"""What both simulators promise alike."""

import asyncio
import math
import pickle
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sim.core.errors import Problem, RuleError, Span, TextError, TooMuchError
from sim.workers import (
    BusyError,
    Caller,
    ClosedError,
    CostError,
    InlineSimulator,
    MemoryLimitError,
    OverrunError,
    PoolLimits,
    PoolSimulator,
    Scope,
    Simulator,
    StartingError,
    Wait,
    WorkerLostError,
)
from tests.sim.workers import jobs

LIMITS = PoolLimits(wall_seconds=60, cost_seconds=5, patience_seconds=0)


@pytest.fixture(params=["inline", pytest.param("pool", marks=pytest.mark.process)])
async def simulator(request: pytest.FixtureRequest) -> AsyncIterator[InlineSimulator | PoolSimulator]:
    made = InlineSimulator(LIMITS) if request.param == "inline" else PoolSimulator(LIMITS)
    yield made
    await made.close()
    assert (made.queue.running, made.queue.waiting) == (0, 0)


async def test_a_job_comes_back_as_its_report(simulator: Simulator) -> None:
    assert await simulator.run(jobs.Double(number=21)) == 42
    assert await simulator.run(jobs.Double(number=4), Caller(1, None)) == 8


async def test_the_size_of_a_job_and_its_report_is_known(simulator: Simulator) -> None:
    sizes: list[int] = []
    await simulator.run(jobs.Double(number=21), sizes=sizes)
    report = await simulator.run(jobs.Blank(100_000), sizes=sizes)
    await simulator.run(jobs.Length(bytes(100_000)), sizes=sizes)
    assert len(report) == 100_000
    small, *large = sizes
    assert small < 200
    assert [size // 1000 for size in large] == [100, 100]


@pytest.mark.parametrize("price", [5.01, math.inf, math.nan])
async def test_a_job_over_the_cost_limit_never_starts(simulator: Simulator, price: float, tmp_path: Path) -> None:
    with pytest.raises(CostError):
        await simulator.run(jobs.Priced(price, tmp_path / "ran"))
    assert not (tmp_path / "ran").exists()


async def test_a_job_at_the_cost_limit_runs(simulator: Simulator, tmp_path: Path) -> None:
    assert await simulator.run(jobs.Priced(5.0, tmp_path / "ran")) == "ran"
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
        await simulator.run(jobs.Raise(error), Caller(1, 1))
    assert type(caught.value) is type(error)
    assert str(caught.value) == str(error)
    if isinstance(caught.value, TextError):
        assert caught.value.text == "6 tnks 3 ifn"
        assert caught.value.problems == (
            Problem(Span(2, 6), "No unit is called tnks.", "tanks"),
            Problem(Span(9, 12), "No unit is called ifn."),
        )


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
    with pytest.raises(MemoryLimitError):
        await simulator.run(jobs.Raise(MemoryError()))
    assert await simulator.run(jobs.Double(number=1)) == 2


@pytest.mark.parametrize("job", [jobs.Unpicklable(), jobs.Unreadable(), jobs.ReportLambda()])
async def test_what_can_t_travel_harms_nobody_else(
    simulator: Simulator, job: jobs.Unpicklable | jobs.Unreadable | jobs.ReportLambda
) -> None:
    with pytest.raises((TypeError, ImportError, AttributeError, pickle.PicklingError)):
        await simulator.run(job)
    assert await simulator.run(jobs.Double(number=1)) == 2


async def test_a_busy_caller_is_refused(simulator: InlineSimulator | PoolSimulator) -> None:
    """Here nobody has any patience; the queue itself is tested in test_queue.py."""
    async with simulator.queue.place(Caller(1, None), 0):
        with pytest.raises(BusyError):
            await simulator.run(jobs.Double(number=1), Caller(1, None))
        assert await simulator.run(jobs.Double(number=1), Caller(2, None)) == 2
        assert await simulator.run(jobs.Double(number=1)) == 2


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (CostError(41.3, 5.0), "This calculation would take about 41 seconds; the limit is 5 seconds."),
        (CostError(math.inf, 1.0), "This calculation would take more than a day; the limit is 1 second."),
        (OverrunError(2.5), "This calculation was stopped after 2.5 seconds, the longest allowed."),
        (MemoryLimitError(2 << 30), "This calculation needs more than the 2 GiB of memory allowed."),
        (MemoryLimitError(3 << 29), "This calculation needs more than the 1.5 GiB of memory allowed."),
        (MemoryLimitError(300 << 20), "This calculation needs more than the 300 MiB of memory allowed."),
        (WorkerLostError(), "This calculation was interrupted."),
        (ClosedError(), "The bot is restarting."),
        (StartingError(), "The bot has just started and is still getting ready, which can take a minute."),
        (BusyError(Scope.USER, Wait(1, 0)), "Your earlier calculations are still running (1 ahead, about 1 second)."),
        (
            BusyError(Scope.GUILD, Wait(33, 12.3)),
            "This server's earlier calculations are still running (33 ahead, about 12 seconds).",
        ),
        (
            BusyError(Scope.SLOW, Wait(14, 60)),
            "Too many long calculations are running right now (14 ahead, about 60 seconds).",
        ),
        (
            BusyError(Scope.TOTAL, Wait(65, 1.5)),
            "Too many calculations are running right now (65 ahead, about 1.5 seconds).",
        ),
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
        PoolLimits(**wrong)  # type: ignore[arg-type] # mypy doesn't tell the fields apart


def test_inline_leaves_ctrl_c_to_the_program() -> None:
    """In the calling process an exit is an exit."""
    with pytest.raises(SystemExit):
        asyncio.run(InlineSimulator().run(jobs.Raise(SystemExit(4))))
