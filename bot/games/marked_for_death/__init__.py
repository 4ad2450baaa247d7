"""Marked for Death: `/mfd run`, `check`, `template`, `odds`, `start`, `change`, `edit`, `pull`."""

from bot.app import Fracas
from bot.games.marked_for_death.cog import MarkedForDeath


async def setup(bot: Fracas) -> None:
    """Load the cog."""
    await bot.add_cog(MarkedForDeath(bot))
