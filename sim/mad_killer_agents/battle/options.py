"""What an army can do now, for buttons: eight directions, actions on its tile, and the reason why not."""

from contextlib import suppress
from enum import StrEnum
from typing import Any

from sim.core.errors import RuleError
from sim.core.values import Frozen
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.orders import check_attack, check_march, check_move, check_order
from sim.mad_killer_agents.battle.values import TILE_VERBS, DirectedOrder, Discover, Order, State, TileOrder
from sim.mad_killer_agents.combat import Clash, Result, Split, all_at_once, best_split, fight
from sim.mad_killer_agents.constants import Technology

_MAX_SPLIT_UNITS = 3000
"""The best split is computed for a button only up to this many units."""


class Direction(StrEnum):
    """The eight neighbors, in reading order."""

    NORTH_WEST = "NW"
    NORTH = "N"
    NORTH_EAST = "NE"
    WEST = "W"
    EAST = "E"
    SOUTH_WEST = "SW"
    SOUTH = "S"
    SOUTH_EAST = "SE"


_OFFSETS = dict(zip(Direction, [(x, y) for y in (-1, 0, 1) for x in (-1, 0, 1) if x or y], strict=True))


class MoveOption(Frozen):
    """What an army can do in a direction.

    `to`: the tile, None beyond the map's edge. `order`: the move or attack; None if neither is allowed, with the reason
    in `why`. `cost` in halves. `march` and `march_loss`: the forced march there, if it is allowed and cheaper. `result`
    and `split`: of an attack, by all units at once and in the best parts.
    """

    direction: Direction
    to: int | None = None
    order: DirectedOrder | None = None
    why: str | None = None
    cost: int = 0
    march: DirectedOrder | None = None
    march_loss: int = 0
    result: Result | None = None
    split: Split | None = None


class TileAction(Frozen):
    """An order on the army's own tile. `why`: the reason if it isn't allowed, else None."""

    order: Order
    why: str | None = None


class ArmyOptions(Frozen):
    """All that `units` of the army on a tile can do."""

    at: int
    units: int
    moves: tuple[MoveOption, ...]
    tile_actions: tuple[TileAction, ...]


def board_of(state: State) -> Board:
    """Return the board of a game; RuleError if it has not begun."""
    if state.world is None:
        raise RuleError("The game has not begun yet.")
    return Board.of(state.world, {player.number: player.name for player in state.players}, state.setup.edition)


def army_options(state: State, at: int, units: int | None = None) -> ArmyOptions:
    """Return what `units` of the army on a tile can do, None for all; RuleError if the player on turn has none."""
    board, player = board_of(state), state.turn
    army = board.army(player, at)
    going = army.units if units is None else units
    moves = tuple(_option(board, player, at, direction, going) for direction in Direction)
    orders: list[Order] = [TileOrder(at=at, do=verb) for verb in TILE_VERBS]
    orders += [Discover(at=at, tech=tech) for tech in Technology]
    actions = tuple(TileAction(order=order, why=why_not(board, player, order)) for order in orders)
    return ArmyOptions(at=at, units=going, moves=moves, tile_actions=actions)


def _option(board: Board, player: int, at: int, direction: Direction, units: int) -> MoveOption:
    right, down = _OFFSETS[direction]
    row, column = divmod(at, board.width)
    row, column = row + down, column + right
    if not (0 <= row < board.height and 0 <= column < board.width):
        return MoveOption(direction=direction, why="The map ends here.")
    to = row * board.width + column
    found: dict[str, Any] = {"direction": direction, "to": to}
    going = {"at": at, "to": to, "units": units}
    try:
        if board.holder(to) in {0, player}:
            _, cost = check_move(board, player, at, to, units)
            found |= {"order": DirectedOrder(**going, do="move"), "cost": cost}
        else:
            clash = check_attack(board, player, at, to, units)
            cost = board.sides[player].step_costs()[board.tiles[to]]
            found |= {"order": DirectedOrder(**going, do="attack"), "cost": cost}
            found |= {"result": fight(clash), "split": _split(clash)}
    except RuleError as error:
        found["why"] = str(error)
    with suppress(RuleError):
        _, lost = check_march(board, player, at, to, units)
        found |= {"march": DirectedOrder(**going, do="march"), "march_loss": lost}
    return MoveOption(**found)


def _split(clash: Clash) -> Split:
    small = max(clash.attackers, clash.defenders) <= _MAX_SPLIT_UNITS
    return best_split(clash) if small else all_at_once(clash)


def why_not(board: Board, player: int, order: Order) -> str | None:
    """Return why an order isn't allowed now, None if it is; the board does not change."""
    try:
        check_order(board, player, order)
    except RuleError as error:
        return str(error)
    return None
