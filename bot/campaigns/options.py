"""Options of `/campaign`: which campaign, which game, and how a side is given."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Annotated

import discord
from discord import app_commands

from bot.campaigns.service import CampaignService, server_of
from bot.client import Interaction
from bot.rosters.library import RosterLibrary
from bot.rosters.options import saved_choices
from bot.store.campaigns import Campaign, CampaignRepository
from bot.store.rosters import RosterRepository
from bot.ui.options import CompletedBy, choices_with, read_attachment, text_choices
from bot.ui.text import MAX_CHOICE
from sim.core.campaign import CampaignSide
from sim.core.errors import RuleError
from sim.core.names import MAX_NAME, name_key

MAX_GAME = 60
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
        side = _sides(service, campaign)[at]
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
    sides = _sides(interaction.client.services[CampaignService], campaign)
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


def _sides(service: CampaignService, campaign: Campaign) -> Sequence[CampaignSide]:
    return service.rules(campaign.system).sides
