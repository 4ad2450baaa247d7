"""Events of a game, with tiles and players named as players read them.

Events of orders and of turns that began are enough to replay every change of the map without the AIs.
"""

from typing import Annotated, Literal

from pydantic import Field

from sim.core.battle import Seat
from sim.core.lobby import SeatEvent
from sim.core.values import Ending, Frozen
from sim.mad_killer_agents.battle.values import Count, Number, World, seat_of
from sim.mad_killer_agents.constants import AiKind, Technology

TileName = Annotated[str, Field(min_length=2, max_length=4)]


class _PlayerEvent(Frozen):
    """Base of events that a player causes."""

    by: Number
    name: str


class Joined(_PlayerEvent, SeatEvent):
    """A person or an AI joined."""

    event: Literal["joined"] = "joined"
    ai: AiKind | None = None

    def seat_change(self) -> tuple[Seat, bool] | None:
        """Return a person's seat, taken; AIs have none."""
        return (seat_of(self.by), True) if self.ai is None else None


class Left(_PlayerEvent, SeatEvent):
    """A player left before the game began."""

    event: Literal["left"] = "left"

    def seat_change(self) -> tuple[Seat, bool]:
        """Return the seat, given up."""
        return seat_of(self.by), False


class Began(Frozen):
    """The game began with the drawn map and the first armies. `players`: numbers and names, in the order of play."""

    event: Literal["began"] = "began"
    world: World
    players: tuple[tuple[Number, str], ...]


class TurnBegan(_PlayerEvent):
    """A turn began. `made`: the units that all of the player's cities produced."""

    event: Literal["turn"] = "turn"
    round: Count
    made: Count


class Moved(_PlayerEvent):
    """Units moved, one step after another: from, to, units that set out, units lost in a forced march."""

    event: Literal["moved"] = "moved"
    ways: tuple[tuple[TileName, TileName, Count, Count], ...]


class Fought(_PlayerEvent):
    """`units` attacked from `at` to `to`.

    `defenders` include those `drafted`. `city` and `city_left`: the city's size before and after, 0 for none. `taken`:
    whether the survivors moved in.
    """

    event: Literal["fought"] = "fought"
    at: TileName
    to: TileName
    enemy: Number
    enemy_name: str
    units: Count
    defenders: Count
    attacker_loss: Count
    defender_loss: Count
    drafted: Count = 0
    city: Count = 0
    city_left: Count = 0
    taken: bool


class Founded(_PlayerEvent):
    """A city was founded. `number`: which of the founder's cities it is."""

    event: Literal["founded"] = "founded"
    at: TileName
    number: Count


class Grew(_PlayerEvent):
    """A city grew to `size`."""

    event: Literal["grew"] = "grew"
    at: TileName
    size: Count
    paid: Count


class Shaped(_PlayerEvent):
    """A tile was lowered or raised to `value`."""

    event: Literal["shaped"] = "shaped"
    at: TileName
    value: Count
    raised: bool
    paid: Count


class Discovered(_PlayerEvent):
    """A technology was discovered."""

    event: Literal["discovered"] = "discovered"
    at: TileName
    tech: Technology
    paid: Count


class Passed(_PlayerEvent):
    """An army gave up its movement points."""

    event: Literal["passed"] = "passed"
    at: TileName


class Undone(_PlayerEvent):
    """The last orders of the turn were undone. `orders`: their number."""

    event: Literal["undone"] = "undone"
    orders: Count


class Played(_PlayerEvent):
    """An AI plays the turn: its own, or a person's (`instead`)."""

    event: Literal["played"] = "played"
    ai: AiKind
    instead: bool


class DeputyChanged(_PlayerEvent):
    """A person chose the `deputy` that plays when time is up, or every turn (`away`)."""

    event: Literal["kept"] = "kept"
    deputy: AiKind
    away: bool


class Replaced(_PlayerEvent):
    """An AI replaced a person for good."""

    event: Literal["replaced"] = "replaced"
    ai: AiKind


class Resigned(_PlayerEvent):
    """A player gave up and lost all armies and cities."""

    event: Literal["resigned"] = "resigned"


class Out(_PlayerEvent):
    """A player has nothing left."""

    event: Literal["out"] = "out"


class Paused(Frozen):
    """The AIs paused until somebody resumes them."""

    event: Literal["paused"] = "paused"
    round: Count


class Ended(Frozen):
    """The game is over. `scores`: numbers, names and points, best first. `sharing`: the winners of a shared victory."""

    event: Literal["ended"] = "ended"
    ending: Ending
    winner: Number | None
    sharing: tuple[Number, ...] = ()
    rounds: Count
    scores: tuple[tuple[Number, str, Count], ...]


Event = Annotated[
    Joined
    | Left
    | Began
    | TurnBegan
    | Moved
    | Fought
    | Founded
    | Grew
    | Shaped
    | Discovered
    | Passed
    | Undone
    | Played
    | DeputyChanged
    | Replaced
    | Resigned
    | Out
    | Paused
    | Ended,
    Field(discriminator="event"),
]
