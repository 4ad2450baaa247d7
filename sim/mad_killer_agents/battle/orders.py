"""Checks and effects of orders. An order that is not allowed raises RuleError and changes nothing."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Generic, ParamSpec

from sim.core import RuleError, flaw
from sim.core.numbers import quantity
from sim.mad_killer_agents import constants as c
from sim.mad_killer_agents.battle import DirectedOrder, Order
from sim.mad_killer_agents.battle.board import NO_WAY, Army, Board, City
from sim.mad_killer_agents.battle.events import Discovered, Fought, Founded, Grew, Moved, Passed, Shaped
from sim.mad_killer_agents.combat import Clash, fight
from sim.mad_killer_agents.terrain import surroundings

P = ParamSpec("P")

_MAX_MOVES_PER_EVENT = 20
"""Steps of one `Moved` event, so that there are few events and none grows without limit."""


class OrderRule(Generic[P]):
    """An order: its `steps` raise RuleError if it isn't allowed, yield, and then carry it out."""

    def __init__(self, steps: Callable[P, Iterator[None]]) -> None:
        self.steps = steps

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Carry out the order; RuleError, and no change, if it isn't allowed."""
        for _ in self.steps(*args, **kwargs):
            pass

    def check(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Raise RuleError if the order isn't allowed."""
        next(self.steps(*args, **kwargs))

    def allows(self, *args: P.args, **kwargs: P.kwargs) -> bool:
        """Return whether the order is allowed."""
        return flaw(partial(self.check, *args, **kwargs)) is None


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
        raise RuleError(f"The army on {board.tile_name(at)} has {quantity(army.units, 'unit')}, not {units:,}.")
    return army, units


def expect_mp(board: Board, at: int, army: Army, cost: int) -> None:
    """Raise RuleError if the army has fewer than `cost` halves left."""
    if army.mp < cost:
        left = f"the army on {board.tile_name(at)} has {mp_text(army.mp) if army.mp else 'none'} left"
        points = "movement point" if cost <= c.TILE_COST else "movement points"
        raise RuleError(f"That takes {mp_text(cost)} {points}; {left}.")


def _cost(board: Board, player: int, to: int) -> int:
    cost = board.sides[player].step_costs()[board.tiles[to]]
    if cost == NO_WAY:
        raise RuleError(f"{board.tile_name(to)} is a mountain: you need Mountaineering to enter it.")
    return cost


def _expect_friendly(board: Board, player: int, at: int, to: int) -> None:
    if board.holder(to) not in {0, player}:
        raise RuleError(f"An enemy holds {board.tile_name(to)}: attack it from {board.tile_name(at)}.")


@OrderRule
def move(board: Board, player: int, at: int, to: int, units: int | None = None) -> Iterator[None]:
    """Move an army, or a part of it, to a neighbor; units that join an army share the lower movement points."""
    army, going = _army_and_units(board, player, at, to, units)
    _expect_friendly(board, player, at, to)
    cost = _cost(board, player, to)
    expect_mp(board, at, army, cost)
    yield
    _step(board, player, at, to, going, cost, 0)


def march_loss(value: int, units: int) -> int:
    """Return the units lost in a forced march of `units` onto a tile of that value."""
    return units * c.MARCH_LOSS * (value - 1) // 100


@OrderRule
def march(board: Board, player: int, at: int, to: int, units: int | None = None) -> Iterator[None]:
    """March onto TV 2 to 5 for half a movement point, losing at least 1 unit.

    Not allowed where Roads make the tile as cheap without losses.
    """
    army, going = _army_and_units(board, player, at, to, units)
    _expect_friendly(board, player, at, to)
    value = board.tiles[to]
    if not c.MIN_VALUE < value < c.MOUNTAIN:
        raise RuleError(f"Forced marches are for tile values (TV) 2 to 5; {board.tile_name(to)} has {value}.")
    if _cost(board, player, to) == c.ROAD_COST:
        raise RuleError(f"Your roads reach {board.tile_name(to)} just as fast: move there.")
    lost = march_loss(value, going)
    if not lost:
        raise RuleError(
            f"{going} {'unit is' if going == 1 else 'units are'} too few for a forced march onto TV {value}."
        )
    expect_mp(board, at, army, c.ROAD_COST)
    yield
    _step(board, player, at, to, going, c.ROAD_COST, lost)


def _step(board: Board, player: int, at: int, to: int, units: int, cost: int, lost: int) -> None:
    mp = board.armies[at].mp - cost
    board.remove_units(player, at, units)
    board.add_units(player, to, units - lost, mp)
    board.moves.append((player, at, to))
    step = (board.tile_name(at), board.tile_name(to), units, lost)
    last = board.log[-1] if board.log else None
    if board.log and isinstance(last, Moved) and last.by == player and len(last.ways) < _MAX_MOVES_PER_EVENT:
        board.log[-1] = Moved(by=player, name=last.name, ways=(*last.ways, step))
    else:
        board.note(Moved, player, ways=(step,))


def attack_clash(board: Board, player: int, at: int, to: int, units: int) -> Clash:
    """Return the battle in which `units` of a player attack a tile, no matter who holds it."""
    army, city = board.armies.get(to), board.cities.get(to)
    masonry = city is not None and c.Technology.MASONRY in board.sides[city.owner].techs
    return Clash(
        attackers=units,
        attacker_tile=board.tiles[at],
        defenders=0 if army is None else army.units,
        defender_tile=board.tiles[to],
        city=0 if city is None else city.size,
        drill=c.Technology.DRILL in board.sides[player].techs,
        masonry=masonry,
    )


@OrderRule
def attack(board: Board, player: int, at: int, to: int, units: int | None = None) -> Iterator[None]:
    """Attack a neighbor tile. The attack costs movement even if the survivors don't move in.

    Survivors who don't move in join the units that did not fight, and all get the lower movement points. A drafted
    unit that survives is an army without movement points.
    """
    army, going = _army_and_units(board, player, at, to, units)
    enemy = board.holder(to)
    if enemy in {0, player}:
        raise RuleError(f"There is no enemy on {board.tile_name(to)}.")
    cost = _cost(board, player, to)
    expect_mp(board, at, army, cost)
    yield
    clash = attack_clash(board, player, at, to, going)
    result = fight(clash)
    board.quiet = 0
    defenders = board.armies.pop(to, None)
    if result.defender_left:
        board.armies[to] = Army(enemy, result.defender_left, 0 if defenders is None else defenders.mp)
    city = board.cities.get(to)
    if city is not None:
        city.size = result.city_left
        if not city.size:
            del board.cities[to]
    mp = army.mp - cost
    board.remove_units(player, at, going)
    if result.attacker_left:
        board.add_units(player, to if result.taken else at, result.attacker_left, mp)
    board.moves.append((player, at, to))
    board.note(
        Fought,
        player,
        at=board.tile_name(at),
        to=board.tile_name(to),
        enemy=enemy,
        enemy_name=board.sides[enemy].name,
        units=going,
        defenders=clash.defenders + result.drafted,
        attacker_loss=result.attacker_loss,
        defender_loss=result.defender_loss,
        drafted=result.drafted,
        city=clash.city,
        city_left=result.city_left,
        taken=result.taken,
    )


def _pay(board: Board, player: int, at: int, units: int, what: str, mp: int = 0) -> Iterator[None]:
    """Raise RuleError if the army on a tile can't pay for a work, yield, and then make it pay."""
    army = board.army(player, at)
    if army.units < units:
        raise RuleError(f"{what} takes {units} units; the army on {board.tile_name(at)} has {army.units}.")
    expect_mp(board, at, army, mp)
    yield
    army.mp -= mp
    board.remove_units(player, at, units)


def has_room(board: Board, at: int) -> bool:
    """Return whether all cities are far enough away to found one on the tile."""
    near = surroundings(board.width, board.height, board.city_reach)[at]
    return board.cities.keys().isdisjoint(near)


@OrderRule
def found_city(board: Board, player: int, at: int) -> Iterator[None]:
    """Found a city of size 1."""
    board.army(player, at)
    if board.tiles[at] == c.MOUNTAIN:
        raise RuleError("You can't found a city on a mountain.")
    if not has_room(board, at):
        around = 2 * board.city_reach + 1
        raise RuleError(
            f"Another city is too near {board.tile_name(at)}: the {around} x {around} tiles around it must have none."
        )
    yield from _pay(board, player, at, c.FOUND_UNITS, "Founding a city", c.WORK_COST)
    side = board.sides[player]
    board.quiet = 0
    side.founded += 1
    board.cities[at] = City(player, side.founded, 1)
    board.note(Founded, player, at=board.tile_name(at), number=side.founded)


@OrderRule
def grow_city(board: Board, player: int, at: int) -> Iterator[None]:
    """Grow the city on the army's tile by 1; that costs units but no movement."""
    board.army(player, at)
    city = board.cities.get(at)
    if city is None:
        raise RuleError(f"There is no city on {board.tile_name(at)} to grow.")
    cost = c.growth_cost(city.size)
    yield from _pay(board, player, at, cost, f"Growing from {city.size} to {city.size + 1}")
    city.size += 1
    board.quiet = 0
    board.note(Grew, player, at=board.tile_name(at), size=city.size, paid=cost)


def _shape(board: Board, player: int, at: int, *, raised: bool) -> Iterator[None]:
    """Lower or raise the value of the army's tile by 1."""
    board.army(player, at)
    value = board.tiles[at]
    units, after = (c.RAISE_UNITS, value + 1) if raised else (c.LOWER_UNITS, value - 1)
    if value == c.MOUNTAIN or not c.MIN_VALUE <= after < c.MOUNTAIN:
        raise RuleError(
            f"{board.tile_name(at)} has tile value {value}: values change from {c.MIN_VALUE} to {c.MOUNTAIN - 1} only."
        )
    yield from _pay(board, player, at, units, "Raising a tile" if raised else "Lowering a tile", c.WORK_COST)
    board.tiles[at] = after
    board.note(Shaped, player, at=board.tile_name(at), value=after, raised=raised, paid=units)


lower_tile, raise_tile = OrderRule(partial(_shape, raised=False)), OrderRule(partial(_shape, raised=True))


@OrderRule
def discover(board: Board, player: int, at: int, tech: c.Technology) -> Iterator[None]:
    """Discover a technology with units of an army on any tile; that costs no movement."""
    board.army(player, at)
    side = board.sides[player]
    if tech in side.techs:
        raise RuleError(f"You know {tech.capitalize()} already: {c.EFFECTS[tech]}.")
    cost = c.discovery_cost(len(side.techs))
    yield from _pay(board, player, at, cost, f"Discovering {tech.capitalize()}")
    side.techs.add(tech)
    board.note(Discovered, player, at=board.tile_name(at), tech=tech, paid=cost)


@OrderRule
def pass_army(board: Board, player: int, at: int) -> Iterator[None]:
    """Give up an army's movement points for this turn."""
    army = board.army(player, at)
    if not army.mp:
        raise RuleError(f"The army on {board.tile_name(at)} has no movement points left.")
    yield
    army.mp = 0
    board.note(Passed, player, at=board.tile_name(at))


@OrderRule
def apply_order(board: Board, player: int, order: Order) -> Iterator[None]:
    """Carry out an order of the player on turn, if it is about this map."""
    size = len(board.tiles)
    if order.at >= size or (isinstance(order, DirectedOrder) and order.to >= size):
        raise RuleError("That tile is not on the map.")
    return _RULES[order.do].steps(board, player, **order.model_dump(exclude={"do"}))


_RULES: Mapping[str, OrderRule[...]] = {
    "move": move,
    "march": march,
    "attack": attack,
    "found": found_city,
    "grow": grow_city,
    "lower": lower_tile,
    "raise": raise_tile,
    "discover": discover,
    "pass": pass_army,
}
