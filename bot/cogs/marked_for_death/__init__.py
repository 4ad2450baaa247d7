"""Marked for Death: `/mfd run`, `check`, `template`, `odds`, `start`, `change`, `edit`, `pull`."""

from bot.app import Fracas
from bot.cogs.marked_for_death.commands import MarkedForDeath


async def setup(bot: Fracas) -> None:
    """Load the cog."""
    await bot.add_cog(MarkedForDeath(bot))
