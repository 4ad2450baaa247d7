"""The commands of boss fights."""

from typing import Annotated

import discord
from discord import app_commands
from discord.ext import commands

from bot.answers.confirmation import Confirmations, Deed
from bot.answers.handler import Handlers
from bot.battles.permissions import is_referee
from bot.battles.presenter import Presenters
from bot.battles.service import BattleService
from bot.client import Client, Interaction
from bot.games.boss_fight.forging import (
    ForgeHandler,
    read_bosses_file,
    redraw,
    reply_forged,
    repository_errors_explained,
    save_bosses,
)
from bot.games.boss_fight.handlers import (
    HERE,
    ArithmeticHandler,
    DeckHandler,
    DeckQuery,
    ListHandler,
    ListQuery,
    OrderHandler,
    TraitsHandler,
    TraitsQuery,
    WhatIfHandler,
    WhatIfQuery,
    party_query,
)
from bot.games.boss_fight.items import ArithmeticButton, NextFightButton, TraitsButton
from bot.games.boss_fight.options import (
    KIND,
    BossName,
    DeckText,
    ForgedBossName,
    RecordedBossName,
    find_boss,
    find_forged,
    home_of,
    read_deck_option,
)
from bot.games.boss_fight.presenter import BossFightPresenter
from bot.games.boss_fight.render.bosses import leaders_text, top_text
from bot.games.boss_fight.repositories import BossRecordRepository, BossRepository, expect_maker
from bot.rosters.library import RosterLibrary
from bot.rosters.options import SavedRoster
from bot.store.battles.repository import SEED_BYTES
from bot.ui.interactions import defer, edit_reply
from bot.ui.layout import text_view
from bot.ui.options import PRIVATE, SeedOption
from bot.ui.text import plain
from sim.boss_fight.battle.rules import BossFight
from sim.boss_fight.battle.values import MAX_TIMES, Setup
from sim.boss_fight.presets import LADDER
from sim.boss_fight.requests import MAX_CHOSEN
from sim.boss_fight.traits import Kind
from sim.core.errors import RuleError
from sim.core.names import name_key

BossOption = Annotated[str, BossName()]
ForgedBossOption = Annotated[str, ForgedBossName()]
RecordedBossOption = Annotated[str, RecordedBossName()]
DeckOption = Annotated[str, DeckText()]
SavedDeckOption = Annotated[str, SavedRoster(KIND.name)]
TimesOption = app_commands.Range[int, 1, MAX_TIMES]

_DELETE = "boss-delete"
_MAX_PARTY_TEXT = 1000
_MAX_LEADERS = 15
_DECK = "The deck as text, as in: hero: V, Epic, Fairy @Fire; attack: X, Sword"
_FILE = "Or the deck as a CSV file"
_SAVED = "Or a saved deck"
_SEED = "A seed for the log; no dice are rolled in these fights, so it changes nothing"
_TIMES = f"Multiplies the boss's health, 1 to {MAX_TIMES}"


class BossFights(commands.Cog, name="Boss fights"):
    """Boss fights."""

    boss = app_commands.Group(name="boss", description="Boss fights: a party's decks of tokens against one boss")

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._deck, self._what_if, self._order = DeckHandler(bot), WhatIfHandler(bot), OrderHandler(bot)
        self._list, self._forge = ListHandler(bot), ForgeHandler(bot)
        self._traits = bot.services.add(TraitsHandler(bot))
        for handler in (
            self._deck,
            self._what_if,
            self._order,
            self._list,
            self._forge,
            bot.services.add(ArithmeticHandler(bot)),
            self._traits,
        ):
            bot.services[Handlers].add(handler)
        bot.services[Presenters].add(BossFightPresenter(bot))
        bot.add_items(ArithmeticButton, TraitsButton, NextFightButton)
        bot.services[RosterLibrary].add_kind(KIND)
        bot.services[Confirmations].add(_DELETE, Deed("Delete", self._delete))

    @boss.command(
        description="Fight a boss in this channel; anyone can join, with a ready deck or their own",
        extras={
            "example": "/boss start",
            "more": "There are six ready decks. Members take turns; each exchange comes with its arithmetic, so you can"
            " check it with a pencil, and the fight ends with a card of everyone's damage. Seven bosses form a"
            " ladder: three ready decks beat the first in 5 to 10 exchanges.",
        },
    )
    @app_commands.describe(
        boss=f"Who? The ladder comes first; if you leave it out, {LADDER[0].name} comes", health=_TIMES, seed=_SEED
    )
    async def start(
        self,
        interaction: Interaction,
        boss: BossOption | None = None,
        health: TimesOption | None = None,
        seed: SeedOption | None = None,
    ) -> None:
        """Open a fight; it begins when somebody joins."""
        found = LADDER[0] if boss is None else await find_boss(self._bot, home_of(interaction), boss)
        presenter = self._bot.services[Presenters].of(BossFight.name)
        setup = Setup(boss=found, times=health or 1)
        own = None if seed is None else seed.to_bytes(SEED_BYTES, "big")
        await self._bot.services[BattleService].open(interaction, presenter, setup, {}, seed=own)

    @boss.command(
        description="What a deck can do: its totals, and how it stands against each element",
        extras={"example": "/boss deck deck:hero: V, Assassin, Elixir, Epic, Fairy @Fire"},
    )
    @app_commands.describe(deck=_DECK, deck_file=_FILE, deck_saved=_SAVED, private=PRIVATE)
    async def deck(
        self,
        interaction: Interaction,
        deck: DeckOption | None = None,
        deck_file: discord.Attachment | None = None,
        deck_saved: SavedDeckOption | None = None,
        private: bool = False,
    ) -> None:
        """Show a deck."""
        await defer(interaction, private=private)
        source = await read_deck_option(interaction, deck, deck_file, deck_saved)
        await self._deck.ask(interaction, DeckQuery(source=source, private=private))

    @boss.command(
        description="The ready decks, and every trait with its numbers", extras={"example": "/boss traits kind:hero"}
    )
    @app_commands.describe(kind="Which kind of token?", private=PRIVATE)
    @app_commands.choices(kind=[app_commands.Choice(name=kind.value.capitalize(), value=kind.value) for kind in Kind])
    async def traits(self, interaction: Interaction, kind: str | None = None, private: bool = False) -> None:
        """Show the traits."""
        await self._traits.ask(interaction, TraitsQuery(kind=None if kind is None else Kind(kind), private=private))

    @boss.command(
        name="what-if",
        description="What would a deck do to a boss, or to all of them? Which tokens or which order are best?",
        extras={"example": "/boss what-if boss:Inu Dogemon deck:hero: V, Assassin, Epic"},
    )
    @app_commands.describe(
        deck=_DECK,
        deck_file=_FILE,
        deck_saved=_SAVED,
        boss="The boss; leave it out for all of them",
        best=f"Find the best tokens of the deck, 1 to {MAX_CHOSEN}",
        party=f"Find the best order: names of saved decks with commas, or {HERE} for the fight in this channel",
        health=f"For a party: {_TIMES[0].lower()}{_TIMES[1:]}",
        private=PRIVATE,
    )
    async def what_if(
        self,
        interaction: Interaction,
        deck: DeckOption | None = None,
        deck_file: discord.Attachment | None = None,
        deck_saved: SavedDeckOption | None = None,
        boss: BossOption | None = None,
        best: app_commands.Range[int, 1, MAX_CHOSEN] | None = None,
        party: app_commands.Range[str, 1, _MAX_PARTY_TEXT] | None = None,
        health: TimesOption | None = None,
        private: bool = False,
    ) -> None:
        """Calculate what a deck or a party would do."""
        await defer(interaction, private=private)
        home = home_of(interaction)
        found = None if boss is None else await find_boss(self._bot, home, boss)
        if party is not None:
            if any(option is not None for option in (deck, deck_file, deck_saved, best)):
                raise RuleError("A party has its own decks: leave out deck and best.")
            order = await party_query(interaction, party, found, health or 1, private=private)
            await self._order.ask(interaction, order)
            return
        if best is not None and found is None:
            raise RuleError("The best tokens against which boss? Pick one in the option boss.")
        query = WhatIfQuery(
            source=await read_deck_option(interaction, deck, deck_file, deck_saved),
            what="best" if best is not None else "every" if found is None else "one",
            boss=found,
            count=best or MAX_CHOSEN,
            guild_id=home.guild_id,
            user_id=home.user_id,
            private=private,
        )
        await self._what_if.ask(interaction, query)

    @boss.command(
        description="Make your own boss in a form, change one, or read some from a CSV file",
        extras={"example": "/boss forge"},
    )
    @app_commands.describe(
        boss="A boss of yours to change",
        bosses="Bosses as a CSV file, instead of the form",
        picture="A new picture for the boss or for the one in the file",
    )
    async def forge(
        self,
        interaction: Interaction,
        boss: ForgedBossOption | None = None,
        bosses: discord.Attachment | None = None,
        picture: discord.Attachment | None = None,
    ) -> None:
        """Open the form, or forge the attached bosses."""
        if boss is not None and bosses is not None:
            raise RuleError("Give a boss to change or a file with bosses, not both.")
        if boss is None and bosses is None and picture is not None:
            raise RuleError("Whose picture is it? Pick the boss, or add the picture in the form.")
        forged = None if boss is None else await find_forged(self._bot, home_of(interaction), boss)
        if bosses is None and picture is None:
            await self._forge.open(interaction, forged)
            return
        await defer(interaction, private=True)
        made = [forged.boss] if forged is not None else []
        if bosses is not None:
            made = list(await read_bosses_file(interaction, bosses))
        if picture is not None and len(made) > 1:
            raise RuleError("One picture for several bosses? Make them first, then give each its own.")
        drawn = await redraw(interaction, picture)
        await save_bosses(interaction, made, drawn, forged)
        await reply_forged(interaction, made, drawn)

    @boss.command(name="list", description="All bosses, or one with its picture", extras={"example": "/boss list"})
    @app_commands.describe(boss="Only this one, with its picture", private=PRIVATE)
    async def list_(self, interaction: Interaction, boss: BossOption | None = None, private: bool = False) -> None:
        """List the bosses."""
        home = home_of(interaction)
        name = None if boss is None else (await find_boss(self._bot, home, boss)).name
        query = ListQuery(guild_id=home.guild_id, user_id=home.user_id, name=name, private=private)
        await self._list.ask(interaction, query)

    @boss.command(
        description="Delete a boss of yours; fights against it go on",
        extras={"example": "/boss delete boss:Frost Giant"},
    )
    @app_commands.describe(boss="The boss")
    async def delete(self, interaction: Interaction, boss: ForgedBossOption) -> None:
        """Ask before the user's own boss is deleted, or by a referee anybody's here."""
        forged = await find_forged(self._bot, home_of(interaction), boss)
        with repository_errors_explained():
            expect_maker(forged, home_of(interaction), referee=is_referee(interaction))
        name = forged.boss.name
        text = f"This deletes **{plain(name)}**, its picture and everybody's records against it."
        await self._bot.services[Confirmations].ask(interaction, _DELETE, name, text)

    async def _delete(self, interaction: Interaction, boss: str) -> None:
        home = home_of(interaction)
        forged = await find_forged(self._bot, home, boss)
        with repository_errors_explained():
            await self._bot.services[BossRepository].delete(home, forged, referee=is_referee(interaction))
        await edit_reply(interaction, f"🗑️ Deleted **{plain(forged.boss.name)}** and its records.")

    @boss.command(
        description="Who did best against a boss in this server: best score and most damage",
        extras={"example": "/boss top boss:Inu Dogemon"},
    )
    @app_commands.describe(boss="The boss; leave it out for the leaders against each", health=_TIMES, private=PRIVATE)
    async def top(
        self,
        interaction: Interaction,
        boss: RecordedBossOption | None = None,
        health: TimesOption | None = None,
        private: bool = False,
    ) -> None:
        """Show the records against a boss."""
        if interaction.guild_id is None:
            raise RuleError("Records are only kept in servers, not in direct messages.")
        if boss is None:
            text = await self._leaders(interaction.guild_id)
        else:
            records, times = self._bot.services[BossRecordRepository], health or 1
            name = await self._recorded_name(interaction, interaction.guild_id, boss)
            best = [await records.best(interaction.guild_id, name, times, by) for by in ("score", "damage")]
            text = top_text(name, times, *best)
        await interaction.response.send_message(view=text_view([text]), ephemeral=private)

    async def _leaders(self, guild_id: int) -> str:
        """Return who leads against each boss in a server."""
        records = self._bot.services[BossRecordRepository]
        bosses = await records.bosses(guild_id)
        leaders = [
            (
                name,
                times,
                await records.best(guild_id, name, times, "score", 1),
                await records.best(guild_id, name, times, "damage", 1),
            )
            for name, times in bosses[:_MAX_LEADERS]
        ]
        return leaders_text(leaders, len(bosses) - len(leaders))

    async def _recorded_name(self, interaction: Interaction, guild_id: int, typed: str) -> str:
        """Return the name of a boss with records, which may be deleted, or else of a boss that is here."""
        recorded = [name for name, _ in await self._bot.services[BossRecordRepository].bosses(guild_id)]
        name = next((name for name in recorded if name_key(name) == name_key(typed)), None)
        return name or (await find_boss(self._bot, home_of(interaction), typed)).name
