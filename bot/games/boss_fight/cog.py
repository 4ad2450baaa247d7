"""The commands of boss fights, and what `/boss forge` does with its form, a CSV file, and a picture that is redrawn."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Self

import discord
from discord import app_commands
from discord.ext import commands

from bot.answers import UPLOADED, Queries, Query
from bot.answers.items import Confirmations, Deed, find_stored
from bot.battles import BattleService
from bot.battles.panel import is_referee
from bot.battles.presenter import Presenters, names_text
from bot.battles.threads import opens_battle
from bot.client import Client, Interaction, mark_done
from bot.games.boss_fight import questions as q
from bot.games.boss_fight import repositories as tables
from bot.games.boss_fight.presenter import FIGHT_ITEMS, BossFightPresenter
from bot.games.boss_fight.render import RED, boss_text, leaders_text, portrait_of, top_text
from bot.rosters import RosterLibrary
from bot.store.queries import MAX_BYTES, QueryRepository, StoredQuery, UploadRepository
from bot.ui import plain, text_view
from bot.ui.interactions import caller_of, defer, show_view
from bot.ui.options import Entry, Fields, Option, Private, Typed, form_file, read_attachment, slash
from sim.boss_fight.battle import HANDS, MAX_TIMES, Setup
from sim.boss_fight.battle.rules import BossFight
from sim.boss_fight.best_choices import MAX_CHOSEN
from sim.boss_fight.form_text import boss_form, read_boss_form
from sim.boss_fight.requests import MAX_UPLOAD, BossesRequest, PortraitRequest
from sim.boss_fight.tables import LADDER, known_boss
from sim.boss_fight.values import MAX_NAME, MAX_WORDS, Boss, Element
from sim.core import RuleError
from sim.core.names import name_key
from sim.core.numbers import quantity

_boss = partial(Option, takes=q.any_boss)
_times = partial(Option, takes=app_commands.Range[int, 1, MAX_TIMES])
_MAX_PARTY_TEXT = 1000
_MAX_LEADERS = 15
_FIGURES: tuple[tables.Figure, ...] = ("score", "damage")
_TIMES = f"Multiplies the boss's health, 1 to {MAX_TIMES}"

_FORGET_DEED = "boss-forge"
_NATURES: Mapping[str, tuple[str, str]] = {
    "Water": ("Water", "Beats Fire, fears Earth"),
    "Fire": ("Fire", "Beats Air, fears Water"),
    "Air": ("Air", "Beats Lightning, fears Fire"),
    "Lightning": ("Lightning", "Beats Earth, fears Air"),
    "Earth": ("Earth", "Beats Water, fears Lightning"),
    "PP": ("Pierces physical", "Resistance doesn't halve its physical damage"),
    "PR": ("Resists physical", "Halves physical damage that doesn't pierce"),
    "MP": ("Pierces magical", "Resistance doesn't halve its magical damage"),
    "MR": ("Resists magical", "Halves magical damage that doesn't pierce"),
}
"""The menu of elements and strengths: a name and a note by the words that `read_boss_form` reads."""
_MAX_LISTED = 15

_ENTRIES = {
    "name": Entry("Name", MAX_NAME),
    "figures": Entry(
        "Its numbers",
        200,
        "Change the numbers. Three ready decks deal about 10,000 in two rounds",
        long=True,
        first="Level: 1\nHealth: 10000\nPhysical damage: 1500\nMagical damage: 0",
    ),
    "nature": Entry(
        "Element and strengths",
        hint="One element or none, and any of the strengths",
        choices={value: name for value, (name, _) in _NATURES.items()},
        notes={value: note for value, (_, note) in _NATURES.items()},
        most=len(_NATURES) + 1 - len(Element),
    ),
    "words": Entry(
        "What it says",
        3 * (MAX_WORDS + 10),
        "Optional, a line each: entry: Who dares? · half: Ouch! · fall: Farewell.",
        long=True,
    ),
    "picture": Entry("Its picture", hint="PNG, JPEG, WEBP or GIF; leave it empty to keep the old one", is_file=True),
}


class ForgeQuery(Query):
    """The form that makes or changes a boss, as typed; `editing`: the name of the one that it changes.

    `bosses`: those to save, which may wait for the answer to a question; `picture`: theirs meanwhile, in pieces that
    uploads have room for.
    """

    stored_as = "boss-forge"

    values: Annotated[dict[str, str], _ENTRIES]
    editing: str | None = None
    bosses: tuple[Boss, ...] = ()
    picture: Annotated[tuple[str, ...], UPLOADED] = ()

    @classmethod
    def of(cls, forged: tables.ForgedBoss | None) -> Self:
        """Return the form, empty or filled with a forged boss."""
        values, editing = ({}, None) if forged is None else (boss_form(forged.boss), forged.boss.name)
        return cls(values=values, editing=editing, private=True)

    async def layout(self, _interaction: Interaction) -> tuple[str, Fields]:
        """Say what the form is for."""
        return "Forge a boss" if self.editing is None else "Change a boss", self.fields()

    async def submit(self, interaction: Interaction, _stored: StoredQuery, _action: str, values: Typed) -> None:
        """Save the boss of the form; if it is rejected, store the typed texts to be fixed."""
        query = await self.read_form(interaction, values)
        await defer(interaction, private=True)
        async with query.fixable(interaction):
            made = query.model_copy(update={"bosses": (read_boss_form(query.values),)})
            await made.save(interaction, await redraw(interaction, form_file(interaction, "picture")))

    async def save(self, interaction: Interaction, picture: bytes | None, *, forget: bool = False) -> None:
        """Save the bosses for the interaction's home, with a picture, and show them; the interaction is deferred.

        Ask first if they would lose records, unless these may be forgotten. RuleError for too many, the game's own, or
        somebody else's.
        """
        for boss in self.bosses:
            if (known := known_boss(boss.name)) is not None:
                raise RuleError(f"{known.name} is a built-in boss: choose another name.")
        home, services = q.home_of(interaction), interaction.client.services
        forged = None if self.editing is None else await q.find_forged(interaction, self.editing)
        save = partial(services[tables.BossRepository].save, home, self.bosses, referee=is_referee(interaction))
        try:
            await save(editing=forged, picture=picture, forget=forget)
        except tables.RecordsLostError as error:
            keep, data = services[UploadRepository].keep, picture or b""
            pieces = tuple(keep(data[start : start + MAX_BYTES]) for start in range(0, len(data), MAX_BYTES))
            stored = await self.model_copy(update={"values": {}, "picture": pieces}).store(interaction)
            who = names_text([f"**{plain(name)}**" for name in error.names])
            text = f"This gives {who} other figures or another name, and deletes all records against "
            text += "it." if len(error.names) == 1 else "them."
            await services[Confirmations].ask(interaction, _FORGET_DEED, stored.id, text)
        else:
            await _reply_forged(interaction, self.bosses, picture)


async def forge_anyway(interaction: Interaction, query_id: str) -> None:
    """Save the bosses of a query whose records may be forgotten."""
    services, stored = interaction.client.services, await find_stored(interaction, query_id)
    query = ForgeQuery.model_validate_json(stored.request)
    picture = b"".join([await services[UploadRepository].read(piece) for piece in query.picture])
    await query.save(interaction, picture or None, forget=True)
    await services[QueryRepository].take(query_id)


async def redraw(interaction: Interaction, attachment: discord.Attachment | None) -> bytes | None:
    """Return an uploaded picture redrawn by a worker, None without one; RuleError if it isn't a picture."""
    if attachment is None:
        return None
    upload = await read_attachment(attachment, max_bytes=MAX_UPLOAD)
    return await interaction.client.simulator.once(PortraitRequest(data=upload.data), caller_of(interaction))


async def _reply_forged(interaction: Interaction, bosses: Sequence[Boss], picture: bytes | None) -> None:
    """Show the forged bosses; the interaction is deferred."""
    mark_done(interaction)
    where = "here" if interaction.guild_id is None else "for this server"
    count = f": {quantity(len(bosses), 'boss', 'bosses')}" if len(bosses) > 1 else ""
    lines = [f"🔨 Forged {where}{count}", *map(boss_text, bosses[:_MAX_LISTED])]
    if len(bosses) > _MAX_LISTED:
        lines.append(f"-# … and {len(bosses) - _MAX_LISTED} more")
    portrait = portrait_of(bosses[0], picture)
    await show_view(interaction, text_view(["\n".join(lines)], colour=RED, portrait=portrait))


class BossFights(commands.Cog, name="Boss fights"):
    """Boss fights."""

    boss = app_commands.Group(name="boss", description="Boss fights: a party's decks of tokens against one boss")

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        bot.services[Queries].add(q.DeckQuery, q.TraitsQuery, q.WhatIfQuery, q.OrderQuery)
        bot.services[Queries].add(q.ListQuery, q.ArithmeticQuery, ForgeQuery)
        bot.services[Confirmations][q.DELETE_DEED] = Deed("Delete", q.delete_boss)
        bot.services[Confirmations][_FORGET_DEED] = Deed("Forge anyway", forge_anyway)
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
        made: tuple[Boss, ...] = () if forged is None else (forged.boss,)
        name = None if forged is None else forged.boss.name
        if bosses is not None:
            read = BossesRequest(data=(await read_attachment(bosses)).data)
            made = await self._bot.simulator.once(read, caller_of(interaction))
        if picture is not None and len(made) > 1:
            raise RuleError("One picture for several bosses? Make them first, then give each its own.")
        drawn = await redraw(interaction, picture)
        await ForgeQuery(values={}, editing=name, bosses=made, private=True).save(interaction, drawn)

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
        records, guild_id = self._bot.services[tables.BossRecordRepository], interaction.guild_id
        known = await records.bosses(guild_id)
        if boss is None:
            leaders = [
                (board, {by: await records.best(guild_id, board, by, 1) for by in _FIGURES})
                for board in known[:_MAX_LEADERS]
            ]
            text = leaders_text(leaders, len(known) - len(leaders))
        else:
            recorded = {name_key(board.boss): board.boss for board in reversed(known)}  # deleted ones, too
            name = recorded.get(name_key(boss)) or (await q.find_boss(interaction, boss)).name
            boards = []
            for hands in (True, False):
                board = tables.Board(name, health, hands)
                best = [await records.best(guild_id, board, by) for by in _FIGURES]
                boards += [top_text(board, *best)] if hands or any(best) else []
            text = "\n".join(boards)
        await interaction.response.send_message(view=text_view([text]), ephemeral=private)
