"""What a player can do on a board. An order that is not allowed raises RuleError and changes nothing."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Concatenate, Generic, ParamSpec

from sim.core import RuleError, flaw
from sim.core.numbers import quantity
from sim.mad_killer_agents import constants as c
from sim.mad_killer_agents.battle import DirectedOrder, Order
from sim.mad_killer_agents.battle.board import NO_WAY, Army, Board, City, Side
from sim.mad_killer_agents.battle.events import Discovered, Fought, Founded, Grew, Moved, Passed, Shaped
from sim.mad_killer_agents.combat import Clash, fight
from sim.mad_killer_agents.terrain import surroundings

P = ParamSpec("P")

_MAX_MOVES_PER_EVENT = 20
"""Steps of one `Moved` event, so that there are few events and none grows without limit."""


class OrderRule(Generic[P]):
    """An order of a `Commander`: its `steps` raise RuleError if it isn't allowed, yield, and then carry it out."""

    def __init__(self, steps: Callable[Concatenate[Any, P], Iterator[None]], own: object = None) -> None:
        self.steps = steps
        self.own = own

    def __get__(self, own: object, _: object) -> "OrderRule[P]":
        return OrderRule(self.steps, own)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Carry out the order; RuleError, and no change, if it isn't allowed."""
        for _ in self.steps(self.own, *args, **kwargs):
            pass

    def flaw(self, *args: P.args, **kwargs: P.kwargs) -> str | None:
        """Return why the order isn't allowed; None if it is."""
        return flaw(lambda: next(self.steps(self.own, *args, **kwargs)))

    def allows(self, *args: P.args, **kwargs: P.kwargs) -> bool:
        """Return whether the order is allowed."""
        try:
            next(self.steps(self.own, *args, **kwargs))
        except RuleError:
            return False
        return True


def mp_text(halves: int) -> str:
    """Return movement points as text: 1, ½, 1½."""
    whole, half = divmod(halves, 2)
    return f"{whole or ''}½" if half else str(whole)


def march_loss(value: int, units: int) -> int:
    """Return the units lost in a forced march of `units` onto a tile of that value."""
    return units * c.MARCH_LOSS * (value - 1) // 100


@dataclass(eq=False)
class Commander:
    """A player who gives orders on a board. Those to another tile are for all units there if `units` is None."""

    board: Board
    player: int

    @property
    def side(self) -> Side:
        """The player's technologies and notes."""
        return self.board.sides[self.player]

    def _name(self, tile: int) -> str:
        return self.board.tile_name(tile)

    def units_at(self, at: int) -> int:
        """Return the units of the player's army on a tile, 0 for none."""
        return self.board.units_of(self.player, at)

    def is_enemy(self, tile: int) -> bool:
        """Return whether another player's army or city is on a tile."""
        return self.board.holder(tile) not in {0, self.player}

    def step_cost(self, to: int) -> int:
        """Return what the tile costs to enter, in halves; `NO_WAY` for a mountain without Mountaineering."""
        return self.side.step_costs()[self.board.tiles[to]]

    def _going(self, at: int, to: int, units: int | None, *, attack: bool = False) -> tuple[Army, int]:
        """Return the army on a tile and how many of its units go; RuleError if the order can't be for them."""
        army = self.board.army(self.player, at)
        if to not in self.board.around[at]:
            raise RuleError(f"{self._name(to)} is not a neighbor of {self._name(at)}.")
        if units is not None and not 1 <= units <= army.units:
            raise RuleError(f"The army on {self._name(at)} has {quantity(army.units, 'unit')}, not {units:,}.")
        if self.is_enemy(to) and not attack:
            raise RuleError(f"An enemy holds {self._name(to)}: attack it from {self._name(at)}.")
        if attack and not self.is_enemy(to):
            raise RuleError(f"There is no enemy on {self._name(to)}.")
        return army, army.units if units is None else units

    def _expect_mp(self, at: int, army: Army, cost: int) -> None:
        """Raise RuleError if the army has fewer than `cost` halves left."""
        if army.mp < cost:
            left = f"the army on {self._name(at)} has {mp_text(army.mp) if army.mp else 'none'} left"
            points = "movement point" if cost <= c.TILE_COST else "movement points"
            raise RuleError(f"That takes {mp_text(cost)} {points}; {left}.")

    def _cost(self, to: int) -> int:
        cost = self.step_cost(to)
        if cost == NO_WAY:
            raise RuleError(f"{self._name(to)} is a mountain: you need Mountaineering to enter it.")
        return cost

    @OrderRule
    def move(self, at: int, to: int, units: int | None = None) -> Iterator[None]:
        """Move an army, or a part of it, to a neighbor; units that join an army share the lower movement points."""
        army, going = self._going(at, to, units)
        cost = self._cost(to)
        self._expect_mp(at, army, cost)
        yield
        self._step(at, to, going, cost, 0)

    @OrderRule
    def march(self, at: int, to: int, units: int | None = None) -> Iterator[None]:
        """March onto TV 2 to 5 for half a movement point, losing at least 1 unit.

        Not allowed where Roads make the tile as cheap without losses.
        """
        army, going = self._going(at, to, units)
        value = self.board.tiles[to]
        if not c.MIN_VALUE < value < c.MOUNTAIN:
            raise RuleError(f"Forced marches are for tile values (TV) 2 to 5; {self._name(to)} has {value}.")
        if self._cost(to) == c.ROAD_COST:
            raise RuleError(f"Your roads reach {self._name(to)} just as fast: move there.")
        lost = march_loss(value, going)
        if not lost:
            few = f"{going} {'unit is' if going == 1 else 'units are'} too few"
            raise RuleError(f"{few} for a forced march onto TV {value}.")
        self._expect_mp(at, army, c.ROAD_COST)
        yield
        self._step(at, to, going, c.ROAD_COST, lost)

    def _step(self, at: int, to: int, units: int, cost: int, lost: int) -> None:
        board, player = self.board, self.player
        mp = board.armies[at].mp - cost
        board.remove_units(player, at, units)
        board.add_units(player, to, units - lost, mp)
        board.moves.append((player, at, to))
        step = (self._name(at), self._name(to), units, lost)
        last = board.log[-1] if board.log else None
        if board.log and isinstance(last, Moved) and last.by == player and len(last.ways) < _MAX_MOVES_PER_EVENT:
            board.log[-1] = Moved(by=player, name=last.name, ways=(*last.ways, step))
        else:
            board.note(Moved, player, ways=(step,))

    def clash(self, at: int, to: int, units: int) -> Clash:
        """Return the battle in which `units` of the player attack a tile, no matter who holds it."""
        board = self.board
        army, city = board.armies.get(to), board.cities.get(to)
        return Clash(
            attackers=units,
            attacker_tile=board.tiles[at],
            defenders=0 if army is None else army.units,
            defender_tile=board.tiles[to],
            city=0 if city is None else city.size,
            drill=c.Technology.DRILL in self.side.techs,
            masonry=city is not None and c.Technology.MASONRY in board.sides[city.owner].techs,
        )

    @OrderRule
    def attack(self, at: int, to: int, units: int | None = None) -> Iterator[None]:
        """Attack a neighbor tile. The attack costs movement even if the survivors don't move in.

        Survivors who don't move in join the units that did not fight, and all get the lower movement points. A drafted
        unit that survives is an army without movement points.
        """
        board, player = self.board, self.player
        army, going = self._going(at, to, units, attack=True)
        cost = self._cost(to)
        self._expect_mp(at, army, cost)
        yield
        enemy, clash = board.holder(to), self.clash(at, to, going)
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
            at=self._name(at),
            to=self._name(to),
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

    def _pay(self, at: int, units: int, what: str, mp: int = 0) -> Iterator[None]:
        """Raise RuleError if the army on a tile can't pay for a work, yield, and then make it pay."""
        army = self.board.army(self.player, at)
        if army.units < units:
            raise RuleError(f"{what} takes {units} units; the army on {self._name(at)} has {army.units}.")
        self._expect_mp(at, army, mp)
        yield
        army.mp -= mp
        self.board.remove_units(self.player, at, units)

    @OrderRule
    def found_city(self, at: int) -> Iterator[None]:
        """Found a city of size 1."""
        board = self.board
        board.army(self.player, at)
        if board.tiles[at] == c.MOUNTAIN:
            raise RuleError("You can't found a city on a mountain.")
        if not board.cities.keys().isdisjoint(surroundings(board.width, board.height, board.city_reach)[at]):
            around = 2 * board.city_reach + 1
            near = f"Another city is too near {self._name(at)}"
            raise RuleError(f"{near}: the {around} x {around} tiles around it must have none.")
        yield from self._pay(at, c.FOUND_UNITS, "Founding a city", c.WORK_COST)
        board.quiet = 0
        self.side.founded += 1
        board.cities[at] = City(self.player, self.side.founded, 1)
        board.note(Founded, self.player, at=self._name(at), number=self.side.founded)

    @OrderRule
    def grow_city(self, at: int) -> Iterator[None]:
        """Grow the city on the army's tile by 1; that costs units but no movement."""
        self.board.army(self.player, at)
        city = self.board.cities.get(at)
        if city is None:
            raise RuleError(f"There is no city on {self._name(at)} to grow.")
        cost = c.growth_cost(city.size)
        yield from self._pay(at, cost, f"Growing from {city.size} to {city.size + 1}")
        city.size += 1
        self.board.quiet = 0
        self.board.note(Grew, self.player, at=self._name(at), size=city.size, paid=cost)

    def _shape(self, at: int, *, raised: bool) -> Iterator[None]:
        """Lower or raise the value of the army's tile by 1."""
        self.board.army(self.player, at)
        value = self.board.tiles[at]
        units, after = (c.RAISE_UNITS, value + 1) if raised else (c.LOWER_UNITS, value - 1)
        if value == c.MOUNTAIN or not c.MIN_VALUE <= after < c.MOUNTAIN:
            bounds = f"values change from {c.MIN_VALUE} to {c.MOUNTAIN - 1} only"
            raise RuleError(f"{self._name(at)} has tile value {value}: {bounds}.")
        yield from self._pay(at, units, "Raising a tile" if raised else "Lowering a tile", c.WORK_COST)
        self.board.tiles[at] = after
        self.board.note(Shaped, self.player, at=self._name(at), value=after, raised=raised, paid=units)

    lower_tile = OrderRule(partial(_shape, raised=False))
    raise_tile = OrderRule(partial(_shape, raised=True))

    @OrderRule
    def discover(self, at: int, tech: c.Technology) -> Iterator[None]:
        """Discover a technology with units of an army on any tile; that costs no movement."""
        self.board.army(self.player, at)
        if tech in self.side.techs:
            raise RuleError(f"You know {tech.capitalize()} already: {c.EFFECTS[tech]}.")
        cost = c.discovery_cost(len(self.side.techs))
        yield from self._pay(at, cost, f"Discovering {tech.capitalize()}")
        self.side.techs.add(tech)
        self.board.note(Discovered, self.player, at=self._name(at), tech=tech, paid=cost)

    @OrderRule
    def pass_army(self, at: int) -> Iterator[None]:
        """Give up an army's movement points for this turn."""
        army = self.board.army(self.player, at)
        if not army.mp:
            raise RuleError(f"The army on {self._name(at)} has no movement points left.")
        yield
        army.mp = 0
        self.board.note(Passed, self.player, at=self._name(at))

    @OrderRule
    def obey(self, order: Order) -> Iterator[None]:
        """Carry out an order, if it is about this map."""
        size = len(self.board.tiles)
        if order.at >= size or (isinstance(order, DirectedOrder) and order.to >= size):
            raise RuleError("That tile is not on the map.")
        return self._RULES[order.do].steps(self, **order.model_dump(exclude={"do"}))

    _RULES: ClassVar[Mapping[str, OrderRule[...]]] = {
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
