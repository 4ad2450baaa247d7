"""Mad Killer Agents: `/mka new`, `orders`, `away`, `map`, `battle`, `simulate`."""

from bot.answers.handler import Handlers
from bot.client import Interaction
from bot.game import Game, adds
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


GAME = Game(
    setup=adds(MadKillerAgents),
    icon=ICON,
    color="#3fb950",
    line="A war on a map, for minutes or weeks.",
    example=run_example,
)
