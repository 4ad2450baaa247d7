"""The interface of what a game offers as a challenge: the same for everyone who tries, drawn from a seed.

Games tell it by an optional part of their rules, `HasChallenge`. What is drawn is a battle's setup; the dice of a try
are its own, as any battle's.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Protocol, TypeVar, runtime_checkable

from pydantic import Field

from sim.core.battle import Seat
from sim.core.dice import Dice
from sim.core.values import Frozen, Number

SetupT = TypeVar("SetupT")
StateT = TypeVar("StateT")

MAX_RESULT = 60
"""Characters of a result in words."""


class Score(Frozen):
    """What a try achieved: more `points` are better, and of equals fewer `rounds`; `text` says both in a few words."""

    points: Number
    rounds: Number
    text: Annotated[str, Field(max_length=MAX_RESULT)]


@dataclass(frozen=True, slots=True)
class Entry(Generic[SetupT]):
    """A try to open: its setup, the seats of the person who tries, and what they do first, each in a seat."""

    setup: SetupT
    seats: tuple[Seat, ...] = ()
    first: Sequence[tuple[object, Seat]] = ()


class ChallengeRules(ABC, Generic[SetupT, StateT]):
    """How a game is a challenge.

    `title`: of its kind, such as "Boss". `goal`: a sentence that says what counts. `ask`: what the person chooses
    before a try, if anything.
    """

    title: str
    goal: str
    ask: str = ""

    @abstractmethod
    def draw(self, dice: Dice) -> SetupT:
        """Draw a challenge."""

    @abstractmethod
    def told(self, setup: SetupT) -> tuple[str, str]:
        """Return what a challenge is called, and what is known of it in a few words; both plain text."""

    def choices(self, setup: SetupT) -> Mapping[str, tuple[str, str]]:
        """Return what to choose from, by stable keys: a name and a line about it; nothing for no choice."""
        del setup
        return {}

    @abstractmethod
    def enter(self, setup: SetupT, choice: str, name: str) -> Entry[SetupT]:
        """Return a try by somebody called `name`; RuleError for a choice that there isn't."""

    @abstractmethod
    def score(self, state: StateT) -> Score:
        """Return what a try has achieved as it stands, over or not."""


@runtime_checkable
class HasChallenge(Protocol):
    """Implemented by rules whose battles can be a challenge."""

    @property
    def challenge(self) -> ChallengeRules[Any, Any]:
        """What they offer."""
        ...
