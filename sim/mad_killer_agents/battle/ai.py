"""The AIs. Each plays one turn on a board with the same orders that people give."""

from collections.abc import Callable
from typing import TypeAlias

from sim.core.dice import Dice
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.marshal import MarshalView, play_marshal
from sim.mad_killer_agents.battle.orders import attack, discover, found_city, grow_city, has_room, move, shape_tile
from sim.mad_killer_agents.battle.paths import (
    attack_result,
    attackable_neighbors,
    can_found,
    can_grow,
    distances_to,
    next_step,
    open_neighbors,
)
from sim.mad_killer_agents.constants import (
    FOUND_UNITS,
    LOWER_UNITS,
    MIN_VALUE,
    MOUNTAIN,
    WORK_COST,
    AiKind,
    Technology,
    discovery_cost,
)
from sim.mad_killer_agents.grid import FAR, steps_from
from sim.mad_killer_agents.terrain import passable

_MATURE_SIZE = 3
"""The pillager's cities grow to this size before they send raiders."""
_MIN_RAIDERS = 15
"""Units of a band that leaves a city of the pillager."""
_SPLIT_MARK = 1


def play_random(board: Board, player: int, dice: Dice, rounds_left: int | None) -> None:
    """Let each army found a city, grow one, and step to a random neighbor, attacking any enemy there."""
    del rounds_left
    for at in board.armies_of(player):
        army = board.armies.get(at)
        if army is None or army.owner != player:
            continue
        if can_found(board, at, army, FOUND_UNITS) and has_room(board, at):
            found_city(board, player, at)
        while at in board.armies and can_grow(board, at, board.armies[at].units):
            grow_city(board, player, at)
        army = board.armies.get(at)
        if army is None:
            continue
        ways = open_neighbors(board, player, at, army.mp)
        if ways:
            to = ways[dice.roll(len(ways)) - 1]
            (move if board.holder(to) in {0, player} else attack)(board, player, at, to)


def play_pillager(board: Board, player: int, dice: Dice, rounds_left: int | None) -> None:
    """Lower the tiles around enemy cities, and fight only to win.

    Keeps one city of its own and sends bands from it to the nearest enemy cities.
    """
    del dice, rounds_left
    land = {near for at, city in board.cities.items() if city.owner != player for near in board.around[at]}
    goals = sorted(tile for tile in land if _can_lower(board, tile) and not _is_own_city(board, player, tile))
    enemies = [at for at, army in board.armies.items() if army.owner != player]
    enemies += [at for at, city in board.cities.items() if city.owner != player]
    far = distances_to(board, player, goals or sorted(enemies))
    for at in board.armies_of(player):
        _act(board, player, at, land, far)


def _is_own_city(board: Board, player: int, tile: int) -> bool:
    city = board.cities.get(tile)
    return city is not None and city.owner == player


def _act(board: Board, player: int, at: int, land: set[int], far: list[int]) -> None:
    army = board.armies.get(at)
    if army is None or army.owner != player:
        return
    if at in board.cities:
        if not _raiders_leave(board, at, player):
            return
    elif _found_first_city(board, player, at):
        return
    while at in board.armies and board.armies[at].owner == player and board.armies[at].mp:
        army = board.armies[at]
        if at in land and at not in board.cities and _can_lower(board, at) and army.units > LOWER_UNITS:
            if army.mp < WORK_COST:
                return
            shape_tile(board, player, at, raised=False)
            continue
        to = (
            _tile_to_lower(board, player, at, land) or _sure_win(board, player, at) or next_step(board, player, at, far)
        )
        if to is None or far[at] == FAR:
            return
        (move if board.holder(to) in {0, player} else attack)(board, player, at, to)
        at = to


def _can_lower(board: Board, tile: int) -> bool:
    return MIN_VALUE < board.tiles[tile] < MOUNTAIN


def _raiders_leave(board: Board, at: int, player: int) -> bool:
    """Grow a small city; return whether a band leaves it."""
    city = board.cities[at]
    while city.size < _MATURE_SIZE and at in board.armies and can_grow(board, at, board.armies[at].units):
        grow_city(board, player, at)
    return at in board.armies and board.armies[at].units >= _MIN_RAIDERS


def _found_first_city(board: Board, player: int, at: int) -> bool:
    """Found a city if the army can and the player has none; return whether it did."""
    army = board.armies[at]
    if board.cities_of(player) or not can_found(board, at, army, FOUND_UNITS):
        return False
    if not has_room(board, at):
        return False
    found_city(board, player, at)
    return True


def _tile_to_lower(board: Board, player: int, at: int, land: set[int]) -> int | None:
    """Return the best free neighbor of the army to lower next, if any."""
    near = [
        tile
        for tile in open_neighbors(board, player, at, board.armies[at].mp)
        if tile in land and _can_lower(board, tile) and not board.holder(tile)
    ]
    return max(near, key=lambda tile: board.tiles[tile], default=None)


def _sure_win(board: Board, player: int, at: int) -> int | None:
    """Return a neighbor whose defenders all fall in an attack that part of the army survives."""
    army = board.armies[at]
    wins = [
        (result.attacker_left, tile)
        for tile in attackable_neighbors(board, player, at, army.mp)
        if (result := attack_result(board, player, at, tile, army.units)).attacker_left and not result.defender_left
    ]
    return max(wins)[1] if wins else None


def play_barbarian(board: Board, player: int, dice: Dice, rounds_left: int | None) -> None:
    """Send a part of the army to attack each other player once; found no city, and stay put after the attack.

    The notes are a mark that the army was split, and the target, tile and units of each part that is still on its way.
    """
    del dice, rounds_left
    side = board.sides[player]
    notes = side.notes
    parts = (
        [(notes[at], notes[at + 1], notes[at + 2]) for at in range(1, len(notes), 3)]
        if notes
        else _split(board, player)
    )
    left: list[tuple[int, int, int]] = []
    # Several parts may share a tile and so an army; the last part there takes all that is left of it.
    for number, (target, at, units) in enumerate(parts):
        army = board.armies.get(at)
        if army is None or army.owner != player or board.sides[target].out:
            continue
        shared = sum(other[1] == at for other in (*parts[number + 1 :], *left)) > 0
        going = min(units, army.units) if shared else army.units
        tile, pending = _lead(board, player, at, target, going)
        if pending:
            left.append((target, tile, going))
    side.notes = (_SPLIT_MARK, *(figure for part in left for figure in part))


def _split(board: Board, player: int) -> list[tuple[int, int, int]]:
    """Split the largest army evenly among the other players."""
    targets = [number for number in board.living() if number != player]
    armies = board.armies_of(player)
    if not targets or not armies:
        return []
    home = max(armies, key=lambda at: board.armies[at].units)
    share, more = divmod(board.armies[home].units, len(targets))
    sizes = [share + (number < more) for number in range(len(targets))]
    return [(target, home, size) for target, size in zip(targets, sizes, strict=True) if size]


def _lead(board: Board, player: int, at: int, target: int, units: int) -> tuple[int, bool]:
    """Move as far as the movement points allow; return the part's tile and whether its attack is still to come."""
    targets = {tile for tile, army in board.armies.items() if army.owner == target}
    targets |= {tile for tile, city in board.cities.items() if city.owner == target}
    far = distances_to(board, player, sorted(targets), past_enemies=False)
    costs = board.sides[player].step_costs()
    while far[at] < FAR:
        mp = board.armies[at].mp
        beside = [near for near in board.around[at] if near in targets]
        if beside:
            to = min(beside, key=lambda tile: (costs[board.tiles[tile]], tile))
            if costs[board.tiles[to]] > mp:
                break
            attack(board, player, at, to, units)
            return at, False
        step = next_step(board, player, at, far)
        if step is None:
            break
        move(board, player, at, step, units)
        at = step
    return at, True


Ai: TypeAlias = Callable[[Board, int, Dice, int | None], None]
"""Plays a player's turn. The last argument is the number of rounds left, this one included; None for no limit."""

AIS: dict[AiKind, Ai] = {
    AiKind.RANDOM: play_random,
    AiKind.PILLAGER: play_pillager,
    AiKind.BARBARIAN: play_barbarian,
    AiKind.MARSHAL: play_marshal,
}


_MIN_ROUNDS_LEFT = 10
"""In fewer rounds than these, a way over the mountains leads nowhere in time."""


def open_way(kind: AiKind, board: Board, player: int, rounds_left: int | None) -> None:
    """Discover Mountaineering where another player can't be reached otherwise, with units that no city needs.

    The random doesn't: it goes for nobody.
    """
    side = board.sides[player]
    if kind is AiKind.RANDOM or Technology.MOUNTAINEERING in side.techs:
        return
    if (rounds_left is not None and rounds_left < _MIN_ROUNDS_LEFT) or not _is_cut_off(board, player):
        return
    view = MarshalView(board, player, rounds_left)
    richest = max(board.armies_of(player), key=view.spare, default=None)
    if richest is not None and view.spare(richest) >= discovery_cost(len(side.techs)):
        discover(board, player, richest, Technology.MOUNTAINEERING)


def _is_cut_off(board: Board, player: int) -> bool:
    """Return whether mountains are around all that another player has, or around all of this player's armies."""
    if MOUNTAIN not in board.tiles:
        return False
    steps = steps_from([*board.armies_of(player), *board.cities_of(player)], passable(board.tiles), board.around)
    reached = {board.holder(tile) for tile in (*board.armies, *board.cities) if steps[tile] < FAR}
    return not reached.issuperset(board.living())


def play(kind: AiKind, board: Board, player: int, dice: Dice, rounds_left: int | None) -> None:
    """Play a player's turn after it has begun; the caller ends it."""
    AIS[kind](board, player, dice, rounds_left)
