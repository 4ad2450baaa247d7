"""Marked for Death: `/mfd run`, `check`, `template`, `odds`, `start`, `change`, `edit`, `pull`."""

from bot.answers.handler import Handlers
from bot.client import Interaction
from bot.game import Game, adds
from bot.games.marked_for_death.cog import MarkedForDeath
from bot.games.marked_for_death.questions import RunHandler, RunQuery
from bot.store.queries import UploadRepository
from bot.ui.options import new_seed
from sim.marked_for_death.game import ICON
from sim.marked_for_death.tables import example

_WARBAND = b"""Name,XP,BonusXP,BonusHP,BonusToHit,BonusToDefend,AOE,BodyguardFor,LinkedTo
Warlord,9000,,1,0.2,0.1,,,
Shaman,6000,,,0.3,,2,,
Shieldbearer,5000,,2,,0.2,,Shaman,
Berserker,7000,,,0.4,-0.1,,,
Scout,3000,,,0.1,0.1,,,
"""


async def run_example(interaction: Interaction) -> None:
    """Fight the template's dragon and its riders against a warband."""
    keep = interaction.client.services[UploadRepository].keep
    query = RunQuery(heroes=keep(example()), villains=keep(_WARBAND), seed=new_seed(), private=True)
    await interaction.client.services[Handlers].query_handler(RunHandler.kind).ask(interaction, query)


GAME = Game(
    setup=adds(MarkedForDeath),
    icon=ICON,
    color="#f85149",
    line="Two rosters, one list of survivors.",
    example=run_example,
)
