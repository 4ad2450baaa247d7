"""The simpler AIs, and what every AI asks of the board: distances, the next step, what can be attacked.

Each plays one turn on a board with the same orders that people give.
"""

from collections.abc import Callable, Iterable
from itertools import chain

from sim.core.dice import Dice
from sim.mad_killer_agents.battle.board import NO_WAY, Board
from sim.mad_killer_agents.battle.orders import attack, attack_clash, found_city, grow_city, lower_tile, move
from sim.mad_killer_agents.combat import fight
from sim.mad_killer_agents.constants import LOWER_UNITS, MIN_VALUE, MOUNTAIN, WORK_COST
from sim.mad_killer_agents.terrain import FAR

_MATURE_SIZE = 3
"""The pillager's cities grow to this size before they send raiders."""
_MIN_RAIDERS = 15
"""Units of a band that leaves a city of the pillager."""


def distances_to(board: Board, player: int, targets: Iterable[int], *, past_enemies: bool = True) -> list[int]:
    """Return, for each tile, the cost in halves of the cheapest path to the nearest target; FAR if there is none.

    Without `past_enemies`, paths avoid tiles that enemies hold, except for targets.
    """
    costs = board.sides[player].step_costs()
    tiles, around = board.tiles, board.around
    closed = bytearray(len(tiles))
    if not past_enemies:
        for tile, owner in board.held():
            closed[tile] |= owner != player
    far = [FAR] * len(tiles)
    buckets: list[list[int]] = [list(targets), [], []]
    for tile in buckets[0]:
        far[tile] = 0
        closed[tile] = 0
    # No step costs more than 2 halves, so three buckets are enough for all distances still to come.
    distance, empty = 0, 0
    while empty < len(buckets):
        bucket = buckets[distance % 3]
        empty = 0 if bucket else empty + 1
        for tile in bucket:
            cost = costs[tiles[tile]]
            if far[tile] != distance or closed[tile] or cost == NO_WAY:
                continue
            further = distance + cost
            for near in around[tile]:
                if far[near] > further:
                    far[near] = further
                    buckets[further % 3].append(near)
        buckets[distance % 3] = []
        distance += 1
    return far


def open_neighbors(board: Board, player: int, at: int) -> list[int]:
    """Return the neighbors that a player's army can enter or attack with the movement points that it has."""
    costs, mp = board.sides[player].step_costs(), board.armies[at].mp
    return [near for near in board.around[at] if costs[board.tiles[near]] <= mp]


def next_step(
    board: Board, player: int, at: int, far: list[int], preference: Callable[[int], int] | None = None
) -> int | None:
    """Return the neighbor to step to on the path that `far` measures; None if no step gets nearer now.

    Never enters tiles that enemies hold. The highest `preference`, then the first tile, breaks ties.
    """
    costs = board.sides[player].step_costs()
    near = [tile for tile in open_neighbors(board, player, at) if far[tile] < far[at]]
    return min(
        (tile for tile in near if board.holder(tile) in {0, player}),
        key=lambda tile: (far[tile] + costs[board.tiles[tile]], -preference(tile) if preference else 0),
        default=None,
    )


def attackable_neighbors(board: Board, player: int, at: int) -> list[int]:
    """Return the neighbors with an enemy army or city that a player's army can attack now."""
    return [near for near in open_neighbors(board, player, at) if board.holder(near) not in {0, player}]


def play_random(board: Board, player: int, dice: Dice) -> None:
    """Let each army found a city, grow one, and step to a random neighbor, attacking any enemy there."""
    for at in board.armies_of(player):
        if found_city.allows(board, player, at):
            found_city(board, player, at)
        while grow_city.allows(board, player, at):
            grow_city(board, player, at)
        if not board.units_of(player, at):
            continue
        ways = open_neighbors(board, player, at)
        if ways:
            to = ways[dice.roll(len(ways)) - 1]
            (move if board.holder(to) in {0, player} else attack)(board, player, at, to)


def play_pillager(board: Board, player: int) -> None:
    """Lower the tiles around enemy cities, and fight only to win.

    Keeps one city of its own and sends bands from it to the nearest enemy cities.
    """
    land = {near for at, city in board.cities.items() if city.owner != player for near in board.around[at]}
    own_cities = board.cities_of(player)
    goals = sorted(tile for tile in land if _can_lower(board, tile) and tile not in own_cities)
    far = distances_to(board, player, goals or sorted(at for at, owner in board.held() if owner != player))
    for at in board.armies_of(player):
        _act(board, player, at, land, far)


def _act(board: Board, player: int, at: int, land: set[int], far: list[int]) -> None:
    if not board.units_of(player, at):
        return
    if (city := board.cities.get(at)) is not None:
        while city.size < _MATURE_SIZE and grow_city.allows(board, player, at):
            grow_city(board, player, at)
        if board.units_of(player, at) < _MIN_RAIDERS:
            return
    elif not board.cities_of(player) and found_city.allows(board, player, at):
        found_city(board, player, at)
        return
    while board.units_of(player, at) and board.armies[at].mp:
        army = board.armies[at]
        if at in land and at not in board.cities and _can_lower(board, at) and army.units > LOWER_UNITS:
            if army.mp < WORK_COST:
                return
            lower_tile(board, player, at)
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


def _tile_to_lower(board: Board, player: int, at: int, land: set[int]) -> int | None:
    """Return the best free neighbor of the army to lower next, if any."""
    near = [
        tile
        for tile in open_neighbors(board, player, at)
        if tile in land and _can_lower(board, tile) and not board.holder(tile)
    ]
    return max(near, key=lambda tile: board.tiles[tile], default=None)


def _sure_win(board: Board, player: int, at: int) -> int | None:
    """Return a neighbor whose defenders all fall in an attack that part of the army survives."""
    units = board.armies[at].units
    wins = [
        (result.attacker_left, tile)
        for tile in attackable_neighbors(board, player, at)
        if (result := fight(attack_clash(board, player, at, tile, units))).attacker_left and not result.defender_left
    ]
    return max(wins)[1] if wins else None


def play_barbarian(board: Board, player: int) -> None:
    """Send a part of the army to attack each other player once; found no city, and stay put after the attack.

    The notes are 1, which says that the army was split, and the target, tile and units of each part on its way.
    """
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
        here = board.units_of(player, at)
        if not here or board.sides[target].out:
            continue
        shared = any(other[1] == at for other in (*parts[number + 1 :], *left))
        going = min(units, here) if shared else here
        tile, pending = _lead(board, player, at, target, going)
        if pending:
            left.append((target, tile, going))
    side.notes = (1, *chain(*left))


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
    targets = {tile for tile, owner in board.held() if owner == target}
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
