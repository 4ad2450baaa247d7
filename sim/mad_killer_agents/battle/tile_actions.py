"""The orders that an army carries out where it stands. RuleError, and nothing changes, for a wrong one."""

from sim.core.errors import RuleError
from sim.mad_killer_agents.battle.board import Army, Board, City
from sim.mad_killer_agents.battle.events import Discovered, Founded, Grew, Passed, Shaped
from sim.mad_killer_agents.battle.move_options import expect_mp
from sim.mad_killer_agents.constants import (
    CITY_DISTANCE,
    EFFECTS,
    FOUND_UNITS,
    LOWER_UNITS,
    LOWEST,
    MOUNTAIN,
    RAISE_UNITS,
    WORK_COST,
    Technology,
    discovery_cost,
    growth_cost,
)
from sim.mad_killer_agents.grid import surroundings


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
    expect_mp(board, at, army, WORK_COST)
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
    expect_mp(board, at, army, WORK_COST)
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
