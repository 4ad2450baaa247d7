"""What every AI has to know: how far it is, what can be entered, what an attack leads to."""

from collections.abc import Callable, Iterable

from sim.mad_killer_agents.battle.board import NO_WAY, Army, Board
from sim.mad_killer_agents.battle.move_options import clash
from sim.mad_killer_agents.combat import Result, fight
from sim.mad_killer_agents.constants import MOUNTAIN, growth_cost
from sim.mad_killer_agents.grid import FAR


def way_to(board: Board, player: int, targets: Iterable[int], *, past_enemies: bool = True) -> list[int]:
    """Return for each tile the halves that the cheapest way from it to the nearest target costs; FAR for no way.

    Without `past_enemies` no way leads over tiles that enemies hold, but to a target.
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
    rings: list[list[int]] = [list(targets), [], []]
    for tile in rings[0]:
        far[tile] = 0
        closed[tile] = 0
    # No step costs more than 2 halves: three rings are enough, one for each distance that can still come.
    distance, empty = 0, 0
    while empty < len(rings):
        ring = rings[distance % 3]
        empty = 0 if ring else empty + 1
        for tile in ring:
            cost = costs[tiles[tile]]
            if far[tile] != distance or closed[tile] or cost == NO_WAY:
                continue
            further = distance + cost
            for near in around[tile]:
                if far[near] > further:
                    far[near] = further
                    rings[further % 3].append(near)
        rings[distance % 3] = []
        distance += 1
    return far


def exits(board: Board, player: int, at: int, mp: int) -> list[int]:
    """Return the neighbours that an army of a player with `mp` halves can enter or attack."""
    costs = board.sides[player].step_costs()
    return [near for near in board.around[at] if costs[board.tiles[near]] <= mp]


def next_step(
    board: Board, player: int, at: int, far: list[int], like: Callable[[int], int] | None = None
) -> int | None:
    """Return the neighbour to go to on the way that `far` measures; None where nothing gets nearer now.

    Tiles that enemies hold are not entered. Of equally near ones the one that is liked most is taken, then the first.
    """
    army = board.armies[at]
    costs = board.sides[player].step_costs()
    best, chosen = (far[at], 0), None
    for near in exits(board, player, at, army.mp):
        if far[near] >= far[at] or board.holder(near) not in {0, player}:
            continue
        rank = (far[near] + costs[board.tiles[near]], -like(near) if like else 0)
        if chosen is None or rank < best:
            best, chosen = rank, near
    return chosen


def enemies_near(board: Board, player: int, at: int, mp: int) -> list[int]:
    """Return the neighbours with an enemy's army or city that an army with `mp` halves can attack."""
    return [near for near in exits(board, player, at, mp) if board.holder(near) not in {0, player}]


def preview(board: Board, player: int, at: int, to: int, units: int) -> Result:
    """Return what an attack by so many units leads to."""
    return fight(clash(board, player, at, to, units))


def can_found(board: Board, at: int, army: Army, units: int) -> bool:
    """Return whether the army could pay for a city on its tile, TV and movement points considered, not its room."""
    return army.units >= units and army.mp > 1 and board.tiles[at] < MOUNTAIN


def can_grow(board: Board, at: int, spare: int) -> bool:
    """Return whether the city on a tile, if there is one, can grow for `spare` units."""
    city = board.cities.get(at)
    return city is not None and spare >= growth_cost(city.size)
