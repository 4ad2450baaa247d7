"""The example in `/help`: the odds of a battle."""

from bot.answers.handler import Handlers
from bot.client import Interaction
from bot.games.axis_allies.handlers import CalcHandler
from bot.games.axis_allies.queries import CalcQuery


async def run_example(interaction: Interaction) -> None:
    """Calculate a battle."""
    query = CalcQuery(battle="6 tanks, 2 inf, 1 bomber vs 10 inf, 1 tank, 1 fighter", private=True)
    await interaction.client.services[Handlers].query_handler(CalcHandler.kind).ask(interaction, query)
