"""Armies: counts of units in the order typed, and their texts."""

import re
from enum import StrEnum
from fractions import Fraction
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator

from sim.axis_allies.units import Category, Unit
from sim.core.numbers import amount, decimal_text
from sim.core.values import Frozen

MAX_COUNT = 1_000_000
"""Maximum count of one unit in an army."""

NEGLIGIBLE_COUNT = Fraction(1, 1_000_000)
"""A count of this or less is gone (rules page, "The average battle")."""

_PLAIN = re.compile(r"-?[0-9]+(\.[0-9]+|/[0-9]+)?", re.ASCII)


def _plain(value: object) -> object:
    """Reject exponents: a short number must not use up the memory."""
    if isinstance(value, str) and not _PLAIN.fullmatch(value):
        raise ValueError("a count is written in plain digits")
    return value


class Group(Frozen):
    """All units of one type in an army.

    `count`: more than 0; fractions only in average battles. `lives`: hits that the group absorbs before it loses a
    unit, 0 to count x the unit's lives.
    """

    unit: Unit
    count: Annotated[Fraction, BeforeValidator(_plain), Field(gt=0)]
    lives: Annotated[Fraction, BeforeValidator(_plain), Field(ge=0)] = Fraction(0)

    @model_validator(mode="after")
    def _lives_fit(self) -> Self:
        if self.lives > self.count * self.unit.lives:
            raise ValueError(f"{self.lives} lives are too many for {self.count} {self.unit.stats.plural}")
        return self

    @property
    def damage(self) -> Fraction:
        """Hits absorbed by units that are left."""
        return self.count * self.unit.lives - self.lives


class Army(Frozen):
    """Groups in the order typed, each unit at most once; empty if the army is destroyed."""

    groups: tuple[Group, ...] = ()

    @model_validator(mode="after")
    def _units_differ(self) -> Self:
        if len({group.unit for group in self.groups}) < len(self.groups):
            raise ValueError("a unit is twice in the army")
        return self

    @classmethod
    def of(cls, counts: dict[Unit, int | Fraction]) -> Self:
        """Return an undamaged army without units counted 0."""
        return cls(
            groups=tuple(
                Group(unit=unit, count=Fraction(count), lives=Fraction(count) * unit.lives)
                for unit, count in counts.items()
                if count
            )
        )

    def __bool__(self) -> bool:
        return bool(self.groups)

    def count(self, unit: Unit) -> Fraction:
        """Return the count of `unit`, 0 if there is none."""
        return next((group.count for group in self.groups if group.unit is unit), Fraction(0))

    @property
    def ipc(self) -> Fraction:
        """Price of the army in IPC."""
        return sum((group.count * group.unit.cost for group in self.groups), Fraction(0))

    def has(self, category: Category) -> bool:
        """Return whether any unit is of `category`."""
        return any(group.unit.category is category for group in self.groups)


def group_text(group: Group) -> str:
    """Return a group as the seed's transcripts do: `2.5 tanks`, a battleship with its lives; at most 3 decimals.

    The rounded number decides between singular and plural: 0.9999 tanks are "1 tank".
    """
    count = decimal_text(group.count)
    text = f"{count} {_unit_name(group.unit, count)}"
    if group.unit.lives:
        lives = decimal_text(group.lives)
        text += f" ({lives} extra {'life' if lives == '1' else 'lives'})"
    return text


def army_text(army: Army) -> str:
    """Return an army as the seed's transcripts do, groups in order, separated by commas; "" for an empty army."""
    return ", ".join(map(group_text, army.groups))


def group_words(group: Group) -> str:
    """Return a group in players' words: `1,500 tanks`, `2 battleships (1 damaged)`; at most 3 decimals."""
    count, damaged = decimal_text(group.count), amount(group.damage)
    return f"{amount(group.count)} {_unit_name(group.unit, count)}{f' ({damaged} damaged)' if damaged != '0' else ''}"


def army_words(army: Army) -> str:
    """Return an army in players' words, groups in order, separated by commas; "" for an empty army."""
    return ", ".join(map(group_words, army.groups))


def _unit_name(unit: Unit, count: str) -> str:
    return unit.value if count == "1" else unit.stats.plural


class Note(StrEnum):
    """A note for readers of a report."""

    LAND_AT_SEA = "land units take no part in naval battles"


def battle_notes(attacker: Army, defender: Army) -> tuple[Note, ...]:
    """Return the notes for a battle of these armies."""
    both = (attacker, defender)
    land, naval = (any(army.has(category) for army in both) for category in (Category.LAND, Category.NAVAL))
    return (Note.LAND_AT_SEA,) if land and naval else ()
