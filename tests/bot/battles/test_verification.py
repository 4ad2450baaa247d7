"""`/battle verify` and undo: a battle too long to be replayed in one job is replayed in several."""

from typing import NoReturn

import pytest
from simcord import ResponseMessage

from bot.store.battles.repository import BattleRepository
from sim.core.replay import Mismatch, MismatchKind
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


@pytest.fixture
def replayed(monkeypatch: pytest.MonkeyPatch) -> list[range]:
    """Keep every other state; the list gets the rows of each replay."""
    run = ReplayChunk.run
    seen: list[range] = []

    def run_and_tell(job: ReplayChunk) -> Checkpoint | Mismatch:
        seen.append(range(job.rows[0].n, job.rows[-1].n + 1))
        return run(job)

    monkeypatch.setattr(ReplayChunk, "run", run_and_tell)
    for module in ("battle", "transactions"):
        monkeypatch.setattr(f"bot.store.battles.{module}.KEPT_EVERY", 2)
    return seen


async def fought_long(table: Table) -> ResponseMessage:
    panel = await begin(table, "40 inf vs 40 inf")
    for number in range(1, 6):
        await table.press(panel, f"Fight round {number}")
    return panel


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


async def test_parts_of_a_battle_begin_at_the_states_that_were_kept(table: Table, replayed: list[range]) -> None:
    await fought_long(table)
    verdict = answer(await table.ann.slash(table.channel, "battle verify"))
    assert text_of(verdict).startswith("### ✅ Match: #1, 5 rows")
    assert replayed == [range(1, 3), range(3, 5), range(5, 6)]


async def test_a_step_back_begins_at_the_last_state_that_was_kept(table: Table, replayed: list[range]) -> None:
    panel = await fought_long(table)
    for _ in range(2):
        await table.ann.slash(table.channel, "battle undo")
        await table.press(panel, "Agree", by=table.ben)
    assert replayed == [range(3, 5), range(3, 4)]
    assert (await stored(table)).version == 7
    replayed.clear()
    verdict = answer(await table.ann.slash(table.channel, "battle verify"))
    assert text_of(verdict).startswith("### ✅ Match: #1, 7 rows")
    assert replayed == [range(1, 3), range(3, 8)], "row 7 goes back to version 3, which wasn't kept"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("state = '{}' WHERE n = 2", "The state that was kept with row 2 is not the one that the row leads to."),
        ("state = NULL WHERE n = 2", None),
    ],
)
async def test_a_state_that_was_kept_is_checked(
    table: Table, replayed: list[range], change: str, told: str | None
) -> None:
    await fought_long(table)
    assert not replayed
    await table.bot.services[BattleRepository]._db.write(
        lambda conn: conn.execute(f"UPDATE journal SET {change}")  # noqa: S608  # from above
    )
    verdict = answer(await table.ann.slash(table.channel, "battle verify"))
    expected = (
        "### ✅ Match: #1, 5 rows" if told is None else f"### ❌ No match: #1, 5 rows\nThe first difference: {told}"
    )
    assert text_of(verdict).startswith(expected)


async def test_the_first_difference_is_told_whichever_part_comes_to_it_first(
    table: Table, replayed: list[range], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Row 2 is the second row of its part, which takes a second job; row 3 is the first of the next part."""
    await fought_long(table)
    monkeypatch.setattr("sim.jobs.replay.MAX_SECONDS", 0.0)
    run = ReplayChunk.run

    def differ(job: ReplayChunk) -> Checkpoint | Mismatch:
        if (number := job.start.version + 1 if job.start else 1) in {2, 3}:
            return Mismatch(number, MismatchKind.EVENTS, f"Row {number} differs.")
        return run(job)

    monkeypatch.setattr(ReplayChunk, "run", differ)
    verdict = answer(await table.ann.slash(table.channel, "battle verify"))
    assert text_of(verdict).startswith("### ❌ No match: #1, 5 rows\nThe first difference: Row 2 differs.")
    assert replayed == [range(1, 3), range(5, 6)]
