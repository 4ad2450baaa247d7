"""B/X duels in the bot."""

from bot.client import Interaction
from bot.games import Game, adds
from bot.games.duel.cog import Duels
from bot.games.duel.repositories import CHARACTERS, DUEL_WORDS, SCORES
from bot.store.migrate import bundled
from bot.ui.options import run
from sim.duel import ICON


async def run_example(interaction: Interaction) -> None:
    """Roll two barbarians and open their duel: one is the user's, one the bot's."""
    people = {"lawful": interaction.user, "chaotic": interaction.client.user}
    await run(Duels.fight, interaction.client.cogs[Duels.__cog_name__], interaction, **people, turns="duellists")


GAME = Game(
    setup=adds(Duels),
    personal_data=(CHARACTERS, SCORES, DUEL_WORDS),
    migrations=bundled(__name__),
    icon=ICON,
    color="#4dabf7",
    line="Two barbarians meet in the snow.",
    example=run_example,
)
