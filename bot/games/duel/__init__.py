"""B/X duels: `/duel fight`, `roll`, `challenge`, `groups`, `words`, `encounter`, `dungeon`, `odds` and more."""

from bot.app import Fracas
from bot.games.duel.cog import Duels


async def setup(bot: Fracas) -> None:
    """Load the cog."""
    await bot.add_cog(Duels(bot))
