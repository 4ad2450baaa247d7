"""Results that are shared and kept, and what is told to those who wait for them."""

import asyncio
import pickle
import tracemalloc
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from prometheus_client import REGISTRY

from bot import result_cache
from bot.metrics import Metrics
from bot.result_cache import CachingSimulator, current_notice
from sim.axis_allies.average import AverageRequest
from sim.core import RuleError, TooMuchError
from sim.core.staged_job import Job, StagedJob, answer
from sim.core.values import Side
from sim.duel.requests import DuelOddsRequest
from sim.mad_killer_agents.constants import AiKind
from sim.mad_killer_agents.simulate import SimulateRequest
from sim.mad_killer_agents.terrain import Drawing
from sim.marked_for_death.odds import OddsRequest, SensitivityRequest, report_of
from sim.workers import InlineSimulator
from sim.workers.pool import PoolSimulator
from sim.workers.queue import Caller, PoolLimits, R
from tests.bot.test_health import sample
from tests.sim.axis_allies.builders import parse_battle
from tests.sim.duel.builders import critter
from tests.sim.marked_for_death.builders import legion
from tests.sim.workers import jobs
from tests.sim.workers.waiting import until

ANN, BOB = Caller(1, 1), Caller(2, 1)


def request(battle: str) -> AverageRequest:
    armies = parse_battle(battle)
    return AverageRequest(attacker=armies[Side.ATTACKER], defender=armies[Side.DEFENDER])


class SlowSimulator(InlineSimulator):
    """Begins a job when the test opens the gate; counts the jobs that were asked for, and those that were cancelled."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()
        self.asked: list[tuple[object, Caller | None]] = []
        self.cancelled = 0

    async def run(self, job: Job[R], caller: Caller | None = None, sizes: list[int] | None = None) -> R:
        self.asked.append((job, caller))
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return await super().run(job, caller, sizes)


def held() -> tuple[SlowSimulator, CachingSimulator]:
    slow = SlowSimulator()
    return slow, CachingSimulator(slow, Metrics("1"))


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_equal_questions_at_the_same_time_are_worked_out_once() -> None:
    slow, simulator = held()
    asked = [asyncio.create_task(simulator.run(request("6 t vs 10 i"), caller)) for caller in (ANN, BOB, None)]
    other = asyncio.create_task(simulator.run(request("1 t vs 1 i"), BOB))
    await settle()
    assert slow.asked == [(request("6 t vs 10 i"), ANN), (request("1 t vs 1 i"), BOB)]
    slow.gate.set()
    first, *others = await asyncio.gather(*asked)
    assert all(report is first for report in others)
    await other
    assert await simulator.run(request("6 tanks vs 10 inf")) is first
    assert await simulator.run(request("10 inf vs 6 tanks")) is not first


async def test_who_stops_waiting_stops_nobody_else_and_a_job_ends_when_nobody_waits_any_more() -> None:
    slow, simulator = held()
    asked = [asyncio.create_task(simulator.run(jobs.Double(number=1), caller)) for caller in (ANN, BOB, BOB)]
    await settle()
    asked[0].cancel()
    await settle()
    assert ([task.done() for task in asked], slow.cancelled) == ([True, False, False], 0)
    for task in asked[1:]:
        task.cancel()
    again = None
    while again is None:  # asked in the very moment in which the old job ends
        await asyncio.sleep(0)
        if all(task.done() for task in asked):
            again = asyncio.create_task(simulator.run(jobs.Double(number=1), ANN))
    await settle()
    assert slow.cancelled == 1
    slow.gate.set()
    assert await again == 2
    assert simulator._under_way == {}


async def test_an_error_reaches_all_who_asked() -> None:
    slow, simulator = held()
    asked = [asyncio.create_task(simulator.run(jobs.REFUSE, caller)) for caller in (ANN, BOB)]
    await settle()
    slow.gate.set()
    for task in asked:
        with pytest.raises(RuleError, match="no units"):
            await task
    assert len(slow.asked) == 1


async def test_a_calculation_in_parts_is_shared_as_well() -> None:
    slow, simulator = held()

    async def work() -> int:
        return sum([await simulator.once(jobs.Double(number=number), ANN) for number in (1, 2)])

    asked = [asyncio.create_task(simulator.through("sum", work)) for _ in range(3)]
    await settle()
    slow.gate.set()
    assert await asyncio.gather(*asked) == [6, 6, 6]
    assert len(slow.asked) == 2
    assert await simulator.through("sum", work) == 6
    assert len(slow.asked) == 2


async def test_the_oldest_is_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.result_cache.BYTES_KEPT", 250_000)
    simulator = CachingSimulator(InlineSimulator(), Metrics("1"))
    a = await simulator.run(jobs.Call(bytes, 100_000))
    b = await simulator.run(jobs.Call(bytes, 100_001))
    assert await simulator.run(jobs.Call(bytes, 100_000)) is a
    await simulator.run(jobs.Call(bytes, 100_002))
    assert await simulator.run(jobs.Call(bytes, 100_000)) is a
    assert await simulator.run(jobs.Call(bytes, 100_001)) is not b


@pytest.mark.parametrize("parts", [False, True])
async def test_what_is_kept_is_bounded_in_bytes(parts: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs and reports count, also those of a calculation in parts; what is too large alone is only answered."""
    monkeypatch.setattr("bot.result_cache.BYTES_KEPT", 1 << 20)
    simulator = CachingSimulator(InlineSimulator(), Metrics("1"))

    async def ask(job: Job[Any]) -> object:
        if parts:
            return await simulator.through(("parts", job), lambda: simulator.once(job))
        return await simulator.run(job)

    for number in range(20):
        await ask(jobs.Call(bytes, 100_000 + number))
        assert simulator._size <= 1 << 20
    assert len(simulator._results) == 10
    await ask(jobs.Call(len, bytes(400_000)))
    assert len(simulator._results) == 7
    assert await ask(jobs.Call(bytes, 2 << 20)) == bytes(2 << 20)
    assert simulator._size == sum(size for _, size in simulator._results.values()) <= 1 << 20
    for number in range(3000):
        await ask(jobs.Double(number=number))
    assert len(simulator._results) <= 1 << 10, "small ones count, too"


def test_what_is_kept_leaves_a_small_host_its_memory() -> None:
    """A report of many small objects takes far more memory than bytes when it is pickled."""
    report = pickle.dumps(request("6 tanks, 30 inf, 4 ftr vs 40 inf, 4 ftr").run())
    tracemalloc.start()
    try:
        copies = [pickle.loads(report) for _ in range(100)]  # our own
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    times = taken / (len(copies) * len(report))
    assert times * result_cache.BYTES_KEPT < 80 << 20


async def test_jobs_are_counted_and_errors_neither_kept_nor_hidden() -> None:
    metrics = Metrics("1")
    simulator = CachingSimulator(InlineSimulator(), metrics)
    await simulator.run(request("1 t vs 1 t"))
    for _ in range(2):
        with pytest.raises(TooMuchError):
            await simulator.run(request("1 inf vs 9999 transports"))
    with pytest.raises(ZeroDivisionError):
        await simulator.run(jobs.FAIL)
    assert sample(metrics, "fracas_job_seconds_count", game="house", result="failed") == 1
    assert sample(metrics, "fracas_job_seconds_count", game="axis_allies", result="ok") == 1
    assert sample(metrics, "fracas_job_seconds_count", game="axis_allies", result="refused") == 2
    assert sample(metrics, "fracas_jobs_refused_total", reason="toomuch") == 2
    assert REGISTRY.get_sample_value("fracas_queue_seconds_count") is None


@dataclass
class Listener:
    """Hears what a player would read."""

    heard: list[str] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)

    def update(self, share: float, _task: str) -> None:
        self.shares.append(share)

    async def tell(self, reason: str) -> None:
        self.heard.append(reason)

    async def clear(self) -> None:
        self.heard.append("")


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_cache, "TELL_SECONDS", 0.001)


async def listen(work: Callable[[], Awaitable[object]], enough: int, gate: asyncio.Event) -> list[str]:
    """Return what a player hears while they wait for the work, until they have heard enough."""
    listener = Listener()

    async def interaction() -> None:
        current_notice.set(listener)
        await work()

    task = asyncio.create_task(interaction())
    await until(lambda: len(listener.heard) >= enough, 0.001)
    gate.set()
    await task
    return listener.heard


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("kind", ["run", "once", "parts"])
async def test_who_waits_is_told_why_until_the_answer_comes(kind: str) -> None:
    slow, simulator = held()
    job = jobs.Double(number=1)
    work = {
        "run": lambda: simulator.run(job, ANN),
        "once": lambda: simulator.once(job, ANN),
        "parts": lambda: simulator.through("parts", lambda: simulator.once(job, ANN)),
    }[kind]
    heard = await listen(work, 2, slow.gate)
    assert set(heard[:-1]) == {"This calculation takes a few seconds."}
    assert heard[-1] == "", "and nothing of it is left"


@pytest.mark.usefixtures("impatient")
async def test_who_waits_for_somebody_else_s_question_is_told_as_well() -> None:
    slow, simulator = held()
    first = asyncio.create_task(simulator.through("key", lambda: simulator.once(jobs.Double(number=1), ANN)))
    await settle()
    heard = await listen(lambda: simulator.through("key", lambda: simulator.once(jobs.Double(number=1))), 1, slow.gate)
    assert heard[0] == "This calculation takes a few seconds."
    assert await first == 2
    assert len(slow.asked) == 1


@pytest.mark.usefixtures("impatient")
async def test_who_waits_in_the_queue_is_told_how_many_are_ahead() -> None:
    inline = InlineSimulator()
    simulator = CachingSimulator(inline, Metrics("1"))
    gate = asyncio.Event()

    async def hold() -> None:
        async with inline.queue.place(ANN, 4):
            await gate.wait()

    holding = asyncio.create_task(hold())
    await settle()
    heard = await listen(lambda: simulator.run(jobs.Costly(2), BOB), 1, gate)
    assert heard[0] == "1 calculation is ahead of yours, which begins in about 4 seconds."
    await holding


async def test_a_quick_answer_comes_without_a_word() -> None:
    listener = Listener()
    current_notice.set(listener)
    await CachingSimulator(InlineSimulator(), Metrics("1")).run(jobs.Double(number=1), ANN)
    assert listener.heard == []


ODDS = OddsRequest(heroes=legion("h", 6), villains=legion("v", 5), seed=7, battles=3_000)
GROUPS = [tuple(critter(f"{side} {number}", 9) for number in range(4)) for side in ("Red", "Blue")]

QUESTIONS: dict[str, tuple[StagedJob[Any, Any], Callable[[Any], object]]] = {
    "odds": (ODDS, report_of),
    "weights": (SensitivityRequest(odds=ODDS, battles=2_500), report_of),
    "groups": (DuelOddsRequest(group1=GROUPS[0], group2=GROUPS[1], battles=999, seed=7), lambda odds: odds),
    "war": (
        SimulateRequest(
            players=(AiKind.MARSHAL,) * 2, drawing=Drawing(width=12, height=12), rounds=12, games=5, seed=4
        ),
        lambda report: report,
    ),
}


@pytest.mark.rest
@pytest.mark.parametrize("workers", [None, *(pytest.param(n, marks=pytest.mark.process) for n in (1, 2, 3))])
async def test_the_same_seed_gives_the_same_report_however_many_workers_there_are(workers: int | None) -> None:
    limits = PoolLimits(workers=workers or 1, wall_seconds=300.0)
    simulator = InlineSimulator(limits) if workers is None else PoolSimulator(limits)
    try:
        caching = CachingSimulator(simulator, Metrics("1"))
        for name, (question, read) in QUESTIONS.items():
            listener = Listener()
            current_notice.set(listener)
            so_far, shares = await caching.in_parts(question, Caller(1, 1)), listener.shares
            assert read(so_far) == read(answer(question)), name
            assert shares == sorted(shares), name
            assert shares[-1] == pytest.approx(1.0), name
            assert len(shares) > 1, name
    finally:
        await simulator.close()
