"""Boss fights: `/boss forge`, `list`, `delete`, `deck`, `what-if`, `start`, `top`."""

from bot.app import Fracas
from bot.cogs.boss_fight.commands import BossFights


async def setup(bot: Fracas) -> None:
    """Load the cog."""
    await bot.add_cog(BossFights(bot))
