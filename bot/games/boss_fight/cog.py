"""The commands of boss fights."""

from functools import partial
from typing import Annotated

import discord
from discord import app_commands
from discord.ext import commands

from bot.answers import Queries
from bot.answers.items import Confirmations, Deed
from bot.battles import BattleService
from bot.battles.presenter import Presenters
from bot.battles.threads import opens_battle
from bot.client import Client, Interaction
from bot.games.boss_fight import questions as q
from bot.games.boss_fight.forging import FORGET_DEED, ForgeQuery, forge, forge_anyway, redraw
from bot.games.boss_fight.presenter import FIGHT_ITEMS, BossFightPresenter
from bot.games.boss_fight.render import leaders_text, top_text
from bot.games.boss_fight.repositories import Board, BossRecordRepository, Figure
from bot.rosters import RosterLibrary
from bot.ui import text_view
from bot.ui.interactions import caller_of, defer
from bot.ui.options import Option, Private, read_attachment, slash
from sim.boss_fight.battle import HANDS, MAX_TIMES, Setup
from sim.boss_fight.battle.rules import BossFight
from sim.boss_fight.best_choices import MAX_CHOSEN
from sim.boss_fight.requests import BossesRequest
from sim.boss_fight.tables import LADDER
from sim.core import RuleError
from sim.core.names import name_key

_boss = partial(Option, takes=q.any_boss)
_times = partial(Option, takes=app_commands.Range[int, 1, MAX_TIMES])
_MAX_PARTY_TEXT = 1000
_MAX_LEADERS = 15
_FIGURES: tuple[Figure, ...] = ("score", "damage")
_TIMES = f"Multiplies the boss's health, 1 to {MAX_TIMES}"


class BossFights(commands.Cog, name="Boss fights"):
    """Boss fights."""

    boss = app_commands.Group(name="boss", description="Boss fights: a party's decks of tokens against one boss")

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        bot.services[Queries].add(q.DeckQuery, q.TraitsQuery, q.WhatIfQuery, q.OrderQuery)
        bot.services[Queries].add(q.ListQuery, q.ArithmeticQuery, ForgeQuery)
        bot.services[Confirmations][q.DELETE_DEED] = Deed("Delete", q.delete_boss)
        bot.services[Confirmations][FORGET_DEED] = Deed("Forge anyway", forge_anyway)
        bot.services[Presenters].add(BossFightPresenter(bot))
        bot.add_items(*FIGHT_ITEMS)
        bot.services[RosterLibrary].add_kind(q.KIND)

    @slash(
        boss,
        opens_battle,
        more="Take one of six ready hands, or the first eight tokens of your own deck. On your turn put up one"
        " to five of them; they rest on your next turn. The boss shows a round ahead whether a Blade, a Spell"
        " or Fury comes. Seven bosses form a ladder: three ready hands beat the first in about 3 rounds.",
    )
    async def start(
        self,
        interaction: Interaction,
        boss: Annotated[str | None, _boss(f"Which boss? The ladder comes first (default: {LADDER[0].name})")] = None,
        health: Annotated[int, _times(_TIMES)] = 1,
    ) -> None:
        """Fight a boss in this channel; one press joins with a ready hand."""
        found = LADDER[0] if boss is None else await q.find_boss(interaction, boss)
        setup = Setup(boss=found, times=health, edition=HANDS)
        await self._bot.services[BattleService].open(interaction, BossFight.name, setup)

    @slash(boss, example="/boss deck deck:hero: V, Assassin, Elixir, Epic, Fairy @Fire")
    async def deck(self, interaction: Interaction, deck: q.DeckOptions, private: Private = False) -> None:
        """What a deck can do, also against each element; without one, the ready decks and every trait."""
        if deck == q.DeckOptions():
            await q.TraitsQuery(private=private).ask(interaction)
            return
        await defer(interaction, private=private)
        await q.DeckQuery(source=await deck.source(interaction), private=private).ask(interaction)

    @slash(
        boss,
        name="what-if",
        says="What would a deck do to a boss, or to all of them? Which tokens or which order are best?",
        example="/boss what-if boss:Inu Dogemon deck:hero: V, Assassin, Epic",
    )
    async def what_if(
        self,
        interaction: Interaction,
        deck: q.DeckOptions,
        boss: Annotated[str | None, _boss("The boss; leave it out for all of them")] = None,
        best: Annotated[
            int | None,
            Option(f"Find the best tokens of the deck, 1 to {MAX_CHOSEN}", app_commands.Range[int, 1, MAX_CHOSEN]),
        ] = None,
        party: Annotated[
            str | None,
            Option(
                f"Find the best order: names of saved decks with commas, or {q.HERE} for the fight in this channel",
                app_commands.Range[str, 1, _MAX_PARTY_TEXT],
            ),
        ] = None,
        health: Annotated[int, _times(f"For a party: {_TIMES[0].lower()}{_TIMES[1:]}")] = 1,
        private: Private = False,
    ) -> None:
        """Calculate what a deck or a party would do."""
        await defer(interaction, private=private)
        found = None if boss is None else await q.find_boss(interaction, boss)
        if party is not None:
            if deck != q.DeckOptions() or best is not None:
                raise RuleError("A party has its own decks: leave out deck and best.")
            order = await q.party_query(interaction, party, found, health, private=private)
            await order.ask(interaction)
            return
        if best is not None and found is None:
            raise RuleError("The best tokens against which boss? Pick one in the option boss.")
        query = q.WhatIfQuery(
            source=await deck.source(interaction),
            what="best" if best is not None else "every" if found is None else "one",
            boss=found,
            count=best or MAX_CHOSEN,
            guild_id=interaction.guild_id,
            user_id=interaction.user.id,
            private=private,
        )
        await query.ask(interaction)

    @slash(boss)
    async def forge(
        self,
        interaction: Interaction,
        boss: Annotated[str | None, Option("A boss of yours to change", q.forged_boss)] = None,
        bosses: Annotated[discord.Attachment | None, Option("Bosses as a CSV file, instead of the form")] = None,
        picture: Annotated[
            discord.Attachment | None, Option("A new picture for the boss or for the one in the file")
        ] = None,
    ) -> None:
        """Make your own boss in a form, change one, or read some from a CSV file."""
        if boss is not None and bosses is not None:
            raise RuleError("Give a boss to change or a file with bosses, not both.")
        if boss is None and bosses is None and picture is not None:
            raise RuleError("Whose picture is it? Pick the boss, or add the picture in the form.")
        forged = None if boss is None else await q.find_forged(interaction, boss)
        if bosses is None and picture is None:
            await ForgeQuery.of(forged).send_form(interaction)
            return
        await defer(interaction, private=True)
        made = [forged.boss] if forged is not None else []
        if bosses is not None:
            read = BossesRequest(data=(await read_attachment(bosses)).data)
            made = list(await self._bot.simulator.once(read, caller_of(interaction)))
        if picture is not None and len(made) > 1:
            raise RuleError("One picture for several bosses? Make them first, then give each its own.")
        drawn, name = await redraw(interaction, picture), None if forged is None else forged.boss.name
        await forge(interaction, made, drawn, name)

    @slash(boss, name="list")
    async def list_(
        self,
        interaction: Interaction,
        boss: Annotated[str | None, _boss("Only this one, with its picture")] = None,
        private: Private = False,
    ) -> None:
        """All bosses, or one with its picture; a button deletes one of yours."""
        name = None if boss is None else (await q.find_boss(interaction, boss)).name
        query = q.ListQuery(guild_id=interaction.guild_id, user_id=interaction.user.id, name=name, private=private)
        await query.ask(interaction)

    @slash(boss, example="/boss top boss:Inu Dogemon")
    async def top(
        self,
        interaction: Interaction,
        boss: Annotated[
            str | None, Option("The boss; leave it out for the leaders against each", q.recorded_boss)
        ] = None,
        health: Annotated[int, _times(_TIMES)] = 1,
        private: Private = False,
    ) -> None:
        """Who did best against a boss in this server: best score and most damage."""
        if interaction.guild_id is None:
            raise RuleError("Records are only kept in servers, not in direct messages.")
        records, guild_id = self._bot.services[BossRecordRepository], interaction.guild_id
        known = await records.bosses(guild_id)
        if boss is None:
            leaders = [
                (board, {by: await records.best(guild_id, board, by, 1) for by in _FIGURES})
                for board in known[:_MAX_LEADERS]
            ]
            text = leaders_text(leaders, len(known) - len(leaders))
        else:
            recorded = [board.boss for board in known]
            name = next((name for name in recorded if name_key(name) == name_key(boss)), None)  # it may be deleted
            name = name or (await q.find_boss(interaction, boss)).name
            boards = []
            for hands in (True, False):
                board = Board(name, health, hands)
                best = [await records.best(guild_id, board, by) for by in _FIGURES]
                boards += [top_text(board, *best)] if hands or any(best) else []
            text = "\n".join(boards)
        await interaction.response.send_message(view=text_view([text]), ephemeral=private)
