"""What only the offline table does: its clock and its greeting."""

from datetime import UTC, datetime, timedelta

from bot.offline.table import add_listeners, set_clock
from tests.bot.cogs.test_tour import labels
from tests.bot.conftest import Table


def test_the_clock_of_the_table_shows_today(table: Table) -> None:
    set_clock(table.env)
    assert abs(table.env.now() - datetime.now(UTC)) < timedelta(minutes=5)


async def test_the_table_greets_its_players(table: Table) -> None:
    add_listeners(table.bot)
    (greet,) = table.bot.extra_events["on_table_set"]
    await greet(table.channel.id)
    (greeting,) = table.channel.history()
    assert "Surprise me" in labels(greeting)
