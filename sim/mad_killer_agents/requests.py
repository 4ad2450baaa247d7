"""Questions about maps and battles, and the jobs that answer them."""

from typing import Annotated, Self

from pydantic import Field, TypeAdapter, model_validator
from typing_extensions import override

from sim.core.dice import Seed, SeededDice, seed_bytes
from sim.core.errors import RuleError
from sim.core.frozen import Frozen
from sim.core.request import Request
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.events import Began, Event
from sim.mad_killer_agents.battle.options import board_of
from sim.mad_killer_agents.battle.values import State
from sim.mad_killer_agents.battle_text import MAX_CITY, MAX_UNITS
from sim.mad_killer_agents.combat import Clash, Result, fight
from sim.mad_killer_agents.constants import HIGHEST, LOWEST
from sim.mad_killer_agents.film_frames import film_frames
from sim.mad_killer_agents.map_file import board_csv, map_csv, read_map
from sim.mad_killer_agents.splitting import Split, best_split
from sim.mad_killer_agents.terrain import Drawing, MapStatistics, Terrain, statistics

Value = Annotated[int, Field(ge=LOWEST, le=HIGHEST, strict=True)]

_DRAWING_SECONDS = 0.8  # 40 x 40 tiles, all of them owned, on a slow machine
_READING_SECONDS = 0.2
_FRAME_SECONDS = 0.02
_MOST_FRAMES = 81
_LETTER_SECONDS = 2e-7  # to read an event and do it again
_SPLIT_SECONDS = 5e-5
_SPLIT_MOST = 1.5


class Picture(Frozen):
    """An image file and what it shows, for those who can't see it."""

    data: bytes
    alt: str


class MapReport(Frozen):
    """A map, what it is like, and its picture (PNG)."""

    terrain: Terrain
    statistics: MapStatistics
    picture: Picture


class MapRequest(Request):
    """A map to draw from a seed; or one that is there already, `terrain`, to look at."""

    max_seconds = _DRAWING_SECONDS

    drawing: Drawing = Drawing()
    seed: Seed = 0
    terrain: Terrain | None = None

    def draw(self) -> Terrain:
        """Return the map alone: the one that a seed always gives."""
        return self.terrain or self.drawing.draw(SeededDice(seed_bytes(self.seed)))

    def run(self) -> MapReport:
        """Draw the map and its picture."""
        # Not at the top: who only asks the question must not load Pillow.
        from sim.mad_killer_agents.picture.draw import draw_map  # noqa: PLC0415

        terrain = self.draw()
        figures = statistics(terrain)
        shares = ", ".join(f"{count} of TV {value}" for value, count in enumerate(figures.counts, start=LOWEST))
        alt = f"A map of {terrain.width} x {terrain.height} tiles: {shares}."
        board = Board(terrain.width, terrain.height, terrain.values)
        return MapReport(terrain=terrain, statistics=figures, picture=Picture(data=draw_map(board), alt=alt))


class ReadMapRequest(Request):
    """A map as a file; TableError with everything that is wrong with it."""

    max_seconds = _READING_SECONDS

    data: bytes

    def run(self) -> Terrain:
        """Read it."""
        return read_map(self.data)


class ExportRequest(Request):
    """The map of a game as it stands and all that is on it, as CSV files by their names."""

    max_seconds = _READING_SECONDS

    state: State

    def run(self) -> dict[str, bytes]:
        """Write them; none where the game has no map yet."""
        if self.state.world is None:
            return {} if self.state.setup.terrain is None else {"map.csv": map_csv(self.state.setup.terrain)}
        terrain = Terrain(rows=self.state.world.tiles)
        return {"map.csv": map_csv(terrain), "board.csv": board_csv(board_of(self.state))}


class PictureRequest(Request):
    """The picture of a game that has begun."""

    max_seconds = _DRAWING_SECONDS

    state: State

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        if self.state.world is None:
            raise RuleError("The game has not begun yet.")
        return self

    def run(self) -> Picture:
        """Draw it."""
        from sim.mad_killer_agents.picture.draw import draw_map  # noqa: PLC0415

        board = board_of(self.state)
        return Picture(data=draw_map(board, self.state.tracks, self.state.turn), alt=self._alt(board))

    def _alt(self, board: Board) -> str:
        parts = [f"The map of {board.width} x {board.height} tiles in round {self.state.round}."]
        for number, points in board.scores():
            side = board.sides[number]
            if side.out:
                parts.append(f"{side.name} is out.")
                continue
            armies, cities = board.armies_of(number), board.cities_of(number)
            units = sum(board.armies[at].units for at in armies)
            turn = ", on turn" if number == self.state.turn else ""
            parts.append(f"{side.name}{turn}: {points} points, {units} units in {len(armies)}, {len(cities)} cities.")
        return " ".join(parts)


EVENTS: TypeAdapter[tuple[Event, ...]] = TypeAdapter(tuple[Event, ...])
"""Events to JSON and back."""


class FilmRequest(Request):
    """A game as an animation (GIF), from the events of its steps that count, in order.

    `told`: each a JSON list of events, so that nobody but the job has to read thousands of them. `rounds`: how many the
    game went on.
    """

    told: tuple[str, ...]
    rounds: Annotated[int, Field(ge=0, strict=True)]

    @override
    def cost(self) -> float:
        frames = min(self.rounds + 1, _MOST_FRAMES)
        return 0.1 + _FRAME_SECONDS * frames + _LETTER_SECONDS * sum(map(len, self.told))

    def run(self) -> Picture:
        """Play the events again and film them; RuleError where no game began."""
        from sim.mad_killer_agents.picture.film import film_of  # noqa: PLC0415

        events = [event for text in self.told for event in EVENTS.validate_json(text)]
        if not any(isinstance(event, Began) for event in events):
            raise RuleError("The game has not begun yet.")
        boards = ((board, f"Round {number}") for board, number in film_frames(events))
        rounds = f"{self.rounds} {'round' if self.rounds == 1 else 'rounds'}"
        return Picture(data=film_of(boards, self.rounds), alt=f"How the game went in {rounds}.")


class BattleReport(Frozen):
    """What a battle leads to: all attackers at once, and the best way to split them."""

    result: Result
    split: Split


class BattleRequest(Request):
    """A battle alone: units at tile values, perhaps a city and technologies."""

    attackers: Annotated[int, Field(ge=1, le=MAX_UNITS, strict=True)]
    attacker_tile: Value
    defenders: Annotated[int, Field(ge=0, le=MAX_UNITS, strict=True)]
    defender_tile: Value
    city: Annotated[int, Field(ge=0, le=MAX_CITY, strict=True)] = 0
    drill: bool = False
    masonry: bool = False

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        if not self.defenders and not self.city:
            raise RuleError("The defender needs units or a city.")
        return self

    @classmethod
    def of(cls, clash: Clash) -> Self:
        """Make the request for a battle."""
        return cls(**clash._asdict())

    @property
    def clash(self) -> Clash:
        """Who meets whom."""
        return Clash(**self.model_dump())

    @override
    def cost(self) -> float:
        return min(_SPLIT_MOST, 0.01 + _SPLIT_SECONDS * self.defenders * max(1, self.city))

    def run(self) -> BattleReport:
        """Work it out."""
        return BattleReport(result=fight(self.clash), split=best_split(self.clash))
