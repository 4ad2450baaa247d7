"""How a game stands, and how it is set up: frozen values that round-trip through JSON."""

from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from sim.core.battle import Seat
from sim.core.caret import visible
from sim.core.errors import RuleError
from sim.core.frozen import Frozen
from sim.core.outcomes import Ending
from sim.mad_killer_agents.battle.orders import Order
from sim.mad_killer_agents.constants import MOST_PLAYERS, MOST_ROUNDS, AiKind, Technology
from sim.mad_killer_agents.terrain import Drawing, Terrain

MAX_NAME = 32
MOST_TURN_MINUTES = 14 * 24 * 60

Number = Annotated[int, Field(ge=1, le=MOST_PLAYERS, strict=True)]
"""A player's number: the seat "player-3" is number 3."""
Count = Annotated[int, Field(ge=0, strict=True)]
Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME)]

ArmyRow = tuple[Count, Number, Count, Count]
"""Tile, owner, units, movement points in halves."""
CityRow = tuple[Count, Number, Count, Count]
"""Tile, owner, number among the owner's cities, size."""
Track = tuple[Number, Count, Count]
"""Who went from which tile to which."""


def seat_of(number: int) -> Seat:
    """Return a player's seat."""
    return f"player-{number}"


def number_of(seat: Seat) -> int | None:
    """Return the number of a player's seat; None for another seat."""
    return _NUMBERS.get(seat)


_NUMBERS: dict[Seat, int] = {seat_of(number): number for number in range(1, MOST_PLAYERS + 1)}

PLAYER_SEATS: tuple[Seat, ...] = tuple(_NUMBERS)


class Agent(Frozen):
    """What belongs to a player on the map beside armies and cities.

    `founded`: how many cities it ever founded. `out`: whether it is out of the game. `notes`: what its AI remembers.
    """

    number: Number
    techs: tuple[Technology, ...] = ()
    founded: Count = 0
    out: bool = False
    notes: tuple[int, ...] = ()


class World(Frozen):
    """The map and all that is on it.

    `tiles`: a text of digits for each row, the values. `owners`: likewise the numbers of those whose army or city was
    the last on a tile, 0 for nobody. `armies` and `cities` in the order of their tiles.
    """

    tiles: tuple[str, ...]
    owners: tuple[str, ...]
    armies: tuple[ArmyRow, ...]
    cities: tuple[CityRow, ...]
    agents: tuple[Agent, ...]

    @property
    def width(self) -> int:
        """Tiles of a row."""
        return len(self.tiles[0])

    @property
    def height(self) -> int:
        """How many rows there are."""
        return len(self.tiles)


def player_name(name: str) -> str:
    """Return a player's name, fit for any text; RuleError for one that is empty, too long or can't be seen."""
    short = " ".join(name.split())
    if not 1 <= len(short) <= MAX_NAME:
        raise RuleError(f"A name has 1 to {MAX_NAME} characters.")
    if visible(short) != short or not any(char.isalnum() for char in short):
        raise RuleError("A name is made of characters that can be seen, a letter or a digit among them.")
    return short


class Entrant(Frozen):
    """Somebody who is to play: a person, or an AI."""

    name: Name
    ai: AiKind | None = None

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        if player_name(self.name) != self.name:
            raise RuleError("A name has single blanks between its words, and none around.")
        return self


class Setup(Frozen):
    """What a game is begun from.

    `drawing`: how the map is drawn, when the game begins; `terrain`: a map that is there already, which then decides.
    `rounds`: the game ends after so many, None for no limit. `players`: who sits down at once, in the order of turns.
    `turn_minutes`: how long a turn may last before the clock calls the time up, None for as long as it likes; the rules
    read no clock, so that only those who call it need to know.
    """

    drawing: Drawing = Drawing()
    terrain: Terrain | None = None
    rounds: Annotated[int, Field(ge=1, le=MOST_ROUNDS, strict=True)] | None = 100
    players: Annotated[tuple[Entrant, ...], Field(max_length=MOST_PLAYERS)] = ()
    turn_minutes: Annotated[int, Field(ge=1, le=MOST_TURN_MINUTES, strict=True)] | None = None

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        names = [player.name.casefold() for player in self.players]
        if len(set(names)) < len(names):
            raise RuleError("Every player needs a name of its own.")
        return self


class Player(Frozen):
    """A player as a person or an AI.

    `ai`: the AI that plays for good, None for a person. `deputy`: the AI that plays a person's turn when its time is
    up. `away`: whether the deputy plays every turn.
    """

    number: Number
    name: Name
    ai: AiKind | None = None
    deputy: AiKind = AiKind.MARSHAL
    away: bool = False

    @property
    def played_by(self) -> AiKind | None:
        """The AI that plays this player's turns; None while a person does."""
        return self.ai or (self.deputy if self.away else None)


class Phase(StrEnum):
    """What a game is waiting for."""

    LOBBY = "lobby"
    """Players, and somebody who begins."""
    PLAYING = "playing"
    OVER = "over"


class State(Frozen):
    """How a game stands.

    `round`: from 1 once it has begun. `turn`: whose turn it is. `before`: the world at the start of a person's turn,
    and `orders`: what was ordered since, both to undo by. `tracks`: who went where, of each player's last turn.
    `ending`, `winner` and the winners of a shared victory, `sharing`, once it is over.
    """

    setup: Setup
    players: tuple[Player, ...]
    phase: Phase = Phase.LOBBY
    world: World | None = None
    round: Count = 0
    turn: Count = 0
    before: World | None = None
    orders: tuple[Order, ...] = ()
    tracks: tuple[Track, ...] = ()
    ending: Ending | None = None
    winner: Number | None = None
    sharing: tuple[Number, ...] = ()

    def player(self, number: int) -> Player:
        """Return the player of that number; RuleError when there is none."""
        for player in self.players:
            if player.number == number:
                return player
        raise RuleError(f"There is no player {number}.")
