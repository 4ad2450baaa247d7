"""The commands as Discord registers them: limits that neither discord.py nor the simulator checks.

What each of them takes is held by `snapshots/commands.json`, to the letter.
"""

from typing import Any

import pytest

from bot.app import Fracas
from bot.game import Games
from bot.loader import load
from sim.axis_allies.editions import EDITIONS
from sim.workers import InlineSimulator
from tests.bot import payloads
from tests.bot.store.databases import open_database

GUILD, BOT_DM, PRIVATE = 0, 1, 2
GUILD_INSTALL, USER_INSTALL = 0, 1


@pytest.fixture
async def registered() -> list[dict[str, Any]]:
    db = await open_database(":memory:")
    bot = Fracas(simulator=InlineSimulator(), db=db)
    try:
        await load(bot, bot.services[Games])
        return [dict(command.to_dict(bot.tree)) for command in bot.tree.get_commands()]
    finally:
        await db.close()


COMMANDS = {
    *("aa", "aacalc", "about", "battle", "boss", "duel", "help", "ladder", "luck", "mfd", "mka", "privacy", "profile"),
    "roster",
}
"""Commands of the house and of the games that have always been there; more games bring more."""


async def test_the_commands_are_there(registered: list[dict[str, Any]]) -> None:
    assert {command["name"] for command in registered} >= COMMANDS


async def test_names_lengths_and_descriptions(registered: list[dict[str, Any]]) -> None:
    payloads.check_commands(registered)


async def test_they_work_in_servers_direct_messages_and_as_a_users_own_app(registered: list[dict[str, Any]]) -> None:
    for command in registered:
        assert set(command["contexts"]) == {GUILD, BOT_DM, PRIVATE}
        assert set(command["integration_types"]) == {GUILD_INSTALL, USER_INSTALL}


async def test_every_command_of_axis_and_allies_offers_the_editions(registered: list[dict[str, Any]]) -> None:
    (group,) = [command for command in registered if command["name"] == "aa"]
    for command in group["options"]:
        (edition,) = [option for option in command["options"] if option["name"] == "edition"]
        assert [choice["value"] for choice in edition["choices"]][: len(EDITIONS)] == [*EDITIONS], command["name"]


async def test_the_bot_asks_for_no_privileged_intent() -> None:
    db = await open_database(":memory:")
    intents = Fracas(simulator=InlineSimulator(), db=db).intents
    await db.close()
    assert dict(intents)["guilds"]
    assert [name for name, wanted in intents if wanted] == ["guilds"]
