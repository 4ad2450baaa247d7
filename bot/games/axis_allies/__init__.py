"""Axis & Allies: `/aacalc`; `/aa need`, `retreat`, `spend`, `luck`, `battle`, `edition`; `/puzzle`."""

import secrets

from bot.battles.opponents import any_character
from bot.client import Interaction
from bot.games import Game, PlainLine, adds
from bot.games.axis_allies.cog import AxisAllies, CalcQuery, open_battle, opening_of
from bot.games.axis_allies.options import EDITION_TABLE
from bot.games.axis_allies.puzzles import PUZZLE_ANSWERS, PUZZLE_CHANNELS, PUZZLE_FINDS, Puzzles
from bot.store.battle import Place
from bot.store.migrate import bundled
from sim.axis_allies.parse import EXAMPLE, parse_question, reads_as_battle
from sim.axis_allies.silhouettes import SILHOUETTES, STICKERS
from sim.core.values import Side

_EVEN = (
    "7 tanks, 3 inf, 1 bomber vs 10 inf, 1 tank, 1 fighter",
    "1942: 6 inf, 2 art, 1 fighter vs 7 inf, 1 fighter",
    "1942: 2 destroyers, 2 subs, 2 fighters vs 2 destroyers, 1 carrier, 2 fighters",
)
"""Battles that either side wins in a third of all cases at least."""


async def run_example(interaction: Interaction) -> None:
    """Open a battle that the user attacks in, and a character of the bot defends."""
    opening = opening_of(parse_question(_EVEN[secrets.randbelow(len(_EVEN))]))
    opponent = Place(Side.DEFENDER.value, is_bot=True, character=any_character())
    await open_battle(interaction, opening, [Place(Side.ATTACKER.value, interaction.user.id), opponent])


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
    setup=adds(AxisAllies, Puzzles),
    personal_data=(EDITION_TABLE, PUZZLE_ANSWERS, PUZZLE_CHANNELS, PUZZLE_FINDS),
    migrations=bundled(__name__),
    icon=SILHOUETTES["tank"],
    color="#ff922b",
    line="Who wins, and how likely?",
    guide=GUIDE,
    former_titles=("Axis & Allies 1941",),
    example=run_example,
    plain_line=PlainLine("aacalc", reads_as_battle, CalcQuery.of, EXAMPLE),
    emojis=STICKERS,
)
