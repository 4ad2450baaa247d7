"""Axis & Allies 1941: `/aacalc`, `/aa need`, `/aa retreat`, `/aa luck`, `/aa battle`."""

from bot.client import Client
from bot.game import Game
from bot.games.axis_allies.cog import AxisAllies


async def _setup(bot: Client) -> None:
    await bot.add_cog(AxisAllies(bot))


GAME = Game(setup=_setup)
