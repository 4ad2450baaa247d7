"""Axis & Allies 1941: `/aacalc`, `/aa need`, `/aa retreat`, `/aa luck`."""

from bot.app import Fracas
from bot.games.axis_allies.cog import AxisAllies


async def setup(bot: Fracas) -> None:
    """Load the cog."""
    await bot.add_cog(AxisAllies(bot))
