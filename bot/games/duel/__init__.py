"""B/X duels in the bot."""

from bot.client import Client
from bot.game import Game
from bot.games.duel.cog import Duels
from bot.games.duel.example import run_example
from bot.games.duel.repositories import (
    CHARACTERS,
    DUEL_WORDS,
    SCORES,
    CharacterRepository,
    DuelMessageRepository,
    ScoreRepository,
)
from bot.store.database import Database
from sim.duel.icon import ICON


async def _setup(bot: Client) -> None:
    db = bot.services[Database]
    bot.services.add(CharacterRepository(db, bot.clock))
    bot.services.add(DuelMessageRepository(db))
    bot.services.add(ScoreRepository(db))
    await bot.add_cog(Duels(bot))


GAME = Game(
    setup=_setup,
    personal_data=(CHARACTERS, SCORES, DUEL_WORDS),
    icon=ICON,
    color="#4dabf7",
    line="Two barbarians meet in the snow.",
    example=run_example,
)
