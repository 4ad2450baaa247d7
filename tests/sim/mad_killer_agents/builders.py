"""Short ways to say a map, a board, a game; and strategies that draw them."""

import math
import pickle
from collections.abc import Mapping, Sequence
from functools import partial

from hypothesis import strategies as st

from sim.core.replay import Session
from sim.core.staged_job import Continue
from sim.mad_killer_agents import battle as v
from sim.mad_killer_agents.battle.board import Army, Board, City, Side
from sim.mad_killer_agents.battle.rules import MapWar
from sim.mad_killer_agents.constants import MIN_SIDE, RULES_VERSION, TURN_MP, AiKind, MapKind
from sim.mad_killer_agents.simulate import GameRequest, GameSoFar
from sim.mad_killer_agents.terrain import Drawing, Terrain, neighbors, passable, read_tile, regions, steps_from

WAR = MapWar()
Move, March, Attack = (partial(v.DirectedOrder, do=verb) for verb in v.DIRECTED_VERBS)
Found, Grow, Lower, Raise, Pass = (partial(v.TileOrder, do=verb) for verb in v.TILE_VERBS)
Begin, Undo, UndoTurn, EndTurn, Resign, Back, TimeUp, GoOn = (
    partial(v.PlainAction, do=name)
    for name in ("begin", "undo", "undo-turn", "end-turn", "resign", "back", "time-up", "go-on")
)
SIDE = 8


def terrain(value: int = 2, *, side: int = SIDE, **places: int) -> Terrain:
    """Make a map of one value, but for some places: `terrain(2, C3=6)`."""
    values = [value] * side**2
    for name, other in places.items():
        values[read_tile(name, side, side)] = other
    return Terrain.of(values, side)


def board(
    armies: Mapping[str, tuple[int, int]],
    cities: Mapping[str, tuple[int, int]] | None = None,
    ground: Terrain | None = None,
    players: int = 2,
) -> Board:
    """Make a board: armies as (owner, units), cities as (owner, size), by place; all armies have their full MP."""
    on = ground or terrain()
    made = Board(on.width, on.height, on.values)
    made.log = []
    made.sides = {number: Side(number, f"P{number}") for number in range(1, players + 1)}
    for place, (owner, units) in armies.items():
        tile = read_tile(place, on.width, on.height)
        made.armies[tile] = Army(owner, units, TURN_MP)
        made.owners[tile] = owner
    for place, (owner, size) in (cities or {}).items():
        tile = read_tile(place, on.width, on.height)
        made.sides[owner].founded += 1
        made.cities[tile] = City(owner, made.sides[owner].founded, size)
        made.owners[tile] = owner
    return made


def at(place: str, side: int = SIDE) -> int:
    """Return the tile of a place on a map of `side` x `side`."""
    return read_tile(place, side, side)


def armies_by_tile(on: Board) -> dict[str, tuple[int, int, float]]:
    """Return all armies: owner, units, movement points, by place."""
    return {on.tile_name(tile): (army.owner, army.units, army.mp / 2) for tile, army in on.armies.items()}


def setup(
    *players: str, ground: Terrain | None = None, rounds: int | None = 20, edition: int = RULES_VERSION
) -> v.Setup:
    """Make a setup of players: the name of an AI, or a person's."""
    kinds = {kind.value: kind for kind in AiKind}
    entrants = tuple(
        v.Entrant(name=f"{name.capitalize()} {number}", ai=kinds[name]) if name in kinds else v.Entrant(name=name)
        for number, name in enumerate(players, start=1)
    )
    return v.Setup(terrain=ground or terrain(), rounds=rounds, players=entrants, edition=edition)


def begin_game(
    *players: str, ground: Terrain | None = None, rounds: int | None = 20, edition: int = RULES_VERSION
) -> Session:
    """Begin a game; the order of play is that of the players."""
    play = Session(WAR, setup(*players, ground=ground, rounds=rounds, edition=edition), b"100")
    play.act(Begin(), v.seat_of(1) if players[0] not in set(AiKind) else "referee")
    return play


def first_army(play: Session, player: int) -> str:
    """Return the place of a player's first army."""
    world = play.state.world
    tile = next(row[0] for row in world.armies if row[1] == player)
    return Board.of(world, {player.number: player.name for player in play.state.players}).tile_name(tile)


def drawings(most: int) -> st.SearchStrategy[Drawing]:
    """Draw what to draw, of any kind, with sides of at most so many tiles."""
    sides = st.integers(MIN_SIDE, most)
    return st.builds(Drawing, width=sides, height=sides, kind=st.sampled_from(MapKind), omitted=st.none())


@st.composite
def ai_setups(draw: st.DrawFn) -> v.Setup:
    """Draw a small war of AIs."""
    kinds = draw(st.lists(st.sampled_from(AiKind), min_size=2, max_size=4))
    if len(kinds) == 2:
        kinds = [AiKind.MARSHAL if kind is AiKind.BARBARIAN else kind for kind in kinds]
    made = setup(*kinds, rounds=draw(st.integers(1, 30)), edition=draw(st.integers(1, RULES_VERSION)))
    return made.model_copy(update={"terrain": None, "drawing": draw(drawings(14))})


def distances(ground: Terrain) -> dict[int, list[int]]:
    """Return the steps from each tile of the largest region to all tiles."""
    open_tiles, around = passable(ground.values), neighbors(ground.width, ground.height)
    return {
        tile: steps_from((tile,), open_tiles, around) for tile in max(regions(open_tiles, around), key=len, default=[])
    }


def least(fields: dict[int, list[int]], places: Sequence[int]) -> int:
    """Return the least distance between two of the places."""
    return min(fields[place][other] for number, place in enumerate(places) for other in places[:number])


def play_out(request: GameRequest) -> GameSoFar:
    """Play a game of AIs to its end, each job as a worker gets it."""
    report = request.run()
    while isinstance(report, Continue):
        report = pickle.loads(pickle.dumps(report.rest)).run()
    return report


def wins_by_place(kind: AiKind, players: int, drawings: Sequence[Drawing], games: int) -> list[int]:
    """Return how often the first, the second … in the order of play wins alone, on each of the maps in turn."""
    wins = [0] * players
    for seed in range(games):
        drawing = drawings[seed % len(drawings)]
        state = play_out(GameRequest(players=(kind,) * players, drawing=drawing, seed=seed)).state
        if state.winner is not None:
            wins[state.order.index(state.winner)] += 1
    return wins


def sign_test(one: int, other: int) -> float:
    """Return how likely two equal players are to win at least as unequally as this."""
    games = one + other
    tail = sum(math.comb(games, wins) for wins in range(min(one, other) + 1))
    return min(1.0, tail / (1 << games - 1))
