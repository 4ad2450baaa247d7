"""`/campaign`: battles of a server that are linked; which campaign, which game, and how a side is given."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Annotated

import discord
from discord import app_commands
from discord.ext import commands
from pydantic import Field

from bot.answers import Queries
from bot.answers.items import Confirmations, Deed
from bot.battles import BattleService
from bot.battles.clocks import read_hour
from bot.battles.cog import ANY_BATTLE
from bot.battles.endings import Ending, Endings
from bot.battles.events import EventService
from bot.battles.followers import EndedBattles
from bot.battles.settings import TIME
from bot.battles.threads import ThreadService, opens_battle
from bot.battles.timetable import DAY, next_daily
from bot.campaigns import NO_CAMPAIGN, CampaignService, items, server_of
from bot.campaigns.render import list_text
from bot.campaigns.repository import Campaign, CampaignRepository
from bot.client import Client, Interaction
from bot.rosters import RosterLibrary, RosterRepository, saved_choices
from bot.store.battle import Battle
from bot.store.battles import ServerHoursRepository
from bot.store.threads import EventRepository
from bot.ui import MAX_CHOICE, find_title, plain, shorten
from bot.ui.interactions import defer, edit_reply
from bot.ui.options import CompletedBy, Option, Private, as_typed, choices_with, read_attachment, slash, text_choices
from sim.core import RuleError
from sim.core.campaign import CampaignSide
from sim.core.names import MAX_NAME, name_key

MAX_GAME = 60
_MAX_NAME = 80
MAX_DAYS = 365
MAX_SIDE = 1_000
"""Characters of a side as typed."""


async def _campaigns(
    interaction: Interaction, typed: str, *, ended: bool = False
) -> Iterable[app_commands.Choice[str]]:
    """Offer the campaigns of the server whose names contain what was typed; `ended`: also those that ended."""
    if interaction.guild_id is None:
        return []
    key = name_key(typed)
    found = await interaction.client.services[CampaignRepository].of_guild(interaction.guild_id)
    return text_choices(one.name for one in found if (ended or one.is_open) and key in name_key(one.name))


async def _games(interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
    return choices_with(interaction.client.services[CampaignService].games.values(), typed)


async def _rosters(at: int, interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
    """Offer the saved rosters of the kind that side `at` of the next battle takes, and what was typed."""
    service = interaction.client.services[CampaignService]
    try:
        campaign = await service.find(interaction, interaction.namespace.campaign)
        side = service.rules(campaign.system).sides[at]
    except (RuleError, IndexError):
        return []
    own = text_choices([typed[:MAX_CHOICE]]) if typed.strip() and side.typed else []
    return own if side.kind is None else [*own, *await saved_choices(interaction, typed, side.kind)]


_which = partial(Option, "The campaign (usually the only one)")
CampaignOption = Annotated[str | None, _which(CompletedBy(MAX_NAME, _campaigns))]
AnyCampaignOption = Annotated[str | None, _which(CompletedBy(MAX_NAME, partial(_campaigns, ended=True)))]
FileOption = Annotated[discord.Attachment | None, Option("Or as a file")]


async def given_sides(
    interaction: Interaction,
    campaign: Campaign,
    given: Sequence[tuple[str, str | None, discord.Attachment | None]],
) -> list[tuple[str, bytes]]:
    """Return the sides that a player gave, by name, in the order of the game's sides.

    `given`: the options' names, what was typed, and the attached file. RuleError for a side that the game doesn't have,
    or that is given twice. The interaction must be deferred.
    """
    server_of(interaction)
    sides = interaction.client.services[CampaignService].rules(campaign.system).sides
    found = []
    for at, (option, typed, file) in enumerate(given):
        if typed is None and file is None:
            continue
        if at >= len(sides):
            raise RuleError(f"This game has no option {option}: people join its battles by themselves.")
        if typed is not None and file is not None:
            raise RuleError(f"Give {option} or {option}_file, not both.")
        if file is not None:
            found.append((sides[at].name, (await read_attachment(file)).data))
        elif typed is not None:
            found.append((sides[at].name, await _typed_side(interaction, sides[at], typed)))
    return found


async def _typed_side(interaction: Interaction, side: CampaignSide, typed: str) -> bytes:
    """Return a saved roster's content, or the text itself where that is a side."""
    library, rosters = interaction.client.services[RosterLibrary], interaction.client.services[RosterRepository]
    if side.kind is not None:
        try:
            return await rosters.read(await library.find(interaction, typed, side.kind))
        except RuleError:
            if not side.typed or typed.lstrip().startswith("#"):
                raise
    return typed.encode()


class CampaignCommands(commands.Cog, name="Campaigns"):
    """Linked battles."""

    campaign = app_commands.Group(
        name="campaign",
        description="Linked battles: what is left after one enters the next",
        guild_only=True,
    )

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._campaigns = bot.services[CampaignRepository]
        self._service = bot.services[CampaignService]
        bot.services[Queries].add(items.HealQuery)
        bot.services[Confirmations][items.END_DEED] = Deed("End it", items.end_campaign)
        bot.services[Endings]["chapter"] = Ending(
            "Next chapter", "📖", items.show_chapter, items.has_chapters, first=True
        )
        bot.add_items(items.campaign_button)
        bot.services[EndedBattles].add(self._service)
        bot.services[ThreadService].namer = self._name_of

    async def _name_of(self, battle: Battle) -> str | None:
        """Return the name of the campaign that a battle is part of."""
        found = await self._campaigns.with_battle(battle.id)
        return None if found is None else found.name

    @slash(
        campaign,
        as_typed,
        example="/campaign new name:Siege of Konoha battle:1",
        more="What is left of the sides enters the next battle: hit points, experience and levels, a boss's wounds, or"
        " IPC lost. For Axis & Allies, Marked for Death, duels, dungeons and boss ladders.",
    )
    async def new(
        self,
        interaction: Interaction,
        name: Annotated[str, Option("Its name", app_commands.Range[str, 1, MAX_NAME])],
        battle: Annotated[int | None, Option("The first battle, by its number in this channel", ANY_BATTLE)] = None,
        game: Annotated[str | None, Option("Or a game, to start from scratch", CompletedBy(MAX_GAME, _games))] = None,
    ) -> None:
        """Start a campaign: from a battle here, open or over, or from scratch in one game."""
        server_of(interaction)
        if (battle is None) == (game is None):
            raise RuleError("Give the campaign's first battle, or its game: one of the two.")
        await defer(interaction, private=False)
        first = None
        if battle is not None:
            first = await self._bot.services[BattleService].in_channel(interaction, battle, closed=True)
            self._service.rules(first.system)
        games, typed = self._service.games, (game or "").strip()
        unknown = f"{shorten(typed or 'That', _MAX_NAME)} has no campaigns. These have: {', '.join(games.values())}."
        system = first.system if first is not None else find_title(games, typed, unknown)
        campaign = await self._service.found(interaction, name, system, first)
        await items.show_campaign(interaction, campaign)

    @slash(campaign, opens_battle, name="next", example="/campaign next foe_file:Villains.csv")
    async def next_(
        self,
        interaction: Interaction,
        campaign: CampaignOption = None,
        foe: Annotated[
            str | None,
            Option(
                "A new second side: villains, defender, monsters, boss, AIs … as text or a saved roster",
                CompletedBy(MAX_SIDE, partial(_rosters, 1)),
            ),
        ] = None,
        foe_file: FileOption = None,
        own: Annotated[
            str | None,
            Option("A new first side, in place of what is left of it", CompletedBy(MAX_SIDE, partial(_rosters, 0))),
        ] = None,
        own_file: FileOption = None,
        revive: Annotated[
            bool, Option("The dead who are named again come back to life (default: they stay dead)")
        ] = False,
    ) -> None:
        """Open the next battle in this channel, from where things stand."""
        found = await self._service.led(interaction, campaign)
        await defer(interaction, private=False)
        options = [("own", own, own_file), ("foe", foe, foe_file)]
        given = await given_sides(interaction, found, options)
        await self._service.next(interaction, found, given, revive=revive)

    @slash(campaign, as_typed)
    async def show(
        self, interaction: Interaction, campaign: AnyCampaignOption = None, private: Private = False
    ) -> None:
        """What happened in a campaign, and how everyone stands; with buttons to heal, end it, get the files."""
        found = await self._service.find(interaction, campaign, ended=True)
        await defer(interaction, private=private)
        await items.show_campaign(interaction, found)

    @slash(campaign, as_typed, example="/campaign night hour:20:00")
    async def night(
        self,
        interaction: Interaction,
        hour: Annotated[str, Option("When it begins, such as 20:00, by this server's clock (none: take it out)", TIME)],
        days: Annotated[
            int,
            Field(ge=0, le=MAX_DAYS),
            Option("At least how many days from now (default 0: the next time it is that hour)"),
        ] = 0,
        campaign: CampaignOption = None,
    ) -> None:
        """Put the next night of a campaign in this server's calendar, move it, or take it out."""
        found = await self._service.led(interaction, campaign)
        await defer(interaction, private=True)
        events = self._bot.services[EventService]
        minute = read_hour(hour, "Hour")
        if minute is None:
            await events.drop(await self._bot.services[EventRepository].of(None, found.id))
            await edit_reply(interaction, f"📅 **{plain(found.name)}** has no night in the calendar.")
            return
        zone = (await self._bot.services[ServerHoursRepository].get(interaction.guild_id)).zone
        at = next_daily(zone, minute, int(self._bot.clock()) + days * DAY, None)
        await events.add_night(interaction, found.id, found.name, at)
        await edit_reply(interaction, f"📅 **{plain(found.name)}**: <t:{at}:F>, in the calendar.")

    @slash(campaign, name="list")
    async def list_(self, interaction: Interaction, private: Private = False) -> None:
        """The campaigns of this server."""
        guild_id = server_of(interaction)
        await defer(interaction, private=private)
        found = await self._campaigns.of_guild(guild_id)
        if not found:
            raise RuleError(NO_CAMPAIGN)
        await edit_reply(interaction, list_text(found, dict(self._service.games)))
