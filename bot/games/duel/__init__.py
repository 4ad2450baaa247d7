"""B/X duels in the bot."""

from bot.client import Interaction
from bot.game import Game, adds
from bot.games.duel.cog import Duels
from bot.games.duel.repositories import CHARACTERS, DUEL_WORDS, SCORES
from bot.games.duel.start_battle import Seats, open_rivals, words_here
from bot.store.migrate import bundled
from sim.duel.battle.values import GROUP_1, GROUP_2
from sim.duel.game import ICON


async def run_example(interaction: Interaction) -> None:
    """Roll two barbarians and open their duel: one is the user's, one the bot's."""
    seats = Seats({GROUP_1: interaction.user.id})
    seats.give_bot(GROUP_2)
    await open_rivals(interaction, await words_here(interaction), "duellists", seats)


GAME = Game(
    setup=adds(Duels),
    personal_data=(CHARACTERS, SCORES, DUEL_WORDS),
    migrations=bundled(__name__),
    icon=ICON,
    color="#4dabf7",
    line="Two barbarians meet in the snow.",
    example=run_example,
)
