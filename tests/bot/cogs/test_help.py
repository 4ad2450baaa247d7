import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import discord
import pytest
from simcord import ChannelHandle, ResponseMessage

from bot.battles.ended import EndedBattles
from bot.client import Policies
from bot.cogs.pages import AnyCommand
from bot.store.battles.repository import BattleRepository
from sim.boss_fight.presets import KNOWN_BOSSES
from sim.core.errors import RuleError
from sim.duel.tables import example
from sim.jobs.release import version
from tests.bot.battles.fights import stranger
from tests.bot.conftest import WAR_SEED, Table, answer, buttons_of, expect_in, fix_seed, text_of
from tests.bot.games.mad_killer_agents.wars import begin_game
from tests.bot.games.marked_for_death.test_mfd import HEADER, ORCS, file
from tests.bot.payloads import GALLERY, components
from tests.sim.marked_for_death.builders import RIDERS

_OPTION = re.compile(r"(\w+):(.*?)(?= \w+:|$)")


def all_commands(table: Table) -> list[AnyCommand]:
    return [command for command in table.bot.tree.walk_commands() if not hasattr(command, "commands")]


GROUPS = example().decode()
FILES = {
    "Groups.csv": GROUPS,
    "Heroes.csv": RIDERS,
    "Villains.csv": ORCS,
    "Heroes-final.csv": RIDERS.replace("7001,", "7002,"),
}


OF_REFEREES = {"battle referee", "ladder open", "ladder close"}
"""Commands that need the right to manage messages."""


def pasted(table: Table, command: AnyCommand, example: str) -> dict[str, Any]:
    """Read `/name option:value …` as Discord does when it is pasted."""
    start = f"/{command.qualified_name}"
    assert example == start or example.startswith(f"{start} ")
    readers: dict[discord.AppCommandOptionType, Callable[[str], Any]] = {
        discord.AppCommandOptionType.integer: int,
        discord.AppCommandOptionType.number: float,
        discord.AppCommandOptionType.user: lambda _name: table.ben,
        discord.AppCommandOptionType.attachment: lambda name: (name, FILES[name].encode()),
    }
    parameters = {parameter.display_name: parameter for parameter in command.parameters}
    typed = {option: value.strip() for option, value in _OPTION.findall(example.removeprefix(start).strip())}
    read = {option: readers.get(parameters[option].type, str)(value) for option, value in typed.items()}
    for option, value in read.items():
        for choice in parameters[option].choices:
            if choice.name.startswith(str(value)):
                read[option] = choice.value
    return read


async def channel_with_a_battle(table: Table, command: AnyCommand) -> ChannelHandle:
    """Return a channel whose battle #1 has been begun, for the commands about battles; save the example's army."""
    await table.ann.slash(table.channel, "roster save", name="Big fleet", kind="aa", text="2 battleships")
    if command.qualified_name == "boss delete":
        file = ("bosses.csv", b"name,health\nFrost Giant,400\n")
        await table.ann.slash(table.channel, "boss forge", bosses=file)
    if command.qualified_name in {"mfd change", "mfd edit", "mfd pull"}:
        channel = table.ann.guild.create_text_channel(f"mfd-{command.name}")
        sides = {"heroes": ("a.csv", RIDERS.encode()), "villains": ("b.csv", ORCS.encode())}
        await table.ann.slash(channel, "mfd start", **sides)
        return channel
    if command.qualified_name in {"duel characters", "duel dismiss"}:
        await table.ann.slash(table.channel, "duel roll", name="Brenna")
    if command.qualified_name in {"mka orders", "mka away"}:
        channel = table.ann.guild.create_text_channel(f"mka-{command.name}")
        with pytest.MonkeyPatch.context() as patch:
            fix_seed(patch, WAR_SEED)
            await begin_game(replace(table, channel=channel))
        return channel
    if command.qualified_name.startswith("campaign "):
        return await channel_with_a_campaign(table, command)
    if not command.qualified_name.startswith("battle ") and command.qualified_name != "luck battle":
        return table.channel
    channel = table.ann.guild.create_text_channel(command.qualified_name.replace(" ", "-"))
    panel = answer(
        await table.ann.slash(channel, "aa battle", setup="6 tanks vs 10 inf", attacker=table.ann, defender=table.ben)
    )
    await table.press(panel, "Fight round 1")
    return channel


async def channel_with_a_campaign(table: Table, command: AnyCommand) -> ChannelHandle:
    """Return a channel whose battle #1 is over, and part of the server's only campaign unless one is to be founded."""
    await table.bot.services[BattleRepository]._db.write(lambda conn: conn.execute("DELETE FROM campaigns"))
    channel = table.ann.guild.create_text_channel(command.qualified_name.replace(" ", "-"))
    sides = {"heroes": file(RIDERS), "villains": file(f"{HEADER}Snaga,100,,1,,,,,\n")}
    panel = answer(await table.ann.slash(channel, "mfd start", **sides))
    await table.press(panel, "Fight to the end")
    if command.name != "new":
        await table.ann.slash(channel, "campaign new", name="Siege of Konoha", battle=1)
    await table.bot.services[EndedBattles].settled()
    return channel


async def turned(table: Table, message: ResponseMessage, page: str) -> ResponseMessage:
    """Choose a page of the help."""
    return answer(await table.ann.select(message, [page], custom_id="h1"))


def pages(message: ResponseMessage) -> dict[str, str]:
    """Return the values of the help's pages by their titles."""
    (chooser,) = [node for node in components(message.components) if node.get("custom_id") == "h1"]
    return {option["label"]: option["value"] for option in chooser["options"]}


GAMES = ("Axis & Allies", "Marked for Death", "Boss fights", "B/X duels", "Mad Killer Agents")


async def test_help_shows_the_games_and_each_leads_to_its_page(table: Table) -> None:
    message = await table.run("help")
    assert message.ephemeral
    assert buttons_of(message) == [*GAMES, "Surprise me"]
    (file,) = message.attachments
    assert file.filename == "games.png"
    (picture,) = [node for node in components(message.components) if node["type"] == GALLERY]
    alt = picture["items"][0]["description"]
    expect_in(alt, "Axis & Allies: Who wins, and how likely?", "B/X duels: Two barbarians meet in the snow.")
    listed = list(pages(message))
    assert listed == [
        "All games",
        "Fracas itself",
        *GAMES,
        "Battles in channels",
        "Saved rosters",
        "Luck and ladders",
        "Campaigns",
        "Your data",
    ]
    for title in GAMES:
        page = await table.pressed(message, title)
        assert page.id == message.id
        assert text_of(page).startswith(f"### {title}\n")
        assert not page.attachments
        assert buttons_of(page) == ["Try it", "All games"]
        message = await table.pressed(page, "All games")
        assert [file.filename for file in message.attachments] == ["games.png"]
    page = await turned(table, message, pages(message)["Axis & Allies"])
    assert "\n**/aacalc** " in text_of(page).split("**/aa need**")[0], "what most people want comes first"
    page = await turned(table, page, pages(page)["Your data"])
    assert text_of(page).startswith("### Your data\n**/privacy show** ")
    assert buttons_of(page) == ["All games"]


@pytest.mark.parametrize("title", GAMES)
async def test_each_game_has_an_example_that_runs_at_once(table: Table, title: str) -> None:
    message = await table.run("help")
    page = await table.pressed(message, title)
    await table.restart()
    result = await table.pressed(page, "Try it")
    assert result.id != page.id
    assert not text_of(result).startswith("⚠️")
    assert buttons_of(result)


async def test_surprise_me_runs_one_of_the_examples(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    message = await table.run("help")
    monkeypatch.setattr("bot.cogs.pages.new_seed", lambda: len(GAMES) + 2)
    expect_in(text_of(await table.pressed(message, "Surprise me")), KNOWN_BOSSES[0].name)


async def test_the_pages_of_help_turn_after_a_restart(table: Table) -> None:
    message = await table.run("help")
    await table.restart()
    page = await turned(table, message, pages(message)["Your data"])
    assert text_of(page).startswith("### Your data\n**/privacy show** ")
    assert buttons_of(await turned(table, page, "-")) == [*GAMES, "Surprise me"]


async def test_help_comes_without_its_picture_where_nothing_can_be_drawn(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: object) -> None:
        raise RuleError("Too busy.")

    monkeypatch.setattr(table.bot.simulator, "run", refuse)
    message = await table.run("help")
    assert not message.attachments
    assert buttons_of(message) == [*GAMES, "Surprise me"]


@pytest.mark.usefixtures("fixed_dice")  # a battle may be over after a round
async def test_help_explains_every_command_with_an_example_that_works_when_pasted(table: Table) -> None:
    message = await table.run("help")
    text = "\n".join([text_of(await turned(table, message, page)) for page in pages(message).values()])
    commands = all_commands(table)
    assert {command.qualified_name for command in commands} >= {
        *("aacalc", "aa need", "aa retreat", "aa luck", "aa battle", "about", "help"),
        *("battle list", "battle show", "battle log", "battle undo", "battle verify", "battle referee", "battle end"),
        *("boss start", "boss deck", "boss what-if", "boss forge", "boss list", "boss delete", "boss top"),
        *("privacy show", "privacy export", "privacy delete"),
        *("mfd run", "mfd check", "mfd template", "mfd odds", "mfd start", "mfd change", "mfd edit", "mfd pull"),
        *("duel fight", "duel challenge", "duel groups", "duel template", "duel encounter", "duel dungeon"),
        *("duel odds", "duel roll", "duel characters", "duel dismiss", "duel words", "duel top"),
        *("mka new", "mka orders", "mka away", "mka map", "mka battle", "mka simulate"),
        *("roster save", "roster list", "roster show", "roster delete", "roster share"),
    }
    for command in commands:
        channel = await channel_with_a_battle(table, command)
        example = command.extras["example"]
        assert f"**/{command.qualified_name}** {command.description}\n`{example}`" in text
        by = stranger(table, manage_messages=True) if command.qualified_name in OF_REFEREES else table.ann
        result = await by.slash(channel, command.qualified_name, **pasted(table, command, example))
        if result.modal is None:
            shown = text_of(result.followups[-1] if result.response is None else result.response)
            assert not shown.startswith("⚠️"), f"{example}: {shown}"


async def test_help_for_one_command_tells_all_its_options(table: Table) -> None:
    text = text_of(answer(await table.ann.slash(table.channel, "help", command="/AAcalc ")))
    assert text.startswith("### /aacalc\n")
    assert "- **battle** Attacker vs defender" in text
    for option in ("rounds", "casualties", "stop_after", "private"):
        assert re.search(rf"- \*\*{option}\*\* .+ \(optional\)", text)


async def test_help_for_a_command_that_is_not_there(table: Table) -> None:
    reply = answer(await table.ann.slash(table.channel, "help", command="@everyone"))
    expect_in(text_of(reply), "⚠️ There is no such command", "/help")
    reply = answer(await table.ann.slash(table.channel, "help", command="/aa ned"))
    expect_in(text_of(reply), "⚠️ There is no such command", "Did you mean /aa need?")


async def test_help_completes_commands(table: Table) -> None:
    offered = await table.ann.autocomplete(table.channel, "help", "command", "/aac")
    assert [choice["value"] for choice in offered] == ["aacalc"]


async def test_about(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table.bot, "started_at", table.bot.started_at - 90)
    monkeypatch.setattr(type(table.bot), "latency", 0.0421)
    text = text_of(await table.run("about"))
    assert text.startswith(f"### Fracas {version()}\n")
    assert "Latency 42 ms" in text
    assert re.search(r"Up for 0:01:3\d", text)
    assert "In 1 server" in text


async def test_about_before_the_first_heartbeat(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(table.bot), "latency", float("nan"))
    assert "Latency not measured yet" in text_of(await table.run("about"))


async def test_about_links_the_operator_s_policies(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    text = text_of(await table.run("about"))
    assert text.endswith("\n`/privacy show`: what is kept about you")
    monkeypatch.setitem(
        table.bot.services._by_type, Policies, Policies("https://example.org/privacy", "https://example.org/terms")
    )
    text = text_of(await table.run("about"))
    links = "[Privacy policy](https://example.org/privacy) · [Terms of use](https://example.org/terms)"
    assert f"\n{links} · `/privacy show`" in text
