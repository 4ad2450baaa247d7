"""Preparation of a worker for its first picture."""

from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.constants import MIN_SIDE
from sim.mad_killer_agents.film import film_gif
from sim.mad_killer_agents.pictures import draw_map
from sim.mad_killer_agents.plots import draw_scores


def warm_up() -> None:
    """Load Pillow, matplotlib and the font, and draw each kind of picture once, so that the first one isn't slower."""
    board = Board(MIN_SIDE, MIN_SIDE, [1] * MIN_SIDE**2)
    draw_map(board).png()
    film_gif([(board, "")])
    draw_scores(["-"], [[0.0], [1.0]])
