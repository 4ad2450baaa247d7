"""Writes `.docs/commands.md` from the command tree: `python -m tests.bot.commands_page`."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

from discord import AppCommandOptionType
from discord.app_commands import Parameter

from bot.app import Fracas, load
from bot.games import Games
from bot.help import AnyCommand, example, games_by_title, menu_lines, sections
from bot.store.connecting import MEMORY
from sim.workers import InlineSimulator
from tests.bot.store.databases import open_database

COMMANDS = Path(__file__).resolve().parents[2] / ".docs" / "commands.md"

_INTRO = """\
# Commands

Every slash command, with an example you can paste and all its options. `/help` shows the same on Discord, and runs an
example of each game for you. Discord offers each option as you type; give the ones you need, in any order. A
*referee* is a player who may manage messages in the channel. A server that adds the bot sees the games once, in its
channel for system messages.

Buttons under an answer turn its pages, fight an `/aacalc` out, swap the sides, edit the question and ask it again, get
the files, or share what was private. They still work after the bot restarts.

No command is needed where you mention the bot: `@Fracas 6 tanks vs 10 inf` is answered as `/aacalc`, see
`/battle settings`. Messages and people have menus, too (press long or click right, then Apps):"""

_KINDS = {
    AppCommandOptionType.string: "text",
    AppCommandOptionType.integer: "whole number",
    AppCommandOptionType.number: "number",
    AppCommandOptionType.boolean: "True or False",
    AppCommandOptionType.user: "player",
    AppCommandOptionType.channel: "channel",
    AppCommandOptionType.attachment: "file",
}


async def commands_page() -> str:
    """Return the page of all commands that Fracas and its built-in games have."""
    games = Games([loaded for loaded in Games.discover() if loaded.found.package is None])
    db = await open_database(MEMORY, games.schemas)
    try:
        bot = Fracas(simulator=InlineSimulator(), db=db, games=games)
        await load(bot, games)
        links = " · ".join(f"[{title}](#{anchor(title)})" for title in sections(bot))
        menus = "\n".join(f"- {line}" for line in menu_lines(bot))
        return "\n\n".join([_INTRO, menus, links, *_sections(bot)]) + "\n"
    finally:
        await db.close()


def _sections(bot: Fracas) -> Iterator[str]:
    games = games_by_title(bot)
    for title, listed in sections(bot).items():
        yield f"## {title}"
        if title in games:
            yield from filter(None, (games[title].line, games[title].guide))
        for command in listed:
            yield from _command(command)


def _command(command: AnyCommand) -> Iterator[str]:
    yield f"### `/{command.qualified_name}`"
    yield _plain(command.description) + ("" if command.description.endswith("?") else ".")
    if "more" in command.extras:
        yield str(command.extras["more"])
    yield f"```\n{example(command)}\n```"
    if command.parameters:
        yield "\n".join(["| option | meaning | takes |", "|---|---|---|", *map(_row, command.parameters)])


def _row(option: Parameter) -> str:
    required = " **required**" if option.required else ""
    return f"| `{option.display_name}`{required} | {_plain(option.description)} | {_takes(option)} |"


def _takes(option: Parameter) -> str:
    """Return what may be typed, and its limits."""
    if option.choices:
        return "one of: " + " · ".join(_plain(choice.name) for choice in option.choices)
    kind = _KINDS[option.type] + (", with suggestions" if option.autocomplete else "")
    if option.type is AppCommandOptionType.string:
        return kind if option.max_value is None else f"{kind}, up to {option.max_value:,} characters"
    if option.min_value is None:
        return kind
    return f"{kind}, {option.min_value:,} " + ("or more" if option.max_value is None else f"to {option.max_value:,}")


def anchor(title: str) -> str:
    """Return what GitHub calls a heading in links."""
    return re.sub(r"[^\w -]", "", title.casefold()).replace(" ", "-")


def _plain(text: str) -> str:
    r"""Escape what Markdown would take for more than text, such as the `|` of a table; `$` begins a formula."""
    return re.sub(r"[\\|*_<>$`\[\]]", r"\\\g<0>", text)


if __name__ == "__main__":
    COMMANDS.write_text(asyncio.run(commands_page()), encoding="utf-8")
