"""The values of a walk through a dungeon: how it is set up, how it stands, what players do, what happens."""

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sim.core.battle import ANYONE, REFEREE, Seat
from sim.core.errors import RuleError
from sim.core.frozen import Frozen
from sim.core.names import name_key
from sim.core.outcomes import Ending
from sim.duel.battle.values import Cast, Number, Passed, Paused, RoundBegan, Struck
from sim.duel.critter import Critter
from sim.duel.monsters import BY_NAME, MAX_LEVEL, MAX_PARTY, Encounter
from sim.duel.words import DEFAULT_WORDS, Words

MAX_ROOMS = 20
"""Rooms of a dungeon."""

HEROES: tuple[Seat, ...] = tuple(f"hero-{number}" for number in range(1, MAX_PARTY + 1))
"""The seats of those who go in, in the order in which they joined."""

PARTY: Seat = "heroes"
"""All of them together: they win when the last room is done."""

SEATS = (*HEROES, REFEREE, ANYONE, PARTY)

_DEFAULT_ROOMS = 6


class Setup(Frozen):
    """A dungeon: how many rooms, of which level, in which words. RuleError for two heroes of one name.

    The last room is a level deeper than the others. `heroes`: those who are there already; more may join.
    """

    rooms: Annotated[int, Field(strict=True, ge=1, le=MAX_ROOMS)] = _DEFAULT_ROOMS
    level: Annotated[int, Field(strict=True, ge=1, le=MAX_LEVEL)] = 1
    heroes: Annotated[tuple[Critter, ...], Field(max_length=MAX_PARTY)] = ()
    words: Words = DEFAULT_WORDS

    @model_validator(mode="after")
    def _told_apart(self) -> Self:
        for number, hero in enumerate(self.heroes):
            expect_new(hero, self.heroes[:number])
        return self

    def level_of(self, room: int) -> int:
        """Return the level of room number `room`, from 1."""
        return min(MAX_LEVEL, self.level + (room == self.rooms))


def expect_new(hero: Critter, others: tuple[Critter, ...]) -> None:
    """RuleError where somebody of that name is there already."""
    if name_key(hero.name) in {name_key(other.name) for other in others}:
        raise RuleError(f"Somebody called {hero.name} is there already: heroes need names of their own.")


class Hero(Frozen):
    """Somebody who went in: hit points left (0: dead) and experience gained."""

    critter: Critter
    hp: Number
    experience: Number = 0


class Foes(Frozen):
    """The monsters of a room: hit points left by monster; `tested`: falls after which their morale was tested."""

    met: Encounter
    hp: tuple[Number, ...]
    tested: Annotated[tuple[Literal["first", "half"], ...], Field(max_length=2)] = ()

    @model_validator(mode="after")
    def _known(self) -> Self:
        if self.met.kind not in BY_NAME:
            raise RuleError("There is no such monster.")
        return self


class Phase(StrEnum):
    """What a dungeon waits for."""

    GATHERING = "heroes"
    FIGHT = "the next round"
    CLEARED = "the way on"
    OVER = "over"


class State(Frozen):
    """How it stands. `room`: rooms entered. `round`: rounds fought in this room, `rounds` in all of them."""

    setup: Setup
    heroes: Annotated[tuple[Hero, ...], Field(max_length=MAX_PARTY)]
    phase: Phase = Phase.GATHERING
    room: Number = 0
    foes: Foes | None = None
    round: Number = 0
    rounds: Number = 0
    ending: Ending | None = None

    @property
    def alive(self) -> tuple[int, ...]:
        """The numbers of the heroes who are alive."""
        return tuple(number for number, hero in enumerate(self.heroes) if hero.hp)


class Join(Frozen):
    """Somebody joins before the first room."""

    do: Literal["join"] = "join"
    critter: Critter


class Enter(Frozen):
    """Go on: a short rest, and into the next room."""

    do: Literal["enter"] = "enter"


class Continue(Frozen):
    """Fight the next round."""

    do: Literal["continue"] = "continue"


class Run(Frozen):
    """Fight on until the room is decided."""

    do: Literal["run"] = "run"


class Leave(Frozen):
    """Take what was gained and go home, between rooms."""

    do: Literal["leave"] = "leave"


Action = Annotated[Join | Enter | Continue | Run | Leave, Field(discriminator="do")]


class Joined(Frozen):
    """Somebody joined and has a seat from now on."""

    event: Literal["joined"] = "joined"
    seat: Seat
    name: str


class Rested(Frozen):
    """A hero rested: `healed` hit points, `hp` now."""

    event: Literal["rested"] = "rested"
    who: Number
    healed: Number
    hp: Number


class Entered(Frozen):
    """The heroes came into a room; `text` describes it, `kind` and `count` tell who is there."""

    event: Literal["entered"] = "entered"
    room: Number
    rooms: Number
    text: str
    kind: str
    count: Annotated[int, Field(ge=1)]


class Morale(Frozen):
    """The monsters' morale was tested with 2d6: they flee when these show more than it."""

    event: Literal["tested"] = "tested"
    kind: str
    roll: Annotated[int, Field(ge=2, le=12)]
    morale: Annotated[int, Field(ge=2, le=12)]
    fled: Number


class Parted(Frozen):
    """Nobody who is left could ever hit the other side: they let each other be."""

    event: Literal["parted"] = "parted"


class Cleared(Frozen):
    """A room is won; `each`: experience for every hero who is alive."""

    event: Literal["cleared"] = "cleared"
    room: Number
    total: Number
    each: Number


class Score(Frozen):
    """What became of a hero: for the list of the best."""

    seat: Seat
    name: str
    experience: Number
    alive: bool


class Ended(Frozen):
    """It is over; `rooms`: how many were won."""

    event: Literal["ended"] = "ended"
    ending: Ending
    rooms: Number
    scores: tuple[Score, ...]


Event = Annotated[
    Cast | Joined | Rested | Entered | RoundBegan | Passed | Struck | Morale | Parted | Cleared | Paused | Ended,
    Field(discriminator="event"),
]


def scores(state: State) -> tuple[Score, ...]:
    """Return what every hero gained so far, in the order of their seats; the dead keep what they had."""
    return tuple(
        Score(seat=seat, name=hero.critter.name, experience=hero.experience, alive=hero.hp > 0)
        for seat, hero in zip(HEROES, state.heroes, strict=False)
    )
