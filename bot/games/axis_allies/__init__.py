"""Axis & Allies: `/aacalc`, `/aa need`, `/aa retreat`, `/aa luck`, `/aa battle`, `/aa edition`."""

from bot.client import Client
from bot.game import Game
from bot.games.axis_allies.cog import AxisAllies
from bot.games.axis_allies.example import run_example
from bot.games.axis_allies.repositories import EDITIONS, EditionRepository
from bot.store.database import Database
from sim.axis_allies.silhouettes import SILHOUETTES


async def _setup(bot: Client) -> None:
    bot.services.add(EditionRepository(bot.services[Database]))
    await bot.add_cog(AxisAllies(bot))


GAME = Game(
    setup=_setup,
    personal_data=(EDITIONS,),
    icon=SILHOUETTES["tank"],
    color="#ff922b",
    line="Who wins, and how likely?",
    example=run_example,
)
