"""The setup, state, actions and events of a dungeon."""

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sim.core import RuleError
from sim.core.battle import Seat, SeatEvent
from sim.core.names import name_key
from sim.core.values import Ending, Frozen, Number, Paused, is_unset
from sim.duel.battle import Cast, Continue, FightEvent, Run
from sim.duel.critter import Critter, RulesVersion
from sim.duel.monsters import MAX_LEVEL, MAX_PARTY, MONSTERS_BY_NAME, Encounter
from sim.duel.words import DEFAULT_WORDS, TextRotation, Words

MAX_ROOMS = 20
"""Maximum number of rooms."""

HEROES: tuple[Seat, ...] = tuple(f"hero-{number}" for number in range(1, MAX_PARTY + 1))
"""The heroes' seats, in the order they joined."""

PARTY: Seat = "heroes"
"""All heroes: the winner after the last room."""


class Room(Frozen):
    """A room that was rolled before: what the heroes see, and whom they meet."""

    text: str
    met: Encounter


class Setup(Frozen):
    """A dungeon's rooms, level and words. RuleError if two heroes have the same name.

    The last room is one level deeper than the others. `heroes`: the first ones; more may join. `hp`: what these enter
    with, empty for full health. `turns`: whether the living heroes act in turn, a round each. `edition`: of the rules.
    `plan`: the rooms, empty where they are rolled one by one.
    """

    rooms: Annotated[int, Field(strict=True, ge=1, le=MAX_ROOMS)] = 6
    level: Annotated[int, Field(strict=True, ge=1, le=MAX_LEVEL)] = 1
    heroes: Annotated[tuple[Critter, ...], Field(max_length=MAX_PARTY)] = ()
    hp: Annotated[tuple[Annotated[int, Field(ge=1)], ...], Field(max_length=MAX_PARTY, exclude_if=is_unset)] = ()
    words: Words = DEFAULT_WORDS
    turns: Annotated[bool, Field(exclude_if=is_unset)] = False
    edition: RulesVersion = 1
    plan: Annotated[tuple[Room, ...], Field(max_length=MAX_ROOMS, exclude_if=is_unset)] = ()

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        for number, hero in enumerate(self.heroes):
            expect_new_name(hero, self.heroes[:number])
        if self.hp and len(self.hp) != len(self.heroes):
            raise RuleError("Every hero needs hit points, or none.")
        if self.plan and len(self.plan) != self.rooms:
            raise RuleError("Every room needs a plan, or none.")
        return self

    def level_of(self, room: int) -> int:
        """Return the level of room number `room`, from 1."""
        return min(MAX_LEVEL, self.level + (room == self.rooms))


def expect_new_name(hero: Critter, others: tuple[Critter, ...]) -> None:
    """Raise RuleError if one of the `others` has the hero's name."""
    if name_key(hero.name) in {name_key(other.name) for other in others}:
        raise RuleError(f"Another hero is called {hero.name}: each needs a name of their own.")


class Hero(Frozen):
    """A hero: hit points left (0: dead) and experience gained.

    `seat`: None for that of the hero's place in the party; it differs once somebody before them stepped out.
    """

    critter: Critter
    hp: Number
    experience: Number = 0
    seat: Annotated[Seat | None, Field(exclude_if=is_unset)] = None


class Foes(Frozen):
    """The monsters of a room; `hp`: hit points left; `tested`: the reasons of their morale tests so far."""

    met: Encounter
    hp: tuple[Number, ...]
    tested: Annotated[tuple[Literal["first", "half"], ...], Field(max_length=2)] = ()

    @model_validator(mode="after")
    def _check_kind(self) -> Self:
        if self.met.kind not in MONSTERS_BY_NAME:
            raise RuleError("There is no such monster.")
        return self


class Phase(StrEnum):
    """The part of a dungeon that comes next."""

    GATHERING = "heroes"
    FIGHT = "the next round"
    CLEARED = "the way on"
    OVER = "over"


class State(Frozen):
    """The state. `room`: rooms entered. `round`: rounds fought in this room; `rounds`: in all rooms.

    `telling`: how far the texts are used up; None in the first edition, and before it is drawn. `fled`: whether the
    heroes ran from the room.
    """

    setup: Setup
    heroes: Annotated[tuple[Hero, ...], Field(max_length=MAX_PARTY)]
    phase: Phase = Phase.GATHERING
    room: Number = 0
    foes: Foes | None = None
    round: Number = 0
    rounds: Number = 0
    ending: Ending | None = None
    telling: Annotated[TextRotation | None, Field(exclude_if=is_unset)] = None
    fled: Annotated[bool, Field(exclude_if=is_unset)] = False

    @property
    def rooms_won(self) -> int:
        """The rooms won so far."""
        is_lost = self.phase is Phase.OVER and (self.fled or not self.alive)
        return self.room - (is_lost or self.phase is Phase.FIGHT)

    @property
    def critters(self) -> tuple[Critter, ...]:
        """All fighters by number: the heroes first."""
        return tuple(hero.critter for hero in self.heroes) + (self.foes.met.critters if self.foes else ())

    @property
    def alive(self) -> tuple[int, ...]:
        """The numbers of the living heroes."""
        return tuple(number for number, hero in enumerate(self.heroes) if hero.hp)

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats of the heroes."""
        return tuple(hero.seat or seat for seat, hero in zip(HEROES, self.heroes, strict=False))

    @property
    def party(self) -> dict[Seat, Hero]:
        """The heroes by their seats."""
        return dict(zip(self.seats, self.heroes, strict=True))

    @property
    def turn(self) -> Seat | None:
        """The seat of the hero whose turn it is to fight a round; None where any may."""
        if not self.setup.turns or self.phase is not Phase.FIGHT or len(self.alive) <= 1:
            return None
        due = self.rounds % len(self.heroes)
        return self.seats[next((number for number in self.alive if number >= due), self.alive[0])]

    def fighters_of(self, seat: Seat) -> tuple[Critter, ...]:
        """Return whom a seat has in the dungeon, without the dead."""
        hero = self.party.get(seat)
        return (hero.critter,) if hero is not None and hero.hp else ()

    @property
    def joined(self) -> tuple[Seat, ...]:
        """The seats of the heroes who weren't there from the start."""
        return self.seats[len(self.setup.heroes) :]


class Join(Frozen):
    """Join before the first room."""

    do: Literal["join"] = "join"
    critter: Critter


class PlainAction(Frozen):
    """An action without details.

    `step-out`: the hero of the seat that acts, who joined, before the first room. `enter`: rest, then the next room.
    `leave`: go home between rooms. `flee`: run home from a fight; every monster strikes once more, no hero does.
    """

    do: Literal["step-out", "enter", "leave", "flee"]


Action = Annotated[Join | PlainAction | Continue | Run, Field(discriminator="do")]


class Joined(SeatEvent):
    """A hero joined and took a seat."""

    event: Literal["joined"] = "joined"
    seat: Seat
    name: str

    def seat_change(self) -> tuple[Seat, bool]:
        """Return the seat, taken."""
        return self.seat, True


class SteppedOut(SeatEvent):
    """A hero stepped out and gave up the seat."""

    event: Literal["stepped-out"] = "stepped-out"
    seat: Seat
    name: str

    def seat_change(self) -> tuple[Seat, bool]:
        """Return the seat, given up."""
        return self.seat, False


class Rested(Frozen):
    """A hero rested: `healed` hit points, `hp` now."""

    event: Literal["rested"] = "rested"
    who: Number
    healed: Number
    hp: Number


class Entered(Frozen):
    """The heroes entered a room with `count` monsters of a kind."""

    event: Literal["entered"] = "entered"
    room: Number
    rooms: Number
    text: str
    kind: str
    count: Annotated[int, Field(ge=1)]


class Morale(Frozen):
    """The monsters tested morale with 2d6; they flee if the roll is higher."""

    event: Literal["tested"] = "tested"
    kind: str
    roll: Annotated[int, Field(ge=2, le=12)]
    morale: Annotated[int, Field(ge=2, le=12)]
    fled: Number


class Parted(Frozen):
    """The sides parted: nobody left could ever hit the other side."""

    event: Literal["parted"] = "parted"


class Fled(Frozen):
    """The heroes ran; the blows at their backs follow."""

    event: Literal["fled"] = "fled"


class Cleared(Frozen):
    """A room was won; `each`: experience for every living hero."""

    event: Literal["cleared"] = "cleared"
    room: Number
    total: Number
    each: Number


class Score(Frozen):
    """A hero's result."""

    seat: Seat
    name: str
    experience: Number
    alive: bool


class Ended(Frozen):
    """The dungeon ended; `rooms`: rooms won."""

    event: Literal["ended"] = "ended"
    ending: Ending
    rooms: Number
    scores: tuple[Score, ...]


OwnEvent = Joined | SteppedOut | Rested | Entered | Morale | Parted | Fled | Cleared | Ended
Event = Annotated[Cast | FightEvent | Paused | OwnEvent, Field(discriminator="event")]


def scores(state: State) -> tuple[Score, ...]:
    """Return the heroes' results so far, in the order of their seats; the dead keep their experience."""
    return tuple(
        Score(seat=seat, name=hero.critter.name, experience=hero.experience, alive=hero.hp > 0)
        for seat, hero in state.party.items()
    )
