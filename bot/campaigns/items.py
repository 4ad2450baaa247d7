"""The pages and buttons of campaigns: the diary, next battle, rest, heal, "Next chapter" below ended battles."""

from typing import Any

from bot.battles.endings import Ending
from bot.battles.presenter import Position
from bot.campaigns.diary import campaign_card, cast_of
from bot.campaigns.healing import HealHandler, show_healed
from bot.campaigns.render import campaign_buttons, campaign_parts, hint_for
from bot.campaigns.repository import Campaign
from bot.campaigns.service import CampaignService
from bot.client import Client, Interaction
from bot.store.battle import Battle
from bot.ui.error_replies import OUTDATED_BUTTON
from bot.ui.interactions import PersistentButton, caller_of, defer, show_view
from bot.ui.text import Picture, text_view
from sim.core.campaign import HasCampaign
from sim.core.errors import RuleError


class CampaignPages:
    """Shows campaigns and does what their buttons and commands have in common."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._service = bot.services[CampaignService]
        self.healing = HealHandler(bot)

    async def show(self, interaction: Interaction, campaign: Campaign) -> None:
        """Answer the deferred interaction with the history page."""
        rules, title = self._service.rules(campaign.system), self._service.games[campaign.system]
        cast = await cast_of(self._bot, campaign, rules, await self._service.rows(campaign))
        card, picture = campaign_card(campaign, rules, cast), None
        if card is not None:
            picture = Picture.of("campaign.png", await self._bot.simulator.run(card, caller_of(interaction)))
        parts = campaign_parts(campaign, title, rules, cast.rows, hint_for(campaign, cast.rows))
        goes_on = campaign.is_open and cast.rows and not cast.rows[-1].is_open
        buttons = campaign_buttons(campaign) if goes_on else ()
        await show_view(interaction, text_view(parts, picture=picture, buttons=buttons), picture)

    async def rest(self, interaction: Interaction, campaign: Campaign) -> None:
        """Let everyone rest by the game's rule; the interaction is unanswered."""
        rules = self._service.rules(campaign.system)
        await defer(interaction, private=False)
        row = await self._service.heal(interaction, campaign, None, f"A rest. {rules.rest}")
        await show_healed(interaction, campaign, rules, row)

    async def ask(self, interaction: Interaction, campaign: Campaign) -> None:
        """Open the form that heals by hand; the interaction is unanswered."""
        await self.healing.ask(interaction, campaign, await self._service.latest(campaign))

    async def chapter(self, interaction: Interaction, battle: Battle) -> None:
        """Show the campaign of a battle that is over, begun with it if it was in none."""
        if battle.is_open:
            raise RuleError(f"#{battle.number} isn't over yet.")
        await defer(interaction, private=False)
        await self.show(interaction, await self._service.chapter(interaction, battle))


def next_chapter(pages: CampaignPages) -> Ending:
    """Return the button below battles of a server whose game has campaigns."""

    def fits(at: Position[Any]) -> bool:
        placed = at.battle.guild_id is not None and at.battle.branch is None
        return placed and isinstance(at.presenter.system, HasCampaign)

    return Ending("Next chapter", "📖", pages.chapter, fits=fits, first=True)


class CampaignButton(PersistentButton, template=r"c1:(?P<campaign>[0-9]{1,18}):(?P<what>[a-z]{1,10})"):
    """A button of a campaign that goes on."""

    kind = "campaign-{what}"

    async def pressed(self, interaction: Interaction) -> None:
        """Do it, for who leads the campaign."""
        service, pages = interaction.client.services[CampaignService], interaction.client.services[CampaignPages]
        campaign = await service.by_id(interaction, int(self.match["campaign"]))
        service.expect_leader(interaction, campaign)
        match self.match["what"]:
            case "next":
                await defer(interaction, private=False)
                await service.next(interaction, campaign, ())
            case "rest":
                await pages.rest(interaction, campaign)
            case "heal":
                await pages.ask(interaction, campaign)
            case _:
                raise RuleError(OUTDATED_BUTTON)
