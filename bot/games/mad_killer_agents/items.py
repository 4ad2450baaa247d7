"""The buttons and lists of Mad Killer Agents: found again by their ids, after a restart, too."""

import re
from typing import TYPE_CHECKING, Any, Self

import discord

from bot.games.mad_killer_agents.hand import PATTERN, Hand
from bot.games.mad_killer_agents.places import open_places
from bot.games.mad_killer_agents.turns import TurnHandler
from bot.ui.interactions import handled

if TYPE_CHECKING:
    from bot.app import Fracas


def _desk(interaction: "discord.Interaction[Fracas]") -> TurnHandler:
    desk = interaction.client.desks[TurnHandler.kind]
    if not isinstance(desk, TurnHandler):
        raise TypeError("the desk of turns is another one")
    return desk


class OrderButton(discord.ui.DynamicItem[discord.ui.Button[Any]], template=rf"k1:{PATTERN}:(?P<what>[a-z-]{{1,20}})"):
    """Something that may be done in one's turn."""

    def __init__(self, item: discord.ui.Button[Any], hand: Hand, what: str) -> None:
        super().__init__(item)
        self.hand, self.what = hand, what

    @classmethod
    async def from_custom_id(  # type: ignore[override]  # the item is a button, as the template says
        cls, _interaction: "discord.Interaction[Fracas]", item: discord.ui.Button[Any], match: re.Match[str], /
    ) -> Self:
        """Make the button that was pressed."""
        return cls(item, Hand.of(match), match["what"])

    async def callback(self, interaction: "discord.Interaction[Fracas]") -> None:  # type: ignore[override]  # narrower
        """Do it."""
        async with handled(interaction, "order"):
            await _desk(interaction).press(interaction, self.hand, self.what)


class HandList(discord.ui.DynamicItem[discord.ui.Select[Any]], template=rf"(?P<list>k[23]):{PATTERN}"):
    """The list of the player's armies, or of technologies."""

    def __init__(self, item: discord.ui.Select[Any], hand: Hand, which: str) -> None:
        super().__init__(item)
        self.hand, self.which = hand, which

    @classmethod
    async def from_custom_id(  # type: ignore[override]  # the item is a select, as the template says
        cls, _interaction: "discord.Interaction[Fracas]", item: discord.ui.Select[Any], match: re.Match[str], /
    ) -> Self:
        """Make the list that was used."""
        return cls(item, Hand.of(match), match["list"])

    async def callback(self, interaction: "discord.Interaction[Fracas]") -> None:  # type: ignore[override]  # narrower
        """Take the army in hand, or discover."""
        async with handled(interaction, "order"):
            desk, value = _desk(interaction), self.item.values[0]
            if self.which == "k2":
                await desk.choose_army(interaction, self.hand, value)
            else:
                await desk.discover(interaction, self.hand, value)


class PanelButton(
    discord.ui.DynamicItem[discord.ui.Button[Any]], template=r"k0:(?P<battle>[0-9]{1,18}):(?P<what>turn|place|resign)"
):
    """What the panel opens for one player alone: the own turn, or what has to do with the own place."""

    def __init__(self, item: discord.ui.Button[Any], battle_id: int, what: str) -> None:
        super().__init__(item)
        self.battle_id, self.what = battle_id, what

    @classmethod
    async def from_custom_id(  # type: ignore[override]  # the item is a button, as the template says
        cls, _interaction: "discord.Interaction[Fracas]", item: discord.ui.Button[Any], match: re.Match[str], /
    ) -> Self:
        """Make the button that was pressed."""
        return cls(item, int(match["battle"]), match["what"])

    async def callback(self, interaction: "discord.Interaction[Fracas]") -> None:  # type: ignore[override]  # narrower
        """Open it."""
        async with handled(interaction, self.what):
            battle = await interaction.client.arena.find(self.battle_id)
            if self.what == "turn":
                await _desk(interaction).open(interaction, battle)
            else:
                await open_places(interaction, battle, self.what)


WAR_ITEMS = (PanelButton, OrderButton, HandList)
