"""How the marshal fights: attacks that pay, in the best parts; the rest of its force gathers and marches."""

from sim.mad_killer_agents.battle.ai.estate import Estate
from sim.mad_killer_agents.battle.ai.travel import enemies_near, next_step, way_to
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.move_options import attack, clash, move
from sim.mad_killer_agents.combat import defence_bonus
from sim.mad_killer_agents.constants import CITY_SCORE, FOUND_UNITS, Technology, growth_paid
from sim.mad_killer_agents.grid import FAR
from sim.mad_killer_agents.splitting import Split, all_at_once, best_split

_BAND = 10
"""Units that are worth sending to the front."""
_RING = 8
"""Halves from the target within which the force gathers before it goes on."""
_EDGE = 1.4
"""So many times the defence is what the force gathers to."""
_AIMS = 6
"""Targets at once."""
_TRIES = 3
"""Attacks from one tile, one after the other, in a turn."""
_MANY = 300
"""Against so many defenders all attack at once: weighing parts would take long."""


def strike(estate: Estate) -> None:
    """Attack whatever falls for less than it is worth."""
    board, player = estate.board, estate.player
    for at in board.armies_of(player):
        for _ in range(_TRIES):
            army = board.armies.get(at)
            if army is None or army.owner != player or not army.mp or not _strike_from(estate, at):
                break


def _strike_from(estate: Estate, at: int) -> bool:
    board, player = estate.board, estate.player
    units = estate.spare(at)
    if not units:
        return False
    best: tuple[float, int, Split] | None = None
    for to in enemies_near(board, player, at, board.armies[at].mp):
        met = clash(board, player, at, to, units)
        split = best_split(met) if met.defenders < _MANY else all_at_once(met)
        gain = _gain(estate, to, split)
        if gain > 0 and (best is None or gain > best[0]):
            best = gain, to, split
    if best is None:
        return False
    _, to, split = best
    for part in split.parts:
        attack(board, player, at, to, part)
    return True


def _gain(estate: Estate, to: int, split: Split) -> float:
    """Return what attacks win beyond what they cost, in units; who is far stronger can afford to trade even."""
    board = estate.board
    army, city = board.armies.get(to), board.cities.get(to)
    killed = (0 if army is None else army.units) - split.defenders_left
    razed = 0
    if city is not None and split.city_left < city.size:
        razed = growth_paid(city.size) - (growth_paid(split.city_left) if split.city_left else 0)
        razed += 0 if split.city_left else CITY_SCORE
    return estate.eagerness(board.holder(to)) * killed + razed - split.lost


def campaign(estate: Estate) -> None:
    """Lead all free units to enemy cities, each band to the one nearest to it; near it they wait to be enough."""
    board, player = estate.board, estate.player
    bands = [at for at in board.armies_of(player) if at not in estate.settlers and _free(estate, at) >= _BAND]
    fields = {target: way_to(board, player, (target,)) for target in _targets(estate)} if bands else {}
    if not fields:
        return
    aims = {at: min(fields, key=lambda target: (fields[target][at], target)) for at in bands}
    gathered = dict.fromkeys(fields, 0)
    for at, target in aims.items():
        if fields[target][at] <= _RING:
            gathered[target] += _free(estate, at)
    for at in sorted(bands, key=lambda tile: fields[aims[tile]][tile]):
        target = aims[at]
        enough = gathered[target] >= _EDGE * _needed(board, target)
        _advance(estate, at, fields[target], target, enough=enough)


def _free(estate: Estate, at: int) -> int:
    """Return the units that can go to war: not those that a city saves up for settlers."""
    army = estate.board.armies.get(at)
    if army is None or not army.mp:
        return 0
    saved = FOUND_UNITS if estate.sites and at in estate.board.cities else 0
    return max(0, estate.spare(at) - saved)


def _needed(board: Board, target: int) -> int:
    """Return about how many units it takes to take a tile."""
    army, city = board.armies.get(target), board.cities.get(target)
    size = 0 if city is None else city.size
    masonry = city is not None and Technology.MASONRY in board.sides[city.owner].techs
    made = 2 * board.income(target) if city is not None else 0
    units = 1 if army is None else army.units
    return units + made + size + defence_bonus(board.tiles[target], size, masonry=masonry)


def _targets(estate: Estate) -> list[int]:
    """Return the enemy cities that are nearest to ours for their strength; armies where there is no city."""
    board, player = estate.board, estate.player
    home = board.cities_of(player) or board.armies_of(player)
    far = way_to(board, player, home)
    goals = [at for at, city in board.cities.items() if city.owner != player]
    goals = goals or [at for at, army in board.armies.items() if army.owner != player]
    reached = [at for at in goals if far[at] < FAR]
    return sorted(reached, key=lambda at: (5 * far[at] + _needed(board, at), at))[:_AIMS]


def _advance(estate: Estate, at: int, far: list[int], target: int, *, enough: bool) -> None:
    """Lead a band on its way, over high ground where that is no detour; at the ring it waits until all are enough."""
    board, player = estate.board, estate.player
    while True:
        units = _free(estate, at)
        if units < _BAND or far[at] == FAR or target in board.around[at]:
            return
        step = next_step(board, player, at, far, like=board.tiles.__getitem__)
        if step is None or (not enough and far[step] <= _RING // 2):
            return
        move(board, player, at, step, units if at in board.cities else None)
        at = step
