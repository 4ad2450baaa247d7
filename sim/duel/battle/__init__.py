"""Duels and dungeons, round by round. Here: the setup, state, actions and events of a duel."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sim.core import RuleError
from sim.core.battle import Seat
from sim.core.dice import Seed
from sim.core.names import name_key
from sim.core.values import Ending, Frozen, Number, Paused, is_unset
from sim.duel.critter import MAX_NAME, Critter, Figure, Group, Morale, RulesVersion
from sim.duel.tables import group_name
from sim.duel.words import DEFAULT_WORDS, TextRotation, Words

GROUP_1: Seat = "group-1"
GROUP_2: Seat = "group-2"

GROUPS = (GROUP_1, GROUP_2)


Side = Annotated[str, Field(min_length=1, max_length=MAX_NAME)]


class Setup(Frozen):
    """The fighters, and the story's words. RuleError if two fighters have the same name.

    `narrated`: with an opening, a closing and "The End". `press`: who turns the pages. `morale`: whether fighters with
    a morale may flee (an option of B/X). `edition`: of the rules. `sides`: what both groups are called, empty for the
    names of their fighters; with it the opening tells of everybody.
    """

    group1: Group
    group2: Group
    words: Words = DEFAULT_WORDS
    narrated: bool = False
    press: Literal["anyone", "duellists"] = "duellists"
    morale: Annotated[bool, Field(exclude_if=is_unset)] = False
    edition: RulesVersion = 1
    sides: Annotated[tuple[Side, Side] | tuple[()], Field(exclude_if=is_unset)] = ()

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        first: dict[str, int] = {}
        for at, critter in enumerate(self.critters):
            if first.setdefault(name_key(critter.name), at) != at:
                raise RuleError(f"Two fighters are called {critter.name}: give each its own name.")
        return self

    @property
    def critters(self) -> tuple[Critter, ...]:
        """All fighters by number: group 1 first."""
        return self.group1 + self.group2

    @property
    def groups(self) -> dict[Seat, Group]:
        """The fighters by their group's seat."""
        return {GROUP_1: self.group1, GROUP_2: self.group2}

    def side_name(self, seat: Seat, most: int) -> str:
        """Return what a group is called, in `most` characters if it is called by its fighters."""
        return self.sides[GROUPS.index(seat)] if self.sides else group_name(self.groups[seat], most)

    @property
    def members(self) -> tuple[range, range]:
        """The numbers of the fighters, by group."""
        size = len(self.group1)
        return range(size), range(size, size + len(self.group2))


class State(Frozen):
    """The state of a duel.

    `hp`: hit points left by fighter, 0 for the dead. `round`: rounds fought. `site`: the place of a story, once opened.
    `ending` is None until the end. `telling`: how far the texts are used up; None in the first edition, and without
    variants. `tested`: morale tests of each group so far, empty before the first; `fled`: who ran away, by number.
    """

    setup: Setup
    hp: tuple[Number, ...]
    round: Number = 0
    site: str | None = None
    ending: Ending | None = None
    winner: Seat | None = None
    telling: Annotated[TextRotation | None, Field(exclude_if=is_unset)] = None
    tested: Annotated[tuple[Number, ...], Field(max_length=len(GROUPS), exclude_if=is_unset)] = ()
    fled: Annotated[tuple[Number, ...], Field(exclude_if=is_unset)] = ()

    @property
    def critters(self) -> tuple[Critter, ...]:
        """All fighters by number: group 1 first."""
        return self.setup.critters

    @property
    def living(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The numbers of the fighters still in the fight, by group."""
        first, second = (
            tuple(number for number in group if self.hp[number] and number not in self.fled)
            for group in self.setup.members
        )
        return first, second

    def fighters_of(self, seat: Seat) -> tuple[Critter, ...]:
        """Return whom a seat has in the fight, without the dead."""
        group = self.living[GROUPS.index(seat)] if seat in GROUPS else ()
        return tuple(self.critters[number] for number in group)

    @property
    def is_unopened(self) -> bool:
        """Whether the story's opening is still to come."""
        return self.setup.narrated and self.site is None


class Continue(Frozen):
    """Turn the page: the opening of a story, or the next round. In a dungeon: fight the next round.

    `late`: for the hero whose turn it is, by another one.
    """

    do: Literal["continue"] = "continue"
    late: Annotated[bool, Field(exclude_if=is_unset)] = False


class Run(Frozen):
    """Fight to the end, in a dungeon to that of the room."""

    do: Literal["run"] = "run"


Action = Annotated[Continue | Run, Field(discriminator="do")]


class Cast(Frozen):
    """The fighters by number, and the words, of the events that follow.

    The texts of a message are used in their order, and again from the first. In the first edition `voice` seeded a
    choice among them, unless each message had only one.
    """

    event: Literal["cast"] = "cast"
    figures: tuple[Figure, ...]
    words: Words
    voice: Seed | None = None


class Opened(Frozen):
    """The story began at a site, told from the viewpoint of the first fighter of group `view`."""

    event: Literal["opened"] = "opened"
    view: Literal[1, 2]
    site: str
    text: str


class RoundBegan(Frozen):
    """Everybody rolled for initiative; `order`: fighters and counts in order of action."""

    event: Literal["round"] = "round"
    number: Number
    order: tuple[tuple[int, int], ...]


class Passed(Frozen):
    """A turn without an attack: the fighter is dead, or has no target left."""

    event: Literal["passed"] = "passed"
    who: Number


class Struck(Frozen):
    """An attack: the d20, the damage (0: a miss), the target's hit points left. `again`: not the turn's first."""

    event: Literal["struck"] = "struck"
    who: Number
    target: Number
    roll: Annotated[int, Field(ge=1, le=20)]
    damage: Number
    left: Number
    again: bool = False


class Wavered(Frozen):
    """A group tested its morale with 2d6: those with less fled. `group`: 1 or 2; `fled`: by number."""

    event: Literal["wavered"] = "wavered"
    group: Literal[1, 2]
    roll: Morale
    fled: tuple[Number, ...]


class Ended(Frozen):
    """The duel ended."""

    event: Literal["ended"] = "ended"
    ending: Ending
    winner: Seat | None
    rounds: Number


class Closed(Frozen):
    """The story ended. `quick`: after one round."""

    event: Literal["closed"] = "closed"
    quick: bool
    text: str


FightEvent = RoundBegan | Passed | Struck
Event = Annotated[Cast | Opened | FightEvent | Wavered | Paused | Ended | Closed, Field(discriminator="event")]
