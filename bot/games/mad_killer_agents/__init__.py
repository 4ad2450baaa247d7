"""Mad Killer Agents: `/mka new`, `orders`, `away`, `map`, `battle`, `simulate`."""

from bot.client import Client
from bot.games.mad_killer_agents.cog import MadKillerAgents


async def setup(bot: Client) -> None:
    """Load the cog."""
    await bot.add_cog(MadKillerAgents(bot))
