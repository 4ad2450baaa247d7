"""`/help` and `/about`."""

import math
import re
import time
from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Annotated, Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.client import Client, Interaction
from bot.game import Games
from bot.ui.items import PersistentSelect
from bot.ui.layout import plain_view
from bot.ui.limits import LAYOUT_TEXT, MAX_CHOICES
from bot.ui.options import CompletedOption
from bot.ui.text import quantity, shorten
from sim import __version__
from sim.core.errors import RuleError
from sim.core.names import nearest

AnyCommand = app_commands.Command[Any, ..., Any]
Listed = AnyCommand | app_commands.Group
_Menu = app_commands.ContextMenu

_NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Many")


class CommandName(CompletedOption):
    """The name of a command."""

    async def complete(self, interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
        """Offer the commands with this in their names."""
        key = typed.strip().lstrip("/").casefold()
        names = [command.qualified_name for command in _sorted_commands(interaction.client)]
        return [app_commands.Choice(name=f"/{name}", value=name) for name in names if key in name]


class Help(commands.Cog, name="Fracas itself"):
    """What the bot says about itself."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        bot.add_items(HelpPage)

    @app_commands.command(
        name="help", description="Every command, with an example to paste", extras={"example": "/help command:aacalc"}
    )
    @app_commands.describe(command="Explain one command and all its options")
    async def help_(self, interaction: Interaction, command: Annotated[str, CommandName()] | None = None) -> None:
        """Explain what there is, or one command with its options."""
        known = {found.qualified_name: found for found in _sorted_commands(self._bot)}
        if command is None:
            await interaction.response.send_message(view=help_view(self._bot, None), ephemeral=True)
        elif (wanted := command.strip().lstrip("/").casefold()) in known:
            await _reply(interaction, _explanation(known[wanted]))
        else:
            near = nearest(wanted, known)
            hint = "" if near is None else f" Did you mean /{near.qualified_name}?"
            raise RuleError(f"There is no such command; /help shows all.{hint}")

    @app_commands.command(description="Version, latency and uptime", extras={"example": "/about"})
    async def about(self, interaction: Interaction) -> None:
        """Show the version, the latency and the uptime."""
        uptime = timedelta(seconds=int(time.perf_counter() - self._bot.started_at))
        latency = self._bot.latency
        number = _NUMBERS[min(len(self._bot.services[Games]), len(_NUMBERS) - 1)]
        lines = [
            f"### Fracas {__version__}",
            f"{number} rule systems, one table. `/help` shows what it can do.",
            f"Latency {'not measured yet' if math.isnan(latency) else f'{latency * 1000:.0f} ms'}",
            f"Up for {uptime}",
            f"In {quantity(len(self._bot.guilds), 'server')}",
        ]
        await _reply(interaction, "\n".join(lines))


class HelpPage(PersistentSelect, template=r"h1"):
    """The list under `/help`: an overview, and a page for each section."""

    kind = "help"

    async def pressed(self, interaction: Interaction) -> None:
        """Turn to the chosen page."""
        title = next((section for section in sections(interaction.client) if _slug(section) == self.chosen), None)
        await interaction.response.edit_message(view=help_view(interaction.client, title))


def sections(bot: Client) -> dict[str, list[AnyCommand]]:
    """Return the commands by the name of their cog: a game, or a part of the bot."""
    found: dict[str, list[AnyCommand]] = {}
    for command in _all_commands(bot):
        cog = command.binding
        found.setdefault(cog.qualified_name if isinstance(cog, commands.Cog) else "Others", []).append(command)
    return found


def help_view(bot: Client, title: str | None) -> discord.ui.LayoutView:
    """Lay out a section's page, or with None the first one: a line for each group of commands."""
    if title is None:
        listed = sorted(bot.tree.get_commands(), key=lambda command: command.name)
        lines = ["### Fracas fights your battles", *(_line(found) for found in listed if not isinstance(found, _Menu))]
    else:
        lines = [f"### {title}", *map(_summary, sections(bot)[title])]
    pages = [None, *list(sections(bot))[: MAX_CHOICES - 1]]
    options = [
        discord.SelectOption(label=page or "All at a glance", value=_slug(page), default=page == title)
        for page in pages
    ]
    view = plain_view(shorten("\n".join(lines), LAYOUT_TEXT))
    view.add_item(discord.ui.ActionRow(discord.ui.Select(custom_id="h1", placeholder="More about …", options=options)))
    return view


def _all_commands(bot: Client) -> Iterator[AnyCommand]:
    return (found for found in bot.tree.walk_commands() if isinstance(found, app_commands.Command))


def _sorted_commands(bot: Client) -> list[AnyCommand]:
    return sorted(_all_commands(bot), key=lambda command: command.qualified_name)


def _slug(title: str | None) -> str:
    return "-" if title is None else re.sub(r"[^a-z0-9]+", "-", title.casefold())


def _line(listed: Listed) -> str:
    """Return a command, or a group with its first command's example."""
    if isinstance(listed, app_commands.Command):
        return _summary(listed)
    first = next(found for found in listed.walk_commands() if isinstance(found, app_commands.Command))
    return f"**/{listed.name} …** {listed.description}\n`{_example(first)}`"


def _summary(command: AnyCommand) -> str:
    return f"**/{command.qualified_name}** {command.description}\n`{_example(command)}`"


def _explanation(command: AnyCommand) -> str:
    options = [
        f"- **{option.display_name}** {option.description}{'' if option.required else ' (optional)'}"
        for option in command.parameters
    ]
    example = f"Try it:\n`{_example(command)}`"
    more = [command.extras["more"]] if "more" in command.extras else []
    return "\n".join([f"### /{command.qualified_name}", command.description, *options, *more, example])


def _example(command: AnyCommand) -> str:
    """Return what can be pasted; a game may give none."""
    return str(command.extras.get("example", f"/{command.qualified_name}"))


async def _reply(interaction: Interaction, text: str) -> None:
    await interaction.response.send_message(view=plain_view(shorten(text, LAYOUT_TEXT)), ephemeral=True)


async def setup(bot: Client) -> None:
    """Load the cog."""
    await bot.add_cog(Help(bot))
