"""Mad Killer Agents: `/mka new`, `orders`, `away`, `map`, `battle`, `simulate`."""

from bot.app import Fracas
from bot.games.mad_killer_agents.cog import MadKillerAgents


async def setup(bot: Fracas) -> None:
    """Load the cog."""
    await bot.add_cog(MadKillerAgents(bot))
