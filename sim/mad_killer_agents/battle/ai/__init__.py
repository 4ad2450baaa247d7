"""The AIs: each plays one turn on a board by the same orders that people give."""

from collections.abc import Callable
from typing import TypeAlias

from sim.core.dice import Dice
from sim.mad_killer_agents.battle.ai.barbarian import play_barbarian
from sim.mad_killer_agents.battle.ai.marshal import play_marshal
from sim.mad_killer_agents.battle.ai.pillager import play_pillager
from sim.mad_killer_agents.battle.ai.wanderer import play_random
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.constants import AiKind

Ai: TypeAlias = Callable[[Board, int, Dice, int | None], None]
"""Plays a player's turn; the number is how many rounds are left with this one, None for no limit."""

AIS: dict[AiKind, Ai] = {
    AiKind.RANDOM: play_random,
    AiKind.PILLAGER: play_pillager,
    AiKind.BARBARIAN: play_barbarian,
    AiKind.MARSHAL: play_marshal,
}


def play(kind: AiKind, board: Board, player: int, dice: Dice, rounds_left: int | None) -> None:
    """Play a player's turn, which has begun; the turn's end is the caller's."""
    AIS[kind](board, player, dice, rounds_left)
