"""Players who wait see how far it is, or read why; nothing of it is left behind, and each is answered once."""

import asyncio
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest
from simcord import InteractionResult

from bot import result_cache
from bot.answers import Answer
from bot.client import Client
from bot.games.axis_allies.cog import CalcQuery
from bot.result_cache import current_notice
from bot.ui import interactions as in_flight
from bot.ui.interactions import InFlight
from bot.ui.progress import Bar, bar_text
from sim.core import RuleError
from sim.core.staged_job import Job
from sim.workers import InlineSimulator, Simulator
from sim.workers.queue import Caller, R
from tests.bot.battles.fights import begin, told
from tests.bot.conftest import Clock, Table, answer, text_of
from tests.bot.test_result_cache import SlowSimulator
from tests.sim.workers.waiting import until

BATTLE = "6 tanks vs 10 inf"


@pytest.fixture
def watch(table: Table, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    return partial(_watch, table, monkeypatch)


def _watch(
    table: Table, monkeypatch: pytest.MonkeyPatch, seconds: float, steps: int, error: Exception | None = None
) -> None:
    """Let the desk of `/aacalc` work in steps of so many seconds, and then do what it does, or fail."""
    build, clock = CalcQuery.build, Clock(100.0)
    table.bot.monotonic = clock

    async def step_by_step(query: CalcQuery, bot: Client, caller: Caller) -> Answer:
        bar = current_notice.get()
        assert isinstance(bar, Bar)
        for step in range(steps):
            clock.now += seconds
            bar.update(step / steps, f"step {step}")
            await bar.clear()
        if error is not None:
            raise error
        return await build(query, bot, caller)

    monkeypatch.setattr(CalcQuery, "build", step_by_step)


def shown(table: Table) -> list[str]:
    """Return the tasks that bars showed."""
    sent = (str(entry.json) for entry in table.env.http_requests)
    return [task for body in sent for task in re.findall(r"-# (step [0-9]+)", body)]


@pytest.mark.parametrize(
    ("share", "bar"),
    [
        (0, "▱▱▱▱▱▱▱▱▱▱ 0%"),
        (0.45, "▰▰▰▰▱▱▱▱▱▱ 45%"),
        (0.999, "▰▰▰▰▰▰▰▰▰▱ 99%"),
        (1, "▰▰▰▰▰▰▰▰▰▰ 100%"),
        (7, "▰▰▰▰▰▰▰▰▰▰ 100%"),
        (-1, "▱▱▱▱▱▱▱▱▱▱ 0%"),
        (float("nan"), "▱▱▱▱▱▱▱▱▱▱ 0%"),
    ],
)
def test_the_bar(share: float, bar: str) -> None:
    assert bar_text(share, "Fighting").split("\n") == [bar, "-# Fighting"]


async def test_at_most_one_bar_in_two_seconds_and_the_answer_takes_its_place(
    table: Table, watch: Callable[..., None]
) -> None:
    watch(0.5, 13)
    result = await table.aacalc(BATTLE)
    assert shown(table) == ["step 3", "step 7", "step 11"]
    patched = [entry for entry in table.env.http_requests if entry.method == "PATCH" and "@original" in entry.path]
    assert len(patched) == 4
    assert "▰▰▱▱▱▱▱▱▱▱ 23%" in str(patched[0].json)
    assert "step" not in text_of(answer(result))
    assert text_of(answer(result)).startswith("⚔️ **6 tanks** vs ")
    assert result.followups == []


@pytest.mark.parametrize("private", [True, False])
async def test_an_error_takes_its_place_too(table: Table, watch: Callable[..., None], private: bool) -> None:
    watch(2, 2, RuleError("That was too much."))
    result = await table.aacalc(BATTLE, private=private)
    assert shown(table) == ["step 0", "step 1"]
    assert told(result) == "⚠️ That was too much."
    if not private:
        assert table.channel.history() == [], "nothing is left in the channel"


async def test_an_older_answer_stays_until_there_is_a_new_one(table: Table, watch: Callable[..., None]) -> None:
    message = answer(await table.aacalc(BATTLE))
    before = text_of(message)
    watch(2, 2, RuleError("That was too much."))
    result = await table.press(message, "Swap sides")
    assert shown(table) == ["step 0", "step 1"]
    assert text_of(message) == before
    assert [text_of(followup) for followup in result.followups] == ["⚠️ That was too much."]


async def test_a_bar_that_can_not_be_shown_keeps_nothing_from_being_answered(
    table: Table, watch: Callable[..., None]
) -> None:
    watch(2, 1)
    table.env.inject_error("PATCH", "/webhooks/*", status=500, code=0, message="down", times=1)
    result = await table.aacalc(BATTLE)
    assert shown(table) == ["step 0"]
    assert text_of(answer(result)).startswith("⚔️ **6 tanks** vs ")


WHY = "3 calculations are ahead of yours, which begins in about 12 seconds."


class BusySimulator(InlineSimulator):
    """Begins no job before its player is told why."""

    busy = True

    def __init__(self) -> None:
        super().__init__()
        self._told = asyncio.Event()

    async def run(self, job: Job[R], caller: Caller | None = None, sizes: list[int] | None = None) -> R:
        if self.busy:
            self._told.clear()
            await self._told.wait()
        return await super().run(job, caller, sizes)

    def delay_reason(self, caller: Caller | None) -> str:
        del caller
        self._told.set()
        return WHY


class TestBusy:
    """No job begins before its player is told why."""

    @pytest.fixture
    def simulator(self, monkeypatch: pytest.MonkeyPatch) -> Simulator:
        monkeypatch.setattr(result_cache, "TELL_SECONDS", 0.03)
        return BusySimulator()

    @pytest.fixture
    def busy(self, simulator: Simulator) -> BusySimulator:
        assert isinstance(simulator, BusySimulator)
        return simulator

    async def test_the_answer_takes_the_place_of_the_reason(self, table: Table) -> None:
        result = await table.aacalc("6 tanks vs 10 inf")
        assert len(told_why(table, "PATCH")) == 1
        assert text_of(answer(result)).startswith("⚔️ **6 tanks** vs ")
        assert WHY not in text_of(answer(result))
        assert result.followups == []

    @pytest.mark.usefixtures("fixed_dice")  # a battle may be over after a round
    async def test_a_panel_stays_and_the_reason_goes(self, table: Table, busy: BusySimulator) -> None:
        """Opening replaces "thinking" twice; beside a panel the reason is a private message, deleted in the end."""
        panel = await begin(table)
        assert told_why(table, "PATCH") != []
        before = text_of(panel)
        assert WHY not in before
        result = await table.press(panel, "Next round")
        assert told_why(table, "POST") != []
        assert text_of(panel) != before
        assert WHY not in text_of(panel)
        assert result.followups == []
        busy.busy = False
        messages = told_why(table, "POST")
        await table.press(panel, "Next round")
        assert told_why(table, "POST") == messages

    async def test_files_that_are_worked_out_when_asked_for_leave_no_reason(self, table: Table) -> None:
        message = answer(await table.aacalc("10 tanks vs 10 tanks"))
        before = text_of(message)
        result = await table.press(message, "Files")
        assert told_why(table, "POST") != []
        assert text_of(message) == before
        assert [text_of(reply) for reply in result.followups] == ["The whole answer as files."]


def told_why(table: Table, method: str) -> list[str]:
    """Return the paths of the requests that told why."""
    return [entry.path for entry in table.env.http_requests if entry.method == method and WHY in str(entry.json)]


RESTARTS = "⚠️ The bot is restarting. Please try again in a minute."


class TestStopping:
    """Each interaction is taken once, and when the bot stops, every player is answered."""

    @pytest.fixture
    def simulator(self, monkeypatch: pytest.MonkeyPatch) -> Simulator:
        monkeypatch.setattr(in_flight, "TELL_SECONDS", 60.0)  # a busy machine takes its time
        return SlowSimulator()

    async def test_a_job_that_ends_in_time_is_answered_and_nothing_new_is_taken(self, table: Table) -> None:
        flying, asked = await asking(table)
        (interaction_id,) = flying._handling
        assert interaction_id in flying
        draining = asyncio.create_task(flying.drain(60))
        await asyncio.sleep(0)
        slow(table).gate.set()
        await draining
        assert RESTARTS not in text_of(answer(await asked))
        assert interaction_id not in flying
        assert text_of(answer(await table.aacalc("4 inf vs 2 inf"))) == RESTARTS

    async def test_a_job_that_takes_longer_is_ended_and_its_player_told(self, table: Table) -> None:
        flying, asked = await asking(table)
        await flying.drain(0.1)
        assert not flying._handling
        assert [text_of(message) for message in (await asked).followups] == [RESTARTS]

    async def test_nobody_is_asked_to_try_again_what_is_done(self, table: Table) -> None:
        flying, asked = await asking(table)
        ((interaction, _),) = flying._handling.values()
        interaction.extras["done"] = True
        await flying.drain(0.1)
        texts = [text_of(message) for message in (await asked).followups]
        assert texts == ["⚠️ It is done. The bot is restarting and will show it in a minute."]

    async def test_a_command_delivered_twice_is_handled_once(
        self, table: Table, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        slow(table).gate.set()
        emit = table.env.backend.emit

        def twice(name: str, payload: Mapping[str, Any]) -> None:
            emit(name, payload)
            emit(name, payload)

        with monkeypatch.context() as patched:
            patched.setattr(table.env.backend, "emit", twice)
            await table.aacalc("3 inf vs 2 inf")
        assert sum(entry.path.endswith("/callback") for entry in table.env.http_requests) == 1

    async def test_what_is_remembered_is_bounded(self, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(in_flight, "MAX_REMEMBERED", 2)
        slow(table).gate.set()
        for _ in range(4):
            await table.aacalc("3 inf vs 2 inf")
        assert len(table.bot.services[InFlight]._taken) == 2


async def asking(table: Table) -> tuple[InFlight, asyncio.Task[InteractionResult]]:
    """Ask something, and wait until a job holds up the answer."""
    asked = asyncio.create_task(table.aacalc("3 inf vs 2 inf"))
    await until(lambda: bool(slow(table).asked))
    return table.bot.services[InFlight], asked


def slow(table: Table) -> SlowSimulator:
    simulator = table.bot.simulator._simulator
    assert isinstance(simulator, SlowSimulator)
    return simulator
