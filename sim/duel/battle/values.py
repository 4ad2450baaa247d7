"""The values of a duel: how it is set up, how it stands, what players do, what happens."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sim.core.battle import Seat
from sim.core.dice import Seed
from sim.core.errors import RuleError
from sim.core.frozen import Frozen
from sim.core.names import name_key
from sim.core.outcomes import Ending
from sim.duel.critter import Critter, Figure
from sim.duel.words import DEFAULT_WORDS, Words

MAX_GROUP = 100
"""Critters of one group: every turn of theirs is told."""

GROUP_1: Seat = "group-1"
GROUP_2: Seat = "group-2"

GROUPS = (GROUP_1, GROUP_2)

Group = Annotated[tuple[Critter, ...], Field(min_length=1, max_length=MAX_GROUP)]
Number = Annotated[int, Field(ge=0)]


class Setup(Frozen):
    """Who fights, and how it is told. RuleError for two fighters of one name.

    `narrated`: with an opening, a closing and "The End". `press`: who turns the pages, "anyone" or the "duellists".
    """

    group1: Group
    group2: Group
    words: Words = DEFAULT_WORDS
    narrated: bool = False
    press: Literal["anyone", "duellists"] = "duellists"

    @model_validator(mode="after")
    def _told_apart(self) -> Self:
        seen: set[str] = set()
        for critter in self.critters:
            if name_key(critter.name) in seen:
                raise RuleError(f"Two of the fighters are called {critter.name}: give each one a name of its own.")
            seen.add(name_key(critter.name))
        return self

    @property
    def critters(self) -> tuple[Critter, ...]:
        """All of them by number: those of group 1 first."""
        return self.group1 + self.group2


class State(Frozen):
    """How a duel stands.

    `hp`: hit points left by fighter, 0 for the dead. `round`: rounds fought. `site`: where it is, once the story was
    opened. `ending` is None until the end.
    """

    setup: Setup
    hp: tuple[Number, ...]
    round: Number = 0
    site: str | None = None
    ending: Ending | None = None
    winner: Seat | None = None

    @property
    def living(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The numbers of those who are alive, by group."""
        size = len(self.setup.group1)
        alive = [number for number, points in enumerate(self.hp) if points]
        return tuple(number for number in alive if number < size), tuple(number for number in alive if number >= size)

    @property
    def is_unopened(self) -> bool:
        """Whether the story has still to begin."""
        return self.setup.narrated and self.site is None


class Continue(Frozen):
    """Turn the page: the opening of a story, or the next round."""

    do: Literal["continue"] = "continue"


class Run(Frozen):
    """Fight to the end."""

    do: Literal["run"] = "run"


Action = Annotated[Continue | Run, Field(discriminator="do")]


class Cast(Frozen):
    """Who and what the following events speak of: fighters by number, and the words to tell it in.

    `voice` decides which of several texts of a message is said; None where there is one of each.
    """

    event: Literal["cast"] = "cast"
    figures: tuple[Figure, ...]
    words: Words
    voice: Seed | None = None


class Opened(Frozen):
    """The story began, told from the view of group `view`'s first, at a site."""

    event: Literal["opened"] = "opened"
    view: Literal[1, 2]
    site: str
    text: str


class RoundBegan(Frozen):
    """Everybody threw for initiative; `order`: fighter and count, as they act."""

    event: Literal["round"] = "round"
    number: Number
    order: tuple[tuple[int, int], ...]


class Passed(Frozen):
    """A turn without a blow: the fighter is dead, or nobody is left to strike."""

    event: Literal["passed"] = "passed"
    who: Number


class Struck(Frozen):
    """An attack: the d20, the damage (0: a miss), what the target has left. `again`: not the first one of the turn."""

    event: Literal["struck"] = "struck"
    who: Number
    target: Number
    roll: Annotated[int, Field(ge=1, le=20)]
    damage: Number
    left: Number
    again: bool = False


class Paused(Frozen):
    """Fighting on stopped after many rounds; it may go on."""

    event: Literal["paused"] = "paused"
    rounds: Number


class Ended(Frozen):
    """The duel is over."""

    event: Literal["ended"] = "ended"
    ending: Ending
    winner: Seat | None
    rounds: Number


class Closed(Frozen):
    """The story is over. `quick`: it took one round."""

    event: Literal["closed"] = "closed"
    quick: bool
    text: str


Event = Annotated[Cast | Opened | RoundBegan | Passed | Struck | Paused | Ended | Closed, Field(discriminator="event")]
FightEvent = RoundBegan | Passed | Struck
