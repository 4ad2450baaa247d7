"""Axis & Allies: `/aacalc`, `/aa need`, `/aa retreat`, `/aa spend`, `/aa luck`, `/aa battle`, `/aa edition`."""

from bot.answers.handler import Handlers
from bot.client import Interaction
from bot.game import Game, PlainLine, adds
from bot.games.axis_allies.cog import AxisAllies, CalcHandler, CalcQuery
from bot.games.axis_allies.options import EDITION_TABLE
from bot.store.migrate import bundled
from sim.axis_allies.parse import reads_as_battle
from sim.axis_allies.silhouettes import SILHOUETTES


async def run_example(interaction: Interaction) -> None:
    """Calculate a battle."""
    query = CalcQuery(battle="6 tanks, 2 inf, 1 bomber vs 10 inf, 1 tank, 1 fighter", private=True)
    await interaction.client.services[Handlers].query_handler(CalcHandler.kind).ask(interaction, query)


GUIDE = """\
Type armies as you say them: `6 inf, 2 tanks vs 10 inf`
- **Editions**: choose one, or name it: `1942: 6 inf, 2 art vs 5 inf, 1 aa`. `/aa edition` sets yours.
- **Bombardment**: `1942: 6 inf, 2 tanks + 2 bb bombard vs 5 inf`
- **Waves**: `6 inf, 2 tanks then 3 ftr vs 10 inf`
- **Options** follow a bar: `1940: 8 inf, 2 tac vs 6 inf | rounds 3 | low luck`. There are also `order attacker: inf, \
tank`, `tech attacker: jets`, `retreat below 4`, `retreat after 20 IPC lost`, `retreat below 2 defenders`, \
`take territory` and `counter 5 inf, 2 ftr`; `landing 4` goes behind ships that bombard.
- Every answer has a **share text**: paste it to ask the same again."""

GAME = Game(
    setup=adds(AxisAllies),
    personal_data=(EDITION_TABLE,),
    migrations=bundled(__name__),
    icon=SILHOUETTES["tank"],
    color="#ff922b",
    line="Who wins, and how likely?",
    guide=GUIDE,
    former_titles=("Axis & Allies 1941",),
    example=run_example,
    plain_line=PlainLine("aacalc", reads_as_battle),
)
