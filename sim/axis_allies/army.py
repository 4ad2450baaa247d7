"""Armies: how many of each unit, in the order typed, and how they read."""

import re
from fractions import Fraction
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator

from sim.axis_allies.units import Category, Unit
from sim.core.frozen import Frozen
from sim.core.numbers import decimal_text, exact_text

MAX_COUNT = 1_000_000
"""The most of one unit that an army may have."""

NOTHING = Fraction(1, 1_000_000)
"""A count at or under this has left the army (rules page, "The average battle")."""


_PLAIN = re.compile(r"-?[0-9]+(\.[0-9]+|/[0-9]+)?", re.ASCII)


def _plain(value: object) -> object:
    """Refuse exponents: a number of a few letters must not need all memory."""
    if isinstance(value, str) and not _PLAIN.fullmatch(value):
        raise ValueError("a count is written in plain digits")
    return value


class Group(Frozen):
    """All units of one type in an army.

    `count`: how many, more than 0; fractions only in average battles. `lives`: hits that the group still absorbs before
    a unit is lost, 0 to count x the unit's extra lives.
    """

    unit: Unit
    count: Annotated[Fraction, BeforeValidator(_plain), Field(gt=0)]
    lives: Annotated[Fraction, BeforeValidator(_plain), Field(ge=0)] = Fraction(0)

    @model_validator(mode="after")
    def _lives_fit(self) -> Self:
        if self.lives > self.count * self.unit.lives:
            raise ValueError(f"{self.lives} extra lives are too many for {self.count} {self.unit.stats.plural}")
        return self

    @property
    def damage(self) -> Fraction:
        """Hits already absorbed by units that are still there."""
        return self.count * self.unit.lives - self.lives


class Army(Frozen):
    """Groups in the order typed, each unit at most once. An empty army is a beaten one."""

    groups: tuple[Group, ...] = ()

    @model_validator(mode="after")
    def _units_differ(self) -> Self:
        if len({group.unit for group in self.groups}) < len(self.groups):
            raise ValueError("a unit stands twice in the army")
        return self

    @classmethod
    def of(cls, counts: dict[Unit, int | Fraction]) -> Self:
        """Make an undamaged army; units counted 0 are left out."""
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
        """Return how many of `unit` there are; 0 when none."""
        return next((group.count for group in self.groups if group.unit is unit), Fraction(0))

    @property
    def ipc(self) -> Fraction:
        """What the army cost, in IPC."""
        return sum((group.count * group.unit.cost for group in self.groups), Fraction(0))

    def has(self, category: Category) -> bool:
        """Tell whether any unit is of `category`."""
        return any(group.unit.category is category for group in self.groups)


def shown_group(group: Group) -> str:
    """Return a group as players read it: `2.5 tanks`, `1 battleship (0 extra lives)`; at most 3 decimals.

    The number decides as it is shown: 0.9999 infantry read "1 infantry", 0.9999 tanks "1 tank".
    """
    count = decimal_text(group.count)
    text = f"{count} {_named(group.unit, count)}"
    if group.unit.lives:
        lives = decimal_text(group.lives)
        text += f" ({lives} extra {'life' if lives == '1' else 'lives'})"
    return text


def shown_army(army: Army) -> str:
    """Return an army as players read it, groups in order, comma-separated; an empty one is ""."""
    return ", ".join(map(shown_group, army.groups))


def format_army(army: Army) -> str:
    """Return text that `parse_army` reads back as the same army, every digit kept.

    ValueError when a count or the damage has no finite decimals: such an army was never typed.
    """
    parts = []
    for group in army.groups:
        count = exact_text(group.count)
        text = f"{count} {_named(group.unit, count)}"
        if group.damage:
            hits = exact_text(group.damage)
            text += f" ({hits} {'hit' if hits == '1' else 'hits'})"
        parts.append(text)
    return ", ".join(parts)


def _named(unit: Unit, shown_count: str) -> str:
    return unit.value if shown_count == "1" else unit.stats.plural
