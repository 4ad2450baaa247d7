"""Mad Killer Agents: `/mka new`, `orders`, `away`, `map`, `battle`, `simulate`."""

from bot.answers.handler import Handlers
from bot.client import Client, Interaction
from bot.game import Game
from bot.games.mad_killer_agents.cog import MadKillerAgents
from bot.games.mad_killer_agents.questions import SimulateHandler, SimulateQuery
from bot.ui.options import new_seed
from sim.mad_killer_agents.constants import RULES_VERSION
from sim.mad_killer_agents.game import ICON


async def run_example(interaction: Interaction) -> None:
    """Let two AIs fight over a small map."""
    query = SimulateQuery(
        players="marshal vs pillager", size="12x12", rounds=30, seed=new_seed(), edition=RULES_VERSION, private=True
    )
    await interaction.client.services[Handlers].query_handler(SimulateHandler.kind).ask(interaction, query)


async def _setup(bot: Client) -> None:
    await bot.add_cog(MadKillerAgents(bot))


GAME = Game(
    setup=_setup,
    icon=ICON,
    color="#3fb950",
    line="A war on a map, for minutes or weeks.",
    example=run_example,
)
