"""The message to a server that has just added the bot."""

import logging

import discord
import pytest
from simcord import ChannelHandle

from bot.store.guilds import GuildRepository
from tests.bot.cogs.test_help import GAMES
from tests.bot.conftest import Table, answer, text_of


async def added(table: Table, channel: str | None = "welcome", **denied: bool) -> ChannelHandle:
    """Add the bot to a server whose system messages go to a channel, with permissions denied to everybody there."""
    guild = table.env.create_guild("New")
    made = guild.create_text_channel("welcome", overwrites={guild.default_role: discord.PermissionOverwrite(**denied)})
    if channel is not None:
        table.env.backend.edit_guild(guild.id, {"system_channel_id": made.id})
    await table.env.settle()
    await join(table, made)
    return made


def labels(message: discord.Message) -> list[str | None]:
    """Return what the buttons of a posted message say."""
    rows = (row for row in message.components if isinstance(row, discord.ActionRow))
    return [item.label for row in rows for item in row.children if isinstance(item, discord.Button)]


def server(table: Table, channel: ChannelHandle) -> discord.Guild:
    assert channel.guild is not None
    found = table.bot.get_guild(channel.guild.id)
    assert found is not None
    return found


async def join(table: Table, channel: ChannelHandle) -> None:
    """Let Discord say that the server has the bot."""
    await table.bot.on_guild_join(server(table, channel))


async def test_a_new_server_is_shown_the_games_once(table: Table) -> None:
    channel = await added(table)
    (tour,) = channel.history()
    assert labels(tour) == [*GAMES, "Surprise me"]
    assert [file.filename for file in tour.attachments] == ["games.png"]
    await join(table, channel)
    await table.restart()
    await join(table, channel)
    assert len(channel.history()) == 1


@pytest.mark.parametrize(("days", "tours"), [(1, 1), (29, 1), (31, 2)])
async def test_a_server_that_comes_back_soon_is_not_shown_them_again(table: Table, days: int, tours: int) -> None:
    channel = await added(table)
    await table.bot.on_guild_remove(server(table, channel))
    table.clock.pass_days(days)
    await table.bot.services[GuildRepository].forget_left()
    await join(table, channel)
    assert len(channel.history()) == tours


async def test_a_button_of_the_tour_answers_privately_and_leaves_it_as_it_is(table: Table) -> None:
    channel = await added(table)
    (tour,) = channel.history()
    assert channel.guild is not None
    ann = channel.guild.add_member(table.env.create_user("anna"))
    await table.restart()
    page = answer(await ann.click(tour, custom_id="h2:boss-fights"))
    assert page.ephemeral
    assert text_of(page).startswith("### Boss fights\n")
    assert labels(channel.history()[0]) == [*GAMES, "Surprise me"]


async def test_nothing_is_posted_where_the_bot_may_not(table: Table) -> None:
    assert not (await added(table, None)).history()
    assert not (await added(table, send_messages=False)).history()
    assert not (await added(table, view_channel=False)).history()
    (tour,) = (await added(table, attach_files=False)).history()
    assert not tour.attachments
    assert labels(tour) == [*GAMES, "Surprise me"]


async def test_a_refusal_is_only_logged(table: Table, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    table.env.inject_error("POST", "/channels/*/messages", status=403, code=50013)
    assert not (await added(table)).history()
    assert "tour_not_posted" in caplog.text
