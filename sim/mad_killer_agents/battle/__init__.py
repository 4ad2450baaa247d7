"""The war on a map. Here: its setup, state, orders and actions, frozen values that all round-trip through JSON."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, Literal, Self, get_args

from pydantic import Field, model_validator

from sim.core import RuleError
from sim.core.battle import Leave, Seat
from sim.core.names import seen_name
from sim.core.values import Ending, Frozen, is_one, is_unset
from sim.mad_killer_agents.constants import MAX_PLAYERS, MAX_ROUNDS, MIN_PLAYERS, RULES_VERSION, AiKind, Technology
from sim.mad_killer_agents.terrain import Drawing, Terrain

MAX_NAME = 32
MAX_ORDER_TEXT = 2000
"""Characters of the longest text of orders."""
MAX_TURN_MINUTES = 14 * 24 * 60

Number = Annotated[int, Field(ge=1, le=MAX_PLAYERS, strict=True)]
"""A player's number; number 3 has the seat "player-3"."""
Count = Annotated[int, Field(ge=0, strict=True)]
Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME)]

ArmyRow = tuple[Count, Number, Count, Count]
"""Tile, owner, units, movement points in halves."""
CityRow = tuple[Count, Number, Count, Count]
"""Tile, owner, number among the owner's cities, size."""
Track = tuple[Number, Count, Count]
"""A player's step: player, tile left, tile reached or attacked."""


def seat_of(number: int) -> Seat:
    """Return a player's seat."""
    return f"player-{number}"


def number_of(seat: Seat) -> int | None:
    """Return the number of a player's seat; None for any other seat."""
    return PLAYER_SEATS.index(seat) + 1 if seat in PLAYER_SEATS else None


PLAYER_SEATS: tuple[Seat, ...] = tuple(map(seat_of, range(1, MAX_PLAYERS + 1)))

RulesVersion = Annotated[int, Field(ge=1, le=RULES_VERSION, strict=True)]
"""A version of the rules; stored values call it their edition."""
Tile = Annotated[int, Field(ge=0, strict=True)]
Units = Annotated[int, Field(ge=1, le=10**12, strict=True)]


DirectedVerb = Literal["move", "march", "attack"]
DIRECTED_VERBS: tuple[str, ...] = get_args(DirectedVerb)
TileVerb = Literal["found", "grow", "lower", "raise", "pass"]
TILE_VERBS: tuple[str, ...] = get_args(TileVerb)


class DirectedOrder(Frozen):
    """An order from a tile to a neighbor: move there, march for half a movement point and some losses, or attack.

    `units`: None for the whole army.
    """

    at: Tile
    to: Tile
    units: Units | None = None
    do: DirectedVerb


class TileOrder(Frozen):
    """An order for the army on a tile: found a city, grow it by 1, lower or raise the tile's value by 1, or stay."""

    at: Tile
    do: TileVerb


class Discover(Frozen):
    """Discover a technology with the army on a tile."""

    at: Tile
    do: Literal["discover"] = "discover"
    tech: Technology


Order = Annotated[DirectedOrder | TileOrder | Discover, Field(discriminator="do")]

MAX_ORDERS = 200
"""Orders in one action."""


class Join(Frozen):
    """Join, before the game begins."""

    do: Literal["join"] = "join"
    name: Name


class AddAi(Frozen):
    """Add an AI, before the game begins."""

    do: Literal["add-ai"] = "add-ai"
    ai: AiKind


class RemoveAi(Frozen):
    """Remove an AI, before the game begins."""

    do: Literal["remove-ai"] = "remove-ai"
    number: Number


class PlainAction(Frozen):
    """An action without details.

    `begin`: draw the map and begin. `undo`: undo the last order of the turn, `undo-turn`: all of them. `end-turn`: the
    AIs that follow play at once. `resign`: give up. `back`: take the turns back from the deputy. `time-up`: let the
    deputy play a turn that lasted too long. `go-on`: resume the turns of AIs that paused.
    """

    do: Literal["begin", "undo", "undo-turn", "end-turn", "resign", "back", "time-up", "go-on"]


class Give(Frozen):
    """Give orders; either all of them are carried out or none."""

    do: Literal["give"] = "give"
    orders: Annotated[tuple[Order, ...], Field(min_length=1, max_length=MAX_ORDERS)]


class Write(Frozen):
    """Give orders as text; those that aren't allowed are left out, and then the turn doesn't end."""

    do: Literal["write"] = "write"
    text: Annotated[str, Field(max_length=MAX_ORDER_TEXT)]


class Away(Frozen):
    """Let the deputy play every turn from now on, the current one included."""

    do: Literal["away"] = "away"
    ai: AiKind | None = None


class Deputy(Frozen):
    """Choose the AI that plays when the player's time is up."""

    do: Literal["deputy"] = "deputy"
    ai: AiKind


class Replace(Frozen):
    """Replace a person by an AI for good."""

    do: Literal["replace"] = "replace"
    number: Number
    ai: AiKind


class TakeOver(Frozen):
    """Play on in place of an AI, under a name near one's own; under the AI's where earlier versions gave none."""

    do: Literal["take-over"] = "take-over"
    number: Number
    name: Annotated[Name | None, Field(exclude_if=is_unset)] = None


Action = Annotated[
    Join | Leave | AddAi | RemoveAi | PlainAction | Give | Write | Away | Deputy | Replace | TakeOver,
    Field(discriminator="do"),
]


class Agent(Frozen):
    """A player on the map, apart from its armies and cities.

    `founded`: the number of cities it ever founded. `out`: whether it is out of the game. `notes`: its AI's memory.
    """

    number: Number
    techs: tuple[Technology, ...] = ()
    founded: Count = 0
    out: bool = False
    notes: tuple[int, ...] = ()


class World(Frozen):
    """The map and everything on it.

    `tiles`: a string of digits for each row, the values. `owners`: a string of digits for each row, the number of the
    player whose army or city was last on the tile, 0 for nobody. `armies` and `cities` are sorted by tile. `quiet`: the
    rounds in a row, up to the current one, without an attack, a founding or a growth; the first edition counts none.
    """

    tiles: tuple[str, ...]
    owners: tuple[str, ...]
    armies: tuple[ArmyRow, ...]
    cities: tuple[CityRow, ...]
    agents: tuple[Agent, ...]
    quiet: Annotated[Count, Field(exclude_if=is_unset)] = 0

    @property
    def width(self) -> int:
        """Tiles in a row."""
        return len(self.tiles[0])

    @property
    def height(self) -> int:
        """Number of rows."""
        return len(self.tiles)


def player_name(name: str) -> str:
    """Return the name with single spaces; RuleError if it is empty, too long or has invisible characters."""
    short = " ".join(name.split())
    if not 1 <= len(short) <= MAX_NAME:
        raise RuleError(f"A name has 1 to {MAX_NAME} characters.")
    if seen_name(short, MAX_NAME) != short or not any(char.isalnum() for char in short):
        raise RuleError("A name needs a letter or a digit, and no invisible characters.")
    return short


class Entrant(Frozen):
    """A person or an AI that a setup brings into the game."""

    name: Name
    ai: AiKind | None = None

    @model_validator(mode="after")
    def _plain_name(self) -> Self:
        if player_name(self.name) != self.name:
            raise RuleError("A name has single spaces between its words, and none around it.")
        return self


class Setup(Frozen):
    """Setup of a game.

    `drawing`: how to draw the map when the game begins, unless there is a `terrain`. `rounds`: the limit, None for
    none. `players`: those who take part from the start. `turn_minutes`: the time limit of a turn, None for none; the
    rules read no clock, so it only matters to the caller that sends `TimeUp`. `edition`: that of the rules, by which a
    game goes on to its end. In the first the players' numbers are the order of play, starts may be nearer to each
    other, all have the same units, AIs never discover Mountaineering and quiet rounds end nothing; `rules_of` has what
    the third changed. `settled`: everybody begins in a city of size 1.
    """

    drawing: Drawing = Drawing()
    terrain: Terrain | None = None
    rounds: Annotated[int, Field(ge=1, le=MAX_ROUNDS, strict=True)] | None = 100
    players: Annotated[tuple[Entrant, ...], Field(max_length=MAX_PLAYERS)] = ()
    turn_minutes: Annotated[int, Field(ge=1, le=MAX_TURN_MINUTES, strict=True)] | None = None
    edition: Annotated[RulesVersion, Field(exclude_if=is_one)] = 1
    settled: Annotated[bool, Field(exclude_if=is_unset)] = False

    @model_validator(mode="after")
    def _unique_names(self) -> Self:
        names = [player.name.casefold() for player in self.players]
        if len(set(names)) < len(names):
            raise RuleError("No two players can have the same name.")
        return self


class Player(Frozen):
    """A person or an AI in the game.

    `ai`: None for a person. `deputy`: the AI that plays a person's turn when the time is up. `away`: whether the deputy
    plays every turn. `was_ai`: whether a person took over from an AI.
    """

    number: Number
    name: Name
    ai: AiKind | None = None
    deputy: AiKind = AiKind.MARSHAL
    away: bool = False
    was_ai: Annotated[bool, Field(exclude_if=is_unset)] = False

    @property
    def played_by(self) -> AiKind | None:
        """The AI that plays this player's turns; None while a person does."""
        return self.ai or (self.deputy if self.away else None)


class Phase(StrEnum):
    """Stage of a game."""

    LOBBY = "lobby"
    """Players join; nothing is drawn yet."""
    PLAYING = "playing"
    OVER = "over"


class State(Frozen):
    """State of a game.

    `order`: the players' numbers in the order of play, once the game has begun; empty in the first edition. `round`:
    from 1 once the game has begun. `turn`: the number of the player on turn. `before`: the world at the start of a
    person's turn, and `orders`: the orders given since then; undo uses both. `tracks`: the steps of each player's last
    turn. `ending`, and `winner` or the winners of a shared victory in `sharing`, once the game is over.
    """

    setup: Setup
    players: tuple[Player, ...]
    phase: Phase = Phase.LOBBY
    order: Annotated[tuple[Number, ...], Field(exclude_if=is_unset)] = ()
    world: World | None = None
    round: Count = 0
    turn: Count = 0
    before: World | None = None
    orders: tuple[Order, ...] = ()
    tracks: tuple[Track, ...] = ()
    ending: Ending | None = None
    winner: Number | None = None
    sharing: tuple[Number, ...] = ()

    @property
    def in_order(self) -> tuple[Player, ...]:
        """The players in the order of play, before the game begins in the order of their numbers."""
        return tuple(self.player(number) for number in self.order) or self.players

    def player(self, number: int) -> Player:
        """Return the player with that number; RuleError if there is none."""
        for player in self.players:
            if player.number == number:
                return player
        raise RuleError(f"There is no player {number}.")

    def seated(self, seat: Seat) -> Player:
        """Return the player of a seat."""
        return next(player for player in self.players if seat_of(player.number) == seat)

    def is_out(self, number: int) -> bool:
        """Return whether a player is out of the game; before it begins, everybody is."""
        return self.world is None or any(agent.out for agent in self.world.agents if agent.number == number)

    @classmethod
    def begin(cls, setup: Setup) -> Self:
        """Return the state in which players join."""
        entrants = enumerate(setup.players, start=1)
        players = tuple(Player(number=number, name=entrant.name, ai=entrant.ai) for number, entrant in entrants)
        return cls(setup=setup, players=players)

    def available_name(self, text: str) -> str:
        """Return a name that can join, close to `text`: without invisible characters, numbered if it is taken."""
        base = seen_name(text, MAX_NAME)
        if not any(char.isalnum() for char in base):
            base = "Player"
        name, number = base, 1
        while name.casefold() in self._taken:
            number += 1
            name = f"{base[: MAX_NAME - 3].strip()} {number}"
        return name

    @property
    def _taken(self) -> set[str]:
        return {player.name.casefold() for player in self.players}

    def new_player(self, name: str, ai: AiKind | None = None) -> Player:
        """Return a player for the first free seat, which there must be; RuleError if the name is taken."""
        taken = {player.number for player in self.players}
        free = next(number for number in range(1, MAX_PLAYERS + 1) if number not in taken)
        name = player_name(name)
        if name.casefold() in self._taken:
            raise RuleError(f"The name {name} is taken.")
        return Player(number=free, name=name, ai=ai)

    def new_ai(self, ai: AiKind) -> Player:
        """Return an AI of that kind under a free name."""
        return self.new_player(self.available_name(ai.capitalize()), ai)


def named(ais: Iterable[AiKind]) -> tuple[Entrant, ...]:
    """Return AIs under names of their own."""
    state = State.begin(Setup())
    for ai in ais:
        state = state.model_copy(update={"players": (*state.players, state.new_ai(ai))})
    return tuple(Entrant(name=player.name, ai=player.ai) for player in state.players)


def check_players(kinds: Iterable[AiKind | None]) -> None:
    """Raise RuleError if these players can't play with each other."""
    players = list(kinds)
    if len(players) < MIN_PLAYERS:
        raise RuleError(f"A game needs at least {MIN_PLAYERS} players.")
    if len(players) > MAX_PLAYERS:
        raise RuleError(f"A game has at most {MAX_PLAYERS} players.")
    if AiKind.BARBARIAN in players and len(players) == MIN_PLAYERS:
        raise RuleError("A barbarian needs more than 2 players.")
