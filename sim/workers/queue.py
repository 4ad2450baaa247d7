"""The queue of all jobs: their callers and limits, which one gets the next free worker, and which are refused."""

import asyncio
import math
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, fields
from enum import StrEnum
from operator import attrgetter
from typing import TypeVar

from sim.core import RuleError, TooMuchError
from sim.core.staged_job import Job

R = TypeVar("R")

_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Caller:
    """The Discord ids of a user and a server (None in a direct message)."""

    user: int
    guild: int | None


@dataclass(frozen=True, slots=True)
class PoolLimits:
    """How much may be calculated at once, and for how long. Limits are positive; a waiting limit may be 0."""

    workers: int = 2
    """Worker processes."""
    wall_seconds: float = 5.0
    """Seconds a job may run before it is stopped."""
    memory_bytes: int = 2 << 30
    """Address space of one worker, in bytes."""
    cost_seconds: float = 5.0
    """The highest `Job.cost()` that is started at all."""
    user_running: int = 1
    """Jobs of one user that run at once."""
    guild_running: int = 3
    """Jobs of one server that run at once."""
    patience_seconds: float = 60.0
    """Seconds a job waits for its turn before it is refused; 0 refuses at once."""
    user_waiting: int = 2
    """Jobs of one user that may wait for their turn."""
    guild_waiting: int = 32
    """Jobs of one server that may wait for their turn."""
    total_waiting: int = 64
    """Jobs of everybody that may wait for their turn."""

    def __post_init__(self) -> None:
        may_be_zero = {"patience_seconds", "user_waiting", "guild_waiting", "total_waiting"}
        for each in fields(self):
            value = getattr(self, each.name)
            if value < 0 or (value == 0 and each.name not in may_be_zero):
                raise ValueError(f"{each.name} can't be {value}")


@dataclass(eq=False, repr=False)
class CostError(TooMuchError):
    """A job refused before it started: it would take `cost` seconds where `limit` are allowed."""

    cost: float
    limit: float

    def __str__(self) -> str:
        limit = _seconds(self.limit)
        return f"This calculation would take {_about(self.cost)}; the limit is {limit}. Try something smaller."


@dataclass(eq=False, repr=False)
class OverrunError(TooMuchError):
    """A job stopped because it ran for longer than `limit` seconds."""

    limit: float

    def __str__(self) -> str:
        return f"This calculation was stopped after {_seconds(self.limit)}, the longest allowed. Try something smaller."


@dataclass(eq=False, repr=False)
class MemoryLimitError(TooMuchError):
    """A job stopped because it needed more than `limit` bytes of memory."""

    limit: int

    def __str__(self) -> str:
        gib, mib = self.limit / (1 << 30), self.limit >> 20
        size = f"{gib:.1f} GiB".replace(".0 ", " ") if gib >= 1 else f"{mib} MiB"
        return f"This calculation needs more than the {size} of memory allowed. Try something smaller."


class WorkerLostError(RuleError):
    """A job whose worker died under it; nothing is known to be wrong with the job."""

    def __str__(self) -> str:
        return "This calculation was interrupted. Please try again."


class ClosedError(RuleError):
    """A job asked for, or still running, when the simulator closed."""

    def __str__(self) -> str:
        return "The bot is restarting. Please try again in a minute."


class Scope(StrEnum):
    """The groups that share a limit."""

    USER = "user"
    GUILD = "guild"
    SLOW = "slow"
    TOTAL = "total"


@dataclass(frozen=True, slots=True)
class Wait:
    """The length of the queue: jobs before the next one may start, and about how many seconds they take."""

    ahead: int
    seconds: float

    def __str__(self) -> str:
        jobs = "1 calculation is" if self.ahead == 1 else f"{self.ahead} calculations are"
        return f"{jobs} ahead of yours, which begins in {_about(max(1, self.seconds))}."


_BUSY = {
    Scope.USER: "Your earlier calculations are still running ({queue}). Please try again when they are done.",
    Scope.GUILD: "This server's earlier calculations are still running ({queue}). Please try again then.",
    Scope.SLOW: "Too many long calculations are running right now ({queue}). Please try again then.",
    Scope.TOTAL: "Too many calculations are running right now ({queue}). Please try again then.",
}


@dataclass(eq=False, repr=False)
class BusyError(RuleError):
    """A job refused because earlier ones of the same `scope` are still running or waiting."""

    scope: Scope
    wait: Wait

    def __str__(self) -> str:
        return _BUSY[self.scope].format(queue=f"{self.wait.ahead} ahead, {_about(max(1, self.wait.seconds))}")


STARTING = "The bot has just started and is still getting ready, which can take a minute."


class StartingError(RuleError):
    """A job refused because no worker was ready for it, long after the bot's start."""

    def __str__(self) -> str:
        return f"{STARTING} Please try again then."


def checked_cost(job: Job[object], limits: PoolLimits) -> float:
    """Return the cost of `job`; CostError when the limits don't allow it, RuleErrors of `job.cost()` pass through."""
    cost = job.cost()
    # Written so that a cost that isn't a number is refused as well.
    if not cost <= limits.cost_seconds:
        raise CostError(cost, limits.cost_seconds)
    return cost


def _about(seconds: float) -> str:
    return f"about {_seconds(seconds)}" if math.isfinite(seconds) and seconds <= _DAY else "more than a day"


def _seconds(seconds: float) -> str:
    number = f"{seconds:.1f}".removesuffix(".0") if seconds < 10 else f"{seconds:,.0f}"  # noqa: PLR2004 - one digit
    return "1 second" if number == "1" else f"{number} seconds"


AGEING = 5.0
"""How many seconds a job yields for each second that it costs: one of 4 s lets pass what comes up to 20 s later."""

QUICK_SECONDS = 1.0
"""Jobs that cost more are slow: they may not take the last worker, if there are several."""


HERE, THERE = 0, 1
"""The places of workers: this machine, the cluster."""

Group = tuple[Scope, int]
"""Jobs that share a limit: one user's, one server's, all slow ones at a place, or all at a place."""


@dataclass(eq=False, slots=True)
class _Entry:
    """A job in the queue, from its arrival to its end; `turn` is done when it has a worker.

    `spare`: takes only what nobody else waits for. `far`: goes to the cluster if there is one.
    """

    caller: Caller | None
    cost: float
    rank: float
    turn: asyncio.Future[None]
    spare: bool
    far: bool
    place: int = HERE
    groups: list[Group] = field(default_factory=list)
    running: bool = False


class Queue:
    """Gives each job a worker in its turn, here or in the cluster. Belongs to one event loop.

    The lowest rank goes first. A job's rank is the moment of its arrival, later by `AGEING` times its cost, and by as
    much again for each job of the same server that is there already. So quick jobs overtake slow ones, servers take
    turns, and nothing is overtaken for ever. A job that may not start now holds up no other.

    A question in parts is in the queue as one job, with all limits of one. More of its parts go to workers that nobody
    else waits for: their places are `spare`.
    """

    def __init__(self, limits: PoolLimits) -> None:
        self._patience = limits.patience_seconds
        self._max_running = {Scope.USER: limits.user_running, Scope.GUILD: limits.guild_running}
        self.workers = [limits.workers, 0]
        """How many there are at each place."""
        self._max_waiting = {
            Scope.USER: limits.user_waiting,
            Scope.GUILD: limits.guild_waiting,
            Scope.TOTAL: limits.total_waiting,
        }
        self._entries: list[_Entry] = []
        self.on_turn: Callable[[float], None] = lambda _seconds: None
        """Called with the seconds that a job waited, at its turn."""
        self.on_start: Callable[[int], None] = lambda _place: None
        """Called with the place of each job that begins, parts included."""

    def resize_cluster(self, workers: int) -> None:
        """Note how many workers the cluster has; without any, what waits for them waits for those here."""
        self.workers[THERE] = workers
        for entry in self._entries:
            if not entry.running:
                self._choose_place(entry)
        self._admit()

    @property
    def running(self) -> int:
        """How many jobs have a worker."""
        return sum(entry.running for entry in self._entries)

    @property
    def waiting(self) -> int:
        """How many jobs wait for a worker; spare places aside."""
        return sum(not entry.running and not entry.spare for entry in self._entries)

    @asynccontextmanager
    async def place(
        self, caller: Caller | None, cost: float, *, spare: bool = False, far: bool = False
    ) -> AsyncIterator[int]:
        """Hold a worker for one job of `caller`, None for one of the program itself, which ranks as if it cost nothing.

        Yields where: in the cluster for a `far` job if there is a cluster. Raises BusyError when too many wait already,
        or when none came free in `patience_seconds`. A `spare` place comes when nobody else wants it, however long that
        takes.
        """
        loop = asyncio.get_running_loop()
        arrived = loop.time()
        rank = math.inf if spare else arrived + AGEING * self._weight(caller, cost)
        entry = _Entry(None if spare else caller, cost, rank, loop.create_future(), spare, far)
        self._choose_place(entry)
        self._entries.append(entry)
        try:
            self._admit()
            if not entry.running:
                await (entry.turn if spare else self._wait(entry))
            if not spare:
                self.on_turn(loop.time() - arrived)
            self.on_start(entry.place)
            yield entry.place
        finally:
            self._entries.remove(entry)
            self._admit()

    def _choose_place(self, entry: _Entry) -> None:
        """Choose the place that a job waits for, and the groups that it belongs to there, the narrowest first."""
        entry.place = THERE if entry.far and self.workers[THERE] else HERE
        slow = [(Scope.SLOW, entry.place)] if entry.cost > QUICK_SECONDS else []
        entry.groups = [*_own_groups(entry.caller), *slow, (Scope.TOTAL, entry.place)]

    def _weight(self, caller: Caller | None, cost: float) -> float:
        if caller is None:
            return 0.0
        server = _own_groups(caller)[-1]
        return cost * (1 + sum(server in entry.groups for entry in self._entries))

    def wait_of(self, caller: Caller | None) -> Wait | None:
        """Return how long the queue before the caller's next job is; None if none of them waits."""
        own = [entry for entry in self._entries if not entry.running and not entry.spare and entry.caller == caller]
        return self._wait_before(min(own, key=_rank)) if own else None

    async def _wait(self, entry: _Entry) -> None:
        waiting = self._count(running=False)  # the job itself is one of them
        for group in entry.groups if entry.caller is not None else ():
            if waiting[group] > self._max_waiting.get(group[0], math.inf):
                raise BusyError(group[0], self._wait_before(entry, group))
        try:
            async with asyncio.timeout(self._patience):
                await entry.turn
        except TimeoutError:
            if not entry.running:  # or the turn came in the same moment
                group = self._full_group(entry, self._count(running=True)) or entry.groups[-1]
                raise BusyError(group[0], self._wait_before(entry, group)) from None

    def _admit(self) -> None:
        """Give workers to all waiting jobs that may start now.

        A place is taken here, not when the waiter wakes, so that nobody gets in between.
        """
        running = self._count(running=True)
        for entry in sorted(self._entries, key=_rank):
            # A turn that is done without its job running was cancelled.
            if not entry.turn.done() and self._full_group(entry, running) is None:
                entry.running = True
                entry.turn.set_result(None)
                running.update(entry.groups)

    def _count(self, *, running: bool) -> Counter[Group]:
        """Count the jobs of each group that run, or that wait; who waits for a spare place doesn't count."""
        counted = [entry for entry in self._entries if entry.running is running and (running or not entry.spare)]
        return Counter(group for entry in counted for group in entry.groups)

    def _full_group(self, entry: _Entry, running: Counter[Group]) -> Group | None:
        """Return the narrowest group of a job that has no place left."""
        return next((group for group in entry.groups if running[group] >= self._most_running(group)), None)

    def _most_running(self, group: Group) -> int:
        match group:
            case (Scope.TOTAL, place):
                return self.workers[place]
            case (Scope.SLOW, place):
                return max(1, self.workers[place] - 1)
            case (scope, _):
                return self._max_running[scope]

    def _wait_before(self, entry: _Entry, group: Group | None = None) -> Wait:
        """Return how many jobs of a group, by default of those that need the same workers, are before a job."""
        group = group or next(group for group in entry.groups if group[0] in {Scope.SLOW, Scope.TOTAL})
        ahead = [
            other
            for other in self._entries
            if other is not entry and group in other.groups and (other.running or other.rank <= entry.rank)
        ]
        places = min(self._most_running(group), self.workers[entry.place])
        return Wait(len(ahead), sum(other.cost for other in ahead) / places)


_rank = attrgetter("rank")


def _own_groups(caller: Caller | None) -> list[Group]:
    if caller is None:
        return []
    return [(Scope.USER, caller.user), *([] if caller.guild is None else [(Scope.GUILD, caller.guild)])]
