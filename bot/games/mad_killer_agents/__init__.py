"""Mad Killer Agents: `/mka new`, `orders`, `away`, `map`, `battle`, `simulate`."""

from bot.client import Client
from bot.game import Game
from bot.games.mad_killer_agents.cog import MadKillerAgents


async def _setup(bot: Client) -> None:
    await bot.add_cog(MadKillerAgents(bot))


GAME = Game(setup=_setup)
