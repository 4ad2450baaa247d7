"""The commands of Pig: `/pig start`, `chance`, `top`."""

from typing import Annotated

import discord
from discord import app_commands
from discord.ext import commands

from bot.answers import Queries
from bot.battles import BattleService
from bot.battles.presenter import Presenters
from bot.client import Client, Interaction
from bot.store.battle import Place
from bot.ui import plain_view
from bot.ui.options import Option, slash
from fracas_pig.bot.presenter import PigPresenter
from fracas_pig.bot.questions import ChanceQuery
from fracas_pig.bot.wins import WinRepository
from fracas_pig.rules import SEATS, Pig, Setup


class PigCommands(commands.Cog, name="Pig"):
    """Pig, a dice game for two."""

    pig = app_commands.Group(name="pig", description="Pig: roll as often as you dare")

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        bot.services[Presenters].add(PigPresenter(bot))
        bot.services[Queries].add(ChanceQuery)

    @slash(pig, example="/pig start goal:50")
    async def start(
        self,
        interaction: Interaction,
        opponent: Annotated[discord.User | None, Option("Whom you play; nobody: whoever joins")] = None,
        goal: Annotated[int, Option("The points that win (usually 100)", app_commands.Range[int, 10, 1000])] = 100,
    ) -> None:
        """Play Pig, first to the goal."""
        # Whoever types this rolls first.
        setup = Setup(goal=goal)
        places = Place(SEATS[0], interaction.user.id), Place(SEATS[1], None if opponent is None else opponent.id)
        await self._bot.services[BattleService].open(interaction, Pig.name, setup, places)

    @slash(pig, example="/pig chance hold_at:25")
    async def chance(self, interaction: Interaction, query: ChanceQuery) -> None:
        """How likely a turn is lost."""
        await query.ask(interaction)

    @slash(pig, example="/pig top")
    async def top(self, interaction: Interaction) -> None:
        """Who wins most often here."""
        best = await self._bot.services[WinRepository].best(interaction.guild_id or 0)
        lines = [f"{place}. <@{user_id}>: {wins}" for place, (user_id, wins) in enumerate(best, start=1)]
        await interaction.response.send_message(view=plain_view("\n".join(lines or ["Nobody has won yet."])))
