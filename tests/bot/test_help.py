"""`/help`, `/about` and `/privacy`; and the message to a server that has just added the bot."""

import logging
import math
import secrets
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import discord
import pytest
from simcord import ChannelHandle, ResponseMessage

from bot.config import OFFLINE
from bot.help import AnyCommand, all_commands, example
from bot.store.battles import BattleRepository
from bot.store.database import Database
from bot.store.personal_data import GuildRepository, PersonalDataRepository
from sim.core import RuleError
from tests.bot.battles.fights import begin, click_seen, seen, stranger
from tests.bot.conftest import WAR_SEED, Table, answer, button, buttons_of, fix_seed, text_of
from tests.bot.games.mad_killer_agents.wars import begin_game
from tests.bot.games.marked_for_death.test_mfd import start
from tests.bot.payloads import components
from tests.bot.snapshots.walk import Walk
from tests.sim.marked_for_death.builders import HEADER

pytestmark = pytest.mark.usefixtures("fixed_dice")  # a battle may be over after a round


OF_REFEREES = {"battle referee", "ladder open", "ladder close", "weekly open", "weekly close", "puzzle channel"}
"""Commands that need the right to manage messages."""


def pasted(table: Table, command: AnyCommand, example: str) -> dict[str, Any]:
    """Read the options of `/name option:value …` as Discord does when it is pasted."""
    assert f"{example} ".startswith(f"/{command.qualified_name} ")
    return Walk(table).options(command, example.removeprefix("/"))


async def channel_with_a_battle(table: Table, command: AnyCommand) -> ChannelHandle:
    """Return a channel whose battle #1 has been begun, for the commands about battles; save the example's army.

    For those about campaigns it is over, and part of the server's only campaign unless one is to be founded.
    """
    await table.run("roster save", name="Big fleet", kind="aa", text="2 battleships")
    name = command.qualified_name
    channel = table.ann.guild.create_text_channel(name.replace(" ", "-"))
    there = replace(table, channel=channel)
    if name in {"mfd change", "mfd edit", "mfd pull"}:
        await start(there)
    elif name in {"mka orders", "mka away"}:
        with pytest.MonkeyPatch.context() as patch:
            fix_seed(patch, WAR_SEED)
            await begin_game(there)
    elif name.startswith("campaign "):
        await table.bot.services[Database].execute("DELETE FROM campaigns")
        await there.fight_out(await start(there, villains=f"{HEADER}\nSnaga,100,,1,,,,,\n"))
        if command.name != "new":
            await there.run("campaign new", name="Siege of Konoha", battle=1)
    elif name.startswith("battle ") or name == "luck battle":
        await there.press(await begin(there), "Fight to the end" if command.name == "branch" else "Next round")
    else:
        return table.channel
    return channel


async def turned(table: Table, message: ResponseMessage, page: str) -> ResponseMessage:
    """Choose a page of the help."""
    return answer(await table.ann.select(message, [page], custom_id="h1"))


def pages(message: ResponseMessage) -> dict[str, str]:
    """Return the values of the help's pages by their titles."""
    (chooser,) = [node for node in components(message.components) if node.get("custom_id") == "h1"]
    return {option["label"]: option["value"] for option in chooser["options"]}


GAMES = ("Axis & Allies", "Marked for Death", "Boss fights", "B/X duels", "Mad Killer Agents")


async def test_surprise_me_opens_a_battle_never_of_the_same_game_twice(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(secrets, "randbelow", lambda _most: 0)  # the same again, if that could be
    message = await table.run("help")
    for _ in range(4):
        assert not (await table.pressed(message, "Surprise me")).ephemeral
    await table.restart()
    press = (table.ann, button(message, "Surprise me"))
    await click_seen(table, seen(table, message), press, press)
    opened = await table.bot.services[BattleRepository].opened_by(table.ann.id, 10)
    assert len(opened) == 6
    assert all(before != after for before, after in pairwise(opened)), opened


async def test_help_comes_without_its_picture_where_nothing_can_be_drawn(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table.bot.simulator, "run", AsyncMock(side_effect=RuleError("Too busy.")))
    message = await table.run("help")
    assert not message.attachments
    assert buttons_of(message) == [*GAMES, "Surprise me"]


async def test_help_explains_every_command_with_an_example_that_works_when_pasted(table: Table) -> None:
    message = await table.run("help")
    text = "\n".join([text_of(await turned(table, message, page)) for page in pages(message).values()])
    for command in all_commands(table.bot).values():
        channel = await channel_with_a_battle(table, command)
        typed = example(command)
        assert f"**/{command.qualified_name}** {command.description}\n" in text
        told = await table.ann.slash(table.channel, "help", command=command.qualified_name)
        assert text_of(answer(told)).endswith(f"Try it:\n`{typed}`")
        by = stranger(table, manage_messages=True) if command.qualified_name in OF_REFEREES else table.ann
        result = await by.slash(channel, command.qualified_name, **pasted(table, command, typed))
        if result.modal is None:
            shown = text_of(result.followups[-1] if result.response is None else result.response)
            assert not shown.startswith("⚠️"), f"{typed}: {shown}"


async def test_about_tells_latency_uptime_and_the_operator_s_policies(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table.bot, "started_at", table.bot.started_at - 90)
    for latency, told in ((0.0421, "42 ms"), (math.nan, "not measured yet")):
        monkeypatch.setattr(type(table.bot), "latency", latency)
        assert f"\nLatency {told}\nUp for 0:01:30\n" in text_of(await table.run("about"))
    addresses = {"privacy_url": "https://example.org/privacy", "terms_url": "https://example.org/terms"}
    settings = OFFLINE.model_copy(update={**addresses, "backup_dir": Path("backups")})
    monkeypatch.setattr(table.bot, "settings", settings)
    links = "[Privacy policy](https://example.org/privacy) · [Terms of use](https://example.org/terms)"
    assert f"\n{links} · `/privacy show`" in text_of(await table.run("about"))
    kept = text_of(await table.run("privacy show"))
    assert kept.endswith("\n-# Backups are made of everything; what is deleted is in them for 4 days.")


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


async def test_a_new_server_is_shown_the_games_once_and_a_button_there_answers_privately(table: Table) -> None:
    channel = await added(table)
    (tour,) = channel.history()
    assert labels(tour) == [*GAMES, "Surprise me"]
    assert [file.filename for file in tour.attachments] == ["games.png"]
    await join(table, channel)
    await table.restart()
    await join(table, channel)
    assert len(channel.history()) == 1
    assert channel.guild is not None
    ann = channel.guild.add_member(table.env.create_user("anna"))
    page = answer(await ann.click(tour, custom_id="h2:boss-fights"))
    assert page.ephemeral
    assert text_of(page).startswith("### Boss fights\n")
    assert labels(channel.history()[0]) == [*GAMES, "Surprise me"], "it stays as it is"


@pytest.mark.parametrize(("days", "tours"), [(1, 1), (29, 1), (31, 2)])
async def test_a_server_that_comes_back_soon_is_not_shown_them_again(table: Table, days: int, tours: int) -> None:
    channel = await added(table)
    await table.bot.on_guild_remove(server(table, channel))
    table.clock.pass_days(days)
    await table.bot.services[GuildRepository].forget_left(table.bot.services[PersonalDataRepository])
    await join(table, channel)
    assert len(channel.history()) == tours


async def test_nothing_is_posted_where_the_bot_may_not_and_a_refusal_is_only_logged(
    table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    assert not (await added(table, None)).history()
    assert not (await added(table, send_messages=False)).history()
    assert not (await added(table, view_channel=False)).history()
    (tour,) = (await added(table, attach_files=False)).history()
    assert not tour.attachments
    assert labels(tour) == [*GAMES, "Surprise me"]
    caplog.set_level(logging.INFO)
    table.env.inject_error("POST", "/channels/*/messages", status=403, code=50013)
    assert not (await added(table)).history()
    assert "tour_not_posted" in caplog.text
