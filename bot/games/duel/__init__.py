"""B/X duels in the bot."""

from bot.client import Interaction
from bot.game import Game, adds
from bot.games.duel.cog import Duels
from bot.games.duel.repositories import CHARACTERS, DUEL_WORDS, SCORES
from bot.games.duel.start_battle import open_rivals, seats_of, words_here
from bot.store.migrate import bundled
from sim.duel.game import ICON


async def run_example(interaction: Interaction) -> None:
    """Roll two barbarians and open their duel."""
    words = await words_here(interaction)
    await open_rivals(interaction, words, "anyone", seats_of(interaction, {}, "anyone"))


GAME = Game(
    setup=adds(Duels),
    personal_data=(CHARACTERS, SCORES, DUEL_WORDS),
    migrations=bundled(__name__),
    icon=ICON,
    color="#4dabf7",
    line="Two barbarians meet in the snow.",
    example=run_example,
)
