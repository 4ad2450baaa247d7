"""Boss fights: `/boss forge`, `list`, `delete`, `deck`, `what-if`, `start`, `top`."""

from bot.client import Client
from bot.games.boss_fight.cog import BossFights


async def setup(bot: Client) -> None:
    """Load the cog."""
    await bot.add_cog(BossFights(bot))
