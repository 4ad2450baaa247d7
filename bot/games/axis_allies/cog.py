"""The commands of Axis & Allies."""

from typing import Annotated

from discord import app_commands
from discord.ext import commands

from bot.answers.handler import Handlers
from bot.battles.presenter import Presenters
from bot.client import Client, Interaction
from bot.games.axis_allies.advice import (
    LuckHandler,
    LuckQuery,
    PurchaseHandler,
    PurchaseQuery,
    RetreatHandler,
    RetreatQuery,
)
from bot.games.axis_allies.casualty_picker import CASUALTY_ITEMS
from bot.games.axis_allies.options import CHOICES_OR_NONE, KIND, set_edition
from bot.games.axis_allies.presenter import DiceBattlePresenter
from bot.games.axis_allies.questions import BattleHandler, BattleQuery, CalcHandler, CalcQuery
from bot.rosters.library import RosterLibrary
from bot.ui.interactions import defer, edit_reply
from bot.ui.options import Option, with_options


class AxisAllies(commands.Cog, name="Axis & Allies"):
    """Axis & Allies, all editions."""

    aa = app_commands.Group(
        name="aa", description="Axis & Allies: fight battles, what to buy, when to retreat, how lucky you were"
    )

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        handlers = bot.services[Handlers]
        self._calc, self._purchase = handlers.add(CalcHandler(bot)), handlers.add(PurchaseHandler(bot))
        self._retreat, self._luck = handlers.add(RetreatHandler(bot)), handlers.add(LuckHandler(bot))
        self._battle = handlers.add(BattleHandler(bot))
        bot.services[Presenters].add(DiceBattlePresenter(bot))
        bot.add_items(*CASUALTY_ITEMS)
        bot.services[RosterLibrary].add_kind(KIND)

    @app_commands.command(
        description="Axis & Allies: who wins a battle, how often, and at what cost",
        extras={
            "example": "/aacalc battle:6 tanks, 2 inf, 1 bomber vs 10 inf, 1 tank, 1 fighter",
            "more": "The answer has exact odds, expected losses and a picture; in the 1941 edition also the average"
            " battle, round by round.",
        },
    )
    @with_options
    async def aacalc(self, interaction: Interaction, query: CalcQuery) -> None:
        """Answer with the odds and the average battle."""
        await self._calc.ask(interaction, query)

    @aa.command(
        description="The cheapest reinforcement that reaches the odds you want",
        extras={"example": "/aa need attacker:6 tanks defender:10 inf chance:75"},
    )
    @with_options
    async def need(self, interaction: Interaction, query: PurchaseQuery) -> None:
        """Answer with the cheapest reinforcement."""
        await self._purchase.ask(interaction, query)

    @aa.command(
        description="Go on or retreat? The best choice after each round",
        extras={"example": "/aa retreat battle:6 tanks, 2 inf vs 8 inf territory:3"},
    )
    @with_options
    async def retreat(self, interaction: Interaction, query: RetreatQuery) -> None:
        """Answer with retreat advice."""
        await self._retreat.ask(interaction, query)

    @aa.command(
        description="How lucky were you? Rate the result of a battle you fought",
        extras={"example": "/aa luck battle:6 tanks vs 10 inf attacker_left:2 tanks"},
    )
    @with_options
    async def luck(self, interaction: Interaction, query: LuckQuery) -> None:
        """Answer with the luck of a result."""
        await self._luck.ask(interaction, query)

    @aa.command(
        description="Fight a battle with dice in this channel, round by round",
        extras={"example": "/aa battle setup:6 tanks, 2 inf vs 10 inf"},
    )
    @with_options
    async def battle(self, interaction: Interaction, query: BattleQuery) -> None:
        """Open a live battle."""
        await self._battle.ask(interaction, query)

    @aa.command(
        description="Your default edition: shows it, or sets it",
        extras={"example": "/aa edition edition:1942"},
    )
    @with_options
    async def edition(
        self,
        interaction: Interaction,
        edition: Annotated[
            str | None, Option("The edition to set (left empty: only show)", choices=CHOICES_OR_NONE)
        ] = None,
        server: Annotated[
            bool, Option("Set it for this server, for all who have none of their own; needs Manage Messages")
        ] = False,
    ) -> None:
        """Show the default editions, or set one."""
        await defer(interaction, private=True)
        await edit_reply(interaction, await set_edition(interaction, edition, server=server))
