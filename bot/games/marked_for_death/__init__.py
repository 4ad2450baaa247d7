"""Marked for Death: `/mfd run`, `check`, `template`, `odds`, `start`, `change`, `edit`, `pull`."""

from bot.battles.opponents import any_character
from bot.client import Interaction
from bot.games import Game, adds
from bot.games.marked_for_death.cog import MarkedForDeath
from bot.ui.options import run
from sim.marked_for_death import ICON


async def run_example(interaction: Interaction) -> None:
    """Begin a battle of the two sample armies, against a character of the bot."""
    cog = interaction.client.cogs[MarkedForDeath.__cog_name__]
    await run(MarkedForDeath.start, cog, interaction, opponent=any_character())


GAME = Game(
    setup=adds(MarkedForDeath),
    icon=ICON,
    color="#f85149",
    line="Two rosters, one list of survivors.",
    example=run_example,
)
