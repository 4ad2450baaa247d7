"""Players who wait for a worker read why, and nothing of it is left when their answer is there."""

import asyncio

import pytest

from bot import result_cache
from sim.core.errors import RuleError
from sim.workers import Caller, InlineSimulator, Job, Simulator
from sim.workers.limits import R
from tests.bot.battles.fights import begin
from tests.bot.conftest import Table, answer, text_of

WHY = "3 calculations are ahead of yours, which begins in about 12 seconds."


class BusySimulator(InlineSimulator):
    """Begins no job before its player is told why."""

    busy = True
    error: Exception | None = None

    def __init__(self) -> None:
        super().__init__()
        self._told = asyncio.Event()

    async def run(self, job: Job[R], caller: Caller | None = None, sizes: list[int] | None = None) -> R:
        if self.busy:
            self._told.clear()
            await self._told.wait()
        if self.error is not None:
            raise self.error
        return await super().run(job, caller, sizes)

    def delay_reason(self, caller: Caller | None) -> str:
        del caller
        self._told.set()
        return WHY


@pytest.fixture
def simulator(monkeypatch: pytest.MonkeyPatch) -> Simulator:
    monkeypatch.setattr(result_cache, "TELL_SECONDS", 0.03)
    return BusySimulator()


@pytest.fixture
def busy(simulator: Simulator) -> BusySimulator:
    assert isinstance(simulator, BusySimulator)
    return simulator


def told(table: Table, method: str) -> list[str]:
    """Return the paths of the requests that told why."""
    return [entry.path for entry in table.env.http_requests if entry.method == method and WHY in str(entry.json)]


async def test_the_answer_takes_the_place_of_the_reason(table: Table) -> None:
    result = await table.aacalc("6 tanks vs 10 inf")
    assert len(told(table, "PATCH")) == 1
    assert text_of(answer(result)).startswith("### 🛡️ Defender wins")
    assert WHY not in text_of(answer(result))
    assert result.followups == []


async def test_so_does_an_error(table: Table, busy: BusySimulator) -> None:
    busy.error = RuleError("That was too much.")
    result = await table.aacalc("6 tanks vs 10 inf", private=True)
    assert len(told(table, "PATCH")) == 1
    assert text_of(answer(result)) == "⚠️ That was too much."


@pytest.mark.usefixtures("fixed_dice")  # a battle may be over after a round
async def test_a_panel_stays_and_the_reason_goes(table: Table, busy: BusySimulator) -> None:
    """Opening replaces "thinking" twice; beside a panel the reason is a private message, deleted in the end."""
    panel = await begin(table)
    assert told(table, "PATCH") != []
    before = text_of(panel)
    assert WHY not in before
    result = await table.press(panel, "Fight round 1")
    assert told(table, "POST") != []
    assert text_of(panel) != before
    assert WHY not in text_of(panel)
    assert result.followups == []
    busy.busy = False
    messages = told(table, "POST")
    await table.press(panel, "Fight round 2")
    assert told(table, "POST") == messages


async def test_files_that_are_worked_out_when_asked_for_leave_no_reason(table: Table) -> None:
    message = answer(await table.aacalc("10 tanks vs 10 tanks"))
    shown = text_of(message)
    result = await table.press(message, "Files")
    assert told(table, "POST") != []
    assert text_of(message) == shown
    assert [text_of(reply) for reply in result.followups] == ["The whole battle as files."]
