"""What only the offline table does: its clock, its greeting, and what it says to a command sent as a message."""

from datetime import UTC, datetime, timedelta

from bot.offline.table import add_listeners, set_clock
from tests.bot.cogs.test_tour import labels
from tests.bot.conftest import Table


def sent(table: Table) -> list[str]:
    return [message.content for message in table.channel.history() if message.content]


def test_the_clock_of_the_table_shows_today(table: Table) -> None:
    set_clock(table.env)
    assert abs(table.env.now() - datetime.now(UTC)) < timedelta(minutes=5)


async def test_a_command_sent_as_a_message_is_explained(table: Table) -> None:
    add_listeners(table.bot, table.env)
    await table.ann.send(table.channel, "/aacalc battle:6 tanks vs 10 inf")
    assert "Type `/aacalc` and press Enter to pick the command" in sent(table)[-1]
    await table.ann.send(table.channel, "/aa need attacker:6 tanks")
    assert "Type `/aa need` and" in sent(table)[-1]
    await table.ann.send(table.channel, "/aacalculate 6 tanks")
    assert "there is no such command. Type `/help`" in sent(table)[-1]
    await table.ann.send(table.channel, "Shall we fight? 1/2")
    assert sent(table)[-1] == "Shall we fight? 1/2"


async def test_the_table_greets_its_players(table: Table) -> None:
    add_listeners(table.bot, table.env)
    (greet,) = table.bot.extra_events["on_table_set"]
    await greet(table.channel.id)
    (greeting,) = table.channel.history()
    assert "Surprise me" in labels(greeting)
