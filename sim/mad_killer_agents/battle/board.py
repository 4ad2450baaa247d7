"""The mutable board that orders and AIs change. `Board.of` and `Board.world` convert from and to frozen values."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sim.core import RuleError
from sim.mad_killer_agents import constants as c
from sim.mad_killer_agents.battle import Agent, State, World
from sim.mad_killer_agents.battle.events import Event, TurnBegan
from sim.mad_killer_agents.terrain import Terrain, digit_rows, neighbors, tile_name

NO_WAY = 99
"""The cost, in halves, of a tile that can't be entered."""


@dataclass(slots=True, eq=False)
class Army:
    """All units of a player on a tile. `mp` is in halves."""

    owner: int
    units: int
    mp: int


@dataclass(slots=True, eq=False)
class City:
    """A city. `number`: which of its founder's cities it is."""

    owner: int
    number: int
    size: int


@dataclass(slots=True, eq=False)
class Side:
    """A player on the board: the mutable form of an `Agent`. Only events use `name`."""

    number: int
    name: str
    techs: set[c.Technology] = field(default_factory=set)
    founded: int = 0
    out: bool = False
    notes: tuple[int, ...] = ()

    def agent(self) -> Agent:
        """Return the frozen form."""
        techs = tuple(tech for tech in c.Technology if tech in self.techs)
        return Agent(number=self.number, techs=techs, founded=self.founded, out=self.out, notes=self.notes)

    def step_costs(self) -> tuple[int, ...]:
        """Return what each tile value costs this player to enter, in halves; index 0 is no tile value."""
        roads, climbs = c.Technology.ROADS in self.techs, c.Technology.MOUNTAINEERING in self.techs
        costs = [NO_WAY, c.ROAD_COST, *[c.TILE_COST] * (c.MOUNTAIN - 2), c.TILE_COST if climbs else NO_WAY]
        if roads:
            costs[c.ROADS_VALUE] = c.ROAD_COST
        return tuple(costs)


class PlayerFigures(NamedTuple):
    """A player's figures on a board. `income`: the units that all cities produce each turn."""

    score: int
    units: int
    armies: int
    cities: int
    income: int


class Board:
    """The map, armies and cities by tile, players by number. `log` collects events unless it is None.

    `quiet`: as in `World`. `city_reach`: that of the `rules_version`, which orders are held to.
    """

    def __init__(self, width: int, height: int, tiles: list[int], rules_version: int = c.RULES_VERSION) -> None:
        self.width = width
        self.height = height
        self.tiles = tiles
        self.around = neighbors(width, height)
        self.owners = [0] * len(tiles)
        self.armies: dict[int, Army] = {}
        self.cities: dict[int, City] = {}
        self.sides: dict[int, Side] = {}
        self.quiet = 0
        self.city_reach = c.rules_of(rules_version).city_reach
        self.log: list[Event] | None = None
        self.moves: list[tuple[int, int, int]] = []

    @classmethod
    def new(
        cls, terrain: Terrain, start_tiles: Iterable[int], names: dict[int, str], rules_version: int = c.RULES_VERSION
    ) -> "Board":
        """Return the board of a new game: each player, in order of their numbers, has an army on a start tile."""
        board = cls(terrain.width, terrain.height, terrain.values, rules_version)
        for (number, name), tile in zip(sorted(names.items()), start_tiles, strict=True):
            board.sides[number] = Side(number, name)
            board.armies[tile] = Army(number, c.START_UNITS, 0)
            board.owners[tile] = number
        return board

    @classmethod
    def of(cls, world: World, names: dict[int, str], rules_version: int = c.RULES_VERSION) -> "Board":
        """Return the board of `world`."""
        board = cls(world.width, world.height, [int(digit) for row in world.tiles for digit in row], rules_version)
        board.owners = [int(digit) for row in world.owners for digit in row]
        board.armies = {tile: Army(owner, units, mp) for tile, owner, units, mp in world.armies}
        board.cities = {tile: City(owner, number, size) for tile, owner, number, size in world.cities}
        for one in world.agents:
            board.sides[one.number] = Side(**dict(one) | {"name": names[one.number], "techs": set(one.techs)})
        board.quiet = world.quiet
        return board

    def settle(self) -> None:
        """Give every army a city."""
        for tile, army in self.armies.items():
            side = self.sides[army.owner]
            side.founded += 1
            self.cities[tile] = City(army.owner, side.founded, 1)

    def world(self) -> World:
        """Return the frozen form."""
        return World(
            tiles=digit_rows(self.tiles, self.width),
            owners=digit_rows(self.owners, self.width),
            armies=tuple((tile, army.owner, army.units, army.mp) for tile, army in sorted(self.armies.items())),
            cities=tuple((tile, city.owner, city.number, city.size) for tile, city in sorted(self.cities.items())),
            agents=tuple(side.agent() for _, side in sorted(self.sides.items())),
            quiet=self.quiet,
        )

    def tile_name(self, tile: int) -> str:
        """Return the name of a tile, such as C7."""
        return tile_name(tile, self.width)

    def army(self, player: int, tile: int) -> Army:
        """Return a player's army on a tile; RuleError if there is none."""
        army = self.armies.get(tile)
        if army is None or army.owner != player:
            raise RuleError(f"You have no army on {self.tile_name(tile)}.")
        return army

    def units_of(self, player: int, tile: int) -> int:
        """Return the units of a player's army on a tile, 0 for none."""
        army = self.armies.get(tile)
        return 0 if army is None or army.owner != player else army.units

    def held(self) -> Iterator[tuple[int, int]]:
        """Yield the tiles with an army, then those with a city, and whose it is."""
        for tile, army in self.armies.items():
            yield tile, army.owner
        for tile, city in self.cities.items():
            yield tile, city.owner

    def armies_of(self, player: int) -> list[int]:
        """Return the tiles of a player's armies, sorted."""
        return sorted(tile for tile, army in self.armies.items() if army.owner == player)

    def cities_of(self, player: int) -> list[int]:
        """Return the tiles of a player's cities, sorted."""
        return sorted(tile for tile, city in self.cities.items() if city.owner == player)

    def holder(self, tile: int) -> int:
        """Return the number of the player whose army or city is on a tile, 0 for nobody."""
        army = self.armies.get(tile)
        if army is not None:
            return army.owner
        city = self.cities.get(tile)
        return 0 if city is None else city.owner

    def living(self) -> list[int]:
        """Return the numbers of the players who are still in the game."""
        return [number for number, side in sorted(self.sides.items()) if not side.out]

    def income(self, tile: int) -> int:
        """Return the units that the city on a tile produces each turn (.docs/rules/mad_killer_agents.md, "Cities")."""
        city = self.cities[tile]
        return self.production(tile, city.size, city.owner)

    def production(self, tile: int, size: int, player: int) -> int:
        """Return the units that a player's city of `size` makes on a tile each turn."""
        best = sorted((self.tiles[near] for near in self.around[tile]), reverse=True)
        granary = c.GRANARY_UNITS if c.Technology.GRANARY in self.sides[player].techs else 0
        return self.tiles[tile] + sum(best[:size]) + granary

    def score(self, player: int) -> int:
        """Return a player's points: units, 20 for each city, and the units paid for the current size of the cities."""
        units = sum(army.units for army in self.armies.values() if army.owner == player)
        return units + sum(
            c.CITY_SCORE + c.growth_paid(city.size) for city in self.cities.values() if city.owner == player
        )

    def scores(self) -> list[tuple[int, int]]:
        """Return the numbers and scores of all players, eliminated ones included."""
        return [(number, self.score(number)) for number in sorted(self.sides)]

    def figures(self, player: int) -> PlayerFigures:
        """Return a player's figures."""
        armies, cities = self.armies_of(player), self.cities_of(player)
        return PlayerFigures(
            score=self.score(player),
            units=sum(self.armies[tile].units for tile in armies),
            armies=len(armies),
            cities=len(cities),
            income=sum(map(self.income, cities)),
        )

    def start_turn(self, player: int, number: int) -> None:
        """Begin a player's turn in round `number`: cities produce units, armies get their movement point."""
        made = 0
        for tile in self.cities_of(player):
            units = self.income(tile)
            made += units
            self.add_units(player, tile, units, c.TURN_MP)
        for army in self.armies.values():
            if army.owner == player:
                army.mp = c.TURN_MP
        self.note(TurnBegan, player, round=number, made=made)

    def note(self, event: Callable[..., Event], player: int, **details: Any) -> None:  # noqa: ANN401  # an event's fields
        """Log an event that a player caused, if there is a log."""
        if self.log is not None:
            self.log.append(event(by=player, name=self.sides[player].name, **details))

    def remove_units(self, player: int, tile: int, units: int) -> None:
        """Remove units from the army on a tile; an army without units is gone."""
        army = self.army(player, tile)
        army.units -= units
        if not army.units:
            del self.armies[tile]

    def add_units(self, player: int, tile: int, units: int, mp: int) -> None:
        """Add units to a tile that is empty or holds an army of the same player, which keeps the lower `mp`."""
        army = self.armies.get(tile)
        if army is None:
            self.armies[tile] = Army(player, units, mp)
        else:
            army.units += units
            army.mp = min(army.mp, mp)
        self.owners[tile] = player

    def eliminate(self) -> Iterator[int]:
        """Mark players without armies and cities as out; yield their numbers."""
        alive = {owner for _, owner in self.held()}
        for number, side in sorted(self.sides.items()):
            if not side.out and number not in alive:
                side.out = True
                yield number

    def disband(self, player: int) -> None:
        """Remove a player's armies, cities and ownership of tiles; the player is out."""
        self.armies = {tile: army for tile, army in self.armies.items() if army.owner != player}
        self.cities = {tile: city for tile, city in self.cities.items() if city.owner != player}
        self.owners = [0 if owner == player else owner for owner in self.owners]
        self.sides[player].out = True


def board_of(state: State) -> Board:
    """Return the board of a game; RuleError if it has not begun."""
    if state.world is None:
        raise RuleError("The game has not begun yet.")
    return Board.of(state.world, {player.number: player.name for player in state.players}, state.setup.edition)
