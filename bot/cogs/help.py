"""`/help` and `/about`."""

import math
import time
from collections.abc import Iterable
from datetime import timedelta
from typing import Annotated

from discord import app_commands
from discord.ext import commands

from bot.client import Client, Interaction, Policies
from bot.cogs.pages import HELP_ITEMS, AnyCommand, all_commands, example, show_page
from bot.game import Games
from bot.store.database import Database
from bot.store.guilds import GuildPresenceRepository
from bot.ui.interactions import defer
from bot.ui.options import CompletedOption
from bot.ui.text import LAYOUT_TEXT, plain_view, shorten
from sim.core.errors import RuleError
from sim.core.names import nearest
from sim.core.numbers import quantity
from sim.jobs.release import version

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
        bot.add_items(*HELP_ITEMS)

    @app_commands.command(
        name="help",
        description="The games, ready to try, and every command with an example",
        extras={"example": "/help command:aacalc"},
    )
    @app_commands.describe(command="Explain one command and all its options")
    async def help_(self, interaction: Interaction, command: Annotated[str, CommandName()] | None = None) -> None:
        """Explain what there is, or one command with its options."""
        known = {found.qualified_name: found for found in _sorted_commands(self._bot)}
        if command is None:
            await defer(interaction, private=True)
            await show_page(interaction)
        elif (wanted := command.strip().lstrip("/").casefold()) in known:
            await _reply(interaction, _explanation(known[wanted]))
        else:
            near = nearest(wanted, known)
            hint = "" if near is None else f" Did you mean /{near.qualified_name}?"
            raise RuleError(f"There is no such command; /help shows them all.{hint}")

    @app_commands.command(description="Version, latency, uptime, privacy", extras={"example": "/about"})
    async def about(self, interaction: Interaction) -> None:
        """Show the version, the latency, the uptime, and the operator's policies."""
        uptime = timedelta(seconds=int(time.perf_counter() - self._bot.started_at))
        latency = self._bot.latency
        number = _NUMBERS[min(len(self._bot.services[Games]), len(_NUMBERS) - 1)]
        lines = [
            f"### Fracas {version()}",
            f"{number} games, one table. `/help` shows what it can do.",
            f"Latency {'not measured yet' if not math.isfinite(latency) else f'{latency * 1000:.0f} ms'}",
            f"Up for {uptime}",
            f"In {quantity(await self._servers(), 'server')}",
            " · ".join([*self._bot.services[Policies].links(), "`/privacy show`: what is kept about you"]),
        ]
        await _reply(interaction, "\n".join(lines))

    async def _servers(self) -> int:
        """Return how many servers there are; where processes share them, the database knows."""
        if self._bot.services[Database].is_shared:
            return await self._bot.services[GuildPresenceRepository].number()
        return len(self._bot.guilds)


def _sorted_commands(bot: Client) -> list[AnyCommand]:
    return sorted(all_commands(bot), key=lambda command: command.qualified_name)


def _explanation(command: AnyCommand) -> str:
    options = [
        f"- **{option.display_name}** {option.description}{'' if option.required else ' (optional)'}"
        for option in command.parameters
    ]
    more = [command.extras["more"]] if "more" in command.extras else []
    tried = f"Try it:\n`{example(command)}`"
    return "\n".join([f"### /{command.qualified_name}", command.description, *options, *more, tried])


async def _reply(interaction: Interaction, text: str) -> None:
    await interaction.response.send_message(view=plain_view(shorten(text, LAYOUT_TEXT)), ephemeral=True)


async def setup(bot: Client) -> None:
    """Load the cog."""
    await bot.add_cog(Help(bot))
