"""B/X duels in the bot."""

from bot.client import Client, Interaction
from bot.game import Game
from bot.games.duel.cog import Duels
from bot.games.duel.repositories import (
    CHARACTERS,
    DUEL_WORDS,
    SCORES,
    CharacterRepository,
    DuelMessageRepository,
    ScoreRepository,
)
from bot.games.duel.start_battle import open_duel, seats_of, words_here
from bot.store.database import Database
from bot.store.migrate import bundled
from bot.ui.interactions import caller_of, defer
from bot.ui.options import new_dice_seed
from sim.duel.game import ICON
from sim.duel.requests import RivalsRequest


async def run_example(interaction: Interaction) -> None:
    """Roll two barbarians and open their duel."""
    words = await words_here(interaction)
    seats = seats_of(interaction.user.id, {}, "anyone", interaction.client.user)
    await defer(interaction, private=False)
    request = RivalsRequest(seed=new_dice_seed())
    first, second = await interaction.client.simulator.once(request, caller_of(interaction))
    await open_duel(interaction, ((first,), (second,)), words, "anyone", seats)


async def _setup(bot: Client) -> None:
    db = bot.services[Database]
    bot.services.add(CharacterRepository(db, bot.clock))
    bot.services.add(DuelMessageRepository(db))
    bot.services.add(ScoreRepository(db))
    await bot.add_cog(Duels(bot))


GAME = Game(
    setup=_setup,
    personal_data=(CHARACTERS, SCORES, DUEL_WORDS),
    migrations=bundled(__name__),
    icon=ICON,
    color="#4dabf7",
    line="Two barbarians meet in the snow.",
    example=run_example,
)
