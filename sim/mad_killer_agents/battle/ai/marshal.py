"""The marshal: it expands, defends what it has, gathers its force, and strikes from high ground in the best parts."""

from sim.core.dice import Dice
from sim.mad_killer_agents.battle.ai.economy import invest, settle
from sim.mad_killer_agents.battle.ai.estate import Estate
from sim.mad_killer_agents.battle.ai.war import campaign, strike
from sim.mad_killer_agents.battle.board import Board


def play_marshal(board: Board, player: int, dice: Dice, rounds_left: int | None) -> None:
    """Strike where it pays, let cities grow, settle, and send what is to spare against the weakest neighbour."""
    del dice
    estate = Estate(board, player, rounds_left)
    strike(estate)
    invest(estate)
    settle(estate)
    campaign(estate)
    strike(estate)
