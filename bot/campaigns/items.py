"""The pages and buttons of campaigns: the diary, next battle, rest, heal, files, end, "Next chapter" below battles."""

from typing import Any
from zipfile import ZIP_DEFLATED

from bot.answers.confirmation import Confirmations, Deed
from bot.battles.events import EventService
from bot.battles.presenter import Position
from bot.campaigns.healing import HealHandler, show_healed
from bot.campaigns.render import (
    END,
    FILES,
    GOES_ON,
    campaign_buttons,
    campaign_card,
    campaign_files,
    campaign_parts,
    cast_of,
)
from bot.campaigns.repository import Campaign, CampaignRepository
from bot.campaigns.service import CampaignService
from bot.client import Client, Interaction
from bot.store.battle import Battle
from bot.store.database import off_loop
from bot.ui.error_replies import OUTDATED_BUTTON
from bot.ui.interactions import PersistentButton, caller_of, defer, edit_reply, show_view
from bot.ui.text import Picture, add_file, plain, text_view, zipped
from sim.core.campaign import HasCampaign
from sim.core.errors import RuleError

_END_DEED = "campaign-end"


class CampaignPages:
    """Shows campaigns and does what their buttons and commands have in common."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._service = bot.services[CampaignService]
        self.healing = HealHandler(bot)
        bot.services[Confirmations].add(_END_DEED, Deed("End it", self._end))

    async def show(self, interaction: Interaction, campaign: Campaign) -> None:
        """Answer the deferred interaction with the history page."""
        rules, title = self._service.rules(campaign.system), self._service.games[campaign.system]
        cast = await cast_of(self._bot, campaign, rules, await self._service.rows(campaign))
        card, picture = campaign_card(campaign, rules, cast), None
        if card is not None:
            picture = Picture.of("campaign.png", await self._bot.simulator.run(card, caller_of(interaction)))
        parts = campaign_parts(campaign, title, rules, cast.rows)
        goes_on = campaign.is_open and cast.rows and not cast.rows[-1].is_open
        also = (FILES if cast.rows else "", END if campaign.is_open else "")
        buttons = campaign_buttons(campaign, (*(GOES_ON if goes_on else ()), *also))
        await show_view(interaction, text_view(parts, picture=picture, buttons=buttons), picture)

    async def rest(self, interaction: Interaction, campaign: Campaign) -> None:
        """Let everyone rest by the game's rule; the interaction is unanswered."""
        rules = self._service.rules(campaign.system)
        await defer(interaction, private=False)
        row = await self._service.heal(interaction, campaign, None, f"A rest. {rules.rest}")
        await show_healed(interaction, campaign, rules, row)

    async def files(self, interaction: Interaction, campaign: Campaign) -> None:
        """Send the rosters and the log of each battle, how everyone stands, and a table; the user alone gets them."""
        await defer(interaction, private=True)
        files = await campaign_files(self._bot, campaign, await self._service.rows(campaign), caller_of(interaction))
        data = await off_loop(sum(map(len, files.values())), zipped, files, ZIP_DEFLATED)
        if len(data) > interaction.filesize_limit:
            raise RuleError("These files are too large to upload here.")
        view = text_view([f"🗂️ **{plain(campaign.name)}**: a folder for each battle, and `now` to go on from."])
        await show_view(interaction, view, add_file(view, "campaign.zip", data))

    async def ask_end(self, interaction: Interaction, campaign: Campaign) -> None:
        """Ask before a campaign is ended."""
        text = f"This ends **{plain(campaign.name)}**: no battle can follow, its history stays."
        await self._bot.services[Confirmations].ask(interaction, _END_DEED, campaign.name, text)

    async def _end(self, interaction: Interaction, name: str) -> None:
        found = await self._service.led(interaction, name)
        await self._bot.services[CampaignRepository].end(found)
        await self._bot.services[EventService].drop_past()
        text = f"🏁 **{plain(found.name)}** is over. `/campaign show` still tells its story."
        await edit_reply(interaction, text)
        await interaction.followup.send(view=text_view([text]))  # for everybody in the campaign

    async def chapter(self, interaction: Interaction, battle: Battle) -> None:
        """Show the campaign of a battle that is over, begun with it if it was in none."""
        if battle.is_open:
            raise RuleError(f"#{battle.number} isn't over yet.")
        await defer(interaction, private=False)
        await self.show(interaction, await self._service.chapter(interaction, battle))


def has_chapters(at: Position[Any]) -> bool:
    """Return whether a battle that is over can be followed by another one of a campaign."""
    placed = at.battle.guild_id is not None and at.battle.branch is None
    return placed and isinstance(at.presenter.system, HasCampaign)


class CampaignButton(PersistentButton, template=r"c1:(?P<campaign>[0-9]{1,18}):(?P<what>[a-z]{1,10})"):
    """A button of a campaign."""

    kind = "campaign-{what}"

    async def pressed(self, interaction: Interaction) -> None:
        """Send the files to anyone, do the rest for who leads the campaign."""
        service, pages = interaction.client.services[CampaignService], interaction.client.services[CampaignPages]
        what = self.match["what"]
        campaign = await service.by_id(interaction, int(self.match["campaign"]), ended=what == FILES)
        if what == FILES:
            await pages.files(interaction, campaign)
            return
        service.expect_leader(interaction, campaign)
        match what:
            case "next":
                await defer(interaction, private=False)
                await service.next(interaction, campaign, ())
            case "rest":
                await pages.rest(interaction, campaign)
            case "heal":
                await pages.healing.ask(interaction, campaign, await service.latest(campaign))
            case "end":
                await pages.ask_end(interaction, campaign)
            case _:
                raise RuleError(OUTDATED_BUTTON)
