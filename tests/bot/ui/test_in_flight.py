"""Each interaction is taken once, and when the bot stops, every player is answered."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from bot.ui import interactions as in_flight
from bot.ui.interactions import InFlight
from sim.workers import Caller, InlineSimulator, Job, PoolLimits, Simulator
from sim.workers.limits import R
from tests.bot.conftest import Table, answer, text_of

RESTARTS = "⚠️ The bot is restarting. Please try again in a minute."


class SlowSimulator(InlineSimulator):
    """Holds every job until it is let go."""

    def __init__(self) -> None:
        super().__init__(PoolLimits())
        self.asked, self.go = asyncio.Event(), asyncio.Event()

    async def run(self, job: Job[R], caller: Caller | None = None, sizes: list[int] | None = None) -> R:
        self.asked.set()
        await self.go.wait()
        return await super().run(job, caller, sizes)


@pytest.fixture
def simulator(monkeypatch: pytest.MonkeyPatch) -> Simulator:
    monkeypatch.setattr(in_flight, "TELL_SECONDS", 60.0)  # a busy machine takes its time
    return SlowSimulator()


def slow(table: Table) -> SlowSimulator:
    simulator = table.bot.simulator._simulator
    assert isinstance(simulator, SlowSimulator)
    return simulator


async def test_a_job_that_ends_in_time_is_answered_and_nothing_new_is_taken(table: Table) -> None:
    flying, simulator = table.bot.services[InFlight], slow(table)
    asked = asyncio.create_task(table.aacalc("3 inf vs 2 inf"))
    await simulator.asked.wait()
    (interaction_id,) = flying._handling
    assert interaction_id in flying
    draining = asyncio.create_task(flying.drain(60))
    await asyncio.sleep(0)
    simulator.go.set()
    await draining
    assert RESTARTS not in text_of(answer(await asked))
    assert interaction_id not in flying
    assert text_of(answer(await table.aacalc("4 inf vs 2 inf"))) == RESTARTS


async def test_a_job_that_takes_longer_is_ended_and_its_player_told(table: Table) -> None:
    flying, simulator = table.bot.services[InFlight], slow(table)
    asked = asyncio.create_task(table.aacalc("3 inf vs 2 inf"))
    await simulator.asked.wait()
    await flying.drain(0.1)
    assert not flying._handling
    assert [text_of(message) for message in (await asked).followups] == [RESTARTS]


async def test_nobody_is_asked_to_try_again_what_is_done(table: Table) -> None:
    flying, simulator = table.bot.services[InFlight], slow(table)
    asked = asyncio.create_task(table.aacalc("3 inf vs 2 inf"))
    await simulator.asked.wait()
    ((interaction, _),) = flying._handling.values()
    interaction.extras["done"] = True
    await flying.drain(0.1)
    texts = [text_of(message) for message in (await asked).followups]
    assert texts == ["⚠️ It is done. The bot is restarting and will show it in a minute."]


async def test_a_command_delivered_twice_is_handled_once(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    slow(table).go.set()
    emit = table.env.backend.emit

    def twice(name: str, payload: Mapping[str, Any]) -> None:
        emit(name, payload)
        emit(name, payload)

    with monkeypatch.context() as patched:
        patched.setattr(table.env.backend, "emit", twice)
        await table.aacalc("3 inf vs 2 inf")
    assert sum(entry.path.endswith("/callback") for entry in table.env.http_requests) == 1


async def test_what_is_remembered_is_bounded(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_flight, "MAX_REMEMBERED", 2)
    slow(table).go.set()
    for _ in range(4):
        await table.aacalc("3 inf vs 2 inf")
    assert len(table.bot.services[InFlight]._taken) == 2
