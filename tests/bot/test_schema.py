"""The commands as Discord registers them: limits that neither discord.py nor the simulator checks."""

from typing import Any

import pytest

from bot.app import Fracas
from bot.game import Games
from bot.games.axis_allies.presenter import POLICY_NAMES
from bot.loader import load
from sim.axis_allies.editions import EDITIONS
from sim.axis_allies.parse import METHODS
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


async def test_aacalc_s_options(registered: list[dict[str, Any]]) -> None:
    (aacalc,) = [command for command in registered if command["name"] == "aacalc"]
    options = {option["name"]: option for option in aacalc["options"]}
    assert list(options) == [
        *("battle", "edition", "casualties", "attacker_order", "defender_order", "stop_after", "retreat_below"),
        *("take_territory", "low_luck", "tech", "landing", "counter", "rounds", "private"),
    ]
    assert options["battle"]["required"]
    assert options["battle"]["autocomplete"]
    assert (options["battle"]["min_length"], options["battle"]["max_length"]) == (1, 1980)
    assert (options["rounds"]["min_value"], options["rounds"]["max_value"]) == (1, 10)
    assert (options["stop_after"]["min_value"], options["stop_after"]["max_value"]) == (1, 1000)
    assert [choice["value"] for choice in options["casualties"]["choices"]] == [*METHODS]
    assert [choice["value"] for choice in options["edition"]["choices"]] == [*EDITIONS]


async def test_every_command_of_axis_and_allies_offers_the_editions(registered: list[dict[str, Any]]) -> None:
    (group,) = [command for command in registered if command["name"] == "aa"]
    for command in group["options"]:
        (edition,) = [option for option in command["options"] if option["name"] == "edition"]
        assert [choice["value"] for choice in edition["choices"]][: len(EDITIONS)] == [*EDITIONS], command["name"]


async def test_the_commands_about_battles(registered: list[dict[str, Any]]) -> None:
    groups = {command["name"]: {sub["name"]: sub for sub in command.get("options", [])} for command in registered}
    assert list(groups["battle"]) == [
        *("list", "show", "log", "undo", "verify", "referee", "clock", "waiting", "hours", "end"),
    ]
    for name, command in groups["battle"].items():
        options = {option["name"]: option for option in command["options"]}
        assert ("number" in options) == (name not in {"list", "waiting", "hours"})
        if "number" in options:
            number = options["number"]
            assert (number["min_value"], number["autocomplete"], bool(number.get("required"))) == (1, True, False)
    assert list(groups["privacy"]) == ["show", "export", "delete"]
    assert list(groups["roster"]) == ["save", "list", "show", "delete", "share"]
    save = {option["name"]: option for option in groups["roster"]["save"]["options"]}
    assert list(save) == ["name", "kind", "file", "text"]
    assert [name for name, option in save.items() if option.get("required")] == ["name", "kind"]
    assert (save["name"]["max_length"], save["name"]["autocomplete"], save["kind"]["autocomplete"]) == (40, True, True)
    options = {option["name"]: option for option in groups["aa"]["battle"]["options"]}
    assert list(options) == ["setup", "edition", "attacker", "defender", "casualties", "fog"]
    assert [name for name, option in options.items() if option.get("required")] == ["setup"]
    assert [choice["value"] for choice in options["casualties"]["choices"]] == [str(policy) for policy in POLICY_NAMES]


async def test_the_commands_of_boss_fights(registered: list[dict[str, Any]]) -> None:
    (group,) = [command for command in registered if command["name"] == "boss"]
    boss = {sub["name"]: {option["name"]: option for option in sub["options"]} for sub in group["options"]}
    assert list(boss) == ["start", "deck", "traits", "what-if", "forge", "list", "delete", "top"]
    assert list(boss["start"]) == ["boss", "health", "seed"]
    assert [choice["name"] for choice in boss["traits"]["kind"]["choices"]][-2:] == ["Boss drop", "Hero"]
    assert (boss["start"]["health"]["min_value"], boss["start"]["health"]["max_value"]) == (1, 1000)
    for name in ("deck", "what-if"):
        options = boss[name]
        assert options["deck"]["autocomplete"]
        assert options["deck"]["max_length"] == 4000
        assert options["deck_saved"]["autocomplete"]
    assert (boss["what-if"]["best"]["min_value"], boss["what-if"]["best"]["max_value"]) == (1, 5)
    assert all(
        command_options["boss"]["autocomplete"]
        for name, command_options in boss.items()
        if name not in {"deck", "traits"}
    )


async def test_the_commands_of_duels(registered: list[dict[str, Any]]) -> None:
    (duel,) = [command for command in registered if command["name"] == "duel"]
    commands = {
        subcommand["name"]: {option["name"]: option for option in subcommand.get("options", [])}
        for subcommand in duel["options"]
    }
    assert list(commands) == [
        *("fight", "challenge", "groups", "template", "encounter", "dungeon", "odds"),
        *("roll", "characters", "dismiss", "words", "top"),
    ]
    messages = ["initiative", "attack", "hit", "miss", "death"]
    for name in ("fight", "groups"):
        assert list(commands[name])[-5:] == messages
        assert all(commands[name][message]["max_length"] == 300 for message in messages)
    for name in ("fight", "challenge", "groups", "encounter"):
        assert [choice["value"] for choice in commands[name]["turns"]["choices"]] == ["anyone", "duellists"]
    for name in ("odds", "roll", "characters", "words", "top"):
        assert "private" in commands[name]
    assert (commands["encounter"]["level"]["min_value"], commands["encounter"]["level"]["max_value"]) == (1, 8)
    assert commands["encounter"]["level"]["required"]
    assert [choice["value"] for choice in commands["roll"]["gender"]["choices"]] == ["he", "she", "it"]
    assert [choice["value"] for choice in commands["roll"]["alignment"]["choices"]] == ["lawful", "neutral", "chaotic"]


async def test_the_commands_of_mad_killer_agents(registered: list[dict[str, Any]]) -> None:
    (group,) = [command for command in registered if command["name"] == "mka"]
    mka = {sub["name"]: {option["name"]: option for option in sub["options"]} for sub in group["options"]}
    assert list(mka) == ["new", "orders", "away", "map", "battle", "simulate"]
    assert list(mka["new"]) == ["size", "kind", "rounds", "turn_time", "seed", "without", "map", "map_saved"]
    assert not any(option.get("required") for option in mka["new"].values())
    assert (mka["new"]["rounds"]["min_value"], mka["new"]["rounds"]["max_value"]) == (1, 500)
    assert [choice["value"] for choice in mka["new"]["kind"]["choices"]] == [
        "mountains",
        "plateaus",
        "weighted",
        "random",
    ]
    assert [choice["value"] for choice in mka["new"]["turn_time"]["choices"]][-1] == 0
    assert mka["orders"]["orders"]["max_length"] == 2000
    for command, required in (("orders", "orders"), ("battle", "battle"), ("simulate", "players")):
        assert [name for name, option in mka[command].items() if option.get("required")] == [required]


async def test_the_bot_asks_for_no_privileged_intent() -> None:
    db = await open_database(":memory:")
    intents = Fracas(simulator=InlineSimulator(), db=db).intents
    await db.close()
    assert dict(intents)["guilds"]
    assert [name for name, wanted in intents if wanted] == ["guilds"]
