"""`/campaign`: battles of a server that are linked; which campaign, which game, and how a side is given."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Annotated

import discord
from discord import app_commands
from discord.ext import commands

from bot.answers.handler import Handlers
from bot.battles.clocks import read_hour
from bot.battles.cog import AnyBattle, TimeText
from bot.battles.endings import Ending, Endings
from bot.battles.events import EventService
from bot.battles.followers import EndedBattles
from bot.battles.service import BattleService
from bot.battles.threads import ThreadService, opens_battle
from bot.battles.timetable import DAY, next_daily
from bot.campaigns.items import CampaignPages, HealHandler, campaign_button, has_chapters
from bot.campaigns.render import list_text
from bot.campaigns.repository import Campaign, CampaignRepository
from bot.campaigns.service import NO_CAMPAIGN, CampaignService, server_of
from bot.client import Client, Interaction
from bot.rosters import RosterLibrary, RosterRepository, saved_choices
from bot.store.battle import Battle
from bot.store.battles import ServerHoursRepository
from bot.store.threads import EventRepository
from bot.ui.interactions import defer, edit_reply
from bot.ui.options import PRIVATE, CompletedBy, choices_with, read_attachment, text_choices
from bot.ui.text import MAX_CHOICE, find_title, plain, shorten
from sim.core.campaign import CampaignSide
from sim.core.errors import RuleError
from sim.core.names import MAX_NAME, name_key

_WHICH = "The campaign (usually the only one)"


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


CampaignOption = Annotated[str, CompletedBy(MAX_NAME, _campaigns)]
AnyCampaignOption = Annotated[str, CompletedBy(MAX_NAME, partial(_campaigns, ended=True))]
GameOption = Annotated[str, CompletedBy(MAX_GAME, _games)]
OwnOption = Annotated[str, CompletedBy(MAX_SIDE, partial(_rosters, 0))]
FoeOption = Annotated[str, CompletedBy(MAX_SIDE, partial(_rosters, 1))]


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
        self._pages = bot.services[CampaignPages]
        bot.services[Handlers].add(HealHandler)
        bot.services[Endings]["chapter"] = Ending("Next chapter", "📖", self._pages.chapter, has_chapters, first=True)
        bot.add_items(campaign_button)
        bot.services[EndedBattles].add(self._service)
        bot.services[ThreadService].namer = self._name_of

    async def _name_of(self, battle: Battle) -> str | None:
        """Return the name of the campaign that a battle is part of."""
        found = await self._campaigns.with_battle(battle.id)
        return None if found is None else found.name

    @campaign.command(
        description="Start a campaign: from a battle here, open or over, or from scratch in one game",
        extras={
            "example": "/campaign new name:Siege of Konoha battle:1",
            "more": "What is left of the sides enters the next battle: hit points, experience and levels, a boss's"
            " wounds, or IPC lost. For Axis & Allies, Marked for Death, duels, dungeons and boss ladders.",
        },
    )
    @app_commands.describe(
        name="Its name",
        battle="The first battle, by its number in this channel",
        game="Or a game, to start from scratch",
    )
    async def new(
        self,
        interaction: Interaction,
        name: app_commands.Range[str, 1, MAX_NAME],
        battle: AnyBattle | None = None,
        game: GameOption | None = None,
    ) -> None:
        """Found a campaign."""
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
        await self._pages.show(interaction, campaign)

    @campaign.command(
        name="next",
        description="Open the next battle in this channel, from where things stand",
        extras={"example": "/campaign next foe_file:Villains.csv"},
    )
    @app_commands.describe(
        campaign=_WHICH,
        foe="A new second side: villains, defender, monsters, boss, AIs … as text or a saved roster",
        foe_file="Or as a file",
        own="A new first side, in place of what is left of it",
        own_file="Or as a file",
        revive="The dead who are named again come back to life (default: they stay dead)",
    )
    @opens_battle
    async def next_(
        self,
        interaction: Interaction,
        campaign: CampaignOption | None = None,
        foe: FoeOption | None = None,
        foe_file: discord.Attachment | None = None,
        own: OwnOption | None = None,
        own_file: discord.Attachment | None = None,
        revive: bool = False,
    ) -> None:
        """Open the next battle."""
        found = await self._service.led(interaction, campaign)
        await defer(interaction, private=False)
        options = [("own", own, own_file), ("foe", foe, foe_file)]
        given = await given_sides(interaction, found, options)
        await self._service.next(interaction, found, given, revive=revive)

    @campaign.command(
        description="What happened in a campaign, and how everyone stands; with buttons to heal, end it, get the files"
    )
    @app_commands.describe(campaign=_WHICH, private=PRIVATE)
    async def show(
        self, interaction: Interaction, campaign: AnyCampaignOption | None = None, private: bool = False
    ) -> None:
        """Show the history page."""
        found = await self._service.find(interaction, campaign, ended=True)
        await defer(interaction, private=private)
        await self._pages.show(interaction, found)

    @campaign.command(
        description="Put the next night of a campaign in this server's calendar, move it, or take it out",
        extras={"example": "/campaign night hour:20:00"},
    )
    @app_commands.describe(
        hour="When it begins, such as 20:00, by this server's clock (none: take it out)",
        days="At least how many days from now (default 0: the next time it is that hour)",
        campaign=_WHICH,
    )
    async def night(
        self,
        interaction: Interaction,
        hour: TimeText,
        days: app_commands.Range[int, 0, MAX_DAYS] = 0,
        campaign: CampaignOption | None = None,
    ) -> None:
        """Plan the next night."""
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

    @campaign.command(name="list", description="The campaigns of this server")
    @app_commands.describe(private=PRIVATE)
    async def list_(self, interaction: Interaction, private: bool = False) -> None:
        """List the campaigns."""
        guild_id = server_of(interaction)
        await defer(interaction, private=private)
        found = await self._campaigns.of_guild(guild_id)
        if not found:
            raise RuleError(NO_CAMPAIGN)
        await edit_reply(interaction, list_text(found, dict(self._service.games)))
