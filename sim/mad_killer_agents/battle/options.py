"""What an army can do now, for buttons: eight directions, works on its tile, and why anything is not possible."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from sim.core.errors import RuleError
from sim.core.frozen import Frozen
from sim.core.request import Request
from sim.mad_killer_agents.battle import move_options
from sim.mad_killer_agents.battle.apply_order import check_order
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.orders import Attack, Discover, Found, Grow, Lower, March, Move, Order, Pass, Raise
from sim.mad_killer_agents.battle.values import State
from sim.mad_killer_agents.combat import Clash, Result, fight
from sim.mad_killer_agents.constants import ROAD_COST, Technology
from sim.mad_killer_agents.splitting import Split, all_at_once, best_split

_WEIGHED = 3000
"""Units up to which the best way to split is worked out for a button."""


class Direction(StrEnum):
    """The eight neighbours, in reading order."""

    NORTH_WEST = "NW"
    NORTH = "N"
    NORTH_EAST = "NE"
    WEST = "W"
    EAST = "E"
    SOUTH_WEST = "SW"
    SOUTH = "S"
    SOUTH_EAST = "SE"


_OFFSETS = dict(zip(Direction, [(x, y) for y in (-1, 0, 1) for x in (-1, 0, 1) if x or y], strict=True))


class Way(Frozen):
    """What a step in a direction would be.

    `to`: the tile, None beyond the map's edge. `order`: the move or the attack, None where neither is allowed, and then
    `why` not. `cost` in halves. `march` and `march_loss`: the forced march there, where it is allowed and saves
    something. `result` and `split`: what an attack leads to, all at once and in the best parts.
    """

    direction: Direction
    to: int | None = None
    order: Move | Attack | None = None
    why: str | None = None
    cost: int = 0
    march: March | None = None
    march_loss: int = 0
    result: Result | None = None
    split: Split | None = None


class Work(Frozen):
    """An order on the army's own tile: `why` it is not allowed, None where it is."""

    order: Order
    why: str | None = None


class Options(Frozen):
    """All that the army on a tile can do with `units` of it."""

    at: int
    units: int
    ways: tuple[Way, ...]
    works: tuple[Work, ...]


def board_of(state: State) -> Board:
    """Return a board that stands like a game; RuleError for one that hasn't begun."""
    if state.world is None:
        raise RuleError("The game has not begun yet.")
    return Board.of(state.world, {player.number: player.name for player in state.players})


class OptionsRequest(Request):
    """What the army on a tile can do, or a part of it, as a job."""

    max_seconds = 2.0

    state: State
    at: Annotated[int, Field(ge=0, strict=True)]
    units: Annotated[int, Field(ge=1, strict=True)] | None = None

    def run(self) -> Options:
        """Work it out; RuleError where the player on turn has no army."""
        return options(self.state, self.at, self.units)


def options(state: State, at: int, units: int | None = None) -> Options:
    """Return what the army on a tile can do, or a part of it; RuleError where the player on turn has none."""
    board, player = board_of(state), state.turn
    army = board.army(player, at)
    going = army.units if units is None else units
    steps = tuple(_way(board, player, at, direction, going) for direction in Direction)
    orders: list[Order] = [Found(at=at), Grow(at=at), Lower(at=at), Raise(at=at), Pass(at=at)]
    orders += [Discover(at=at, tech=tech) for tech in Technology]
    works = tuple(Work(order=order, why=why_not(board, player, order)) for order in orders)
    return Options(at=at, units=going, ways=steps, works=works)


def _way(board: Board, player: int, at: int, direction: Direction, units: int) -> Way:
    right, down = _OFFSETS[direction]
    row, column = divmod(at, board.width)
    row, column = row + down, column + right
    if not (0 <= row < board.height and 0 <= column < board.width):
        return Way(direction=direction, why="The map ends here.")
    to = row * board.width + column
    try:
        if board.holder(to) in {0, player}:
            return _move(board, player, at, to, units, direction)
        met = move_options.check_attack(board, player, at, to, units)
    except RuleError as error:
        why = str(error)
    else:
        split = _best(met)
        order = Attack(at=at, to=to, units=units)
        cost = board.sides[player].step_costs()[board.tiles[to]]
        return Way(direction=direction, to=to, order=order, cost=cost, result=fight(met), split=split)
    return _marched(board, player, Way(direction=direction, to=to, why=why), at, to, units)


def _move(board: Board, player: int, at: int, to: int, units: int, direction: Direction) -> Way:
    _, cost = move_options.check_move(board, player, at, to, units)
    way = Way(direction=direction, to=to, order=Move(at=at, to=to, units=units), cost=cost)
    return way if cost == ROAD_COST else _marched(board, player, way, at, to, units)


def _marched(board: Board, player: int, way: Way, at: int, to: int, units: int) -> Way:
    """Add the forced march where it is allowed."""
    try:
        _, lost = move_options.check_march(board, player, at, to, units)
    except RuleError:
        return way
    return way.model_copy(update={"march": March(at=at, to=to, units=units), "march_loss": lost})


def why_not(board: Board, player: int, order: Order) -> str | None:
    """Return why an order isn't allowed now, None if it is; the board stays as it is."""
    try:
        check_order(board, player, order)
    except RuleError as error:
        return str(error)
    return None


def _best(met: Clash) -> Split:
    return best_split(met) if max(met.attackers, met.defenders) <= _WEIGHED else all_at_once(met)
