"""What Pig brings to the bot."""

from bot.client import Client
from bot.game import Game
from bot.store.database import Database
from bot.store.migrate import bundled
from fracas_pig.bot.cog import PigCommands
from fracas_pig.bot.wins import WINS, WinRepository


async def _setup(bot: Client) -> None:
    bot.services.add(WinRepository(bot.services[Database]))
    await bot.add_cog(PigCommands(bot))


GAME = Game(setup=_setup, personal_data=(WINS,), migrations=bundled(__name__))
