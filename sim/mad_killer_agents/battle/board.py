"""A world that changes: what orders and AIs work on. `Board.of` and `Board.world` are its edges to frozen values."""

from collections.abc import Iterable, Iterator

from sim.core.errors import RuleError
from sim.mad_killer_agents.battle.events import Event, TurnBegan
from sim.mad_killer_agents.battle.values import Agent, World
from sim.mad_killer_agents.constants import (
    CITY_SCORE,
    GRANARY_UNITS,
    MOUNTAIN,
    ROAD_COST,
    ROADS_VALUE,
    START_UNITS,
    TILE_COST,
    TURN_MP,
    Technology,
    growth_paid,
)
from sim.mad_killer_agents.grid import neighbours
from sim.mad_killer_agents.terrain import Terrain
from sim.mad_killer_agents.tile_names import place_name

NO_WAY = 99
"""The cost, in halves, of a tile that can't be entered."""

_DIGITS = bytes(range(ord("0"), ord("9") + 1)).ljust(256)
"""Turns values of one digit into the digits, all at once: a whole map is written at every step."""


class Army:
    """All units of a player on a tile; `mp` in halves."""

    __slots__ = ("mp", "owner", "units")

    def __init__(self, owner: int, units: int, mp: int) -> None:
        self.owner = owner
        self.units = units
        self.mp = mp


class City:
    """A city; `number` counts its founder's cities."""

    __slots__ = ("number", "owner", "size")

    def __init__(self, owner: int, number: int, size: int) -> None:
        self.owner = owner
        self.number = number
        self.size = size


class Side:
    """A player on the board: the changing form of an `Agent`. `name` is for the events alone."""

    __slots__ = ("founded", "name", "notes", "number", "out", "techs")

    def __init__(self, agent: Agent, name: str) -> None:
        self.number = agent.number
        self.name = name
        self.techs = set(agent.techs)
        self.founded = agent.founded
        self.out = agent.out
        self.notes = agent.notes

    def agent(self) -> Agent:
        """Return the frozen form."""
        techs = tuple(tech for tech in Technology if tech in self.techs)
        return Agent(number=self.number, techs=techs, founded=self.founded, out=self.out, notes=self.notes)

    def step_costs(self) -> tuple[int, ...]:
        """Return what each tile value costs this player to enter, in halves; the first figure stands for no value."""
        roads, climbs = Technology.ROADS in self.techs, Technology.MOUNTAINEERING in self.techs
        costs = [NO_WAY, ROAD_COST, *[TILE_COST] * (MOUNTAIN - 2), TILE_COST if climbs else NO_WAY]
        if roads:
            costs[ROADS_VALUE] = ROAD_COST
        return tuple(costs)


class Board:
    """The map, armies and cities by tile, players by number. `log` gathers events; None gathers none."""

    def __init__(self, width: int, height: int, tiles: list[int], log: list[Event] | None = None) -> None:
        self.width = width
        self.height = height
        self.tiles = tiles
        self.around = neighbours(width, height)
        self.owners = [0] * len(tiles)
        self.armies: dict[int, Army] = {}
        self.cities: dict[int, City] = {}
        self.sides: dict[int, Side] = {}
        self.log = log
        self.moves: list[tuple[int, int, int]] = []

    @classmethod
    def fresh(cls, terrain: Terrain, places: Iterable[int], names: dict[int, str]) -> "Board":
        """Return the board of a game that begins: each player (by number) with its army on its place."""
        board = cls(terrain.width, terrain.height, terrain.values)
        for (number, name), place in zip(sorted(names.items()), places, strict=True):
            board.sides[number] = Side(Agent(number=number), name)
            board.armies[place] = Army(number, START_UNITS, 0)
            board.owners[place] = number
        return board

    @classmethod
    def of(cls, world: World, names: dict[int, str], log: list[Event] | None = None) -> "Board":
        """Return a board that stands like `world`."""
        board = cls(world.width, world.height, [int(digit) for row in world.tiles for digit in row], log)
        board.owners = [int(digit) for row in world.owners for digit in row]
        board.armies = {tile: Army(owner, units, mp) for tile, owner, units, mp in world.armies}
        board.cities = {tile: City(owner, number, size) for tile, owner, number, size in world.cities}
        board.sides = {agent.number: Side(agent, names[agent.number]) for agent in world.agents}
        return board

    def world(self) -> World:
        """Return the frozen form."""
        return World(
            tiles=self._rows(self.tiles),
            owners=self._rows(self.owners),
            armies=tuple((tile, army.owner, army.units, army.mp) for tile, army in sorted(self.armies.items())),
            cities=tuple((tile, city.owner, city.number, city.size) for tile, city in sorted(self.cities.items())),
            agents=tuple(side.agent() for _, side in sorted(self.sides.items())),
        )

    def _rows(self, values: list[int]) -> tuple[str, ...]:
        digits = bytes(values).translate(_DIGITS).decode("ascii")
        return tuple(digits[at : at + self.width] for at in range(0, len(digits), self.width))

    def place(self, tile: int) -> str:
        """Return what players call a tile."""
        return place_name(tile, self.width)

    def army(self, player: int, tile: int) -> Army:
        """Return a player's army on a tile; RuleError where it has none."""
        army = self.armies.get(tile)
        if army is None or army.owner != player:
            raise RuleError(f"You have no army on {self.place(tile)}.")
        return army

    def armies_of(self, player: int) -> list[int]:
        """Return the tiles of a player's armies, in order."""
        return sorted(tile for tile, army in self.armies.items() if army.owner == player)

    def cities_of(self, player: int) -> list[int]:
        """Return the tiles of a player's cities, in order."""
        return sorted(tile for tile, city in self.cities.items() if city.owner == player)

    def holder(self, tile: int) -> int:
        """Return whose army or city is on a tile, 0 for nobody."""
        army = self.armies.get(tile)
        if army is not None:
            return army.owner
        city = self.cities.get(tile)
        return 0 if city is None else city.owner

    def living(self) -> list[int]:
        """Return the numbers of the players still in the game."""
        return [number for number, side in sorted(self.sides.items()) if not side.out]

    def income(self, tile: int) -> int:
        """Return the units that the city on a tile makes each turn (rules page, "Cities")."""
        city = self.cities[tile]
        best = sorted((self.tiles[near] for near in self.around[tile]), reverse=True)
        granary = GRANARY_UNITS if Technology.GRANARY in self.sides[city.owner].techs else 0
        return self.tiles[tile] + sum(best[: city.size]) + granary

    def total_income(self, player: int) -> int:
        """Return the units that all cities of a player make each turn."""
        return sum(self.income(tile) for tile, city in self.cities.items() if city.owner == player)

    def score(self, player: int) -> int:
        """Return a player's points: units, 20 for each city, and what was paid for the growth that still stands."""
        units = sum(army.units for army in self.armies.values() if army.owner == player)
        return units + sum(CITY_SCORE + growth_paid(city.size) for city in self.cities.values() if city.owner == player)

    def scores(self) -> list[tuple[int, int]]:
        """Return the numbers and scores of all players, also of those who are out."""
        return [(number, self.score(number)) for number in sorted(self.sides)]

    def start_turn(self, player: int, number: int) -> None:
        """Begin a player's turn in round `number`: cities produce, armies get their movement point."""
        made = 0
        for tile in self.cities_of(player):
            units = self.income(tile)
            made += units
            army = self.armies.get(tile)
            if army is None:
                self.armies[tile] = Army(player, units, TURN_MP)
            else:
                army.units += units
        for army in self.armies.values():
            if army.owner == player:
                army.mp = TURN_MP
        if self.log is not None:
            self.log.append(TurnBegan(by=player, name=self.sides[player].name, round=number, made=made))

    def take_out(self, player: int, tile: int, units: int) -> None:
        """Take units off the army on a tile; with its last unit it is gone."""
        army = self.army(player, tile)
        army.units -= units
        if not army.units:
            del self.armies[tile]

    def put_in(self, player: int, tile: int, units: int, mp: int) -> None:
        """Put units on a tile that is empty or holds an army of the same player: the lower `mp` counts for all."""
        army = self.armies.get(tile)
        if army is None:
            self.armies[tile] = Army(player, units, mp)
        else:
            army.units += units
            army.mp = min(army.mp, mp)
        self.owners[tile] = player

    def fallen(self) -> Iterator[int]:
        """Mark players out who have neither armies nor cities any more; yield their numbers."""
        alive = {army.owner for army in self.armies.values()} | {city.owner for city in self.cities.values()}
        for number, side in sorted(self.sides.items()):
            if not side.out and number not in alive:
                side.out = True
                yield number

    def disband(self, player: int) -> None:
        """Take all that a player has off the board; its tiles are nobody's."""
        self.armies = {tile: army for tile, army in self.armies.items() if army.owner != player}
        self.cities = {tile: city for tile, city in self.cities.items() if city.owner != player}
        self.owners = [0 if owner == player else owner for owner in self.owners]
        self.sides[player].out = True
