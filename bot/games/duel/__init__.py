"""B/X duels: `/duel fight`, `roll`, `challenge`, `groups`, `words`, `encounter`, `dungeon`, `odds` and more."""

from bot.client import Client
from bot.games.duel.cog import Duels


async def setup(bot: Client) -> None:
    """Load the cog."""
    await bot.add_cog(Duels(bot))
