"""Mad Killer Agents: `/mka new`, `orders`, `away`, `map`, `battle`, `simulate`."""

from bot.client import Interaction
from bot.games import Game, adds
from bot.games.mad_killer_agents.cog import MadKillerAgents
from bot.ui.options import run
from sim.mad_killer_agents import ICON


async def run_example(interaction: Interaction) -> None:
    """Begin a quick war on a map that is drawn, whose first turn is the user's."""
    await run(MadKillerAgents.new, interaction.client.cogs[MadKillerAgents.__cog_name__], interaction)


GAME = Game(
    setup=adds(MadKillerAgents),
    icon=ICON,
    color="#3fb950",
    line="A war on a map, for minutes or weeks.",
    example=run_example,
)
