"""Bosses, decks of tokens with traits (.docs/rules/boss_fight.md, "What fights"), and exact figures.

An exact figure is a whole number times a power of two, as JSON and as text for readers: every modifier of the game is 0
or a power of two, so every figure keeps this form, no matter how many are stacked.
"""

import re
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Context, Decimal
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from operator import attrgetter
from types import MappingProxyType
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainSerializer,
    SerializerFunctionWrapHandler,
    WithJsonSchema,
    model_serializer,
    model_validator,
)

from sim.core import RuleError
from sim.core.names import check_name, describe_hidden, name_key
from sim.core.numbers import decimal_text, grouped, round_half_away
from sim.core.values import Frozen
from sim.csv import quote

_EXACT_FORM = re.compile(r"(?P<factor>-?[0-9]{1,40})(?:(?P<sign>[/*])2\^(?P<power>[1-9][0-9]{0,5}))?", re.ASCII)
TWO = Fraction(2)
_MAX_DIGITS = 12
"""Characters of the longest figure that is shown digit by digit."""

_EVERY_DIGIT = Context(prec=450_000, Emax=1_000_000, Emin=-1_000_000)  # more digits than any deck can produce
_COARSE = Context(prec=2, rounding=ROUND_HALF_UP, Emax=1_000_000, Emin=-1_000_000)


def _read_exact(value: object) -> object:
    if isinstance(value, Fraction):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    found = _EXACT_FORM.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise ValueError("an exact figure is a whole number, optionally times or divided by a power of two: 125/2^5")
    power = int(found["power"] or 0)
    return int(found["factor"]) * TWO ** (-power if found["sign"] == "/" else power)


def write_exact(value: Fraction) -> str:
    """Return `value` as "125/2^5" or "3*2^40"; ValueError if it needs more than 40 digits and a power of two."""
    factor, power = value.numerator, 1 - value.denominator.bit_length()
    if value.denominator != 1 << -power:
        raise ValueError("only powers of two may divide an exact figure")
    if not power and abs(factor) >= 1 << 64:
        power = (factor & -factor).bit_length() - 1
        factor >>= power
    if abs(factor) >= 10**40:
        raise ValueError("the figure has too many digits")
    return f"{factor}{'*' if power > 0 else '/'}2^{abs(power)}" if power else str(factor)


Exact = Annotated[
    Fraction,
    BeforeValidator(_read_exact),
    PlainSerializer(write_exact, return_type=str),
    WithJsonSchema({"type": "string"}),
]
"""A figure that keeps every bit: `125/2^5` in JSON."""


def digits(value: Fraction) -> str:
    """Return every digit of an exact figure, as JSON writes numbers; an exponent marks those far from 1."""
    if value.denominator == 1 and abs(value.numerator) < 1 << 64:
        return str(value.numerator)
    return str(_quotient(value, _EVERY_DIGIT)).replace("E", "e")


def readable(value: Fraction | int) -> str:
    """Return `value` for a reader: every digit of a short figure, two or more significant ones of a long figure.

    3.90625 is shown in full; longer figures as in 11,796.1, 3.9, 0.0012 and 1.2e-30. Only 0 is "0".
    """
    text = short(Fraction(value))
    return text if "e" in text else grouped(text)


def points(value: Fraction | int) -> str:
    """Return hit points or damage for a reader as whole points, such as 4,521; "<1" for less than one but some."""
    exact = Fraction(value)
    return "<1" if 0 < exact < 1 else readable(round_half_away(exact, 0))


def short(value: Fraction) -> str:
    """Return `value` as `readable` does, without commas: the form that is stored."""
    size = abs(value)
    if size.denominator <= 1 << _MAX_DIGITS and size < 10**_MAX_DIGITS:
        text = decimal_text(value, size.denominator.bit_length() - 1)
        if len(text) <= _MAX_DIGITS:
            return text
    if 1 <= size < 10**_MAX_DIGITS:
        return decimal_text(value, 1)
    coarse = _quotient(value, _COARSE).normalize()
    return f"{coarse:f}" if Fraction(1, 1000) <= size < 1 else f"{coarse:e}".replace("e+", "e")


def _quotient(value: Fraction, context: Context) -> Decimal:
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


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


def read_label(name: str) -> str:
    """Return the name of a token or trait; RuleError with what is wrong."""
    if not set(SEPARATORS).isdisjoint(name):
        raise RuleError(f"The name {quote(name)} contains one of {' '.join(SEPARATORS)}, which separate names.")
    return _clean_name(name)


def read_words(words: str) -> str:
    """Return what a boss says; RuleError with what is wrong."""
    if len(words) > MAX_WORDS:
        raise RuleError(f"The words have {len(words):,} characters; at most {MAX_WORDS} are allowed.")
    if (bad := describe_hidden(words)) is not None:
        raise RuleError(f"The words {quote(words)} hold {bad}.")
    return words.strip()


Name = Annotated[str, Field(max_length=MAX_NAME), AfterValidator(_clean_name)]
Label = Annotated[str, Field(max_length=MAX_NAME), AfterValidator(read_label)]
Words = Annotated[str, Field(min_length=1, max_length=MAX_WORDS), AfterValidator(read_words)]
Figure = Annotated[int, Field(ge=0, le=MAX_FIGURE, strict=True)]
Flag = Annotated[bool, Field(strict=True)]


class Element(StrEnum):
    """The elements in their circle: each beats the next one, and the last beats the first."""

    WATER = "Water"
    FIRE = "Fire"
    AIR = "Air"
    LIGHTNING = "Lightning"
    EARTH = "Earth"


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
Moment = Literal["entry", "half", "fall"]
MOMENTS: tuple[Moment, ...] = get_args(Moment)
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

    def total(self, stat: str) -> int:
        """Return the sum of a figure over the traits; of a flag, how many have it."""
        return sum(map(attrgetter(stat), self.traits))


class Deck(Frozen):
    """The 1 to `MAX_TOKENS` tokens of one player. RuleError if two share a name."""

    tokens: Annotated[tuple[Token, ...], Field(min_length=1, max_length=MAX_TOKENS)]

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        first: dict[str, int] = {}
        for at, token in enumerate(self.tokens):
            if first.setdefault(name_key(token.name), at) != at:
                raise RuleError(f"Two tokens of the deck are called {token.name!r}: number them.")
        return self

    def total(self, stat: str) -> int:
        """Return the sum of a figure over all traits."""
        return sum(token.total(stat) for token in self.tokens)

    @property
    def health(self) -> int:
        """The player's health."""
        return self.total("health")

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
