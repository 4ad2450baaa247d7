"""The fair queue, without any process."""

import asyncio
import itertools
from collections import Counter
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.workers import Admission, BusyError, Caller, PoolLimits, Scope
from tests.sim.workers.waiting import LONG, until

ANN, BOB, CYD, DAN = (Caller(user, guild=1) for user in range(1, 5))


class Queue:
    """An admission queue and what became of each job, by name."""

    def __init__(self, limits: PoolLimits) -> None:
        self.admission = Admission(limits)
        self.running: list[str] = []
        self._jobs: dict[str, tuple[asyncio.Task[None], asyncio.Event]] = {}

    async def ask(self, name: str, caller: Caller | None) -> None:
        """Let a job ask for a place and go as far as it gets."""
        end = asyncio.Event()
        self._jobs[name] = asyncio.create_task(self._job(name, caller, end)), end
        await _settle()

    async def _job(self, name: str, caller: Caller | None, end: asyncio.Event) -> None:
        async with self.admission.place(caller):
            self.running.append(name)
            try:
                await end.wait()
            finally:
                self.running.remove(name)

    def end(self, name: str) -> None:
        self._jobs[name][1].set()

    def cancel(self, name: str) -> None:
        self._jobs[name][0].cancel()

    async def finish(self, *names: str) -> None:
        for name in names:
            self.end(name)
            await self._jobs[name][0]

    async def refusal(self, name: str) -> Scope:
        """Return why the job was refused."""
        with pytest.raises(BusyError) as caught:
            await self._jobs[name][0]
        return caught.value.scope

    def assert_empty(self) -> None:
        assert (self.admission.running, self.admission.waiting) == (0, 0)
        assert not self.admission._running
        assert not self.admission._queue


async def _settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_one_user_waits_in_order() -> None:
    queue = Queue(PoolLimits(patience_seconds=LONG))
    for name in "abc":
        await queue.ask(name, ANN)
    assert (queue.running, queue.admission.running, queue.admission.waiting) == (["a"], 1, 2)
    for name, following in itertools.pairwise("abc"):
        await queue.finish(name)
        await _settle()
        assert queue.running == [following]
    await queue.finish("c")
    queue.assert_empty()


async def test_one_server_waits_in_order() -> None:
    queue = Queue(PoolLimits(patience_seconds=LONG, guild_running=1))
    for name, caller in zip("abc", (ANN, BOB, CYD), strict=True):
        await queue.ask(name, caller)
    assert queue.running == ["a"]
    await queue.finish("a")
    await _settle()
    assert queue.running == ["b"]
    await queue.finish("b", "c")
    queue.assert_empty()


async def test_nobody_waits_for_another_s_limit() -> None:
    """Ann's second job waits for her first; Bob, who comes later, doesn't, nor does anybody in a direct message."""
    queue = Queue(PoolLimits(patience_seconds=LONG, guild_running=2))
    await queue.ask("ann's", ANN)
    await queue.ask("ann's second", ANN)
    await queue.ask("bob's", BOB)
    await queue.ask("cyd's, the third of the server", CYD)
    await queue.ask("dan's, elsewhere", Caller(DAN.user, guild=2))
    await queue.ask("eve's, in private", Caller(5, guild=None))
    await queue.ask("fay's, in private", Caller(6, guild=None))
    await queue.ask("nobody's", None)
    assert queue.running == ["ann's", "bob's", "dan's, elsewhere", "eve's, in private", "fay's, in private", "nobody's"]
    await queue.finish("bob's")
    await _settle()
    assert queue.running[-1] == "cyd's, the third of the server"


async def test_a_user_is_one_user_in_every_server() -> None:
    queue = Queue(PoolLimits(patience_seconds=0))
    await queue.ask("here", Caller(1, guild=1))
    await queue.ask("there", Caller(1, guild=2))
    await queue.ask("in private", Caller(1, guild=None))
    assert await queue.refusal("there") is Scope.USER
    assert await queue.refusal("in private") is Scope.USER


@pytest.mark.parametrize(
    ("limits", "callers", "scope"),
    [
        (PoolLimits(user_waiting=1, patience_seconds=LONG), [ANN, ANN, ANN], Scope.USER),
        (PoolLimits(guild_running=1, guild_waiting=1, patience_seconds=LONG), [ANN, BOB, CYD], Scope.GUILD),
        (PoolLimits(total_running=1, total_waiting=1, patience_seconds=LONG), [ANN, BOB, CYD], Scope.TOTAL),
    ],
)
async def test_a_full_queue_refuses_at_once(limits: PoolLimits, callers: list[Caller], scope: Scope) -> None:
    queue = Queue(limits)
    for name, caller in zip("abc", callers, strict=True):
        await queue.ask(name, caller)
    assert await queue.refusal("c") is scope
    assert (queue.running, queue.admission.waiting) == (["a"], 1)
    await queue.finish("a", "b")
    queue.assert_empty()


@pytest.mark.parametrize(
    ("limits", "callers", "scope"),
    [
        (PoolLimits(patience_seconds=0.05), [ANN, ANN], Scope.USER),
        (PoolLimits(guild_running=1, patience_seconds=0.05), [ANN, BOB], Scope.GUILD),
        (PoolLimits(total_running=1, patience_seconds=0.05), [ANN, BOB], Scope.TOTAL),
        (PoolLimits(total_running=1, patience_seconds=0), [ANN, BOB], Scope.TOTAL),
    ],
)
async def test_patience_ends(limits: PoolLimits, callers: list[Caller], scope: Scope) -> None:
    queue = Queue(limits)
    for name, caller in zip("ab", callers, strict=True):
        await queue.ask(name, caller)
    assert await queue.refusal("b") is scope
    assert (queue.running, queue.admission.waiting) == (["a"], 0)
    await queue.finish("a")
    queue.assert_empty()


async def test_cancelling_gives_up_the_turn() -> None:
    queue = Queue(PoolLimits(patience_seconds=LONG))
    for name in "abc":
        await queue.ask(name, ANN)
    queue.cancel("b")
    await _settle()
    assert queue.admission.waiting == 1
    queue.cancel("a")
    await _settle()
    assert queue.running == ["c"]
    await queue.finish("c")
    queue.assert_empty()


async def test_a_turn_that_comes_too_late_is_passed_on() -> None:
    """The place goes to b, and b is cancelled before it can move: c must have it."""
    queue = Queue(PoolLimits(patience_seconds=LONG))
    for name in "abc":
        await queue.ask(name, ANN)
    queue.end("a")
    await until(lambda: queue.admission.waiting == 1, pause=0)
    queue.cancel("b")
    await _settle()
    assert queue.running == ["c"]
    await queue.finish("c")
    queue.assert_empty()


async def test_an_error_gives_back_the_place() -> None:
    admission = Admission(PoolLimits())
    with pytest.raises(ZeroDivisionError):
        async with admission.place(ANN):
            raise ZeroDivisionError
    assert admission.running == 0
    async with admission.place(ANN):
        assert admission.running == 1


@dataclass(frozen=True)
class Visit:
    """One job of the random test; times are steps of the loop."""

    caller: Caller
    arrival: int
    stay: int
    fails: bool
    cancelled_at: int | None


LIMITS = st.builds(
    PoolLimits,
    user_running=st.integers(1, 2),
    guild_running=st.integers(1, 3),
    total_running=st.integers(1, 4),
    user_waiting=st.integers(0, 2),
    guild_waiting=st.integers(0, 4),
    total_waiting=st.integers(0, 6),
    patience_seconds=st.sampled_from([0.0, 2 * LONG]),
)
VISITS = st.lists(
    st.builds(
        Visit,
        caller=st.builds(Caller, user=st.integers(1, 4), guild=st.sampled_from([None, 1, 2])),
        arrival=st.integers(0, 12),
        stay=st.integers(0, 6),
        fails=st.booleans(),
        cancelled_at=st.none() | st.integers(0, 24),
    ),
    max_size=16,
)


class Inspector:
    """Counts by itself who is inside, and looks at the queue after every step."""

    def __init__(self, limits: PoolLimits) -> None:
        self.limits = limits
        self.admission = Admission(limits)
        self.users: Counter[int] = Counter()
        self.guilds: Counter[int | None] = Counter()

    async def visit(self, visit: Visit) -> None:
        for _ in range(visit.arrival):
            await asyncio.sleep(0)
        async with self.admission.place(visit.caller):
            self.users[visit.caller.user] += 1
            self.guilds[visit.caller.guild] += 1
            try:
                self.inspect()
                for _ in range(visit.stay):
                    await asyncio.sleep(0)
                if visit.fails:
                    raise ZeroDivisionError
            finally:
                self.users[visit.caller.user] -= 1
                self.guilds[visit.caller.guild] -= 1

    def inspect(self) -> None:
        limits, queue = self.limits, self.admission._queue
        assert max(self.users.values(), default=0) <= limits.user_running
        assert max((count for guild, count in self.guilds.items() if guild), default=0) <= limits.guild_running
        assert self.users.total() <= self.admission.running <= limits.total_running
        waiting = Counter(itertools.chain.from_iterable(queue.values()))
        most = {Scope.USER: limits.user_waiting, Scope.GUILD: limits.guild_waiting, Scope.TOTAL: limits.total_waiting}
        assert all(count <= most[scope] for (scope, _), count in waiting.items())
        # Nobody waits who could have a place.
        assert all(turn.done() or self.admission._full(groups) for turn, groups in queue.items())


async def _play(limits: PoolLimits, visits: list[Visit]) -> None:
    inspector = Inspector(limits)
    tasks = [asyncio.create_task(inspector.visit(visit)) for visit in visits]
    for step in range(60):
        for task, visit in zip(tasks, visits, strict=True):
            if visit.cancelled_at == step:
                task.cancel()
        await asyncio.sleep(0)
        inspector.inspect()
    async with asyncio.timeout(LONG):
        endings = await asyncio.gather(*tasks, return_exceptions=True)
    expected = (asyncio.CancelledError, BusyError, ZeroDivisionError)
    assert [ending for ending in endings if ending is not None and not isinstance(ending, expected)] == []
    assert (inspector.admission.running, inspector.admission.waiting) == (0, 0)
    assert not inspector.admission._running
    assert not inspector.admission._queue


@settings(max_examples=200, deadline=None)
@given(limits=LIMITS, visits=VISITS)
def test_limits_hold_and_nothing_leaks(limits: PoolLimits, visits: list[Visit]) -> None:
    asyncio.run(_play(limits, visits))
