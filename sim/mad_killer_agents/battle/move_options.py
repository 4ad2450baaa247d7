"""The orders that lead to another tile: move, forced march, attack. RuleError, and nothing changes, for a wrong one."""

from sim.core.errors import RuleError
from sim.mad_killer_agents.battle.board import NO_WAY, Army, Board
from sim.mad_killer_agents.battle.events import Fought, Moved
from sim.mad_killer_agents.combat import Clash, Result, fight
from sim.mad_killer_agents.constants import LOWEST, MARCH_LOSS, MOUNTAIN, ROAD_COST, Technology

_WAYS_TOLD_AT_ONCE = 20
"""Ways in one event: fewer events, and none that grows for ever."""


def halves(mp: int) -> str:
    """Return movement points as players read them: 1, 0.5."""
    return f"{mp / 2:g}"


def _setting_out(board: Board, player: int, at: int, to: int, units: int | None) -> tuple[Army, int]:
    """Return the army and how many of it go; what is the same for every way."""
    army = board.army(player, at)
    if to not in board.around[at]:
        raise RuleError(f"{board.place(to)} is no neighbour of {board.place(at)}.")
    if units is None:
        return army, army.units
    if not 1 <= units <= army.units:
        raise RuleError(f"The army on {board.place(at)} has {army.units} units, not {units:,}.")
    return army, units


def expect_mp(board: Board, at: int, army: Army, cost: int) -> None:
    """Raise RuleError for an army without so many halves."""
    if army.mp < cost:
        raise RuleError(
            f"That takes {halves(cost)} movement points; the army on {board.place(at)} has {halves(army.mp)} left."
        )


def _cost(board: Board, player: int, to: int) -> int:
    cost = board.sides[player].step_costs()[board.tiles[to]]
    if cost == NO_WAY:
        raise RuleError(f"{board.place(to)} is a mountain: only Mountaineering leads there.")
    return cost


def _expect_friendly(board: Board, player: int, at: int, to: int) -> None:
    if board.holder(to) not in {0, player}:
        raise RuleError(f"{board.place(to)} is held by an enemy: attack it, from {board.place(at)}.")


def move(board: Board, player: int, at: int, to: int, units: int | None = None) -> None:
    """Move to a neighbour, the whole army or a part of it; units that join an army share the lower MP."""
    units, cost = check_move(board, player, at, to, units)
    _go(board, player, at, to, units, cost, 0)


def check_move(board: Board, player: int, at: int, to: int, units: int | None = None) -> tuple[int, int]:
    """Return how many units a move takes along and its cost in halves; RuleError for one that isn't allowed."""
    army, units = _setting_out(board, player, at, to, units)
    _expect_friendly(board, player, at, to)
    cost = _cost(board, player, to)
    expect_mp(board, at, army, cost)
    return units, cost


def march_loss(value: int, units: int) -> int:
    """Return how many of `units` a forced march onto a tile of that value takes."""
    return units * MARCH_LOSS * (value - 1) // 100


def march(board: Board, player: int, at: int, to: int, units: int | None = None) -> None:
    """March onto TV 2 to 5 for half a point, at a loss of 1 unit at least.

    Where Roads make the tile as cheap for nothing, there is no march.
    """
    units, lost = check_march(board, player, at, to, units)
    _go(board, player, at, to, units, ROAD_COST, lost)


def check_march(board: Board, player: int, at: int, to: int, units: int | None = None) -> tuple[int, int]:
    """Return how many units set out and how many of them are lost; RuleError for a march that isn't allowed."""
    army, units = _setting_out(board, player, at, to, units)
    _expect_friendly(board, player, at, to)
    value = board.tiles[to]
    if not LOWEST < value < MOUNTAIN:
        raise RuleError(f"Forced marches lead onto TV 2 to 5; {board.place(to)} has TV {value}.")
    if _cost(board, player, to) == ROAD_COST:
        raise RuleError(f"Your roads lead to {board.place(to)} as fast: move there.")
    lost = march_loss(value, units)
    if not lost:
        raise RuleError(
            f"{units} {'unit is' if units == 1 else 'units are'} too few for a forced march onto TV {value}."
        )
    expect_mp(board, at, army, ROAD_COST)
    return units, lost


def _go(board: Board, player: int, at: int, to: int, units: int, cost: int, lost: int) -> None:
    mp = board.armies[at].mp - cost
    board.take_out(player, at, units)
    board.put_in(player, to, units - lost, mp)
    board.moves.append((player, at, to))
    if board.log is not None:
        way = (board.place(at), board.place(to), units, lost)
        last = board.log[-1] if board.log else None
        if isinstance(last, Moved) and last.by == player and len(last.ways) < _WAYS_TOLD_AT_ONCE:
            board.log[-1] = Moved(by=player, name=last.name, ways=(*last.ways, way))
        else:
            board.log.append(Moved(by=player, name=board.sides[player].name, ways=(way,)))


def clash(board: Board, player: int, at: int, to: int, units: int) -> Clash:
    """Return the battle that an attack by `units` of a player leads to; the target must be an enemy's."""
    army, city = board.armies.get(to), board.cities.get(to)
    masonry = city is not None and Technology.MASONRY in board.sides[city.owner].techs
    return Clash(
        attackers=units,
        attacker_tile=board.tiles[at],
        defenders=0 if army is None else army.units,
        defender_tile=board.tiles[to],
        city=0 if city is None else city.size,
        drill=Technology.DRILL in board.sides[player].techs,
        masonry=masonry,
    )


def check_attack(board: Board, player: int, at: int, to: int, units: int | None = None) -> Clash:
    """Return the battle that an attack leads to; RuleError for one that isn't allowed."""
    army, units = _setting_out(board, player, at, to, units)
    if board.holder(to) in {0, player}:
        raise RuleError(f"There is no enemy on {board.place(to)}.")
    expect_mp(board, at, army, _cost(board, player, to))
    return clash(board, player, at, to, units)


def attack(board: Board, player: int, at: int, to: int, units: int | None = None) -> Result:
    """Attack a neighbour tile; the movement is paid for, whether the survivors move in or stay.

    Survivors who stay join those who did not fight, and the lower MP counts for all of them. A unit that was drafted
    and lives is an army without MP.
    """
    met = check_attack(board, player, at, to, units)
    cost = _cost(board, player, to)
    result = fight(met)
    enemy = board.holder(to)
    defenders = board.armies.pop(to, None)
    if result.defender_left:
        board.armies[to] = Army(enemy, result.defender_left, 0 if defenders is None else defenders.mp)
    city = board.cities.get(to)
    if city is not None:
        city.size = result.city_left
        if not city.size:
            del board.cities[to]
    mp = board.armies[at].mp - cost
    board.take_out(player, at, met.attackers)
    if result.attacker_left:
        board.put_in(player, to if result.taken else at, result.attacker_left, mp)
    board.moves.append((player, at, to))
    if board.log is not None:
        board.log.append(_fought_event(board, player, enemy, at, to, met, result))
    return result


def _fought_event(board: Board, player: int, enemy: int, at: int, to: int, met: Clash, result: Result) -> Fought:
    return Fought(
        by=player,
        name=board.sides[player].name,
        at=board.place(at),
        to=board.place(to),
        enemy=enemy,
        enemy_name=board.sides[enemy].name,
        units=met.attackers,
        defenders=met.defenders + result.drafted,
        attacker_loss=result.attacker_loss,
        defender_loss=result.defender_loss,
        drafted=result.drafted,
        city=met.city,
        city_left=result.city_left,
        taken=result.taken,
    )
