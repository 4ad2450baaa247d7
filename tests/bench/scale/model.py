"""From unit costs and a load to what is needed, by arithmetic; and how long jobs wait in the real queue.

That is in simulated time: many servers, a few workers, jobs as they were measured.
"""

import asyncio
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from random import Random

from sim.workers.queue import BusyError, Caller, PoolLimits, Queue
from tests.sim.workers.waiting import TimelessLoop

SECONDS_A_DAY = 86_400
KEPT_DAYS = 90
"""How long calculations, and battles after their end, are kept."""

BUSY = 0.5
"""How busy an event loop or a worker of a cluster should be at most at peak, 1 being all the time."""

SERVERS_A_SHARD = 2000
"""Discord's limit is 2,500; whoever reaches it must start anew with more shards."""

SERVERS_A_PROCESS = 50_000
"""More would take minutes to start: each shard identifies 5 s after the last."""

LARGE_BOT, LARGE_BOT_SHARDS = 150_000, 16
"""From so many servers on, Discord wants a multiple of such a number of shards, and lets as many identify at once."""

MAX_SHARDS = 1000
"""The most that FRACAS_SHARDS takes."""

IDENTIFY_SECONDS = 5
DISCORD_REQUESTS = 50
LARGE_DATABASE = 1e12
"""Bytes; more is hard to back up."""

SQLITE_COMMITS = 500
"""A second: SQLite flushes the disk at each, and an SSD takes 0.5 to 2 ms for it."""

POSTGRES_COMMITS = 2500
"""A second: what pgbench reaches with 4 processors and an SSD."""


@dataclass(frozen=True)
class Cost:
    """What commands and the presses under them cost, in sums over `commands`.

    `long_jobs`, `long_seconds`: those jobs that a cluster would take, and their seconds of work; `limited`: the
    requests that count as one of Discord's 50 a second; `stored`, `sent`: bytes in the database and of all requests.
    """

    commands: float = 0
    interactions: float = 0
    bot_seconds: float = 0
    worker_seconds: float = 0
    jobs: float = 0
    long_jobs: float = 0
    long_seconds: float = 0
    stored: float = 0
    commits: float = 0
    requests: float = 0
    limited: float = 0
    sent: float = 0

    def times(self, factor: float) -> "Cost":
        """Return a multiple."""
        return Cost(**{field.name: factor * getattr(self, field.name) for field in fields(self)})

    def a_command(self) -> "Cost":
        """Return the mean of one command."""
        return self.times(1 / self.commands)


def total(*costs: Cost) -> Cost:
    """Add up costs."""
    return Cost(**{field.name: sum(getattr(cost, field.name) for cost in costs) for field in fields(Cost)})


@dataclass(frozen=True)
class Units:
    """Unit costs: of a command; of other gateway events; of a server, at the start and in memory; of processes."""

    command: Cost
    event_seconds: float
    message_seconds: float
    server_seconds: float
    server_bytes: float
    bot_bytes: float
    worker_bytes: float


@dataclass(frozen=True)
class Load:
    """`commands` of one server a day, `peak` over the mean; for each command so many people's messages and `events`."""

    servers: int
    commands: float
    peak: float
    events: float
    messages: float

    @property
    def rate(self) -> float:
        """Commands a second at peak."""
        return self.servers * self.commands / SECONDS_A_DAY * self.peak


@dataclass(frozen=True)
class Needs:
    """What a load needs at its peak: `at_peak` in a second; `loop`, `jobs`, `workers` and `memory` of one process."""

    at_peak: Cost
    events: float
    shards: int
    processes: int
    loop: float
    jobs: float
    workers: int
    cluster_workers: int
    memory: float
    stored: float
    start_seconds: float


def needs(units: Units, load: Load, workers_for: Callable[[float, bool], int]) -> Needs:
    """Return what a load needs.

    `workers_for` returns how many workers do for so many jobs a second, with or without the long ones: these go to a
    cluster where there is more than one process. One process has SQLite, several have PostgreSQL. Large bots have as
    many processes, or a multiple, as shards identify at once: each then starts its own shards one after the other.
    """
    at_once = LARGE_BOT_SHARDS if load.servers > LARGE_BOT else 1
    shards = at_once * math.ceil(load.servers / SERVERS_A_SHARD / at_once)
    at_peak = units.command.times(load.rate)
    seconds = _loop_seconds(units, load)
    processes = max(math.ceil(seconds / BUSY), math.ceil(load.servers / SERVERS_A_PROCESS))
    processes = at_once * math.ceil(processes / at_once)
    alone = processes == 1
    jobs = (at_peak.jobs if alone else at_peak.jobs - at_peak.long_jobs) / processes
    workers = workers_for(jobs, alone)
    servers_here = load.servers / processes
    return Needs(
        at_peak=at_peak,
        events=load.rate * (load.events + load.messages),
        shards=shards,
        processes=processes,
        loop=seconds / processes,
        jobs=jobs,
        workers=workers,
        cluster_workers=0 if alone else math.ceil(at_peak.long_seconds / BUSY),
        memory=units.bot_bytes + servers_here * units.server_bytes + workers * units.worker_bytes,
        stored=_stored_bytes(units, load),
        start_seconds=max(shards * IDENTIFY_SECONDS / at_once, servers_here * units.server_seconds),
    )


def limits(units: Units, load: Load) -> dict[str, float]:
    """Return at how many servers each limit is reached, with as many commands of each as in `load`."""
    one = replace(load, servers=1)
    command = units.command.times(one.rate)
    return {
        f"one bot process, its event loop {BUSY:.0%} busy": BUSY / _loop_seconds(units, one),
        f"SQLite, {SQLITE_COMMITS} commits/s": SQLITE_COMMITS / command.commits,
        f"Discord's {DISCORD_REQUESTS} requests/s": DISCORD_REQUESTS / command.limited,
        f"{LARGE_DATABASE / 1e12:.0f} TB in the database": LARGE_DATABASE / _stored_bytes(units, one),
        f"PostgreSQL, {POSTGRES_COMMITS:,} commits/s": POSTGRES_COMMITS / command.commits,
        f"{MAX_SHARDS:,} shards": float(MAX_SHARDS * SERVERS_A_SHARD),
    }


def _stored_bytes(units: Units, load: Load) -> float:
    """Return how large the database becomes."""
    return units.command.stored * load.servers * load.commands * KEPT_DAYS


def _loop_seconds(units: Units, load: Load) -> float:
    """Return the seconds of event loops that a second of peak takes."""
    others = load.events * units.event_seconds + load.messages * units.message_seconds
    return load.rate * (units.command.bot_seconds + others)


JOBS = 4000
SEED = 17
GOOD_WAIT, PART = 1.0, 0.99
"""At peak, 99 in 100 jobs should wait for no longer than so many seconds."""


@dataclass(frozen=True)
class Waits:
    """Seconds that jobs waited, in order, and how many were refused."""

    seconds: Sequence[float]
    refused: int

    def at(self, part: float) -> float:
        """Return what so large a part of the jobs waited at most; infinite where it was refused."""
        place = math.ceil(part * (len(self.seconds) + self.refused)) - 1
        return self.seconds[place] if place < len(self.seconds) else math.inf


def simulate(rate: float, seconds: Sequence[float], workers: int, jobs: int = JOBS) -> Waits:
    """Return how long jobs wait that come at random, `rate` a second, each of one of these `seconds`.

    Everybody asks once, in a server of their own; a job's cost is what it takes.
    """
    with asyncio.Runner(loop_factory=TimelessLoop) as runner:
        return runner.run(_arrivals(rate, seconds, workers, jobs))


async def _arrivals(rate: float, seconds: Sequence[float], workers: int, jobs: int) -> Waits:
    random = Random(SEED)
    queue = Queue(PoolLimits(workers=workers))
    waits: list[float] = []
    queue.on_turn = waits.append

    async def job(number: int, takes: float) -> None:
        async with queue.place(Caller(number, number), takes):
            await asyncio.sleep(takes)

    running = []
    for number in range(jobs):
        running.append(asyncio.create_task(job(number, random.choice(seconds))))
        await asyncio.sleep(random.expovariate(rate))
    ended = await asyncio.gather(*running, return_exceptions=True)
    return Waits(sorted(waits), sum(isinstance(end, BusyError) for end in ended))


def fewest_workers(rate: float, seconds: Sequence[float], least: int) -> int:
    """Return how few workers, at the least so many, let 99 in 100 jobs wait for no longer than GOOD_WAIT."""
    workers = max(least, math.ceil(rate * sum(seconds) / len(seconds)))
    while simulate(rate, seconds, workers).at(PART) > GOOD_WAIT:
        workers += 1
    return workers
