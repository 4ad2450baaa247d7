"""The random AI: it founds or grows when it can, then steps at random."""

from sim.core.dice import Dice
from sim.mad_killer_agents.battle.ai.travel import can_found, can_grow, exits
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.move_options import attack, move
from sim.mad_killer_agents.battle.tile_actions import found, grow, has_room
from sim.mad_killer_agents.constants import FOUND_UNITS


def play_random(board: Board, player: int, dice: Dice, rounds_left: int | None) -> None:
    """Let each army found, grow, or step to a neighbour tile, whoever is there."""
    del rounds_left
    for at in board.armies_of(player):
        army = board.armies.get(at)
        if army is None or army.owner != player:
            continue
        if can_found(board, at, army, FOUND_UNITS) and has_room(board, at):
            found(board, player, at)
        while at in board.armies and can_grow(board, at, board.armies[at].units):
            grow(board, player, at)
        army = board.armies.get(at)
        if army is None:
            continue
        ways = exits(board, player, at, army.mp)
        if ways:
            to = ways[dice.roll(len(ways)) - 1]
            (move if board.holder(to) in {0, player} else attack)(board, player, at, to)
