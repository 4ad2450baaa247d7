"""A real cluster on loopback: scheduler and workers are processes of their own, and some of them are killed."""

import asyncio
import os
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from bot.scale.cluster import ClusterSimulator, Reach
from bot.scale.dask_setup import SchedulerPlace, Tls
from sim.core import RuleError
from sim.workers.queue import HERE, THERE, ClosedError, MemoryLimitError, OverrunError, PoolLimits, WorkerLostError
from sim.workers.worker import ForeignTypeError
from tests.bot.scale.machine import CERTIFICATES, PACKAGES, RELEASE, tls_of
from tests.live.process import port_of_its_own
from tests.sim.workers import jobs
from tests.sim.workers.waiting import LONG, gone, pid_in, until

Machine = subprocess.Popen[str]


class Cluster:
    """Starts machines, and the bot's simulators that use them."""

    def __init__(self, tls: Tls | None = None) -> None:
        self.port = port_of_its_own()
        self.tls = tls
        self.address = f"{'tls' if tls else 'tcp'}://127.0.0.1:{self.port}"
        self.reached: list[Reach] = []
        self._machines: list[Machine] = []
        self._simulators: list[ClusterSimulator] = []

    async def scheduler(self) -> Machine:
        """Start the scheduler, and wait until it listens."""
        scheduler = self._start("scheduler")
        assert scheduler.stdout is not None
        async with asyncio.timeout(LONG):
            assert await asyncio.to_thread(scheduler.stdout.readline) == "there\n"
        return scheduler

    def worker(self, *options: str) -> Machine:
        """Start a worker, with one process unless the options say otherwise."""
        return self._start("worker", *options)

    async def simulator(self, processes: int, wall_seconds: float = 30.0, tls: Tls | None = None) -> ClusterSimulator:
        """Start a bot's simulator with two workers here, and wait until it sees so many processes there."""
        place = SchedulerPlace(self.address, tls or self.tls)
        limits = PoolLimits(workers=2, wall_seconds=wall_seconds, cost_seconds=60, memory_bytes=1 << 30)
        made = ClusterSimulator(place, RELEASE, PACKAGES, self.reached.append, limits, jobs.warm_up)
        self._simulators.append(made)
        await made.start()
        await self.has(made, processes)
        return made

    async def started(self, *options: str, workers: int = 1, wall_seconds: float = 30.0) -> ClusterSimulator:
        """Start the scheduler, such workers and a bot's simulator."""
        await self.scheduler()
        each = [self.worker(*options) for _ in range(workers)]
        return await self.simulator(len(each) * (2 if "--processes" in options else 1), wall_seconds)

    async def has(self, simulator: ClusterSimulator, processes: int) -> None:
        """Wait until a simulator sees so many processes of the cluster."""
        await until(lambda: simulator.queue.workers[THERE] == processes, 0.05)

    async def seen(self, is_it: Callable[[Reach], bool]) -> None:
        """Wait until a simulator has told of such a reach."""
        await until(lambda: any(map(is_it, self.reached)), 0.05)

    async def close(self) -> None:
        """End everything, hard."""
        for simulator in self._simulators:
            await simulator.close()
        for machine in self._machines:
            machine.kill()
            machine.communicate()

    def _start(self, role: str, *options: str) -> Machine:
        command = [sys.executable, "-m", "tests.bot.scale.machine", role, self.address, *options]
        if self.tls is not None:
            command.append("--tls")
        machine = subprocess.Popen(command, cwd=Path(__file__).parents[3], stdout=subprocess.PIPE, text=True)
        self._machines.append(machine)
        return machine


pytest.importorskip("distributed", reason="pip install '.[test-all]' brings it")
pytestmark = pytest.mark.process

NEVER = 4 * LONG
"""Seconds until a job is given up that a test never waits for: what comes sooner comes because a death was noticed."""

PARTS = [jobs.Double(number=number) for number in range(20)]
DOUBLES = [2 * number for number in range(20)]


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    made = Cluster()
    yield made
    await made.close()


@pytest.fixture
async def secure() -> AsyncIterator[Cluster]:
    made = Cluster(tls_of("machine"))
    yield made
    await made.close()


def places_of(simulator: ClusterSimulator) -> list[int]:
    """Return the list that gets the place of each job that begins."""
    places: list[int] = []
    simulator.queue.on_start = places.append
    return places


def held(folder: Path) -> jobs.Hold:
    """Return a job for the cluster that writes its process id to a file and runs until another is there."""
    return jobs.Hold(folder / "pid", folder / "release", price=0.5)


async def pid_of(path: Path) -> int:
    """Return the process id that a job writes, once it has; the file is free for the next one then."""
    pid = await pid_in(path)
    path.unlink()  # noqa: ASYNC240 - one name
    return pid


async def test_small_jobs_stay_here_and_others_go_there(cluster: Cluster, tmp_path: Path) -> None:
    simulator = await cluster.started("--processes", "2")
    places = places_of(simulator)
    await simulator.run(jobs.Costly(0.2))
    assert places == [HERE]
    assert await simulator.run(jobs.Far(jobs.Double(number=21))) == 42
    assert places == [HERE, THERE]
    assert await simulator.map(PARTS) == DOUBLES
    assert set(places[2:]) == {THERE}, "parts go there whatever they cost"
    both = [asyncio.create_task(simulator.run(jobs.Hold(tmp_path / name, tmp_path / "go", 0.5))) for name in "ab"]
    pids = {await pid_in(tmp_path / "a"), await pid_in(tmp_path / "b")}
    assert len(pids) == 2, "as many at once as it has processes"
    (tmp_path / "go").touch()
    assert await asyncio.gather(*both) == ["released", "released"]


async def test_the_limits_hold_there_and_a_job_ends_alone(cluster: Cluster, tmp_path: Path) -> None:
    simulator = await cluster.started("--processes", "2", "--wall", "15", wall_seconds=NEVER)
    endless = asyncio.create_task(simulator.run(jobs.Far(jobs.Forever(tmp_path / "pid"))))
    pid = await pid_of(tmp_path / "pid")
    with pytest.raises(MemoryLimitError, match="1 GiB"):
        await simulator.run(jobs.Far(jobs.Hog(1 << 30)))
    with pytest.raises(WorkerLostError):
        await simulator.run(jobs.Far(jobs.Die()))
    with pytest.raises(RuleError, match="has no units"):
        await simulator.run(jobs.Far(jobs.REFUSE))
    with pytest.raises(OverrunError, match="after 15 seconds"):
        await endless
    await until(lambda: gone(pid))
    places = places_of(simulator)
    assert await simulator.map(PARTS) == DOUBLES
    assert set(places) == {THERE}


async def test_what_isn_t_ours_can_t_travel(cluster: Cluster) -> None:
    """An error of another library comes back by its name, a job of other types isn't run."""
    simulator = await cluster.started()
    with pytest.raises(RuntimeError, match=r"StubbornError: too bad"):
        await simulator.run(jobs.Far(jobs.FailStubbornly()))
    with pytest.raises(ForeignTypeError, match="refuse_to_load is no type of ours"):
        await simulator.run(jobs.Far(jobs.Unreadable()))


@pytest.mark.parametrize("end", ["cancelled", "closed"])
async def test_a_job_that_nobody_waits_for_ends(end: str, cluster: Cluster, tmp_path: Path) -> None:
    simulator = await cluster.started()
    running = asyncio.create_task(simulator.run(held(tmp_path)))
    pid = await pid_of(tmp_path / "pid")
    if end == "cancelled":
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    else:
        ending = asyncio.create_task(simulator.close())
        with pytest.raises(ClosedError):
            await running
        await ending
    await until(lambda: gone(pid))


async def test_a_job_whose_worker_is_killed_is_done_by_another(cluster: Cluster, tmp_path: Path) -> None:
    """Once: after the second one it ends."""
    simulator = await cluster.started(workers=3, wall_seconds=NEVER)
    running = asyncio.create_task(simulator.run(held(tmp_path)))
    first = await pid_of(tmp_path / "pid")
    kill_the_worker_of(first)
    second = await pid_of(tmp_path / "pid")
    kill_the_worker_of(second)
    with pytest.raises(WorkerLostError, match="try again"):
        await running
    (tmp_path / "release").touch()
    assert await simulator.run(held(tmp_path)) == "released"


async def test_a_worker_that_is_ended_hands_its_job_on(cluster: Cluster, tmp_path: Path) -> None:
    simulator = await cluster.started(workers=2)
    places = places_of(simulator)
    running = asyncio.create_task(simulator.run(held(tmp_path)))
    first = await pid_of(tmp_path / "pid")
    os.kill(parent_of(parent_of(first)), signal.SIGTERM)
    assert await pid_of(tmp_path / "pid") != first
    (tmp_path / "release").touch()
    assert await running == "released"
    assert places == [THERE]


@pytest.mark.parametrize(("who", "wall_seconds"), [("the worker", 5), ("the scheduler", NEVER)])
async def test_a_job_that_stays_away_is_done_here(
    who: str, wall_seconds: float, cluster: Cluster, tmp_path: Path
) -> None:
    """As when a machine loses its power: nobody tells the scheduler, or it hangs itself, which shows before long."""
    scheduler, worker = await cluster.scheduler(), cluster.worker()
    simulator = await cluster.simulator(1, wall_seconds)
    running = asyncio.create_task(simulator.run(held(tmp_path)))
    there = await pid_of(tmp_path / "pid")
    (worker if who == "the worker" else scheduler).send_signal(signal.SIGSTOP)
    assert await pid_of(tmp_path / "pid") != there
    (tmp_path / "release").touch()
    assert await running == "released"


def kill_the_worker_of(pid: int) -> None:
    """Kill the machine's program in which the job of a process is: that process belongs to its fork server."""
    server = parent_of(pid)
    os.kill(parent_of(server), signal.SIGKILL)


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


@pytest.mark.parametrize("who", ["the only worker", "the scheduler"])
async def test_what_is_lost_is_done_here(who: str, cluster: Cluster, tmp_path: Path) -> None:
    """The report is the same, and nobody waits for long; what comes later stays here until the cluster is back."""
    scheduler = await cluster.scheduler()
    worker = cluster.worker("--processes", "2")
    simulator = await cluster.simulator(2, NEVER)
    parts = [jobs.Hold(tmp_path / name, tmp_path / "release") for name in "ab"]
    running = asyncio.create_task(simulator.map(parts))
    there = {await pid_of(tmp_path / name) for name in "ab"}
    places = places_of(simulator)
    (worker if who == "the only worker" else scheduler).kill()
    here = {await pid_in(tmp_path / name) for name in "ab"}
    (tmp_path / "release").touch()
    assert await running == ["released", "released"]
    assert not here & there
    assert set(places) == {HERE}
    await cluster.has(simulator, 0)
    assert await simulator.map(PARTS) == DOUBLES
    assert set(places) == {HERE}
    if who == "the only worker":
        cluster.worker("--processes", "2")
    else:
        await cluster.scheduler()
    await cluster.has(simulator, 2)
    assert await simulator.run(jobs.Far(jobs.Double(number=1))) == 2
    assert places[-1] == THERE


async def test_a_worker_of_another_release_gets_no_job(cluster: Cluster) -> None:
    await cluster.scheduler()
    cluster.worker("--release", "Fracas 0.1")
    simulator = await cluster.simulator(0)
    await cluster.seen(lambda reach: bool(reach.strangers))
    assert [release for _, release in cluster.reached[-1].strangers] == ["Fracas 0.1"]
    assert cluster.reached[-1].why == "no worker of this release is there"
    places = places_of(simulator)
    assert await simulator.map(PARTS) == DOUBLES
    assert set(places) == {HERE}
    cluster.worker()
    await cluster.has(simulator, 1)
    assert await simulator.map(PARTS) == DOUBLES
    assert places[-1] == THERE


async def test_with_tls_nobody_gets_in_without_a_certificate_of_the_authority(secure: Cluster) -> None:
    simulator = await secure.started()
    places = places_of(simulator)
    assert await simulator.map(PARTS) == DOUBLES
    assert set(places) == {THERE}

    stranger = await secure.simulator(0, tls=tls_of("stranger"))
    await secure.seen(lambda reach: "tls" in reach.why)
    assert await stranger.map(PARTS) == DOUBLES, "here"
    assert stranger.queue.workers[THERE] == 0

    context = ssl.create_default_context(cafile=CERTIFICATES / "authority.pem")
    context.check_hostname = False
    with pytest.raises(ssl.SSLError, match="certificate required"):
        await asyncio.to_thread(first_bytes, secure.port, context)
    with pytest.raises(ConnectionError):
        await asyncio.to_thread(first_bytes, secure.port, None)


def first_bytes(port: int, context: ssl.SSLContext | None) -> bytes:
    """Return what the scheduler says to somebody."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as plain:
        plain.settimeout(60)
        if context is None:
            plain.sendall(bytes(64))
            if not (first := plain.recv(1)):
                raise ConnectionError("it hung up")
            return first
        with context.wrap_socket(plain) as wrapped:
            return wrapped.recv(1)


async def test_a_stranger_runs_nothing(cluster: Cluster, tmp_path: Path) -> None:
    """By no way that dask has; and the cluster goes on."""
    simulator = await cluster.started()
    file = tmp_path / "made by a stranger"
    stranger = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.bot.scale.stranger", cluster.address, str(file)), stdout=subprocess.PIPE
    )
    said, _ = await stranger.communicate()
    lines = said.decode().splitlines()
    assert len(lines) == 10, lines
    assert not file.exists(), lines
    assert "Error during deserialization" in lines[0], lines
    assert [line for line in lines if line.startswith("huge")] == [line for line in lines if line.endswith("hung up'")]
    places = places_of(simulator)
    assert await simulator.map(PARTS) == DOUBLES
    assert set(places) == {THERE}


async def test_a_bot_without_its_cluster_works(cluster: Cluster) -> None:
    simulator = await cluster.simulator(0)
    await cluster.seen(lambda reach: "OSError" in reach.why)
    assert await simulator.map(PARTS) == DOUBLES
    assert await simulator.is_ready()
    assert len([reach for reach in cluster.reached if reach.why]) == 1, "it is told once"
