"""What Pig brings to the bot."""

from bot.games import Game, adds
from bot.store.migrate import bundled
from fracas_pig.bot.cog import PigCommands
from fracas_pig.bot.wins import WINS

GAME = Game(setup=adds(PigCommands), personal_data=(WINS,), migrations=bundled(__name__))
