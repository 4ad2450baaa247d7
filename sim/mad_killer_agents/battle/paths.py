"""Distances, reachable neighbors and previews of attacks, for the AIs."""

from collections.abc import Callable, Iterable

from sim.mad_killer_agents.battle.board import NO_WAY, Army, Board
from sim.mad_killer_agents.battle.orders import attack_clash
from sim.mad_killer_agents.combat import Result, fight
from sim.mad_killer_agents.constants import MOUNTAIN, growth_cost
from sim.mad_killer_agents.grid import FAR


def distances_to(board: Board, player: int, targets: Iterable[int], *, past_enemies: bool = True) -> list[int]:
    """Return, for each tile, the cost in halves of the cheapest path to the nearest target; FAR if there is none.

    Without `past_enemies`, paths avoid tiles that enemies hold, except for targets.
    """
    costs = board.sides[player].step_costs()
    tiles, around = board.tiles, board.around
    closed = bytearray(len(tiles))
    if not past_enemies:
        for tile, army in board.armies.items():
            closed[tile] |= army.owner != player
        for tile, city in board.cities.items():
            closed[tile] |= city.owner != player
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


def open_neighbors(board: Board, player: int, at: int, mp: int) -> list[int]:
    """Return the neighbors that a player's army with `mp` halves can enter or attack."""
    costs = board.sides[player].step_costs()
    return [near for near in board.around[at] if costs[board.tiles[near]] <= mp]


def next_step(
    board: Board, player: int, at: int, far: list[int], preference: Callable[[int], int] | None = None
) -> int | None:
    """Return the neighbor to step to on the path that `far` measures; None if no step gets nearer now.

    Never enters tiles that enemies hold. The highest `preference`, then the first tile, breaks ties.
    """
    army = board.armies[at]
    costs = board.sides[player].step_costs()
    best, chosen = (far[at], 0), None
    for near in open_neighbors(board, player, at, army.mp):
        if far[near] >= far[at] or board.holder(near) not in {0, player}:
            continue
        rank = (far[near] + costs[board.tiles[near]], -preference(near) if preference else 0)
        if chosen is None or rank < best:
            best, chosen = rank, near
    return chosen


def attackable_neighbors(board: Board, player: int, at: int, mp: int) -> list[int]:
    """Return the neighbors with an enemy army or city that an army with `mp` halves can attack."""
    return [near for near in open_neighbors(board, player, at, mp) if board.holder(near) not in {0, player}]


def attack_result(board: Board, player: int, at: int, to: int, units: int) -> Result:
    """Return the result of an attack by `units`."""
    return fight(attack_clash(board, player, at, to, units))


def can_found(board: Board, at: int, army: Army, units: int) -> bool:
    """Return whether the army can found a city on its tile, apart from the distance to other cities."""
    return army.units >= units and army.mp > 1 and board.tiles[at] < MOUNTAIN


def can_grow(board: Board, at: int, spare: int) -> bool:
    """Return whether there is a city on the tile that can grow for `spare` units."""
    city = board.cities.get(at)
    return city is not None and spare >= growth_cost(city.size)
