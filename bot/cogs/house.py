"""`/help` and `/about`."""

import math
import time
from datetime import timedelta
from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Fracas
from bot.render.text import LAYOUT_TEXT, counted, shortened
from sim import __version__
from sim.core.errors import RuleError

AnyCommand = app_commands.Command[Any, ..., Any]


class House(commands.Cog):
    """What the bot tells of itself."""

    def __init__(self, bot: Fracas) -> None:
        self._bot = bot

    @app_commands.command(
        name="help", description="Every command, with an example to paste", extras={"example": "/help command:aacalc"}
    )
    @app_commands.describe(command="Explain one command and all its options")
    async def help_(self, interaction: discord.Interaction[Fracas], command: str | None = None) -> None:
        """Explain every command, or one with its options."""
        known = {one.qualified_name: one for one in self._commands()}
        if command is None:
            text = "\n".join(["### Fracas fights your battles", *map(_summary, known.values())])
        elif (wanted := command.strip().lstrip("/").casefold()) in known:
            text = _explanation(known[wanted])
        else:
            raise RuleError(f"There is no such command. There are {', '.join(f'/{name}' for name in known)}.")
        await _answer(interaction, text)

    @help_.autocomplete("command")
    async def _complete_command(
        self, _interaction: discord.Interaction[Fracas], current: str
    ) -> list[app_commands.Choice[str]]:
        typed = current.strip().lstrip("/").casefold()
        names = [one.qualified_name for one in self._commands()]
        return [app_commands.Choice(name=f"/{name}", value=name) for name in names if typed in name][:25]

    @app_commands.command(description="Version, latency and uptime", extras={"example": "/about"})
    async def about(self, interaction: discord.Interaction[Fracas]) -> None:
        """Tell the version, the latency and the uptime."""
        uptime = timedelta(seconds=int(time.perf_counter() - self._bot.started_at))
        latency = self._bot.latency
        lines = [
            f"### Fracas {__version__}",
            "Five rule systems, one table. `/help` shows what it can do.",
            f"Latency {'not measured yet' if math.isnan(latency) else f'{latency * 1000:.0f} ms'}",
            f"Up for {uptime}",
            f"In {counted(len(self._bot.guilds), 'server')}",
        ]
        await _answer(interaction, "\n".join(lines))

    def _commands(self) -> list[AnyCommand]:
        found = (one for one in self._bot.tree.walk_commands() if isinstance(one, app_commands.Command))
        return sorted(found, key=lambda one: one.qualified_name)


def _summary(command: AnyCommand) -> str:
    return f"**/{command.qualified_name}** {command.description}\n`{command.extras['example']}`"


def _explanation(command: AnyCommand) -> str:
    options = [
        f"- **{option.display_name}** {option.description}{'' if option.required else ' (optional)'}"
        for option in command.parameters
    ]
    return "\n".join([f"### /{command.qualified_name}", command.description, *options, _paste(command)])


def _paste(command: AnyCommand) -> str:
    return f"Try it:\n`{command.extras['example']}`"


async def _answer(interaction: discord.Interaction[Fracas], text: str) -> None:
    view: discord.ui.LayoutView = discord.ui.LayoutView(timeout=None)
    view.add_item(discord.ui.TextDisplay(shortened(text, LAYOUT_TEXT)))
    view.stop()
    await interaction.response.send_message(view=view, ephemeral=True)


async def setup(bot: Fracas) -> None:
    """Load the cog."""
    await bot.add_cog(House(bot))
