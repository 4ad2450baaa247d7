"""`/help` and `/about`."""

import math
import re
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Self

import discord
from discord import app_commands
from discord.ext import commands
from rapidfuzz import fuzz, process

from bot.client import Client, Interaction
from bot.game import Games
from bot.ui.interactions import handled
from bot.ui.text import LAYOUT_TEXT, counted, shortened
from sim import __version__
from sim.core.errors import RuleError

AnyCommand = app_commands.Command[Any, ..., Any]
Listed = AnyCommand | app_commands.Group
_Menu = app_commands.ContextMenu

_MOST_OPTIONS = 25
_NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Many")
_NEAR_ENOUGH = 60  # of rapidfuzz's 100


class Help(commands.Cog, name="Fracas itself"):
    """What the bot tells of itself."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        bot.add_items(HelpPage)

    @app_commands.command(
        name="help", description="Every command, with an example to paste", extras={"example": "/help command:aacalc"}
    )
    @app_commands.describe(command="Explain one command and all its options")
    async def help_(self, interaction: Interaction, command: str | None = None) -> None:
        """Explain what there is, or one command with its options."""
        known = {one.qualified_name: one for one in self._commands()}
        if command is None:
            await interaction.response.send_message(view=help_view(self._bot, None), ephemeral=True)
        elif (wanted := command.strip().lstrip("/").casefold()) in known:
            await _answer(interaction, _explanation(known[wanted]))
        else:
            near = process.extractOne(wanted, list(known), scorer=fuzz.ratio, score_cutoff=_NEAR_ENOUGH)
            hint = "" if near is None else f" Did you mean /{near[0]}?"
            raise RuleError(f"There is no such command; /help shows all.{hint}")

    @help_.autocomplete("command")
    async def _complete_command(self, _interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        typed = current.strip().lstrip("/").casefold()
        names = [one.qualified_name for one in self._commands()]
        return [app_commands.Choice(name=f"/{name}", value=name) for name in names if typed in name][:25]

    @app_commands.command(description="Version, latency and uptime", extras={"example": "/about"})
    async def about(self, interaction: Interaction) -> None:
        """Tell the version, the latency and the uptime."""
        uptime = timedelta(seconds=int(time.perf_counter() - self._bot.started_at))
        latency = self._bot.latency
        number = _NUMBERS[min(len(self._bot.services[Games]), len(_NUMBERS) - 1)]
        lines = [
            f"### Fracas {__version__}",
            f"{number} rule systems, one table. `/help` shows what it can do.",
            f"Latency {'not measured yet' if math.isnan(latency) else f'{latency * 1000:.0f} ms'}",
            f"Up for {uptime}",
            f"In {counted(len(self._bot.guilds), 'server')}",
        ]
        await _answer(interaction, "\n".join(lines))

    def _commands(self) -> list[AnyCommand]:
        return sorted(_all_commands(self._bot), key=lambda one: one.qualified_name)


class HelpPage(discord.ui.DynamicItem[discord.ui.Select[Any]], template=r"h1"):
    """The list under `/help`: what there is, and a page for each system."""

    @classmethod
    async def from_custom_id(  # type: ignore[override]  # the item is a select, as the template says
        cls, _interaction: Interaction, item: discord.ui.Select[Any], _match: re.Match[str], /
    ) -> Self:
        """Make the list that was used."""
        return cls(item)

    async def callback(self, interaction: Interaction) -> None:  # type: ignore[override]  # narrower
        """Turn to the chosen page."""
        async with handled(interaction, "help"):
            chosen = self.item.values[0]
            title = next((one for one in sections(interaction.client) if _slug(one) == chosen), None)
            await interaction.response.edit_message(view=help_view(interaction.client, title))


def sections(bot: Client) -> dict[str, list[AnyCommand]]:
    """Return the commands by the name of their cog: a rule system, or a part of the house."""
    found: dict[str, list[AnyCommand]] = {}
    for command in _all_commands(bot):
        cog = command.binding
        found.setdefault(cog.qualified_name if isinstance(cog, commands.Cog) else "Others", []).append(command)
    return found


def help_view(bot: Client, title: str | None) -> discord.ui.LayoutView:
    """Lay out a section's page, or with None the first one: a line for each group of commands."""
    if title is None:
        listed = sorted(bot.tree.get_commands(), key=lambda one: one.name)
        lines = ["### Fracas fights your battles", *(_line(one) for one in listed if not isinstance(one, _Menu))]
    else:
        lines = [f"### {title}", *map(_summary, sections(bot)[title])]
    pages = [None, *list(sections(bot))[: _MOST_OPTIONS - 1]]
    options = [
        discord.SelectOption(label=one or "All at a glance", value=_slug(one), default=one == title) for one in pages
    ]
    view: discord.ui.LayoutView = discord.ui.LayoutView(timeout=None)
    view.add_item(discord.ui.TextDisplay(shortened("\n".join(lines), LAYOUT_TEXT)))
    view.add_item(discord.ui.ActionRow(discord.ui.Select(custom_id="h1", placeholder="More about …", options=options)))
    view.stop()  # the list answers by its id alone
    return view


def _all_commands(bot: Client) -> Iterator[AnyCommand]:
    return (one for one in bot.tree.walk_commands() if isinstance(one, app_commands.Command))


def _slug(title: str | None) -> str:
    return "-" if title is None else re.sub(r"[^a-z0-9]+", "-", title.casefold())


def _line(listed: Listed) -> str:
    """Return a command, or a group with its first command's example."""
    if isinstance(listed, app_commands.Command):
        return _summary(listed)
    first = next(one for one in listed.walk_commands() if isinstance(one, app_commands.Command))
    return f"**/{listed.name} …** {listed.description}\n`{_example(first)}`"


def _summary(command: AnyCommand) -> str:
    return f"**/{command.qualified_name}** {command.description}\n`{_example(command)}`"


def _explanation(command: AnyCommand) -> str:
    options = [
        f"- **{option.display_name}** {option.description}{'' if option.required else ' (optional)'}"
        for option in command.parameters
    ]
    return "\n".join([f"### /{command.qualified_name}", command.description, *options, _paste(command)])


def _example(command: AnyCommand) -> str:
    """Return what can be pasted; a game may give none."""
    return str(command.extras.get("example", f"/{command.qualified_name}"))


def _paste(command: AnyCommand) -> str:
    return f"Try it:\n`{_example(command)}`"


async def _answer(interaction: Interaction, text: str) -> None:
    view: discord.ui.LayoutView = discord.ui.LayoutView(timeout=None)
    view.add_item(discord.ui.TextDisplay(shortened(text, LAYOUT_TEXT)))
    view.stop()
    await interaction.response.send_message(view=view, ephemeral=True)


async def setup(bot: Client) -> None:
    """Load the cog."""
    await bot.add_cog(Help(bot))
