"""The example in `/help`: a short war of AIs as a film."""

from bot.answers.handler import Handlers
from bot.client import Interaction
from bot.games.mad_killer_agents.handlers import SimulateHandler, SimulateQuery
from bot.ui.options import new_seed
from sim.mad_killer_agents.constants import EDITION


async def run_example(interaction: Interaction) -> None:
    """Let two AIs fight over a small map."""
    query = SimulateQuery(
        players="marshal vs pillager", size="12x12", rounds=30, seed=new_seed(), edition=EDITION, private=True
    )
    await interaction.client.services[Handlers].query_handler(SimulateHandler.kind).ask(interaction, query)
