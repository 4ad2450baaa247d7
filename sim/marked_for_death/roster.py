"""Rosters: fighters and their buffs, as in the rows of a file (.docs/rules/marked_for_death.md, "Roster CSV")."""

from collections.abc import Callable, Iterable
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Generic, Self, TypeVar

from pydantic import AfterValidator, Field, model_validator

from sim.core import RuleError
from sim.core.names import check_name, describe_hidden, name_key
from sim.core.values import Frozen

MAX_FIGHTERS = 500
"""The most fighters of one side."""

MAX_NAME = 40
"""The most characters of a name."""

MAX_XP = 10_000_000
"""The bound of XP and BonusXP, positive and negative."""

MAX_HP = 1_000_000
"""The bound of BonusHP, positive and negative."""

MAX_BONUS = Decimal(1000)
"""The bound of BonusToHit, BonusToDefend and a buff's bonuses, positive and negative."""

BONUS_PLACES = 6
"""Decimals of a bonus."""

MAX_AOE = 500
"""The most opponents that one fighter attacks in a round."""

MAX_BUFFS = 13
"""The most buffs of one fighter: a table has no room for more groups of columns."""

BASE_HP = 2
"""HP of a fighter without BonusHP."""


@lru_cache(maxsize=4096)
def _checked_name(text: str) -> str:
    """Check a name; cached, since a battle's state names everybody many times."""
    bad = check_name(text, MAX_NAME)
    if bad is not None:
        raise ValueError(f"the name {bad}")
    return _checked_text(text)


@lru_cache(maxsize=4096)
def _checked_text(text: str) -> str:
    bad = describe_hidden(text)
    if bad is not None or text != text.strip():
        raise ValueError(f"the text holds {bad or 'blanks around it'}")
    return text


def _single_name(text: str) -> str:
    if "," in text:
        raise ValueError("a comma stands between names, not in one")
    return text


Name = Annotated[str, AfterValidator(_checked_name)]
Bonus = Annotated[Decimal, Field(ge=-MAX_BONUS, le=MAX_BONUS, decimal_places=BONUS_PLACES, allow_inf_nan=False)]


class Camp(StrEnum):
    """The two sides; heroes come first."""

    HEROES = "heroes"
    VILLAINS = "villains"

    @property
    def other(self) -> "Camp":
        """The opposing side."""
        return Camp.VILLAINS if self is Camp.HEROES else Camp.HEROES


T = TypeVar("T")


class Sides(Frozen, Generic[T]):
    """Base of values that have a part for each side."""

    heroes: T
    villains: T

    def side(self, camp: Camp) -> T:
        """Return the part of `camp`."""
        return self.heroes if camp is Camp.HEROES else self.villains


class Buff(Frozen):
    """Bonuses that a living fighter gives to everybody in `who`, perhaps itself; unknown names have no effect."""

    name: Annotated[str, Field(max_length=MAX_NAME), AfterValidator(_checked_text)] = ""
    who: Annotated[tuple[Annotated[Name, AfterValidator(_single_name)], ...], Field(max_length=MAX_FIGHTERS)] = ()
    offense: Bonus = Decimal(0)
    defense: Bonus = Decimal(0)


class Fighter(Frozen):
    """A row of a roster; only name and XP are required. RuleError if XP and BonusXP add up to 0 or less."""

    name: Name
    xp: Annotated[int, Field(ge=-MAX_XP, le=MAX_XP)]
    bonus_xp: Annotated[int, Field(ge=-MAX_XP, le=MAX_XP)] = 0
    bonus_hp: Annotated[int, Field(ge=-MAX_HP, le=MAX_HP)] = 0
    bonus_to_hit: Bonus = Decimal(0)
    bonus_to_defend: Bonus = Decimal(0)
    aoe: Annotated[int, Field(ge=1, le=MAX_AOE)] = 1
    bodyguard_for: Name | None = None
    linked_to: Name | None = None
    buffs: Annotated[tuple[Buff, ...], Field(max_length=MAX_BUFFS)] = ()

    @model_validator(mode="after")
    def _check_total_xp(self) -> Self:
        if self.total_xp <= 0:
            raise RuleError(f"{self.name} has {self.total_xp:,} XP in all: the total must be above 0.")
        return self

    @property
    def total_xp(self) -> int:
        """XP and BonusXP together, 1 or more."""
        return self.xp + self.bonus_xp

    @property
    def hp(self) -> int:
        """HP at the start; at 0 or less the fighter sits out."""
        return BASE_HP + self.bonus_hp

    @property
    def key(self) -> str:
        """The normalized name, the same for every spelling that means this fighter."""
        return name_key(self.name)


class Roster(Frozen):
    """A side: its fighters in the order of the file; RuleError if two names are the same.

    `spare_buffs`: unused groups of buff columns in the file, kept for writing it back.
    """

    fighters: Annotated[tuple[Fighter, ...], Field(min_length=1, max_length=MAX_FIGHTERS)]
    spare_buffs: Annotated[int, Field(ge=0, le=MAX_BUFFS)] = 0

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        seen: dict[str, str] = {}
        for fighter in self.fighters:
            if (twin := seen.get(fighter.key)) is not None:
                raise RuleError(f"{twin} and {fighter.name} are the same name: every fighter needs its own.")
            seen[fighter.key] = fighter.name
        return self

    def __reduce__(self) -> tuple[Callable[[bytes], Self], tuple[bytes]]:
        """Pickle as JSON, which is written several times faster than thousands of pickled values."""
        return type(self).model_validate_json, (self.model_dump_json().encode(),)


def all_fighters(heroes: Roster, villains: Roster) -> list[tuple[Camp, Fighter]]:
    """Return all fighters with their sides, heroes first."""
    return [(camp, fighter) for camp, side in zip(Camp, (heroes, villains), strict=True) for fighter in side.fighters]


def index_by_key(fighters: Iterable[Fighter]) -> dict[str, int]:
    """Return each fighter's index by its `key`."""
    return {fighter.key: at for at, fighter in enumerate(fighters)}


def trimmed(value: Decimal) -> Decimal:
    """Return a bonus without trailing zeros: 0.10 is 0.1, 10 stays 10."""
    return value.quantize(Decimal(1)) if value == value.to_integral_value() else value.normalize()
