"""What only the offline table does: its clock."""

from datetime import UTC, datetime, timedelta

from bot.offline.table import set_clock
from tests.bot.conftest import Table


def test_the_clock_of_the_table_shows_today(table: Table) -> None:
    set_clock(table.env)
    assert abs(table.env.now() - datetime.now(UTC)) < timedelta(minutes=5)
