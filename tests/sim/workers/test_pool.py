"""Real worker processes: what is stopped, what dies, and what goes on; and how a whole program with workers ends."""

import asyncio
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import DEFAULT, Mock

import pytest
from pebble.pool.process import TaskManager, WorkerManager

from sim.core import TooMuchError
from sim.workers import pool, worker
from sim.workers import queue as w
from sim.workers.pool import PoolSimulator, Stopgap
from sim.workers.worker import WarmUp
from tests.sim.workers import jobs
from tests.sim.workers.waiting import LONG, dead, gone, pid_in, until

pytestmark = pytest.mark.process

MakePool = Callable[..., PoolSimulator]


@pytest.fixture
async def make_pool() -> AsyncIterator[MakePool]:
    made: list[PoolSimulator] = []

    def make(
        workers: int = 1,
        wall_seconds: float = 60.0,
        memory_bytes: int = 1 << 30,
        warm_up: WarmUp | None = jobs.warm_up,
        stopgap: Stopgap | None = None,
    ) -> PoolSimulator:
        limits = w.PoolLimits(workers=workers, wall_seconds=wall_seconds, memory_bytes=memory_bytes)
        made.append(PoolSimulator(limits, warm_up, stopgap))
        return made[-1]

    yield make
    for simulator in made:
        await simulator.close()
        assert (simulator.queue.running, simulator.queue.waiting) == (0, 0)


def noted(folder: Path, name: str) -> dict[int, int]:
    """Return which processes a `jobs.Note` was called in, and when."""
    return {int(path.suffix[1:]): path.stat().st_mtime_ns for path in folder.glob(f"{name}.*")}


def allow(simulator: PoolSimulator, wall_seconds: float) -> None:
    """Give whatever is asked from now on so long; what runs already keeps its limit."""
    for each in (simulator._pool, simulator._stopgap):
        if each is not None:
            each._limits = replace(each._limits, wall_seconds=wall_seconds)


def stopgap(rehearsal: WarmUp, *, needed: bool = True) -> Stopgap:
    return Stopgap(jobs.idle, rehearsal, is_needed=lambda: needed)


async def test_a_job_over_its_time_is_stopped_alone(make_pool: MakePool, tmp_path: Path) -> None:
    """Jobs in the other worker come back before, while and after one is stopped, and all from the same process.

    Afterwards there are two workers again.
    """
    simulator = make_pool(workers=2, wall_seconds=2.0)
    endless = asyncio.create_task(simulator.run(jobs.Forever(tmp_path / "pid")))
    stopped = await pid_in(tmp_path / "pid")
    neighbours = set()
    async with asyncio.timeout(LONG):
        while not endless.done():
            neighbours.add(await simulator.run(jobs.Nap(0.02)))
    with pytest.raises(w.OverrunError, match="after 2 seconds") as caught:
        await endless
    assert isinstance(caught.value, TooMuchError)
    assert len(neighbours) == 1
    assert stopped not in neighbours
    assert not any(map(gone, neighbours))
    await until(lambda: gone(stopped))
    allow(simulator, LONG)  # one of the two waits for the other, which has a process to start
    both = [asyncio.create_task(simulator.run(jobs.Hold(tmp_path / name, tmp_path / "release"))) for name in "ab"]
    at_once = {await pid_in(tmp_path / "a"), await pid_in(tmp_path / "b")}
    (tmp_path / "release").touch()
    assert await asyncio.gather(*both) == ["released", "released"]
    assert at_once > neighbours


async def test_a_memory_hog_is_refused(make_pool: MakePool) -> None:
    """The limit is the process's own: what fits is given, what doesn't is not."""
    simulator = make_pool(memory_bytes=1 << 30)
    assert await simulator.run(jobs.Hog(1 << 20)) == 1 << 20
    with pytest.raises(w.MemoryLimitError, match="1 GiB"):
        await simulator.run(jobs.Hog(1 << 30))
    assert await simulator.run(jobs.Hog(1 << 20)) == 1 << 20


async def test_a_worker_that_dies_asks_to_try_again(
    make_pool: MakePool, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The player is asked to; whoever runs the bot finds the exit status in the log. Others go on.

    Here it is dead before pebble has read that it took the job.
    """
    simulator, start = make_pool(workers=2), TaskManager.task_start

    def start_late(*of: Any) -> None:  # noqa: ANN401  # as pebble has it
        time.sleep(0.3)
        start(*of)

    monkeypatch.setattr(TaskManager, "task_start", start_late)
    other = asyncio.create_task(simulator.run(jobs.Hold(tmp_path / "pid", tmp_path / "release")))
    await pid_in(tmp_path / "pid")
    with pytest.raises(w.WorkerLostError, match="try again"):
        await simulator.run(jobs.Die())
    assert "ended with status 3" in caplog.text
    (tmp_path / "release").touch()
    assert await other == "released"
    assert await simulator.run(jobs.Double(number=1)) == 2


async def test_a_worker_killed_at_rest_is_not_missed(make_pool: MakePool) -> None:
    """It breaks pebble's pool, as soon as pebble sees it; we make another."""
    simulator = make_pool()
    dead = await simulator.run(jobs.Nap())
    launch = simulator._pool._launch
    assert launch is not None
    os.kill(dead, signal.SIGKILL)
    await until(lambda: not pool._usable(launch))
    assert await simulator.run(jobs.Nap()) != dead


async def test_a_worker_can_t_end_the_program(make_pool: MakePool) -> None:
    simulator = make_pool()
    with pytest.raises(RuntimeError, match="SystemExit"):
        await simulator.run(jobs.Raise(SystemExit(4)))


async def test_a_pool_that_loses_a_job_is_replaced(make_pool: MakePool, monkeypatch: pytest.MonkeyPatch) -> None:
    simulator = make_pool()
    before, launch = await simulator.run(jobs.Nap()), simulator._pool._launch
    with monkeypatch.context() as patch:
        patch.setattr(pool, "_LOST_SECONDS", 0.2 - 60)  # so that the wall limit itself is far off
        with pytest.raises(w.WorkerLostError):
            await simulator.run(jobs.Nap(60))
    assert simulator._pool._launch is not launch
    assert await simulator.run(jobs.Nap()) != before
    await until(lambda: gone(before))


async def test_no_job_goes_to_a_pool_that_was_given_up(make_pool: MakePool) -> None:
    """Here that happens in the moment between the pool's start and the job's."""
    simulator = make_pool()
    await simulator.start()
    assert simulator._pool._launch is not None
    simulator._pool._launch.add_done_callback(lambda _: simulator._pool._retire())
    with pytest.raises(w.WorkerLostError):
        await simulator.run(jobs.Nap())
    await simulator.run(jobs.Nap())


async def test_cancelling_a_job_that_waits_for_a_worker_costs_no_worker(make_pool: MakePool, tmp_path: Path) -> None:
    simulator = make_pool()
    first = asyncio.create_task(simulator.run(jobs.Hold(tmp_path / "pid", tmp_path / "release"), w.Caller(1, 1)))
    pid = await pid_in(tmp_path / "pid")
    second = asyncio.create_task(simulator.run(jobs.Forever(tmp_path / "never"), w.Caller(2, 1)))
    await until(lambda: simulator.queue.waiting == 1)
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second
    (tmp_path / "release").touch()
    assert await first == "released"
    assert await simulator.run(jobs.Nap(), w.Caller(2, 1)) == pid
    assert not (tmp_path / "never").exists()


async def test_closing_waits_for_no_job_that_runs_or_waits(make_pool: MakePool, tmp_path: Path) -> None:
    simulator = make_pool(wall_seconds=10 * LONG)
    running = asyncio.create_task(simulator.run(jobs.Forever(tmp_path / "pid"), w.Caller(1, 1)))
    pid = await pid_in(tmp_path / "pid")
    waiting = asyncio.create_task(simulator.run(jobs.Nap(), w.Caller(2, 1)))
    queued = asyncio.create_task(simulator.run(jobs.Nap(), w.Caller(1, 1)))
    await until(lambda: simulator.queue.waiting == 2)
    async with asyncio.timeout(LONG):
        await simulator.close()
    assert gone(pid)
    for task in (running, waiting, queued):
        with pytest.raises(w.ClosedError):
            await asyncio.wait_for(task, LONG)


async def test_a_closed_simulator_takes_no_jobs(make_pool: MakePool) -> None:
    never_used, used = make_pool(), make_pool()
    await used.run(jobs.Nap())
    for simulator in (never_used, used):
        await simulator.close()
        await simulator.close()
        with pytest.raises(w.ClosedError):
            await simulator.run(jobs.Nap())


async def test_closing_while_the_pool_starts_leaves_nothing_behind(make_pool: MakePool) -> None:
    simulator = make_pool()
    await simulator.start()
    first = asyncio.create_task(simulator.run(jobs.Nap()))
    await asyncio.sleep(0)
    await simulator.close()
    with pytest.raises(w.ClosedError):
        await first


async def test_it_is_ready_when_a_worker_is_and_replaces_a_pool_that_broke(make_pool: MakePool) -> None:
    simulator = make_pool()
    await simulator.start()
    assert not await simulator.is_ready()
    await simulator._pool.ready.wait()
    assert await simulator.is_ready()
    assert simulator._pool._launch is not None
    simulator._pool._launch.result().stop()  # type: ignore[no-untyped-call]  # pebble leaves it untyped
    assert not await simulator.is_ready()
    await until(simulator.is_ready, 0.05)
    await simulator.close()
    with pytest.raises(w.ClosedError):
        await simulator.is_ready()


async def test_a_stopgap_answers_until_the_warm_workers_stand_by(make_pool: MakePool, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    simulator = make_pool(stopgap=stopgap(jobs.SlowWarmUp(gate)))
    await simulator.start()
    before = await simulator.run(jobs.Inspect())
    assert not before.warm
    assert "just started" in simulator.delay_reason(None)
    under_way = asyncio.create_task(simulator.run(jobs.Hold(tmp_path / "pid", tmp_path / "go on")))
    assert await pid_in(tmp_path / "pid") == before.pid
    gate.touch()
    await until(simulator._pool.ready.is_set)
    assert "just started" not in simulator.delay_reason(None)
    (tmp_path / "go on").touch()
    assert await under_way == "released", "nothing was cut short"
    assert (await simulator.run(jobs.Inspect())).warm
    await until(lambda: gone(before.pid))


async def test_one_process_rehearses_and_is_gone_before_the_workers_warm_up(
    make_pool: MakePool, tmp_path: Path
) -> None:
    """However many workers there are; and the stopgap is prepared before its first job and before the rehearsal."""
    gate = tmp_path / "gate"
    simulator = make_pool(
        workers=3,
        warm_up=jobs.SlowWarmUp(gate),
        stopgap=Stopgap(jobs.Note(tmp_path, "stopgap"), jobs.Note(tmp_path, "rehearsal"), is_needed=lambda: True),
    )
    await simulator.start()
    helper = await simulator.run(jobs.Nap())
    assert helper in noted(tmp_path, "stopgap")
    await pid_in(gate.with_suffix(".pid"))
    ((rehearsing, rehearsed),) = noted(tmp_path, "rehearsal").items()
    assert min(noted(tmp_path, "stopgap").values()) < rehearsed
    assert gone(rehearsing), "what it took is free"
    gate.touch()
    await until(simulator._pool.ready.is_set)


async def test_nothing_is_rehearsed_where_everything_is_on_disk(make_pool: MakePool, tmp_path: Path) -> None:
    others = set(multiprocessing.active_children())  # of tests before, which are about to end
    simulator = make_pool(stopgap=stopgap(jobs.Note(tmp_path, "rehearsal"), needed=False))
    await simulator.start()
    assert (await simulator.run(jobs.Inspect())).warm
    assert noted(tmp_path, "rehearsal") == {}
    assert len(set(multiprocessing.active_children()) - others) == 1


async def test_a_rehearsal_that_dies_holds_up_nobody(make_pool: MakePool, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    simulator = make_pool(stopgap=stopgap(jobs.SlowWarmUp(gate)))
    await simulator.start()
    os.kill(await pid_in(gate.with_suffix(".pid")), signal.SIGKILL)
    await until(simulator._pool.ready.is_set)
    assert (await simulator.run(jobs.Inspect())).warm


async def test_what_is_too_slow_for_the_stopgap_is_left_to_the_warm_workers(
    make_pool: MakePool, tmp_path: Path
) -> None:
    """While it waits for them it holds up nobody."""
    gate = tmp_path / "gate"
    simulator = make_pool(wall_seconds=0.5, stopgap=stopgap(jobs.SlowWarmUp(gate)))
    task = asyncio.create_task(simulator.run(jobs.QuickWhenWarm(tmp_path / "pid"), w.Caller(1, 1)))
    pid = await pid_in(tmp_path / "pid")
    allow(simulator, LONG)
    await until(lambda: gone(pid))  # stopped at the limit
    assert await simulator.run(jobs.Double(number=2), w.Caller(1, 1)) == 4
    assert not task.done()
    gate.touch()
    assert await task


async def test_the_wait_for_warm_workers_has_a_limit(
    make_pool: MakePool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "_READY_SECONDS", 0.1)
    simulator = make_pool(wall_seconds=0.5, stopgap=stopgap(jobs.SlowWarmUp(tmp_path / "gate")))
    with pytest.raises(w.StartingError, match="just started"):
        await simulator.run(jobs.QuickWhenWarm(tmp_path / "pid"))


async def test_closing_while_the_warm_workers_get_ready_leaves_nothing_behind(
    make_pool: MakePool, tmp_path: Path
) -> None:
    simulator = make_pool(stopgap=stopgap(jobs.SlowWarmUp(tmp_path / "gate")))
    await simulator.run(jobs.Inspect())
    rehearsing = await pid_in(tmp_path / "gate.pid")
    await simulator.close()
    await until(lambda: gone(rehearsing))


async def test_a_failed_warm_up_is_survived(make_pool: MakePool) -> None:
    simulator = make_pool(warm_up=jobs.broken_warm_up)
    assert await simulator.run(jobs.Double(number=1)) == 2


def test_a_failed_warm_up_is_told(caplog: pytest.LogCaptureFixture) -> None:
    worker._warm(jobs.broken_warm_up)
    assert "no kernels today" in caplog.text


async def test_workers_are_limited_deaf_and_know_no_discord(make_pool: MakePool) -> None:
    report = await make_pool(memory_bytes=1 << 29, warm_up=None).run(jobs.Inspect())
    assert report.pid != os.getpid()
    assert report.memory_limit == 1 << 29
    assert report.ignores_interrupts
    assert report.blocks_interrupts  # from its first moment on, long before it could ignore them
    assert not report.warm
    assert "sim" in report.modules
    assert not report.modules & {"bot", "discord", "aiosqlite", "simcord"}


async def test_starting_and_stopping_are_kept_from_the_loop(
    make_pool: MakePool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both take tens of milliseconds and more."""
    threads: list[int] = []

    def note(*_: object, **__: object) -> object:
        threads.append(threading.get_ident())
        return DEFAULT

    for name in ("_start", "_stop"):
        monkeypatch.setattr(pool, name, Mock(wraps=getattr(pool, name), side_effect=note))
    simulator = make_pool()
    await simulator.run(jobs.Nap())
    await simulator.close()
    assert len(threads) == 2
    assert threading.get_ident() not in threads


async def test_workers_are_stopped_before_their_locks_go(make_pool: MakePool, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is still being made would print a traceback."""
    left: list[int] = []
    monkeypatch.setattr(WorkerManager, "close_channels", lambda manager: left.append(len(manager.workers)))
    simulator = make_pool()
    await simulator.run(jobs.Nap())
    await simulator.close()
    assert left == [0]


def test_a_worker_s_alarm_is_off_when_its_job_is_done() -> None:
    """Or an idle worker would end itself."""
    report = worker.unpack(worker.work(pickle.dumps(jobs.Inspect()), 10 * LONG))
    assert isinstance(report, SimpleNamespace)
    assert 9 * LONG < report.alarm_seconds < 11 * LONG
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


@contextmanager
def _program(mode: str, pid_file: Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.sim.workers.program", mode, str(pid_file)],
        cwd=Path(__file__).parents[3],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as program:
        try:
            yield program
        finally:
            program.kill()  # a test that failed must not wait for it


def test_a_program_ends_cleanly(tmp_path: Path) -> None:
    with _program("closed_early", tmp_path / "pid") as program:
        assert program.communicate(timeout=LONG) == ("", "")
    assert program.returncode == 0
    assert gone(int((tmp_path / "pid").read_text()))


@pytest.mark.parametrize("moment", ["starting", "running"])
async def test_ctrl_c_belongs_to_the_program(moment: str, tmp_path: Path) -> None:
    """A terminal sends Ctrl-C to every process of the group; only the program itself may answer."""
    with _program("interrupted", tmp_path / "pid") as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "starting\n"
        if moment == "running":
            await pid_in(tmp_path / "pid")
        os.killpg(program.pid, signal.SIGINT)
        _, complaints = program.communicate(timeout=LONG)
    assert (complaints, program.returncode) == ("", 130)


async def test_a_job_doesn_t_outlive_a_killed_program_for_long(tmp_path: Path) -> None:
    with _program("killed", tmp_path / "pid") as program:
        assert program.wait(LONG) == -signal.SIGKILL
    pid = await pid_in(tmp_path / "pid")
    await until(lambda: dead(pid))
