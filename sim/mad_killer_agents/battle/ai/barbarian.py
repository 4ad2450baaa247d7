"""The barbarian: founds no city, splits its army by the number of other players and goes for each of them once."""

from sim.core.dice import Dice
from sim.mad_killer_agents.battle.ai.travel import next_step, way_to
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.move_options import attack, move
from sim.mad_killer_agents.grid import FAR

_UNDER_WAY = 1


def play_barbarian(board: Board, player: int, dice: Dice, rounds_left: int | None) -> None:
    """Lead each part of the army towards its player and into one attack; who lives stays where it is.

    The notes are a mark that the army was split, and for each part still under way its target, tile and units.
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
    # An army is as many parts as stand on its tile: the last one there takes along what is left of it.
    for number, (target, at, units) in enumerate(parts):
        army = board.armies.get(at)
        if army is None or army.owner != player or board.sides[target].out:
            continue
        shared = sum(other[1] == at for other in (*parts[number + 1 :], *left)) > 0
        going = min(units, army.units) if shared else army.units
        tile, lives = _lead(board, player, at, target, going)
        if lives:
            left.append((target, tile, going))
    side.notes = (_UNDER_WAY, *(figure for part in left for figure in part))


def _split(board: Board, player: int) -> list[tuple[int, int, int]]:
    """Split the largest army evenly by the others."""
    targets = [number for number in board.living() if number != player]
    armies = board.armies_of(player)
    if not targets or not armies:
        return []
    home = max(armies, key=lambda at: board.armies[at].units)
    share, more = divmod(board.armies[home].units, len(targets))
    sizes = [share + (number < more) for number in range(len(targets))]
    return [(target, home, size) for target, size in zip(targets, sizes, strict=True) if size]


def _lead(board: Board, player: int, at: int, target: int, units: int) -> tuple[int, bool]:
    """Go on as far as the movement points allow; return where the part is and whether its attack is still to come."""
    prey = {tile for tile, army in board.armies.items() if army.owner == target}
    prey |= {tile for tile, city in board.cities.items() if city.owner == target}
    far = way_to(board, player, sorted(prey), past_enemies=False)
    costs = board.sides[player].step_costs()
    while far[at] < FAR:
        mp = board.armies[at].mp
        beside = [near for near in board.around[at] if near in prey]
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
