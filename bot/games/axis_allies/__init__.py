"""Axis & Allies 1941: `/aacalc`, `/aa need`, `/aa retreat`, `/aa luck`, `/aa battle`."""

from bot.client import Client
from bot.game import Game
from bot.games.axis_allies.cog import AxisAllies
from bot.games.axis_allies.example import run_example
from sim.axis_allies.silhouettes import SILHOUETTES


async def _setup(bot: Client) -> None:
    await bot.add_cog(AxisAllies(bot))


GAME = Game(
    setup=_setup,
    icon=SILHOUETTES["tank"],
    color="#ff922b",
    line="Who wins, and how likely?",
    example=run_example,
)
