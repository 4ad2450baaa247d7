"""A fair queue: limits on running and waiting jobs per user, per server and in total."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sim.workers.limits import BusyError, Caller, PoolLimits, Scope

Group = tuple[Scope, int]
"""Jobs that share a limit: one user's, one server's, or all."""


class Admission:
    """Grants places to run jobs, limited per user, per server and in total.

    Others wait in order of arrival; a job whose groups all have room never waits for one whose groups don't.
    Belongs to one event loop.
    """

    def __init__(self, limits: PoolLimits) -> None:
        self._patience = limits.patience_seconds
        self._max_running = {
            Scope.USER: limits.user_running,
            Scope.GUILD: limits.guild_running,
            Scope.TOTAL: limits.total_running,
        }
        self._max_waiting = {
            Scope.USER: limits.user_waiting,
            Scope.GUILD: limits.guild_waiting,
            Scope.TOTAL: limits.total_waiting,
        }
        self._running: Counter[Group] = Counter()
        self._queue: dict[asyncio.Future[None], list[Group]] = {}

    @property
    def running(self) -> int:
        """How many jobs have a place."""
        return self._running[Scope.TOTAL, 0]

    @property
    def waiting(self) -> int:
        """How many jobs wait for a place."""
        return len(self._queue)

    @asynccontextmanager
    async def place(self, caller: Caller | None) -> AsyncIterator[None]:
        """Hold a place for one job of `caller`; None needs none.

        Raises BusyError when the queue is full, or when no place came free in `patience_seconds`.
        """
        if caller is None:
            yield
            return
        groups = _groups(caller)
        if self._full(groups) is None:
            self._take(groups)
        else:
            await self._wait(groups)
        try:
            yield
        finally:
            self._give_back(groups)

    async def _wait(self, groups: list[Group]) -> None:
        """Wait until a place has been taken for the caller."""
        for scope, ident in groups:
            ahead = sum((scope, ident) in others for others in self._queue.values())
            if ahead >= self._max_waiting[scope]:
                raise BusyError(scope)
        turn = asyncio.get_running_loop().create_future()
        self._queue[turn] = groups
        try:
            async with asyncio.timeout(self._patience):
                await turn
        except BaseException as error:
            if turn.done() and not turn.cancelled():
                # The turn came in the same moment as the end of our patience or of our task.
                self._give_back(groups)
            if isinstance(error, TimeoutError):
                raise BusyError(self._full(groups) or Scope.TOTAL) from None
            raise
        finally:
            self._queue.pop(turn, None)

    def _give_back(self, groups: list[Group]) -> None:
        self._running.subtract(groups)
        for group in groups:
            if not self._running[group]:
                del self._running[group]
        self._admit()

    def _admit(self) -> None:
        """Give places to all waiting jobs that fit now, first come, first served.

        The place is taken here, not when the waiter wakes, so that nobody gets in between.
        """
        for turn, groups in list(self._queue.items()):
            if not turn.done() and self._full(groups) is None:
                self._take(groups)
                del self._queue[turn]
                turn.set_result(None)

    def _take(self, groups: list[Group]) -> None:
        self._running.update(groups)

    def _full(self, groups: list[Group]) -> Scope | None:
        """Return the narrowest scope that has no place left."""
        for scope, ident in groups:
            if self._running[scope, ident] >= self._max_running[scope]:
                return scope
        return None


def _groups(caller: Caller) -> list[Group]:
    """Return the groups of `caller`, the narrowest first."""
    server = [] if caller.guild is None else [(Scope.GUILD, caller.guild)]
    return [(Scope.USER, caller.user), *server, (Scope.TOTAL, 0)]
