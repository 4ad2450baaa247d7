"""The queue of all jobs: which one gets the next free worker, and which are refused."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from operator import attrgetter

from sim.workers.limits import BusyError, Caller, PoolLimits, Scope, Wait

AGEING = 5.0
"""How many seconds a job yields for each second that it costs: one of 4 s lets pass what comes up to 20 s later."""

QUICK_SECONDS = 1.0
"""Jobs that cost more may not take the last worker, if there are several."""


@dataclass(eq=False, slots=True)
class _Entry:
    """A job in the queue, from its arrival to its end; `turn` is done when it has a worker."""

    caller: Caller | None
    cost: float
    rank: float
    turn: asyncio.Future[None]
    running: bool = False

    @property
    def is_slow(self) -> bool:
        return self.cost > QUICK_SECONDS

    def shares(self, scope: Scope, caller: Caller | None) -> bool:
        """Return whether the job counts towards the same limit as those of `caller`."""
        return _group(scope, self.caller) == _group(scope, caller) is not None


class Queue:
    """Gives each job a worker in its turn. Belongs to one event loop.

    The lowest rank goes first. A job's rank is the moment of its arrival, later by `AGEING` times its cost, and by as
    much again for each job of the same server that is there already. So quick jobs overtake slow ones, servers take
    turns, and nothing is overtaken for ever. A job that may not start now holds up no other.
    """

    def __init__(self, limits: PoolLimits) -> None:
        self._limits = limits
        self._slow_places = max(1, limits.workers - 1)
        self._max_running = {
            Scope.USER: limits.user_running,
            Scope.GUILD: limits.guild_running,
            Scope.TOTAL: limits.workers,
        }
        self._max_waiting = {
            Scope.USER: limits.user_waiting,
            Scope.GUILD: limits.guild_waiting,
            Scope.TOTAL: limits.total_waiting,
        }
        self._entries: list[_Entry] = []

    @property
    def running(self) -> int:
        """How many jobs have a worker."""
        return sum(entry.running for entry in self._entries)

    @property
    def waiting(self) -> int:
        """How many jobs wait for a worker."""
        return len(self._entries) - self.running

    @asynccontextmanager
    async def place(self, caller: Caller | None, cost: float) -> AsyncIterator[None]:
        """Hold a worker for one job of `caller`, None for one of the program itself, which ranks as if it cost nothing.

        Raises BusyError when too many wait already, or when none came free in `patience_seconds`.
        """
        loop = asyncio.get_running_loop()
        server = Scope.USER if caller is None or caller.guild is None else Scope.GUILD
        weight = 0.0 if caller is None else cost * (1 + sum(entry.shares(server, caller) for entry in self._entries))
        entry = _Entry(caller, cost, loop.time() + AGEING * weight, loop.create_future())
        self._entries.append(entry)
        try:
            self._admit()
            if not entry.running:
                await self._wait(entry)
            yield
        finally:
            self._entries.remove(entry)
            self._admit()

    def wait_of(self, caller: Caller | None) -> Wait | None:
        """Return what the caller's first waiting job waits for; None if none of them waits."""
        own = [entry for entry in self._entries if not entry.running and entry.caller == caller]
        return self._wait_before(min(own, key=_rank)) if own else None

    async def _wait(self, entry: _Entry) -> None:
        for scope, limit in self._max_waiting.items():
            # The job itself is one of them.
            if entry.caller is not None and self._sharing(scope, entry, running=False) > limit:
                raise self._refusal(scope, entry)
        try:
            async with asyncio.timeout(self._limits.patience_seconds):
                await entry.turn
        except TimeoutError:
            if not entry.running:  # or the turn came in the same moment
                raise self._refusal(self._full(entry) or Scope.TOTAL, entry) from None

    def _admit(self) -> None:
        """Give workers to all waiting jobs that may start now.

        A place is taken here, not when the waiter wakes, so that nobody gets in between.
        """
        for entry in sorted(self._entries, key=_rank):
            # A turn that is done without its job running was cancelled.
            if not entry.turn.done() and self._full(entry) is None:
                entry.running = True
                entry.turn.set_result(None)

    def _full(self, entry: _Entry) -> Scope | None:
        """Return the narrowest scope that has no place left for a job."""
        for scope, limit in self._max_running.items():
            if self._sharing(scope, entry, running=True) >= limit:
                return scope
        slow = sum(other.running and other.is_slow for other in self._entries)
        return Scope.TOTAL if entry.is_slow and slow >= self._slow_places else None

    def _sharing(self, scope: Scope, entry: _Entry, *, running: bool) -> int:
        """Count the jobs that run, or that wait, under the same limit as a job."""
        return sum(other.running is running and other.shares(scope, entry.caller) for other in self._entries)

    def _refusal(self, scope: Scope, entry: _Entry) -> BusyError:
        return BusyError(scope, self._wait_before(entry, scope))

    def _wait_before(self, entry: _Entry, scope: Scope = Scope.TOTAL) -> Wait:
        """Estimate how long a job has to wait for those of the same scope before it."""
        ahead = [
            other
            for other in self._entries
            if other is not entry
            and other.shares(scope, entry.caller)
            and (other.running or (other.rank <= entry.rank and other.is_slow == entry.is_slow))
        ]
        places = min(self._max_running[scope], self._slow_places if entry.is_slow else self._limits.workers)
        return Wait(len(ahead), sum(other.cost for other in ahead) / places)


_rank = attrgetter("rank")


def _group(scope: Scope, caller: Caller | None) -> int | None:
    """Return what jobs that share a limit have in common; None for a job that the limit doesn't concern."""
    match scope:
        case Scope.USER:
            return None if caller is None else caller.user
        case Scope.GUILD:
            return None if caller is None else caller.guild
        case Scope.TOTAL:
            return 0
