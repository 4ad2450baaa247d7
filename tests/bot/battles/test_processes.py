"""A bot that shares its database with another process, of which these tests see no more than what it writes."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.battles.maintenance import MaintenanceTasks
from bot.battles.publisher import PanelPublisher
from bot.config import Server
from bot.store.battles.panels import PanelRepository
from bot.store.battles.repository import DAY, BattleRepository, Retention
from bot.store.database import Database
from tests.bot.battles.fights import begin, begun, stored
from tests.bot.conftest import Table, button, buttons_of, text_of
from tests.bot.store.databases import open_database


@pytest.fixture
def table_server(server: Server) -> Server:
    """Keep the tables here on PostgreSQL."""
    return server


@pytest.fixture
async def other(table: Table, kept_in: Path | Server) -> AsyncIterator[Database]:
    """Open the database as another process; the bot looks for what that one left only when a test lets it."""
    table.bot.flush_foreign_panels.cancel()
    database = await open_database(kept_in)
    yield database
    await database.close()


async def leave_unshown(table: Table, other: Database) -> None:
    """Let Ben join in the other process, which dies before it shows that."""
    await BattleRepository(other).take_seat((await stored(table)).id, "defender", table.ben.id)


async def test_what_a_dead_process_left_is_shown_at_the_second_look(table: Table, other: Database) -> None:
    panel = await begin(table, defender=None)
    await leave_unshown(table, other)
    keeper = table.bot.services[MaintenanceTasks]
    assert await keeper.take_over()
    assert "Join as defender" in buttons_of(panel), "the other process may be about it"
    assert await keeper.take_over()
    assert "Join as defender" not in buttons_of(panel)
    assert await PanelRepository(other).pending_revisions() == {}


async def test_one_process_at_a_time_flushes_the_outbox(table: Table, other: Database) -> None:
    panel = await begin(table, defender=None)
    await leave_unshown(table, other)
    keeper = table.bot.services[MaintenanceTasks]
    async with other.alone("outbox", wait=False) as theirs:
        assert theirs
        for _ in range(3):
            assert await keeper.take_over()
        assert "Join as defender" in buttons_of(panel)
    await keeper.take_over()
    assert "Join as defender" not in buttons_of(panel)


async def test_a_panel_that_another_process_is_about_is_left_to_it(table: Table, other: Database) -> None:
    panel = await begin(table, defender=None)
    battle = await stored(table)
    await leave_unshown(table, other)
    async with other.alone(f"panel {battle.id}", wait=False) as theirs:
        assert theirs
        await table.bot.services[PanelPublisher].pending({battle.id})
        assert "Join as defender" in buttons_of(panel)
    await table.bot.services[PanelPublisher].pending({battle.id})
    assert "Join as defender" not in buttons_of(panel)


@pytest.mark.usefixtures("fixed_dice")
async def test_a_press_on_what_another_process_has_closed_is_told_so(table: Table, other: Database) -> None:
    panel = await begun(table)
    fight = button(panel, "Fight round 2")
    (closed,) = await Retention(other, lambda: table.clock.now + 31 * DAY).close_idle()
    pressed = await table.ann.click(panel, custom_id=fight)
    assert text_of(pressed.followups[-1]) == "⚠️ #1 is over."
    assert await stored(table) == closed
