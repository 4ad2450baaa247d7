"""The buttons and lists of Mad Killer Agents, found again by their ids after a restart."""

from bot.battles.service import BattleService
from bot.client import Interaction
from bot.games.mad_killer_agents.places import open_places
from bot.games.mad_killer_agents.selection import PATTERN, Selection
from bot.games.mad_killer_agents.turns import TurnHandler
from bot.ui.items import PersistentButton, PersistentSelect


class OrderButton(PersistentButton, template=rf"k1:{PATTERN}:(?P<what>[a-z-]{{1,20}})"):
    """Something that may be done in one's turn."""

    kind = "order"

    async def pressed(self, interaction: Interaction) -> None:
        """Do it."""
        await interaction.client.services[TurnHandler].press(interaction, Selection.of(self.match), self.match["what"])


class HandList(PersistentSelect, template=rf"(?P<list>k[23]):{PATTERN}"):
    """The list of the player's armies (k2), or of technologies (k3)."""

    kind = "order"

    async def pressed(self, interaction: Interaction) -> None:
        """Select the army, or discover the technology."""
        handler = interaction.client.services[TurnHandler]
        choose = handler.choose_army if self.match["list"] == "k2" else handler.discover
        await choose(interaction, Selection.of(self.match), self.chosen)


class PanelButton(PersistentButton, template=r"k0:(?P<battle>[0-9]{1,18}):(?P<what>turn|place|resign)"):
    """What the panel opens for one player alone: their turn, or their place in the game."""

    @property
    def counted_as(self) -> str:
        """What it opens."""
        return self.match["what"]

    async def pressed(self, interaction: Interaction) -> None:
        """Open it."""
        battle = await interaction.client.services[BattleService].find(int(self.match["battle"]))
        if self.match["what"] == "turn":
            await interaction.client.services[TurnHandler].open(interaction, battle)
        else:
            await open_places(interaction, battle, self.match["what"])


WAR_ITEMS = (PanelButton, OrderButton, HandList)
