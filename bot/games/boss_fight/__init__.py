"""Boss fights: `/boss forge`, `list`, `delete`, `deck`, `what-if`, `start`, `top`."""

from bot.app import Fracas
from bot.games.boss_fight.cog import BossFights


async def setup(bot: Fracas) -> None:
    """Load the cog."""
    await bot.add_cog(BossFights(bot))
