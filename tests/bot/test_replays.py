"""Battles too long to be done again in one job are done again in several."""

from typing import Any

import pytest
from simcord import ResponseMessage

from sim.jobs.history import Rewind, Verify
from sim.jobs.stretches import Stretch
from sim.workers import OverrunError
from tests.bot.conftest import Table, answer, text_of
from tests.bot.fights import begin, stored

pytestmark = pytest.mark.usefixtures("fixed_dice")

MOST_ROWS = 1


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every job overrun that does more than a row."""

    def overrun(_job: Any) -> Any:  # noqa: ANN401  # in the place of any job's
        raise OverrunError(5.0)

    walk = Stretch.run

    def walk_a_row(job: Stretch) -> Any:  # noqa: ANN401  # likewise
        return overrun(job) if len(job.rows) > MOST_ROWS else walk(job)

    for kind in (Verify, Rewind):
        monkeypatch.setattr(kind, "run", overrun)
    monkeypatch.setattr(Stretch, "run", walk_a_row)


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
    await table.bot.battles._db.write(lambda conn: conn.execute("UPDATE journal SET events = '[]' WHERE n = 2"))
    verdict = answer(await table.ann.slash(table.channel, "battle verify"))
    assert text_of(verdict).startswith("### ❌ No match: #1, 2 rows\nThe first difference: Row 2 was changed")


async def test_a_single_row_that_takes_too_long_is_told(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    await fought(table)

    def overrun(_job: Any) -> Any:  # noqa: ANN401  # likewise
        raise OverrunError(5.0)

    for kind in (Verify, Stretch):
        monkeypatch.setattr(kind, "run", overrun)
    result = await table.ann.slash(table.channel, "battle verify")
    assert "This calculation was stopped after 5 seconds" in text_of(result.followups[0])
