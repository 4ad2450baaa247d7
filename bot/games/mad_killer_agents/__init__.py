"""Mad Killer Agents: `/mka new`, `orders`, `away`, `map`, `battle`, `simulate`."""

from bot.client import Client
from bot.game import Game
from bot.games.mad_killer_agents.cog import MadKillerAgents
from bot.games.mad_killer_agents.example import run_example
from sim.mad_killer_agents.icon import ICON


async def _setup(bot: Client) -> None:
    await bot.add_cog(MadKillerAgents(bot))


GAME = Game(
    setup=_setup,
    icon=ICON,
    color="#3fb950",
    line="A war on a map, for minutes or weeks.",
    example=run_example,
)
