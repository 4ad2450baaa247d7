"""The orders: what each needs, costs and does. RuleError, and nothing changes, for one that isn't allowed."""

from collections.abc import Callable
from typing import Any

from sim.core.errors import RuleError
from sim.mad_killer_agents.board import NO_WAY, Army, Board, City
from sim.mad_killer_agents.combat import Clash, Result, fight
from sim.mad_killer_agents.constants import (
    CITY_DISTANCE,
    EFFECTS,
    FOUND_UNITS,
    LOWER_UNITS,
    LOWEST,
    MARCH_LOSS,
    MOUNTAIN,
    RAISE_UNITS,
    ROAD_COST,
    WORK_COST,
    Technology,
    discovery_cost,
    growth_cost,
)
from sim.mad_killer_agents.events import Discovered, Fought, Founded, Grew, Moved, Passed, Shaped
from sim.mad_killer_agents.grid import surroundings
from sim.mad_killer_agents.orders import (
    Attack,
    Discover,
    Found,
    Grow,
    Lower,
    March,
    Move,
    Order,
    Pass,
    Raise,
)


_WAYS_TOLD_AT_ONCE = 20
"""Ways in one event: fewer events, and none that grows for ever."""


def obey(board: Board, player: int, order: Order) -> None:
    """Carry out an order of the player whose turn it is."""
    size = len(board.tiles)
    if order.at >= size or (isinstance(order, Move | March | Attack) and order.to >= size):
        raise RuleError("That tile is not on the map.")
    if isinstance(order, Move | March | Attack):
        _WAYS[order.do](board, player, order.at, order.to, order.units)
    elif isinstance(order, Discover):
        discover(board, player, order.at, order.tech)
    else:
        _HERE[type(order)](board, player, order.at)


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


def _expect_mp(board: Board, at: int, army: Army, cost: int) -> None:
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
    _expect_mp(board, at, army, cost)
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
        raise RuleError(f"{units} {'unit is' if units == 1 else 'units are'} too few for a forced march onto TV {value}.")
    _expect_mp(board, at, army, ROAD_COST)
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
    _expect_mp(board, at, army, _cost(board, player, to))
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
        board.log.append(_told(board, player, enemy, at, to, met, result))
    return result


def _told(board: Board, player: int, enemy: int, at: int, to: int, met: Clash, result: Result) -> Fought:
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


def _expect_units(board: Board, at: int, army: Army, units: int, what: str) -> None:
    if army.units < units:
        raise RuleError(f"{what} takes {units} units; the army on {board.place(at)} has {army.units}.")


def has_room(board: Board, at: int) -> bool:
    """Return whether no city is too near for another one on that tile."""
    near = surroundings(board.width, board.height, CITY_DISTANCE)[at]
    return board.cities.keys().isdisjoint(near)


def found(board: Board, player: int, at: int) -> None:
    """Found a city of size 1."""
    army, side = check_found(board, player, at), board.sides[player]
    army.mp -= WORK_COST
    board.take_out(player, at, FOUND_UNITS)
    side.founded += 1
    board.cities[at] = City(player, side.founded, 1)
    if board.log is not None:
        board.log.append(Founded(by=player, name=side.name, at=board.place(at), number=side.founded))


def check_found(board: Board, player: int, at: int) -> Army:
    """Return the army that founds a city; RuleError where it can't."""
    army = board.army(player, at)
    if board.tiles[at] == MOUNTAIN:
        raise RuleError("No city can be founded on a mountain.")
    if not has_room(board, at):
        raise RuleError(f"Another city is too near to {board.place(at)}: the 5 x 5 tiles around must have none.")
    _expect_units(board, at, army, FOUND_UNITS, "Founding a city")
    _expect_mp(board, at, army, WORK_COST)
    return army


def grow(board: Board, player: int, at: int) -> None:
    """Let the city that the army stands in grow by 1; that takes units and no movement."""
    city, cost = check_grow(board, player, at)
    board.take_out(player, at, cost)
    city.size += 1
    if board.log is not None:
        name = board.sides[player].name
        board.log.append(Grew(by=player, name=name, at=board.place(at), size=city.size, paid=cost))


def check_grow(board: Board, player: int, at: int) -> tuple[City, int]:
    """Return the city that grows and what it costs; RuleError where it can't."""
    army = board.army(player, at)
    city = board.cities.get(at)
    if city is None:
        raise RuleError(f"There is no city on {board.place(at)} to grow.")
    cost = growth_cost(city.size)
    _expect_units(board, at, army, cost, f"Growing from {city.size} to {city.size + 1}")
    return city, cost


def lower(board: Board, player: int, at: int) -> None:
    """Take 1 from the value of the army's own tile."""
    _shape(board, player, at, raised=False)


def heighten(board: Board, player: int, at: int) -> None:
    """Add 1 to the value of the army's own tile."""
    _shape(board, player, at, raised=True)


def check_shape(board: Board, player: int, at: int, *, raised: bool) -> tuple[int, int]:
    """Return the tile's new value and the units that it takes; RuleError where it can't be changed."""
    army = board.army(player, at)
    value = board.tiles[at]
    units, after = (RAISE_UNITS, value + 1) if raised else (LOWER_UNITS, value - 1)
    if value == MOUNTAIN or not LOWEST <= after < MOUNTAIN:
        raise RuleError(
            f"{board.place(at)} has TV {value}: tiles are lowered and raised within {LOWEST} to {MOUNTAIN - 1}."
        )
    _expect_units(board, at, army, units, "Raising a tile" if raised else "Lowering a tile")
    _expect_mp(board, at, army, WORK_COST)
    return after, units


def _shape(board: Board, player: int, at: int, *, raised: bool) -> None:
    value, units = check_shape(board, player, at, raised=raised)
    board.armies[at].mp -= WORK_COST
    board.take_out(player, at, units)
    board.tiles[at] = value
    if board.log is not None:
        name = board.sides[player].name
        board.log.append(Shaped(by=player, name=name, at=board.place(at), value=value, raised=raised, paid=units))


def discover(board: Board, player: int, at: int, tech: Technology) -> None:
    """Discover a technology with units of the army on a tile, wherever it stands; that takes no movement."""
    cost, side = check_discover(board, player, at, tech), board.sides[player]
    board.take_out(player, at, cost)
    side.techs.add(tech)
    if board.log is not None:
        board.log.append(Discovered(by=player, name=side.name, at=board.place(at), tech=tech, paid=cost))


def check_discover(board: Board, player: int, at: int, tech: Technology) -> int:
    """Return the units that a technology takes; RuleError where the army can't discover it."""
    army, side = board.army(player, at), board.sides[player]
    if tech in side.techs:
        raise RuleError(f"You know {tech.capitalize()} already: {EFFECTS[tech]}.")
    cost = discovery_cost(len(side.techs))
    _expect_units(board, at, army, cost, f"Discovering {tech.capitalize()}")
    return cost


def stay(board: Board, player: int, at: int) -> None:
    """Give up an army's movement points."""
    check_stay(board, player, at).mp = 0
    if board.log is not None:
        board.log.append(Passed(by=player, name=board.sides[player].name, at=board.place(at)))


def check_stay(board: Board, player: int, at: int) -> Army:
    """Return the army that has movement points to give up; RuleError for one without."""
    army = board.army(player, at)
    if not army.mp:
        raise RuleError(f"The army on {board.place(at)} has no movement points left.")
    return army


_WAYS: dict[str, Callable[[Board, int, int, int, int | None], Any]] = {"move": move, "march": march, "attack": attack}
_HERE: dict[type, Callable[[Board, int, int], None]] = {
    Found: found,
    Grow: grow,
    Lower: lower,
    Raise: heighten,
    Pass: stay,
}
