"""Options of `/campaign`: which campaign, which game, and how a side is given."""

from collections.abc import Iterable, Sequence
from typing import Annotated

import discord
from discord import app_commands

from bot.campaigns.service import CampaignService, server_of
from bot.client import Interaction
from bot.rosters.library import RosterLibrary
from bot.store.campaigns import Campaign, CampaignRepository
from bot.store.rosters import RosterRepository
from bot.ui.attachments import read_attachment
from bot.ui.options import CompletedOption, text_choices
from bot.ui.text import MAX_CHOICE, shorten
from sim.core.campaign import CampaignSide
from sim.core.errors import RuleError
from sim.core.names import MAX_NAME, name_key

MAX_GAME = 60
MAX_SIDE = 1_000
"""Characters of a side as typed."""


class CampaignName(CompletedOption):
    """A campaign of the server; `ended`: also one that ended."""

    def __init__(self, *, ended: bool = False) -> None:
        super().__init__(MAX_NAME)
        self._ended = ended

    async def complete(self, interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
        """Offer the campaigns whose names contain what was typed."""
        if interaction.guild_id is None:
            return []
        key = name_key(typed)
        found = await interaction.client.services[CampaignRepository].of_guild(interaction.guild_id)
        return text_choices(one.name for one in found if (self._ended or one.is_open) and key in name_key(one.name))


class CampaignGame(CompletedOption):
    """A game that has campaigns."""

    def __init__(self) -> None:
        super().__init__(MAX_GAME)

    async def complete(self, interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
        """Offer their titles."""
        key = typed.strip().casefold()
        titles = interaction.client.services[CampaignService].games.values()
        return text_choices(title for title in titles if key in title.casefold())


class CampaignRoster(CompletedOption):
    """A side of the next battle: text, or a saved roster that fits the campaign's game."""

    def __init__(self, side: int) -> None:
        super().__init__(MAX_SIDE)
        self._side = side

    async def complete(self, interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
        """Offer the saved rosters of the kind that the side takes, and what was typed."""
        service = interaction.client.services[CampaignService]
        try:
            campaign = await service.find(interaction, interaction.namespace.campaign)
            side = _sides(service, campaign)[self._side]
        except (RuleError, IndexError):
            return []
        own = text_choices([typed[:MAX_CHOICE]]) if typed.strip() and side.typed else []
        if side.kind is None:
            return own
        labels = await interaction.client.services[RosterLibrary].labels(interaction, typed, side.kind)
        saved = [
            app_commands.Choice(name=shorten(label, MAX_CHOICE), value=f"#{roster.id}") for roster, label in labels
        ]
        return [*own, *saved]


CampaignOption = Annotated[str, CampaignName()]
AnyCampaignOption = Annotated[str, CampaignName(ended=True)]
GameOption = Annotated[str, CampaignGame()]
OwnOption = Annotated[str, CampaignRoster(0)]
FoeOption = Annotated[str, CampaignRoster(1)]


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
