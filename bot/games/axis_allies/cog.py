"""Commands of Axis & Allies: read the options and pass them to the handlers."""

from typing import Annotated

import discord
from discord import app_commands
from discord.ext import commands

from bot.answers.handler import Handlers
from bot.battles.presenter import Presenters
from bot.client import Client, Interaction
from bot.games.axis_allies.casualty_picker import CASUALTY_ITEMS
from bot.games.axis_allies.editions import CHOICES, CHOICES_OR_NONE, EDITION, set_edition
from bot.games.axis_allies.handlers import BattleHandler, CalcHandler, LuckHandler, PurchaseHandler, RetreatHandler
from bot.games.axis_allies.options import (
    CASUALTIES,
    KIND,
    ArmyText,
    BattleText,
    Typed,
    UnitNames,
    parse_method,
)
from bot.games.axis_allies.presenter import POLICY_NAMES, DiceBattlePresenter
from bot.games.axis_allies.queries import (
    MAX_ROUNDS_PER_PAGE,
    ROUNDS_PER_PAGE,
    BattleQuery,
    CalcQuery,
    LuckQuery,
    PurchaseQuery,
    RetreatQuery,
)
from bot.rosters.library import RosterLibrary
from bot.ui.interactions import defer, edit_reply
from bot.ui.options import PRIVATE
from sim.axis_allies.army import MAX_COUNT
from sim.axis_allies.parse import MAX_ORDER_TEXT, TECHNOLOGY_EXAMPLE
from sim.axis_allies.requests import MAX_TERRITORY
from sim.axis_allies.withdrawal import MAX_ROUNDS
from sim.core.values import Side

Battle = Annotated[str, BattleText(CalcHandler.kind, RetreatHandler.kind, LuckHandler.kind)]
Army = Annotated[str, ArmyText()]
Rounds = app_commands.Range[int, 1, MAX_ROUNDS]

_BATTLE = "Attacker vs defender, such as: 6 tanks, 2 inf vs 10 inf, 1 ftr"
_CASUALTIES = "How to choose losses (usually as the edition does)"
_STOP_AFTER = f"Stop after this many rounds (1 to {MAX_ROUNDS})"
_TAKE_TERRITORY = "The attacker needs a land unit left to win"


class AxisAllies(commands.Cog, name="Axis & Allies"):
    """Axis & Allies, all editions."""

    aa = app_commands.Group(
        name="aa", description="Axis & Allies: fight battles, what to buy, when to retreat, how lucky you were"
    )

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._calc, self._purchase = CalcHandler(bot), PurchaseHandler(bot)
        self._retreat, self._luck = RetreatHandler(bot), LuckHandler(bot)
        self._battle = BattleHandler(bot)
        for handler in (self._calc, self._purchase, self._retreat, self._luck, self._battle):
            bot.services[Handlers].add(handler)
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
    @app_commands.describe(
        battle=_BATTLE,
        edition=EDITION,
        casualties=_CASUALTIES,
        attacker_order="What the attacker loses first, in order: inf, tank, bb-life",
        defender_order="What the defender loses first, in order: inf, tank, bb-life",
        stop_after=_STOP_AFTER,
        retreat_below="The attacker retreats when it has fewer units than this after a round",
        take_territory=_TAKE_TERRITORY,
        low_luck="Add up the dice: every 6 is a hit, one die decides on the rest",
        tech=f"Technologies, such as: {TECHNOLOGY_EXAMPLE}",
        landing="How many land units come by sea, where ships bombard (usually all)",
        counter="Who attacks those that took the territory, such as: 5 inf, 2 ftr",
        rounds=f"Rounds on a page (1 to {MAX_ROUNDS_PER_PAGE}, usually {ROUNDS_PER_PAGE})",
        private=PRIVATE,
    )
    @app_commands.choices(casualties=CASUALTIES, edition=CHOICES)
    async def aacalc(
        self,
        interaction: Interaction,
        battle: Battle,
        edition: str | None = None,
        casualties: str | None = None,
        attacker_order: app_commands.Range[str, 1, MAX_ORDER_TEXT] | None = None,
        defender_order: app_commands.Range[str, 1, MAX_ORDER_TEXT] | None = None,
        stop_after: Rounds | None = None,
        retreat_below: app_commands.Range[int, 1, MAX_COUNT] | None = None,
        take_territory: bool = False,
        low_luck: bool = False,
        tech: app_commands.Range[str, 1, MAX_ORDER_TEXT] | None = None,
        landing: app_commands.Range[int, 0, MAX_COUNT] | None = None,
        counter: Army | None = None,
        rounds: app_commands.Range[int, 1, MAX_ROUNDS_PER_PAGE] = ROUNDS_PER_PAGE,
        private: bool = False,
    ) -> None:
        """Answer with the odds and the average battle."""
        typed = await Typed.read(interaction, edition, battle, counter)
        query = CalcQuery(
            battle=typed.texts[0] or "",
            counter=typed.texts[1],
            low_luck=low_luck,
            tech=tech,
            landing=landing,
            rounds=rounds,
            **typed.fields,
            casualties=parse_method(casualties),
            attacker_order=attacker_order,
            defender_order=defender_order,
            stop_after=stop_after,
            retreat_below=retreat_below,
            take_territory=take_territory,
            private=private,
        )
        await self._calc.ask(interaction, query)

    @aa.command(
        description="The cheapest reinforcement that reaches the odds you want",
        extras={"example": "/aa need attacker:6 tanks defender:10 inf chance:75"},
    )
    @app_commands.describe(
        attacker="The attacker so far, such as: 6 tanks, 2 inf (or: nobody)",
        defender="The defender so far, such as: 10 inf, 1 ftr (or: nobody)",
        chance="The chance to win you want, in percent: 75",
        side="Whom to reinforce (usually the attacker)",
        units="What you can buy, such as: inf, tank (usually every land or sea unit)",
        edition=EDITION,
        casualties=_CASUALTIES,
        take_territory=_TAKE_TERRITORY,
        private=PRIVATE,
    )
    @app_commands.choices(
        edition=CHOICES,
        casualties=CASUALTIES,
        side=[app_commands.Choice(name=side.capitalize(), value=side.value) for side in Side],
    )
    async def need(
        self,
        interaction: Interaction,
        attacker: Army,
        defender: Army,
        chance: app_commands.Range[float, 0.1, 99.9],
        side: str = "attacker",
        units: Annotated[str, UnitNames()] | None = None,
        edition: str | None = None,
        casualties: str | None = None,
        take_territory: bool = False,
        private: bool = False,
    ) -> None:
        """Answer with the cheapest reinforcement."""
        typed = await Typed.read(interaction, edition, attacker, defender)
        query = PurchaseQuery(
            attacker=typed.texts[0] or "",
            defender=typed.texts[1] or "",
            **typed.fields,
            chance=chance,
            side=Side(side),
            units=units,
            casualties=parse_method(casualties),
            take_territory=take_territory,
            private=private,
        )
        await self._purchase.ask(interaction, query)

    @aa.command(
        description="Go on or retreat? The best choice after each round",
        extras={"example": "/aa retreat battle:6 tanks, 2 inf vs 8 inf territory:3"},
    )
    @app_commands.describe(
        battle=_BATTLE,
        territory="What the territory is worth to you, in IPC",
        edition=EDITION,
        casualties=_CASUALTIES,
        stop_after=_STOP_AFTER,
        take_territory=_TAKE_TERRITORY,
        private=PRIVATE,
    )
    @app_commands.choices(casualties=CASUALTIES, edition=CHOICES)
    async def retreat(
        self,
        interaction: Interaction,
        battle: Battle,
        territory: app_commands.Range[int, 0, MAX_TERRITORY] = 0,
        edition: str | None = None,
        casualties: str | None = None,
        stop_after: Rounds | None = None,
        take_territory: bool = False,
        private: bool = False,
    ) -> None:
        """Answer with retreat advice."""
        typed = await Typed.read(interaction, edition, battle)
        query = RetreatQuery(
            battle=typed.texts[0] or "",
            **typed.fields,
            territory=territory,
            casualties=parse_method(casualties),
            stop_after=stop_after,
            take_territory=take_territory,
            private=private,
        )
        await self._retreat.ask(interaction, query)

    @aa.command(
        description="How lucky were you? Rate the result of a battle you fought",
        extras={"example": "/aa luck battle:6 tanks vs 10 inf attacker_left:2 tanks"},
    )
    @app_commands.describe(
        battle="The armies before the battle, such as: 6 tanks, 2 inf vs 10 inf, 1 ftr",
        attacker_left="What the attacker had left, such as: 2 tanks (usually nothing)",
        defender_left="What the defender had left, such as: 3 inf (usually nothing)",
        edition=EDITION,
        casualties=_CASUALTIES,
        stop_after="If the battle stopped early: after how many rounds",
        private=PRIVATE,
    )
    @app_commands.choices(casualties=CASUALTIES, edition=CHOICES)
    async def luck(
        self,
        interaction: Interaction,
        battle: Battle,
        attacker_left: Army | None = None,
        defender_left: Army | None = None,
        edition: str | None = None,
        casualties: str | None = None,
        stop_after: Rounds | None = None,
        private: bool = False,
    ) -> None:
        """Answer with the luck of a result."""
        typed = await Typed.read(interaction, edition, battle, attacker_left, defender_left)
        query = LuckQuery(
            battle=typed.texts[0] or "",
            attacker_left=typed.texts[1],
            defender_left=typed.texts[2],
            **typed.fields,
            casualties=parse_method(casualties),
            stop_after=stop_after,
            private=private,
        )
        await self._luck.ask(interaction, query)

    @aa.command(
        description="Fight a battle with dice in this channel, round by round",
        extras={"example": "/aa battle setup:6 tanks, 2 inf vs 10 inf"},
    )
    @app_commands.describe(
        setup=_BATTLE,
        edition=EDITION,
        attacker="Who attacks: a player or this bot (left empty: the first to press Join)",
        defender="Who defends: a player or this bot (left empty: the first to press Join)",
        casualties=_CASUALTIES,
        fog="Hide each army from everyone but its player until the end",
    )
    @app_commands.choices(
        edition=CHOICES,
        casualties=[app_commands.Choice(name=name, value=str(method)) for method, name in POLICY_NAMES.items()],
    )
    async def battle(
        self,
        interaction: Interaction,
        setup: Battle,
        edition: str | None = None,
        attacker: discord.User | None = None,
        defender: discord.User | None = None,
        casualties: str | None = None,
        fog: bool = False,
    ) -> None:
        """Open a live battle."""
        players: dict[Side, discord.User | discord.Member | None] = {Side.ATTACKER: attacker, Side.DEFENDER: defender}
        typed = await Typed.read(interaction, edition, setup)
        query = BattleQuery.of(typed.texts[0] or "", players, self._bot.user, casualties, fog=fog, known=typed.fields)
        await self._battle.ask(interaction, query)

    @aa.command(
        description="Your default edition: shows it, or sets it",
        extras={"example": "/aa edition edition:1942"},
    )
    @app_commands.describe(
        edition="The edition to set (left empty: only show)",
        server="Set it for this server, for all who have none of their own; needs Manage Messages",
    )
    @app_commands.choices(edition=CHOICES_OR_NONE)
    async def edition(self, interaction: Interaction, edition: str | None = None, server: bool = False) -> None:
        """Show the default editions, or set one."""
        await defer(interaction, private=True)
        await edit_reply(interaction, await set_edition(interaction, edition, server=server))
