"""Bosses, and decks of tokens with traits (.docs/rules/boss_fight.md, "What fights")."""

from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from sim.core.errors import RuleError
from sim.core.names import check_name, describe_hidden, name_key
from sim.core.values import Frozen
from sim.csv.table import quote

MAX_FIGURE = 1_000_000_000
"""The highest health or damage of a boss or of one trait."""

MAX_LEVEL = 1_000
"""The highest level of a boss."""

MAX_NAME = 40
"""Characters of a name."""

MAX_WORDS = 200
"""Characters of what a boss says at one of its moments."""

MAX_TOKENS = 500
"""Tokens in one deck."""

MAX_TRAITS = 400
"""Traits of one token."""

SEPARATORS = ",;:@()"
"""The characters that separate names in a deck's text; no name of a token or trait contains one."""


@lru_cache(maxsize=4096)  # a deck of thousands of traits has few distinct names, and is validated at every step
def _clean_name(name: str) -> str:
    wrong = check_name(name, MAX_NAME)
    if wrong is not None:
        raise RuleError(f"The name {quote(name)} {wrong}.")
    return " ".join(name.split())


def _clean_words(words: str) -> str:
    bad = describe_hidden(words)
    if bad is not None:
        raise RuleError(f"The words {quote(words)} hold {bad}.")
    return words.strip()


def _without_separators(name: str) -> str:
    if not set(SEPARATORS).isdisjoint(name):
        raise RuleError(f"The name {quote(name)} contains one of {' '.join(SEPARATORS)}, which separate names.")
    return name


Name = Annotated[str, Field(max_length=MAX_NAME), AfterValidator(_clean_name)]
Label = Annotated[Name, AfterValidator(_without_separators)]
Words = Annotated[str, Field(min_length=1, max_length=MAX_WORDS), AfterValidator(_clean_words)]
Figure = Annotated[int, Field(ge=0, le=MAX_FIGURE, strict=True)]
Flag = Annotated[bool, Field(strict=True)]


class Element(StrEnum):
    """The elements in their circle: each beats the next one, and the last beats the first."""

    WATER = "Water"
    FIRE = "Fire"
    AIR = "Air"
    LIGHTNING = "Lightning"
    EARTH = "Earth"

    def steps_behind(self, other: "Element") -> int:
        """Return the steps along the circle from `other` to this element, 0 to 4."""
        circle = list(Element)
        return (circle.index(self) - circle.index(other)) % len(circle)


ELEMENT_NAMES: Mapping[str, Element] = MappingProxyType({name_key(element): element for element in Element})
"""The elements by the `name_key` of their names."""


class Stats(Frozen):
    """The stats that bosses and traits share: whole figures from 0, and whether they pierce or resist damage."""

    health: Figure = 0
    physical_damage: Figure = 0
    magical_damage: Figure = 0
    physical_penetration: Flag = False
    physical_resistance: Flag = False
    magical_penetration: Flag = False
    magical_resistance: Flag = False


FLAGS = ("physical_penetration", "physical_resistance", "magical_penetration", "magical_resistance")
FIGURES = ("health", "physical_damage", "magical_damage")
MOMENTS = ("entry", "half", "fall")
"""When a boss speaks: as it enters, when it first has half its health or less, and as it falls."""


class Trait(Stats):
    """One trait of a token. Its JSON leaves out every stat that is 0 or False."""

    name: Label

    @model_serializer(mode="wrap")
    def _without_defaults(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in write(self).items() if value}


class Token(Frozen):
    """A card of a deck, with an element or none; `name` is unique in the deck: "hero", "attack 2"."""

    name: Label
    element: Element | None = None
    traits: Annotated[tuple[Trait, ...], Field(min_length=1, max_length=MAX_TRAITS)]


class Deck(Frozen):
    """The 1 to `MAX_TOKENS` tokens of one player. RuleError if two share a name."""

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
        """The player's health: the sum over all traits."""
        return sum(trait.health for token in self.tokens for trait in token.traits)

    @property
    def size(self) -> int:
        """The number of traits."""
        return sum(len(token.traits) for token in self.tokens)


class Boss(Stats):
    """A boss; its health is 1 or more. `entry`, `half` and `fall`: its words at each of `MOMENTS`."""

    name: Name
    level: Annotated[int, Field(ge=0, le=MAX_LEVEL, strict=True)] = 1
    element: Element | None = None
    health: Annotated[int, Field(ge=1, le=MAX_FIGURE, strict=True)]
    entry: Words | None = None
    half: Words | None = None
    fall: Words | None = None


class Entrant(Frozen):
    """Somebody who wants to join a fight with a deck."""

    name: Name
    deck: Deck
