"""What fights: bosses, and decks of tokens with traits (rules page "Boss against decks", "What fights")."""

from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from sim.core.csv_cells import quoted
from sim.core.errors import RuleError
from sim.core.frozen import Frozen
from sim.core.names import check_name, hidden, name_key

MAX_FIGURE = 1_000_000_000
"""The highest health or damage of a boss or of one trait."""

MAX_LEVEL = 1_000
"""The highest level of a boss."""

MAX_NAME = 40
"""Characters of a name."""

MAX_WORDS = 200
"""Characters of what a boss says at one of its moments."""

MAX_TOKENS = 500
"""Tokens of one deck."""

MAX_TRAITS = 400
"""Traits of one token."""

_MARKS = ",;:@()"
"""What parts the names in a deck's text, and so stands in none of them."""
_NO_MARKS = frozenset(_MARKS)


@lru_cache(maxsize=4096)  # a deck of thousands of traits has few names, and is read at every step
def _clean(name: str) -> str:
    wrong = check_name(name, MAX_NAME)
    if wrong is not None:
        raise RuleError(f"The name {quoted(name)} {wrong}.")
    return " ".join(name.split())


def _seen(words: str) -> str:
    bad = hidden(words)
    if bad is not None:
        raise RuleError(f"The words {quoted(words)} hold {bad}.")
    return words.strip()


def _without_marks(name: str) -> str:
    if not _NO_MARKS.isdisjoint(name):
        raise RuleError(f"The name {quoted(name)} has one of the signs {' '.join(_MARKS)} in it, which part names.")
    return name


Name = Annotated[str, Field(max_length=MAX_NAME), AfterValidator(_clean)]
Label = Annotated[Name, AfterValidator(_without_marks)]
Words = Annotated[str, Field(min_length=1, max_length=MAX_WORDS), AfterValidator(_seen)]
Figure = Annotated[int, Field(ge=0, le=MAX_FIGURE, strict=True)]
Flag = Annotated[bool, Field(strict=True)]


class Element(StrEnum):
    """The circle: each one has the advantage over the next, the last over the first."""

    WATER = "Water"
    FIRE = "Fire"
    AIR = "Air"
    LIGHTNING = "Lightning"
    EARTH = "Earth"

    def steps_behind(self, other: "Element") -> int:
        """Return how far along the circle from `other` to here it is, 0 to 4."""
        circle = list(Element)
        return (circle.index(self) - circle.index(other)) % len(circle)


class Fighting(Frozen):
    """What bosses and traits have in common: whole figures from 0, and whether they pierce or resist damage."""

    health: Figure = 0
    physical_damage: Figure = 0
    magical_damage: Figure = 0
    physical_penetration: Flag = False
    physical_resistance: Flag = False
    magical_penetration: Flag = False
    magical_resistance: Flag = False


FLAGS = ("physical_penetration", "physical_resistance", "magical_penetration", "magical_resistance")
FIGURES = ("health", "physical_damage", "magical_damage")


class Trait(Fighting):
    """What a token is made of. Its JSON leaves out what is 0 or no."""

    name: Label

    @model_serializer(mode="wrap")
    def _short(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in write(self).items() if value}


class Token(Frozen):
    """A card of a deck, with an element or none; `name` tells it from the others: "hero", "attack 2"."""

    name: Label
    element: Element | None = None
    traits: Annotated[tuple[Trait, ...], Field(min_length=1, max_length=MAX_TRAITS)]


class Deck(Frozen):
    """What one player brings: 1 to `MAX_TOKENS` tokens, no two of one name. RuleError where two are."""

    tokens: Annotated[tuple[Token, ...], Field(min_length=1, max_length=MAX_TOKENS)]

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        seen = set()
        for token in self.tokens:
            key = name_key(token.name)
            if key in seen:
                raise RuleError(f"Two tokens of the deck are called {token.name!r}: number them.")
            seen.add(key)
        return self

    @property
    def health(self) -> int:
        """The player's health: that of all traits together."""
        return sum(trait.health for token in self.tokens for trait in token.traits)

    @property
    def size(self) -> int:
        """How many traits there are."""
        return sum(len(token.traits) for token in self.tokens)


class Boss(Fighting):
    """Who stands against the decks; its health is 1 or more.

    `entry`, `half`, `fall`: what is told when it enters, has half its health or less, and falls.
    """

    name: Name
    level: Annotated[int, Field(ge=0, le=MAX_LEVEL, strict=True)] = 1
    element: Element | None = None
    health: Annotated[int, Field(ge=1, le=MAX_FIGURE, strict=True)]
    entry: Words | None = None
    half: Words | None = None
    fall: Words | None = None


HALF, ONE, NONE = Fraction(1, 2), Fraction(1), Fraction(0)
