"""Marked for Death: `/mfd run`, `check`, `template`, `odds`, `start`, `change`, `edit`, `pull`."""

from bot.answers.handler import Handlers
from bot.client import Interaction
from bot.game import Game, adds
from bot.games.marked_for_death.cog import MarkedForDeath
from bot.games.marked_for_death.questions import RunHandler, RunQuery
from bot.store.queries import UploadRepository
from bot.ui.options import new_seed
from sim.marked_for_death.game import ICON
from sim.marked_for_death.roster import Camp
from sim.marked_for_death.tables import sample


async def run_example(interaction: Interaction) -> None:
    """Fight the two sample armies."""
    keep = interaction.client.services[UploadRepository].keep
    query = RunQuery(**{camp.value: keep(sample(camp)) for camp in Camp}, seed=new_seed(), private=True)
    await interaction.client.services[Handlers].query_handler(RunHandler.kind).ask(interaction, query)


GAME = Game(
    setup=adds(MarkedForDeath),
    icon=ICON,
    color="#f85149",
    line="Two rosters, one list of survivors.",
    example=run_example,
)
