"""Marked for Death: `/mfd run`, `check`, `template`, `odds`, `start`, `change`, `edit`, `pull`."""

from bot.client import Client
from bot.game import Game
from bot.games.marked_for_death.cog import MarkedForDeath
from bot.games.marked_for_death.example import run_example
from sim.marked_for_death.icon import ICON


async def _setup(bot: Client) -> None:
    await bot.add_cog(MarkedForDeath(bot))


GAME = Game(
    setup=_setup,
    icon=ICON,
    color="#f85149",
    line="Two rosters, one list of survivors.",
    example=run_example,
)
