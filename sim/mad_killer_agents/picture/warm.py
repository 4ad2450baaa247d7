"""What a worker loads before its first picture."""

from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.constants import LEAST_SIDE
from sim.mad_killer_agents.picture import chart
from sim.mad_killer_agents.picture.draw import draw_map
from sim.mad_killer_agents.picture.film import film_of


def warm_up() -> None:
    """Load Pillow, matplotlib and the font, and draw a small map once: no first picture takes longer."""
    board = Board(LEAST_SIDE, LEAST_SIDE, [1] * LEAST_SIDE**2)
    draw_map(board)
    film_of([(board, "")])
    chart.draw_scores(["-"], [[0.0], [1.0]])
