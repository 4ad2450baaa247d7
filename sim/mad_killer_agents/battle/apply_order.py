"""Orders as values: carried out, or checked alone."""

from collections.abc import Callable
from typing import Any

from sim.core.errors import RuleError
from sim.mad_killer_agents.battle import move_options, tile_actions
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.orders import Attack, Discover, Lower, March, Move, Order, Raise


def _expect_on_map(board: Board, order: Order) -> None:
    size = len(board.tiles)
    if order.at >= size or (isinstance(order, Move | March | Attack) and order.to >= size):
        raise RuleError("That tile is not on the map.")


def apply_order(board: Board, player: int, order: Order) -> None:
    """Carry out an order of the player whose turn it is; RuleError, and nothing changes, for a wrong one."""
    _expect_on_map(board, order)
    if isinstance(order, Move | March | Attack):
        _WAYS[order.do](board, player, order.at, order.to, order.units)
    elif isinstance(order, Discover):
        tile_actions.discover(board, player, order.at, order.tech)
    else:
        _HERE[order.do](board, player, order.at)


def check_order(board: Board, player: int, order: Order) -> None:
    """Raise RuleError for an order that isn't allowed now; the board stays as it is."""
    _expect_on_map(board, order)
    if isinstance(order, Move | March | Attack):
        _WAY_CHECKS[order.do](board, player, order.at, order.to, order.units)
    elif isinstance(order, Discover):
        tile_actions.check_discover(board, player, order.at, order.tech)
    elif isinstance(order, Lower | Raise):
        tile_actions.check_shape(board, player, order.at, raised=isinstance(order, Raise))
    else:
        _HERE_CHECKS[order.do](board, player, order.at)


_Way = Callable[[Board, int, int, int, int | None], Any]
_Here = Callable[[Board, int, int], Any]

_WAYS: dict[str, _Way] = {"move": move_options.move, "march": move_options.march, "attack": move_options.attack}
_WAY_CHECKS: dict[str, _Way] = {
    "move": move_options.check_move,
    "march": move_options.check_march,
    "attack": move_options.check_attack,
}
_HERE: dict[str, _Here] = {
    "found": tile_actions.found,
    "grow": tile_actions.grow,
    "lower": tile_actions.lower,
    "raise": tile_actions.heighten,
    "pass": tile_actions.stay,
}
_HERE_CHECKS: dict[str, _Here] = {
    "found": tile_actions.check_found,
    "grow": tile_actions.check_grow,
    "pass": tile_actions.check_stay,
}
