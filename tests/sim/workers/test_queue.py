"""The queue, without any process and without real time."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.workers.queue import HERE, QUICK_SECONDS, THERE, BusyError, Caller, PoolLimits, Queue, Scope
from tests.sim.workers.waiting import in_no_time

ANN, BOB, CYD, DAN = (Caller(user, guild=1) for user in range(1, 5))
ELSEWHERE = Caller(5, guild=2)
QUICK, SLOW = 0.1, 4.0


@dataclass(eq=False)
class Job:
    """A job of a test: `seconds` long, and what became of it; times count from the beginning."""

    caller: Caller | None
    seconds: float
    far: bool
    task: asyncio.Task[None] = field(init=False)
    place: int | None = None
    began: float | None = None
    ended: float | None = None
    refusal: BusyError | None = None


class Clerk:
    """A queue whose jobs take exactly as long as they cost."""

    def __init__(self, **limits: float) -> None:
        self.queue = Queue(PoolLimits(**limits))  # type: ignore[arg-type]  # mypy doesn't tell the fields apart
        self._jobs: list[Job] = []

    def ask(self, caller: Caller | None, seconds: float, *, far: bool = False) -> Job:
        job = Job(caller, seconds, far)
        job.task = asyncio.create_task(self._work(job))
        self._jobs.append(job)
        return job

    async def _work(self, job: Job) -> None:
        loop = asyncio.get_running_loop()
        try:
            async with self.queue.place(job.caller, job.seconds, far=job.far) as job.place:
                job.began = loop.time()
                await asyncio.sleep(job.seconds)
                job.ended = loop.time()
        except BusyError as error:
            job.refusal = error

    async def finish(self) -> None:
        await asyncio.gather(*(job.task for job in self._jobs), return_exceptions=True)
        assert (self.queue.running, self.queue.waiting) == (0, 0)


def crowd(size: int, guild: int = 1) -> list[Caller]:
    return [Caller(1000 * guild + user, guild) for user in range(size)]


@in_no_time
async def test_one_worker_alone_does_the_quick_ones_first() -> None:
    clerk = Clerk(workers=1)
    slow = [clerk.ask(caller, SLOW) for caller in crowd(3)]
    await asyncio.sleep(1)
    quick = [clerk.ask(caller, QUICK) for caller in crowd(3, guild=2)]
    await clerk.finish()
    assert [job.began for job in quick] == pytest.approx([SLOW, SLOW + QUICK, SLOW + 2 * QUICK])
    assert [job.began for job in slow] == pytest.approx([0, SLOW + 3 * QUICK, 2 * SLOW + 3 * QUICK])


@pytest.mark.parametrize("workers", [1, 2, 3])
@in_no_time
async def test_what_is_slow_is_overtaken_only_for_a_time(workers: int) -> None:
    """Quick questions come faster than they can be answered, for ever."""
    clerk = Clerk(workers=workers, patience_seconds=1000, total_waiting=1000)
    for caller in crowd(workers, guild=2):
        clerk.ask(caller, 1.0)
    slow = clerk.ask(ANN, SLOW)
    for user in range(60 * workers):
        clerk.ask(Caller(100 + user, None), 0.5)
        await asyncio.sleep(0.45 / workers)
    await clerk.finish()
    assert slow.began is not None
    assert SLOW < slow.began < 22


@in_no_time
async def test_a_job_of_the_program_itself_goes_before_what_players_ask() -> None:
    """Such as a step when a turn's time is up. No limit on users or servers concerns it."""
    clerk = Clerk(workers=1, total_waiting=3)
    asked = [clerk.ask(caller, QUICK) for caller in (ANN, BOB, CYD, DAN)]
    await asyncio.sleep(0)
    own = clerk.ask(None, QUICK)
    await clerk.finish()
    assert own.began == pytest.approx(QUICK)
    assert [job.began for job in asked] == pytest.approx([0, 2 * QUICK, 3 * QUICK, 4 * QUICK])


@in_no_time
async def test_servers_take_turns() -> None:
    """Twenty ask in one server, then one in another: that one doesn't wait for the twenty."""
    clerk = Clerk(workers=2)
    many = [clerk.ask(caller, 0.5) for caller in crowd(20)]
    await asyncio.sleep(0.01)
    one = clerk.ask(ELSEWHERE, 0.5)
    await clerk.finish()
    assert one.began == pytest.approx(0.5)
    assert sum(job.began is not None and job.began < 1 for job in many) == 3


EARLIER = "earlier calculations are still running"
TOO_MANY = "Too many calculations are running right now"


@pytest.mark.parametrize(
    ("limits", "callers", "said"),
    [
        ({"user_waiting": 1}, [ANN, ANN, ANN], f"Your {EARLIER} (2 ahead, about 5 seconds)."),
        ({"guild_waiting": 1, "workers": 1}, [ANN, BOB, CYD], f"This server's {EARLIER} (2 ahead, about 5 seconds)."),
        ({"total_waiting": 1, "workers": 1}, [ANN, BOB, ELSEWHERE], f"{TOO_MANY} (1 ahead, about 2.5 seconds)."),
        ({"total_waiting": 0, "workers": 2}, [ANN, BOB], f"{TOO_MANY} (1 ahead, about 1.2 seconds)."),
    ],
)
@in_no_time
async def test_a_full_queue_refuses_at_once_and_says_how_long_it_is(
    limits: dict[str, float], callers: list[Caller], said: str
) -> None:
    clerk = Clerk(**limits)
    jobs = [clerk.ask(caller, 2.5) for caller in callers]
    await asyncio.sleep(0.1)
    assert str(jobs[-1].refusal).startswith(said)
    await clerk.finish()
    assert all(job.ended for job in jobs[:-1])


@pytest.mark.parametrize(
    ("limits", "callers", "scope"),
    [
        ({}, [ANN, ANN], Scope.USER),
        ({"guild_running": 1}, [ANN, BOB], Scope.GUILD),
        ({"workers": 1}, [ANN, ELSEWHERE], Scope.SLOW),
        ({"workers": 1}, [ANN, None], Scope.SLOW),
        ({"workers": 2}, [ANN, ELSEWHERE], Scope.SLOW),
    ],
)
@in_no_time
async def test_every_wait_has_a_limit(limits: dict[str, float], callers: list[Caller | None], scope: Scope) -> None:
    clerk = Clerk(patience_seconds=3, **limits)
    first, second = (clerk.ask(caller, 5) for caller in callers)
    await asyncio.sleep(2.9)
    assert clerk.queue.waiting == 1
    await asyncio.sleep(0.2)
    assert clerk.queue.waiting == 0
    assert second.refusal is not None
    assert second.refusal.scope is scope
    await clerk.finish()
    assert first.ended == 5


@in_no_time
async def test_who_waits_can_hear_how_long() -> None:
    clerk = Clerk(workers=2)
    for caller in crowd(3):
        clerk.ask(caller, SLOW)
    clerk.ask(ANN, SLOW)
    clerk.ask(BOB, QUICK)
    await asyncio.sleep(0.05)
    assert str(clerk.queue.wait_of(ANN)) == "3 calculations are ahead of yours, which begins in about 12 seconds."
    assert clerk.queue.wait_of(BOB) is None, "it is running"
    await asyncio.sleep(SLOW)
    assert str(clerk.queue.wait_of(ANN)) == "2 calculations are ahead of yours, which begins in about 8 seconds."
    assert clerk.queue.wait_of(DAN) is None, "nothing was asked"
    await clerk.finish()


@in_no_time
async def test_a_turn_that_comes_too_late_is_passed_on() -> None:
    """The worker goes to b, and b is cancelled before it can move: c must have it."""
    clerk = Clerk(workers=1)
    inside = clerk.queue.place(ANN, 1)
    await inside.__aenter__()
    cancelled, late = clerk.ask(BOB, 1), clerk.ask(CYD, 1)
    await asyncio.sleep(0.1)
    await inside.__aexit__(None, None, None)
    cancelled.task.cancel()
    await clerk.finish()
    assert late.began == pytest.approx(0.1)


@dataclass(frozen=True)
class Visit:
    """One job of the random test; times in seconds."""

    caller: Caller | None
    arrival: int
    cost: float
    stay: int
    fails: bool
    cancelled_at: int | None


LIMITS = st.builds(
    PoolLimits,
    workers=st.integers(1, 4),
    user_running=st.integers(1, 2),
    guild_running=st.integers(1, 3),
    user_waiting=st.integers(0, 2),
    guild_waiting=st.integers(0, 4),
    total_waiting=st.integers(0, 6),
    patience_seconds=st.sampled_from([0.0, 3.0, 1000.0]),
)
CALLERS = st.none() | st.builds(Caller, user=st.integers(1, 4), guild=st.sampled_from([None, 1, 2]))
VISITS = st.lists(
    st.builds(
        Visit,
        caller=CALLERS,
        arrival=st.integers(0, 12),
        cost=st.sampled_from([0.0, 0.1, QUICK_SECONDS, 4.0]),
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
        self.queue = Queue(limits)
        self.inside: list[Visit] = []

    async def visit(self, visit: Visit) -> None:
        await asyncio.sleep(visit.arrival)
        async with self.queue.place(visit.caller, visit.cost):
            self.inside.append(visit)
            try:
                self.inspect()
                await asyncio.sleep(visit.stay)
                if visit.fails:
                    raise ZeroDivisionError
            finally:
                self.inside.remove(visit)

    def inspect(self) -> None:
        limits, entries = self.limits, self.queue._entries
        callers = [visit.caller for visit in self.inside if visit.caller is not None]
        assert max(Counter(caller.user for caller in callers).values(), default=0) <= limits.user_running
        guilds = Counter(caller.guild for caller in callers if caller.guild is not None)
        assert max(guilds.values(), default=0) <= limits.guild_running
        assert len(self.inside) <= self.queue.running <= limits.workers
        slow = sum(visit.cost > QUICK_SECONDS for visit in self.inside)
        assert slow <= max(1, limits.workers - 1)
        waiting = [entry for entry in entries if not entry.turn.done()]
        asked = [entry.caller for entry in waiting if entry.caller is not None]
        assert max(Counter(caller.user for caller in asked).values(), default=0) <= limits.user_waiting
        assert len(asked) <= limits.total_waiting
        running = self.queue._count(running=True)
        assert all(self.queue._full_group(entry, running) for entry in waiting), "nobody waits who could have a worker"


@settings(max_examples=200)
@given(limits=LIMITS, visits=VISITS)
@in_no_time
async def test_limits_hold_and_nothing_leaks(limits: PoolLimits, visits: list[Visit]) -> None:
    inspector = Inspector(limits)
    tasks = [asyncio.create_task(inspector.visit(visit)) for visit in visits]
    for step in range(60):
        for task, visit in zip(tasks, visits, strict=True):
            if visit.cancelled_at == step:
                task.cancel()
        await asyncio.sleep(1)
        inspector.inspect()
    endings = await asyncio.gather(*tasks, return_exceptions=True)
    expected = (asyncio.CancelledError, BusyError, ZeroDivisionError)
    assert [ending for ending in endings if ending is not None and not isinstance(ending, expected)] == []
    assert not inspector.queue._entries


@settings(max_examples=100)
@given(
    workers=st.integers(1, 3),
    guilds=st.lists(st.lists(st.sampled_from([0.1, 0.5, 2.0, 4.0]), min_size=1, max_size=8), min_size=1, max_size=4),
)
@in_no_time
async def test_everybody_s_turn_comes(workers: int, guilds: list[list[float]]) -> None:
    """Whoever asks for what, wherever: without a limit on waiting all of it is done, and no worker rests meanwhile."""
    clerk = Clerk(workers=workers, patience_seconds=1000, guild_running=workers)
    jobs = [
        clerk.ask(caller, cost)
        for guild, costs in enumerate(guilds, 1)
        for caller, cost in zip(crowd(len(costs), guild), costs, strict=True)
    ]
    await clerk.finish()
    assert all(job.ended is not None for job in jobs)
    slow = sum(job.seconds for job in jobs if job.seconds > QUICK_SECONDS)
    total = sum(job.seconds for job in jobs)
    bound = total / workers + slow / max(1, workers - 1) + max(job.seconds for job in jobs)
    assert max(job.ended for job in jobs if job.ended is not None) <= bound + 1e-6


@in_no_time
async def test_the_cluster_has_places_of_its_own_and_keeps_one_for_quick_jobs() -> None:
    clerk = Clerk(workers=2)
    clerk.queue.resize_cluster(3)
    far = [clerk.ask(caller, SLOW, far=True) for caller in crowd(3, guild=7) + crowd(2, guild=8)]
    here = [clerk.ask(ANN, QUICK), clerk.ask(BOB, QUICK)]
    quick = clerk.ask(CYD, QUICK, far=True)
    await clerk.finish()
    assert [job.place for job in (*far, *here, quick)] == [THERE] * 5 + [HERE] * 2 + [THERE]
    assert [job.began for job in (*here, quick)] == [0, 0, 0]
    assert sorted(job.began or 0 for job in far) == [0, 0, SLOW, SLOW, 2 * SLOW]


@in_no_time
async def test_what_waits_for_a_cluster_that_is_gone_waits_for_this_machine() -> None:
    clerk = Clerk(workers=2)
    clerk.queue.resize_cluster(1)
    first, second = clerk.ask(ANN, SLOW, far=True), clerk.ask(ELSEWHERE, SLOW, far=True)
    await asyncio.sleep(1)
    assert (first.place, second.place) == (THERE, None)
    clerk.queue.resize_cluster(0)
    third = clerk.ask(Caller(9, guild=3), QUICK, far=True)
    await clerk.finish()
    assert (second.place, second.began) == (HERE, 1)
    assert (third.place, third.began) == (HERE, 1)


@in_no_time
async def test_people_have_one_job_at_a_time_wherever_it_is() -> None:
    clerk = Clerk(workers=2)
    clerk.queue.resize_cluster(3)
    clerk.ask(ANN, SLOW, far=True)
    beside = clerk.ask(ANN, QUICK)
    await clerk.finish()
    assert beside.began == SLOW
