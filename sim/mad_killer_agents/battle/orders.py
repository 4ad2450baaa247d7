"""Checks and effects of orders. An order that is not allowed raises RuleError and changes nothing."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from sim.core.errors import RuleError
from sim.mad_killer_agents.battle.board import NO_WAY, Army, Board, City
from sim.mad_killer_agents.battle.events import Discovered, Fought, Founded, Grew, Moved, Passed, Shaped
from sim.mad_killer_agents.battle.values import DirectedOrder, Discover, Order
from sim.mad_killer_agents.combat import Clash, Result, fight
from sim.mad_killer_agents.constants import (
    EFFECTS,
    FOUND_UNITS,
    LOWER_UNITS,
    MARCH_LOSS,
    MIN_VALUE,
    MOUNTAIN,
    RAISE_UNITS,
    ROAD_COST,
    TILE_COST,
    WORK_COST,
    Technology,
    discovery_cost,
    growth_cost,
)
from sim.mad_killer_agents.grid import surroundings

_MAX_MOVES_PER_EVENT = 20
"""Steps of one `Moved` event, so that there are few events and none grows without limit."""


def mp_text(halves: int) -> str:
    """Return movement points as text: 1, ½, 1½."""
    whole, half = divmod(halves, 2)
    return f"{whole or ''}½" if half else str(whole)


def _army_and_units(board: Board, player: int, at: int, to: int, units: int | None) -> tuple[Army, int]:
    """Return the army on a tile and how many of its units go; RuleError if the order can't be for them."""
    army = board.army(player, at)
    if to not in board.around[at]:
        raise RuleError(f"{board.tile_name(to)} is not a neighbor of {board.tile_name(at)}.")
    if units is None:
        return army, army.units
    if not 1 <= units <= army.units:
        raise RuleError(f"The army on {board.tile_name(at)} has {army.units} units, not {units:,}.")
    return army, units


def expect_mp(board: Board, at: int, army: Army, cost: int) -> None:
    """Raise RuleError if the army has fewer than `cost` halves left."""
    if army.mp < cost:
        left = f"the army on {board.tile_name(at)} has {mp_text(army.mp) if army.mp else 'none'} left"
        points = "movement point" if cost <= TILE_COST else "movement points"
        raise RuleError(f"That takes {mp_text(cost)} {points}; {left}.")


def _cost(board: Board, player: int, to: int) -> int:
    cost = board.sides[player].step_costs()[board.tiles[to]]
    if cost == NO_WAY:
        raise RuleError(f"{board.tile_name(to)} is a mountain: you need Mountaineering to enter it.")
    return cost


def _expect_friendly(board: Board, player: int, at: int, to: int) -> None:
    if board.holder(to) not in {0, player}:
        raise RuleError(f"An enemy holds {board.tile_name(to)}: attack it from {board.tile_name(at)}.")


def move(board: Board, player: int, at: int, to: int, units: int | None = None) -> None:
    """Move an army, or a part of it, to a neighbor; units that join an army share the lower movement points."""
    units, cost = check_move(board, player, at, to, units)
    _step(board, player, at, to, units, cost, 0)


def check_move(board: Board, player: int, at: int, to: int, units: int | None = None) -> tuple[int, int]:
    """Return the units that a move takes along and its cost in halves; RuleError if it isn't allowed."""
    army, units = _army_and_units(board, player, at, to, units)
    _expect_friendly(board, player, at, to)
    cost = _cost(board, player, to)
    expect_mp(board, at, army, cost)
    return units, cost


def march_loss(value: int, units: int) -> int:
    """Return the units lost in a forced march of `units` onto a tile of that value."""
    return units * MARCH_LOSS * (value - 1) // 100


def march(board: Board, player: int, at: int, to: int, units: int | None = None) -> None:
    """March onto TV 2 to 5 for half a movement point, losing at least 1 unit.

    Not allowed where Roads make the tile as cheap without losses.
    """
    units, lost = check_march(board, player, at, to, units)
    _step(board, player, at, to, units, ROAD_COST, lost)


def check_march(board: Board, player: int, at: int, to: int, units: int | None = None) -> tuple[int, int]:
    """Return the units that set out and the units lost; RuleError if the march isn't allowed."""
    army, units = _army_and_units(board, player, at, to, units)
    _expect_friendly(board, player, at, to)
    value = board.tiles[to]
    if not MIN_VALUE < value < MOUNTAIN:
        raise RuleError(f"Forced marches are for tile values (TV) 2 to 5; {board.tile_name(to)} has {value}.")
    if _cost(board, player, to) == ROAD_COST:
        raise RuleError(f"Your roads reach {board.tile_name(to)} just as fast: move there.")
    lost = march_loss(value, units)
    if not lost:
        raise RuleError(
            f"{units} {'unit is' if units == 1 else 'units are'} too few for a forced march onto TV {value}."
        )
    expect_mp(board, at, army, ROAD_COST)
    return units, lost


def _step(board: Board, player: int, at: int, to: int, units: int, cost: int, lost: int) -> None:
    mp = board.armies[at].mp - cost
    board.remove_units(player, at, units)
    board.add_units(player, to, units - lost, mp)
    board.moves.append((player, at, to))
    if board.log is not None:
        step = (board.tile_name(at), board.tile_name(to), units, lost)
        last = board.log[-1] if board.log else None
        if isinstance(last, Moved) and last.by == player and len(last.ways) < _MAX_MOVES_PER_EVENT:
            board.log[-1] = Moved(by=player, name=last.name, ways=(*last.ways, step))
        else:
            board.log.append(Moved(by=player, name=board.sides[player].name, ways=(step,)))


def attack_clash(board: Board, player: int, at: int, to: int, units: int) -> Clash:
    """Return the battle of an attack by `units` of a player; the target must be an enemy's."""
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
    """Return the battle of an attack; RuleError if it isn't allowed."""
    army, units = _army_and_units(board, player, at, to, units)
    if board.holder(to) in {0, player}:
        raise RuleError(f"There is no enemy on {board.tile_name(to)}.")
    expect_mp(board, at, army, _cost(board, player, to))
    return attack_clash(board, player, at, to, units)


def attack(board: Board, player: int, at: int, to: int, units: int | None = None) -> Result:
    """Attack a neighbor tile and return the result. The attack costs movement even if the survivors don't move in.

    Survivors who don't move in join the units that did not fight, and all get the lower movement points. A drafted
    unit that survives is an army without movement points.
    """
    clash = check_attack(board, player, at, to, units)
    cost = _cost(board, player, to)
    result = fight(clash)
    board.quiet = 0
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
    board.remove_units(player, at, clash.attackers)
    if result.attacker_left:
        board.add_units(player, to if result.taken else at, result.attacker_left, mp)
    board.moves.append((player, at, to))
    if board.log is not None:
        board.log.append(_fought_event(board, player, enemy, at, to, clash, result))
    return result


def _fought_event(board: Board, player: int, enemy: int, at: int, to: int, clash: Clash, result: Result) -> Fought:
    return Fought(
        by=player,
        name=board.sides[player].name,
        at=board.tile_name(at),
        to=board.tile_name(to),
        enemy=enemy,
        enemy_name=board.sides[enemy].name,
        units=clash.attackers,
        defenders=clash.defenders + result.drafted,
        attacker_loss=result.attacker_loss,
        defender_loss=result.defender_loss,
        drafted=result.drafted,
        city=clash.city,
        city_left=result.city_left,
        taken=result.taken,
    )


def _expect_units(board: Board, at: int, army: Army, units: int, what: str) -> None:
    if army.units < units:
        raise RuleError(f"{what} takes {units} units; the army on {board.tile_name(at)} has {army.units}.")


def has_room(board: Board, at: int) -> bool:
    """Return whether all cities are far enough away to found one on the tile."""
    near = surroundings(board.width, board.height, board.city_reach)[at]
    return board.cities.keys().isdisjoint(near)


def found_city(board: Board, player: int, at: int) -> None:
    """Found a city of size 1."""
    army, side = check_found(board, player, at), board.sides[player]
    army.mp -= WORK_COST
    board.remove_units(player, at, FOUND_UNITS)
    board.quiet = 0
    side.founded += 1
    board.cities[at] = City(player, side.founded, 1)
    if board.log is not None:
        board.log.append(Founded(by=player, name=side.name, at=board.tile_name(at), number=side.founded))


def check_found(board: Board, player: int, at: int) -> Army:
    """Return the army that founds a city; RuleError if it can't."""
    army = board.army(player, at)
    if board.tiles[at] == MOUNTAIN:
        raise RuleError("You can't found a city on a mountain.")
    if not has_room(board, at):
        around = 2 * board.city_reach + 1
        raise RuleError(
            f"Another city is too near {board.tile_name(at)}: the {around} x {around} tiles around it must have none."
        )
    _expect_units(board, at, army, FOUND_UNITS, "Founding a city")
    expect_mp(board, at, army, WORK_COST)
    return army


def grow_city(board: Board, player: int, at: int) -> None:
    """Grow the city on the army's tile by 1; that costs units but no movement."""
    city, cost = check_grow(board, player, at)
    board.remove_units(player, at, cost)
    city.size += 1
    board.quiet = 0
    if board.log is not None:
        name = board.sides[player].name
        board.log.append(Grew(by=player, name=name, at=board.tile_name(at), size=city.size, paid=cost))


def check_grow(board: Board, player: int, at: int) -> tuple[City, int]:
    """Return the city and the units that its growth costs; RuleError if it can't grow."""
    army = board.army(player, at)
    city = board.cities.get(at)
    if city is None:
        raise RuleError(f"There is no city on {board.tile_name(at)} to grow.")
    cost = growth_cost(city.size)
    _expect_units(board, at, army, cost, f"Growing from {city.size} to {city.size + 1}")
    return city, cost


def check_shape(board: Board, player: int, at: int, *, raised: bool) -> tuple[int, int]:
    """Return the tile's new value and the units that the change costs; RuleError if it isn't allowed."""
    army = board.army(player, at)
    value = board.tiles[at]
    units, after = (RAISE_UNITS, value + 1) if raised else (LOWER_UNITS, value - 1)
    if value == MOUNTAIN or not MIN_VALUE <= after < MOUNTAIN:
        raise RuleError(
            f"{board.tile_name(at)} has tile value {value}: values change from {MIN_VALUE} to {MOUNTAIN - 1} only."
        )
    _expect_units(board, at, army, units, "Raising a tile" if raised else "Lowering a tile")
    expect_mp(board, at, army, WORK_COST)
    return after, units


def shape_tile(board: Board, player: int, at: int, *, raised: bool) -> None:
    """Lower or raise the value of the army's tile by 1."""
    value, units = check_shape(board, player, at, raised=raised)
    board.armies[at].mp -= WORK_COST
    board.remove_units(player, at, units)
    board.tiles[at] = value
    if board.log is not None:
        name = board.sides[player].name
        board.log.append(Shaped(by=player, name=name, at=board.tile_name(at), value=value, raised=raised, paid=units))


def discover(board: Board, player: int, at: int, tech: Technology) -> None:
    """Discover a technology with units of an army on any tile; that costs no movement."""
    cost, side = check_discover(board, player, at, tech), board.sides[player]
    board.remove_units(player, at, cost)
    side.techs.add(tech)
    if board.log is not None:
        board.log.append(Discovered(by=player, name=side.name, at=board.tile_name(at), tech=tech, paid=cost))


def check_discover(board: Board, player: int, at: int, tech: Technology) -> int:
    """Return the units that a technology costs; RuleError if the army can't discover it."""
    army, side = board.army(player, at), board.sides[player]
    if tech in side.techs:
        raise RuleError(f"You know {tech.capitalize()} already: {EFFECTS[tech]}.")
    cost = discovery_cost(len(side.techs))
    _expect_units(board, at, army, cost, f"Discovering {tech.capitalize()}")
    return cost


def pass_army(board: Board, player: int, at: int) -> None:
    """Give up an army's movement points for this turn."""
    check_pass(board, player, at).mp = 0
    if board.log is not None:
        board.log.append(Passed(by=player, name=board.sides[player].name, at=board.tile_name(at)))


def check_pass(board: Board, player: int, at: int) -> Army:
    """Return the army; RuleError if it has no movement points to give up."""
    army = board.army(player, at)
    if not army.mp:
        raise RuleError(f"The army on {board.tile_name(at)} has no movement points left.")
    return army


def apply_order(board: Board, player: int, order: Order) -> None:
    """Carry out an order of the player on turn; RuleError, and no change, if it isn't allowed."""
    _ORDERS[order.do].carry_out(board, player, *_details(board, order))


def check_order(board: Board, player: int, order: Order) -> None:
    """Raise RuleError if an order isn't allowed now; the board does not change."""
    _ORDERS[order.do].check(board, player, *_details(board, order))


def _details(board: Board, order: Order) -> tuple[Any, ...]:
    """Return what an order says beyond its verb; RuleError if it isn't about this map."""
    size = len(board.tiles)
    if order.at >= size or (isinstance(order, DirectedOrder) and order.to >= size):
        raise RuleError("That tile is not on the map.")
    if isinstance(order, DirectedOrder):
        return order.at, order.to, order.units
    return (order.at, order.tech) if isinstance(order, Discover) else (order.at,)


class _Functions(NamedTuple):
    """What checks and what carries out an order, given the board, the player and the details."""

    check: Callable[..., Any]
    carry_out: Callable[..., Any]


_ORDERS = {
    "move": _Functions(check_move, move),
    "march": _Functions(check_march, march),
    "attack": _Functions(check_attack, attack),
    "found": _Functions(check_found, found_city),
    "grow": _Functions(check_grow, grow_city),
    "lower": _Functions(partial(check_shape, raised=False), partial(shape_tile, raised=False)),
    "raise": _Functions(partial(check_shape, raised=True), partial(shape_tile, raised=True)),
    "discover": _Functions(check_discover, discover),
    "pass": _Functions(check_pass, pass_army),
}
