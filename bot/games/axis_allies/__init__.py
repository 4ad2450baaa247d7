"""Axis & Allies 1941: `/aacalc`, `/aa need`, `/aa retreat`, `/aa luck`."""

from bot.client import Client
from bot.games.axis_allies.cog import AxisAllies


async def setup(bot: Client) -> None:
    """Load the cog."""
    await bot.add_cog(AxisAllies(bot))
