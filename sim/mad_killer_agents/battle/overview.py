"""How a game stands, in figures for people: players, armies, cities."""

from sim.core.frozen import Frozen
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.options import board_of
from sim.mad_killer_agents.battle.values import Player, State
from sim.mad_killer_agents.constants import AiKind, Technology


class ArmyView(Frozen):
    """An army. `mp`: movement points, whole or halves. `city`: the size of the city that it stands in, 0 for none."""

    tile: int
    place: str
    value: int
    units: int
    mp: float
    city: int


class CityView(Frozen):
    """A city. `income`: the units that it makes each turn."""

    tile: int
    place: str
    name: str
    size: int
    income: int


class PlayerView(Frozen):
    """A player. `played_by`: the AI that plays now, None for a person. `income`: units a turn, of all cities."""

    number: int
    name: str
    played_by: AiKind | None
    away: bool
    out: bool
    score: int
    units: int
    income: int
    techs: tuple[Technology, ...]
    armies: tuple[ArmyView, ...]
    cities: tuple[CityView, ...]


def overview(state: State) -> tuple[PlayerView, ...]:
    """Return all players in the order of their turns; RuleError for a game that hasn't begun."""
    board = board_of(state)
    return tuple(_view(board, player) for player in state.players)


def _view(board: Board, player: Player) -> PlayerView:
    side = board.sides[player.number]
    armies = tuple(_army(board, tile) for tile in board.armies_of(player.number))
    cities = tuple(_city(board, tile) for tile in board.cities_of(player.number))
    return PlayerView(
        number=player.number,
        name=player.name,
        played_by=player.played_by,
        away=player.away,
        out=side.out,
        score=board.score(player.number),
        units=sum(army.units for army in armies),
        income=sum(city.income for city in cities),
        techs=side.agent().techs,
        armies=armies,
        cities=cities,
    )


def _army(board: Board, tile: int) -> ArmyView:
    army, city = board.armies[tile], board.cities.get(tile)
    return ArmyView(
        tile=tile,
        place=board.place(tile),
        value=board.tiles[tile],
        units=army.units,
        mp=army.mp / 2,
        city=0 if city is None else city.size,
    )


def _city(board: Board, tile: int) -> CityView:
    city = board.cities[tile]
    name = f"{board.sides[city.owner].name} {city.number}"
    return CityView(tile=tile, place=board.place(tile), name=name, size=city.size, income=board.income(tile))
