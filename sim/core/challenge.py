"""The interface of what a game offers as a challenge: the same for everyone who tries, drawn from a seed.

Games tell it by an optional part of their rules, `challenge`. `ChallengeRules` draw a battle's setup; the dice of a
try are its own, as any battle's. `QuestionRules` draw questions, another one each day, answered once and in private.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeAlias, TypeVar

from pydantic import Field

from sim.core.battle import Codec, Seat, SetupT, StateT
from sim.core.cards.draw import CardRequest
from sim.core.dice import Dice
from sim.core.values import Frozen, Number

DrawnT = TypeVar("DrawnT")

LETTERS = "ABCD"
"""What the options of a question are called, in order; there are no more."""

MAX_RESULT = 60
"""Characters of a result in words."""


class Score(Frozen):
    """What a try achieved: more `points` are better, and of equals fewer `rounds`; `text` says both in a few words."""

    points: Number
    rounds: Number
    text: Annotated[str, Field(max_length=MAX_RESULT)]

    @property
    def rank(self) -> tuple[int, int]:
        """What tries are sorted by, the best first."""
        return -self.points, self.rounds


def best_of(scores: Sequence[Score]) -> Score:
    """Return the best of some scores."""
    return min(scores, key=lambda score: score.rank)


@dataclass(frozen=True, slots=True)
class Entry(Generic[SetupT]):
    """A try to open: its setup, the seats of the person who tries, and what they do first, each in a seat."""

    setup: SetupT
    seats: tuple[Seat, ...] = ()
    first: Sequence[tuple[object, Seat]] = ()


@dataclass(frozen=True, slots=True)
class Question(Generic[SetupT]):
    """A question with a note below it, and its options, all plain text; `position`: a battle that its picture shows."""

    text: str
    note: str
    options: Sequence[str]
    position: SetupT


@dataclass(frozen=True, slots=True)
class Answer:
    """What an answer was worth: whether it was the best one, why, a card of all of them, and its score."""

    right: bool
    text: str
    card: CardRequest
    score: Score


class AnyChallenge(ABC, Generic[DrawnT]):
    """What a game draws each week.

    `title`: of its kind, such as "Boss". `goal`: a sentence that says what counts. `counts`: how the tries of several
    days add up, in a few words. `seconds`: a rough upper bound of the time that it takes to draw one.
    """

    title: str
    goal: str
    counts: str = "your best one counts"
    seconds: float = 0.5

    @abstractmethod
    def draw(self, dice: Dice) -> DrawnT:
        """Draw a challenge."""

    @abstractmethod
    def told(self, drawn: DrawnT) -> tuple[str, str]:
        """Return what a challenge is called, and what is known of it in a few words; both plain text."""

    def total(self, scores: Sequence[Score]) -> Score:
        """Return what a person's tries, at least one, come to."""
        return best_of(scores)


class QuestionRules(AnyChallenge[DrawnT], Generic[DrawnT, SetupT]):
    """Questions as a challenge, one for each day of the week, from 0; `drawings` writes and reads what was drawn."""

    drawings: Codec[DrawnT]

    @abstractmethod
    def question(self, drawn: DrawnT, day: int) -> Question[SetupT]:
        """Return the question of a day."""

    @abstractmethod
    def answer(self, drawn: DrawnT, day: int, choice: int) -> Answer:
        """Return what an option was worth; RuleError if there is none at that place."""


class ChallengeRules(AnyChallenge[SetupT], Generic[SetupT, StateT]):
    """How a game's battles are a challenge. `ask`: what the person chooses before a try, if anything."""

    ask: str = ""

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


AnyRules: TypeAlias = ChallengeRules[Any, Any] | QuestionRules[Any, Any]


def drawings_of(rules: Any) -> Codec[Any]:  # noqa: ANN401 - rules of any game
    """Return what writes and reads the challenges that rules draw: those that are battles are setups."""
    drawings: Codec[Any] = rules.challenge.drawings if isinstance(rules.challenge, QuestionRules) else rules.setups
    return drawings
