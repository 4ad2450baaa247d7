"""`/battle verify` and undo: a battle too long to be replayed in one job is replayed in several."""

from typing import NoReturn

import pytest
from simcord import ResponseMessage

from bot.store.battles.repository import BattleRepository
from sim.core.replay import Mismatch
from sim.jobs.replay import Checkpoint, ReplayChunk
from sim.workers import OverrunError
from tests.bot.battles.fights import begin, stored
from tests.bot.conftest import Table, answer, text_of

pytestmark = pytest.mark.usefixtures("fixed_dice")

MOST_ROWS = 1


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every replay overrun that does more than a row, and check the chain row by row."""
    run = ReplayChunk.run

    def run_a_row(job: ReplayChunk) -> Checkpoint | Mismatch:
        if len(job.rows) > MOST_ROWS:
            raise OverrunError(5.0)
        return run(job)

    monkeypatch.setattr(ReplayChunk, "run", run_a_row)
    monkeypatch.setattr("sim.jobs.replay.MAX_ROWS", MOST_ROWS)


async def fought(table: Table) -> ResponseMessage:
    panel = await begin(table)
    for number in (1, 2):
        await table.press(panel, f"Fight round {number}")
    return panel


@pytest.mark.usefixtures("slow")
async def test_a_long_battle_is_verified_and_goes_a_step_back(table: Table) -> None:
    panel = await fought(table)
    await table.ann.slash(table.channel, "battle undo")
    await table.press(panel, "Agree", by=table.ben)
    assert (await stored(table)).version == 3
    assert text_of(panel).startswith("### #1 Axis & Allies: round 1")
    await table.press(panel, "Fight round 2")
    verdict = answer(await table.ann.slash(table.channel, "battle verify"))
    assert text_of(verdict).startswith("### ✅ Match: #1, 5 rows")


@pytest.mark.usefixtures("slow")
async def test_a_row_that_was_changed_in_the_database_is_found(table: Table) -> None:
    await fought(table)
    await table.bot.services[BattleRepository]._db.write(
        lambda conn: conn.execute("UPDATE journal SET events = '[]' WHERE n = 2")
    )
    verdict = answer(await table.ann.slash(table.channel, "battle verify"))
    assert text_of(verdict).startswith("### ❌ No match: #1, 2 rows\nThe first difference: Row 2 was changed")


async def test_a_battle_without_a_row_is_verified(table: Table) -> None:
    await begin(table)
    verdict = answer(await table.ann.slash(table.channel, "battle verify"))
    assert text_of(verdict).startswith("### ✅ Match: #1, 0 rows")


async def test_a_single_row_that_takes_too_long_is_told(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    await fought(table)

    def overrun(_job: ReplayChunk) -> NoReturn:
        raise OverrunError(5.0)

    monkeypatch.setattr(ReplayChunk, "run", overrun)
    result = await table.ann.slash(table.channel, "battle verify")
    assert "This calculation was stopped after 5 seconds" in text_of(result.followups[0])
