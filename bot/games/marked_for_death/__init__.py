"""Marked for Death: `/mfd run`, `check`, `template`, `odds`, `start`, `change`, `edit`, `pull`."""

from bot.client import Client
from bot.game import Game
from bot.games.marked_for_death.cog import MarkedForDeath


async def _setup(bot: Client) -> None:
    await bot.add_cog(MarkedForDeath(bot))


GAME = Game(setup=_setup)
