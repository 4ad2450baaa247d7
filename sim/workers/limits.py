"""Jobs, callers, limits and errors, shared by all simulators."""

import math
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import TypeVar

from sim.core.errors import RuleError, TooMuchError
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
        for field in fields(self):
            value = getattr(self, field.name)
            if value < 0 or (value == 0 and field.name not in may_be_zero):
                raise ValueError(f"{field.name} can't be {value}")


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
        return f"This calculation needs more than the {_memory(self.limit)} of memory allowed. Try something smaller."


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
RUNNING = "This calculation takes a few seconds."


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


def _memory(size: int) -> str:
    return f"{size / (1 << 30):.1f} GiB".replace(".0 ", " ") if size >= 1 << 30 else f"{size >> 20} MiB"
