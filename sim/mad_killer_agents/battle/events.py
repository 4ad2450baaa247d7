"""What happens in a game: typed and compact, places and names as players read them.

All that changes the map is told by the orders and the turns that began, so a film of a game needs no AI to think again.
"""

from typing import Annotated, Literal

from pydantic import Field

from sim.core.frozen import Frozen
from sim.core.outcomes import Ending
from sim.mad_killer_agents.battle.values import Count, Number, World
from sim.mad_killer_agents.constants import AiKind, Technology

Place = Annotated[str, Field(min_length=2, max_length=4)]


class _PlayerEvent(Frozen):
    """Base: whose doing it is, by number and name."""

    by: Number
    name: str


class Joined(_PlayerEvent):
    """Somebody sat down; `ai` for an AI."""

    event: Literal["joined"] = "joined"
    ai: AiKind | None = None


class Left(_PlayerEvent):
    """Somebody stood up before the game began."""

    event: Literal["left"] = "left"


class Began(Frozen):
    """The map was drawn, the armies stand. `players`: numbers and names."""

    event: Literal["began"] = "began"
    world: World
    players: tuple[tuple[Number, str], ...]


class TurnBegan(_PlayerEvent):
    """A turn began; `made`: the units that all the player's cities made."""

    event: Literal["turn"] = "turn"
    round: Count
    made: Count


class Moved(_PlayerEvent):
    """Units went, one way after the other: from, to, how many set out, how many a forced march took."""

    event: Literal["moved"] = "moved"
    ways: tuple[tuple[Place, Place, Count, Count], ...]


class Fought(_PlayerEvent):
    """An attack: `units` from `at` on `to`.

    `defenders` include those `drafted`. `city` and `city_left`: the city's size before and after, 0 for none. `taken`:
    the survivors moved in.
    """

    event: Literal["fought"] = "fought"
    at: Place
    to: Place
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
    """A city was founded; `number` counts the founder's."""

    event: Literal["founded"] = "founded"
    at: Place
    number: Count


class Grew(_PlayerEvent):
    """A city grew to `size`."""

    event: Literal["grew"] = "grew"
    at: Place
    size: Count
    paid: Count


class Shaped(_PlayerEvent):
    """A tile was lowered or raised to `value`."""

    event: Literal["shaped"] = "shaped"
    at: Place
    value: Count
    raised: bool
    paid: Count


class Discovered(_PlayerEvent):
    """A technology was discovered."""

    event: Literal["discovered"] = "discovered"
    at: Place
    tech: Technology
    paid: Count


class Passed(_PlayerEvent):
    """An army gave up its movement points."""

    event: Literal["passed"] = "passed"
    at: Place


class Undone(_PlayerEvent):
    """The last orders of the turn were taken back, so many."""

    event: Literal["undone"] = "undone"
    orders: Count


class Played(_PlayerEvent):
    """An AI plays the turn: of its own, or in a person's place (`instead`)."""

    event: Literal["played"] = "played"
    ai: AiKind
    instead: bool


class DeputyChanged(_PlayerEvent):
    """Who plays for a person was settled: `deputy` when time is up, or every turn (`away`)."""

    event: Literal["kept"] = "kept"
    deputy: AiKind
    away: bool


class Replaced(_PlayerEvent):
    """An AI took a person's place for good."""

    event: Literal["replaced"] = "replaced"
    ai: AiKind


class Resigned(_PlayerEvent):
    """A player gave up: its armies and cities are gone."""

    event: Literal["resigned"] = "resigned"


class Out(_PlayerEvent):
    """A player has nothing left."""

    event: Literal["out"] = "out"


class Paused(Frozen):
    """AIs have played for a while; they go on when somebody asks for it."""

    event: Literal["paused"] = "paused"
    round: Count


class Ended(Frozen):
    """The game is over. `scores`: numbers, names and points, the best first; `sharing`: who shares the victory."""

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
