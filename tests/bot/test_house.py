import re
from typing import Any

import discord
import pytest
from simcord import ChannelHandle

from bot.cogs.house import AnyCommand
from sim import __version__
from tests.bot.conftest import Table, answer, text_of

_OPTION = re.compile(r"(\w+):(.*?)(?= \w+:|$)")


def all_commands(table: Table) -> list[AnyCommand]:
    return [one for one in table.bot.tree.walk_commands() if not hasattr(one, "commands")]


def pasted(command: AnyCommand, example: str) -> dict[str, Any]:
    """Read `/name option:value …` as Discord does when it is pasted."""
    start = f"/{command.qualified_name}"
    assert example == start or example.startswith(f"{start} ")
    readers = {discord.AppCommandOptionType.integer: int, discord.AppCommandOptionType.number: float}
    kinds = {one.display_name: one.type for one in command.parameters}
    typed = {option: value.strip() for option, value in _OPTION.findall(example.removeprefix(start).strip())}
    return {option: readers.get(kinds[option], str)(value) for option, value in typed.items()}


async def channel_with_a_battle(table: Table, command: AnyCommand) -> ChannelHandle:
    """Return a channel whose battle #1 has been begun, for the commands about battles."""
    if not command.qualified_name.startswith("battle "):
        return table.channel
    channel = table.ann.guild.create_text_channel(command.name)
    panel = answer(
        await table.ann.slash(channel, "aa battle", setup="6 tanks vs 10 inf", attacker=table.ann, defender=table.ben)
    )
    await table.press(panel, "Fight round 1")
    return channel


async def test_help_explains_every_command_with_an_example_that_works_when_pasted(table: Table) -> None:
    message = answer(await table.ann.slash(table.channel, "help"))
    assert message.ephemeral
    commands = all_commands(table)
    assert {one.qualified_name for one in commands} == {
        *("aacalc", "aa need", "aa retreat", "aa luck", "aa battle", "about", "help"),
        *("battle list", "battle show", "battle log", "battle undo", "battle verify", "battle end"),
        *("privacy show", "privacy export", "privacy delete"),
    }
    for command in commands:
        channel = await channel_with_a_battle(table, command)
        example = command.extras["example"]
        assert f"**/{command.qualified_name}** {command.description}\n`{example}`" in text_of(message)
        result = await table.ann.slash(channel, command.qualified_name, **pasted(command, example))
        assert not text_of(answer(result)).startswith("⚠️")


async def test_help_for_one_command_tells_all_its_options(table: Table) -> None:
    shown = text_of(answer(await table.ann.slash(table.channel, "help", command="/AAcalc ")))
    assert shown.startswith("### /aacalc\n")
    assert "- **battle** Attacker vs defender" in shown
    for option in ("rounds", "casualties", "stop_after", "private"):
        assert re.search(rf"- \*\*{option}\*\* .+ \(optional\)", shown)


async def test_help_for_a_command_that_is_not_there(table: Table) -> None:
    told = answer(await table.ann.slash(table.channel, "help", command="@everyone"))
    assert (
        text_of(told)
        == "⚠️ There is no such command. There are /aa battle, /aa luck, /aa need, /aa retreat, /aacalc, /about, "
        "/battle end, /battle list, /battle log, /battle show, /battle undo, /battle verify, /help, "
        "/privacy delete, /privacy export, /privacy show."
    )


async def test_help_completes_commands(table: Table) -> None:
    offered = await table.ann.autocomplete(table.channel, "help", "command", "/aac")
    assert [one["value"] for one in offered] == ["aacalc"]


async def test_about(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table.bot, "started_at", table.bot.started_at - 90)
    monkeypatch.setattr(type(table.bot), "latency", 0.0421)
    shown = text_of(answer(await table.ann.slash(table.channel, "about")))
    assert shown.startswith(f"### Fracas {__version__}\n")
    assert "Latency 42 ms" in shown
    assert re.search(r"Up for 0:01:3\d", shown)
    assert "In 1 server" in shown


async def test_about_before_the_first_heartbeat(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(table.bot), "latency", float("nan"))
    assert "Latency not measured yet" in text_of(answer(await table.ann.slash(table.channel, "about")))
