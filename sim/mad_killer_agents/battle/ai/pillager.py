"""The pillager: lowers the tiles around enemy cities before all else, and fights only when it wins."""

from sim.core.dice import Dice
from sim.mad_killer_agents.battle.ai.travel import can_found, can_grow, enemies_near, exits, next_step, preview, way_to
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.move_options import attack, move
from sim.mad_killer_agents.battle.tile_actions import found, grow, has_room, lower
from sim.mad_killer_agents.constants import FOUND_UNITS, LOWER_UNITS, LOWEST, MOUNTAIN, WORK_COST
from sim.mad_killer_agents.grid import FAR

_GROWN = 3
"""Its cities grow to this size before they send raiders."""
_RAIDERS = 15
"""Units of a band that leaves a city."""


def play_pillager(board: Board, player: int, dice: Dice, rounds_left: int | None) -> None:
    """Keep a home, send bands to the nearest enemy cities, and lower what these live on."""
    del dice, rounds_left
    prey = {near for at, city in board.cities.items() if city.owner != player for near in board.around[at]}
    goals = sorted(tile for tile in prey if _worth(board, tile) and not _city_of_ours(board, player, tile))
    enemies = [at for at, army in board.armies.items() if army.owner != player]
    enemies += [at for at, city in board.cities.items() if city.owner != player]
    far = way_to(board, player, goals or sorted(enemies))
    for at in board.armies_of(player):
        _act(board, player, at, prey, far)


def _city_of_ours(board: Board, player: int, tile: int) -> bool:
    city = board.cities.get(tile)
    return city is not None and city.owner == player


def _act(board: Board, player: int, at: int, prey: set[int], far: list[int]) -> None:
    army = board.armies.get(at)
    if army is None or army.owner != player:
        return
    if at in board.cities:
        if not _musters(board, at, player):
            return
    elif _settles(board, player, at):
        return
    while at in board.armies and board.armies[at].owner == player and board.armies[at].mp:
        army = board.armies[at]
        if at in prey and at not in board.cities and _worth(board, at) and army.units > LOWER_UNITS:
            if army.mp < WORK_COST:
                return
            lower(board, player, at)
            continue
        to = _prey_near(board, player, at, prey) or _victory(board, player, at) or next_step(board, player, at, far)
        if to is None or far[at] == FAR:
            return
        (move if board.holder(to) in {0, player} else attack)(board, player, at, to)
        at = to


def _worth(board: Board, tile: int) -> bool:
    """Return whether a tile can be lowered."""
    return LOWEST < board.tiles[tile] < MOUNTAIN


def _musters(board: Board, at: int, player: int) -> bool:
    """Let a young city grow; return whether a band leaves it."""
    city = board.cities[at]
    while city.size < _GROWN and at in board.armies and can_grow(board, at, board.armies[at].units):
        grow(board, player, at)
    return at in board.armies and board.armies[at].units >= _RAIDERS


def _settles(board: Board, player: int, at: int) -> bool:
    """Found a city where the army can and has none to go home to."""
    army = board.armies[at]
    if board.cities_of(player) or not can_found(board, at, army, FOUND_UNITS):
        return False
    if not has_room(board, at):
        return False
    found(board, player, at)
    return True


def _prey_near(board: Board, player: int, at: int, prey: set[int]) -> int | None:
    """Return the best tile to lower next, if one is beside the army and nobody is there."""
    near = [
        tile
        for tile in exits(board, player, at, board.armies[at].mp)
        if tile in prey and _worth(board, tile) and not board.holder(tile)
    ]
    return max(near, key=lambda tile: board.tiles[tile], default=None)


def _victory(board: Board, player: int, at: int) -> int | None:
    """Return a neighbour whose defenders fall before the army and leave some of it."""
    army = board.armies[at]
    won = [
        (result.attacker_left, tile)
        for tile in enemies_near(board, player, at, army.mp)
        if (result := preview(board, player, at, tile, army.units)).attacker_left and not result.defender_left
    ]
    return max(won)[1] if won else None
