"""Armies: an edition and counts of its units in the order typed, and their texts."""

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator

from sim.axis_allies.editions import DEFAULT, EDITIONS, Edition, EditionName
from sim.axis_allies.units import WORDS, Category, Unit
from sim.core.cards.stickers import FACES, icon
from sim.core.numbers import amount, decimal_text, exact_text
from sim.core.values import Frozen, Side

MAX_COUNT = 1_000_000
"""Maximum count of one unit in an army."""

NEGLIGIBLE_COUNT = Fraction(1, 1_000_000)
"""A count of this or less is gone (.docs/rules/axis_allies.md, "The average battle")."""


def _plain(value: object) -> object:
    """Reject exponents: a short number must not use up the memory."""
    if isinstance(value, str) and not re.fullmatch(r"-?[0-9]+(\.[0-9]+|/[0-9]+)?", value):
        raise ValueError("a count is written in plain digits")
    return value


class Group(Frozen):
    """All units of one type in an army.

    `count`: more than 0; fractions only in average battles. `lives`: hits that the group absorbs before it loses a
    unit, 0 to count x the unit's lives in the army's edition.
    """

    unit: Unit
    count: Annotated[Fraction, BeforeValidator(_plain), Field(gt=0)]
    lives: Annotated[Fraction, BeforeValidator(_plain), Field(ge=0)] = Fraction(0)


class Army(Frozen):
    """Groups in the order typed, each unit at most once; empty if the army is destroyed.

    `edition`: its name; armies stored before there were editions have none and are of 1941.
    """

    groups: tuple[Group, ...] = ()
    edition: EditionName = Field(default=DEFAULT, exclude_if=DEFAULT.__eq__)

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if len(set(self.units)) < len(self.groups):
            raise ValueError("a unit is twice in the army")
        for group in self.groups:
            if group.unit not in self.book.units:
                raise ValueError(f"{self.edition} has no {group.unit.plural}")
            if group.lives > group.count * self.book.lives(group.unit):
                raise ValueError(f"{group.lives} lives are too many for {group.count} {group.unit.plural}")
        return self

    @classmethod
    def of(cls, counts: Mapping[Unit, int | Fraction], edition: str = DEFAULT) -> Self:
        """Return an undamaged army without units counted 0."""
        book = EDITIONS[edition]
        return cls(
            groups=tuple(
                Group(unit=unit, count=Fraction(count), lives=Fraction(count) * book.lives(unit))
                for unit, count in counts.items()
                if count
            ),
            edition=edition,
        )

    def with_groups(self, groups: Iterable[Group]) -> Self:
        """Return an army of the same edition."""
        return type(self)(groups=tuple(groups), edition=self.edition)

    def __add__(self, other: "Army") -> "Army":
        """Return all units of two armies, of one edition unless one is empty."""
        groups = {group.unit: group for group in self.groups}
        for more in other.groups:
            own = groups.get(more.unit)
            summed = {} if own is None else {"count": own.count + more.count, "lives": own.lives + more.lives}
            groups[more.unit] = more.model_copy(update=summed)
        return Army(groups=tuple(groups.values()), edition=self.edition if self else other.edition)

    @property
    def book(self) -> Edition:
        """The edition's units and rules."""
        return EDITIONS[self.edition]

    @property
    def fighters(self) -> Self:
        """The army without marks on the map, which are no units of the battle."""
        return self.with_groups(group for group in self.groups if not self.book.units[group.unit].mark)

    def damage(self, group: Group) -> Fraction:
        """Return how many hits the units left of a group have absorbed."""
        return group.count * self.book.lives(group.unit) - group.lives

    def __bool__(self) -> bool:
        return bool(self.groups)

    @property
    def units(self) -> tuple[Unit, ...]:
        """The types of its units."""
        return tuple(group.unit for group in self.groups)

    def count(self, unit: Unit) -> Fraction:
        """Return the count of `unit`, 0 if there is none."""
        for group in self.groups:
            if group.unit is unit:
                return group.count
        return Fraction(0)

    def size(self, *categories: Category) -> Fraction:
        """Return how many units there are: all of them, or those of some categories."""
        counts = (group.count for group in self.groups if not categories or group.unit.category in categories)
        return sum(counts, Fraction(0))

    @property
    def ipc(self) -> Fraction:
        """Price of the army in IPC."""
        return sum((group.count * self.book.cost(group.unit) for group in self.groups), Fraction(0))

    def has(self, category: Category) -> bool:
        """Return whether any unit is of `category`."""
        return category in [unit.category for unit in self.units]


class TwoArmies(Frozen):
    """Base of what has both armies."""

    attacker: Army
    defender: Army

    def army(self, side: Side) -> Army:
        """Return the army of `side`, at the start if there is another at the end."""
        return self.attacker if side is Side.ATTACKER else self.defender

    @property
    def armies(self) -> dict[Side, Army]:
        """Both armies."""
        return {side: self.army(side) for side in Side}


class LeftArmies(TwoArmies):
    """Base of what also has what is left of them, empty for nothing."""

    attacker_left: Army
    defender_left: Army

    def left(self, side: Side) -> Army:
        """Return what was left of `side`."""
        return self.attacker_left if side is Side.ATTACKER else self.defender_left


def army_text(army: Army) -> str:
    """Return an army as the source's transcripts do, groups in order, separated by commas; "" for an empty army.

    A group is `2.5 tanks`, a battleship shows its lives, counts have at most 3 decimals. The rounded number decides
    between singular and plural: 0.9999 tanks are "1 tank".
    """
    parts = []
    for group in army.groups:
        count, lives = decimal_text(group.count), decimal_text(group.lives)
        text = f"{count} {group.unit.named(count)}"
        if army.book.lives(group.unit):
            text += f" ({lives} extra {'life' if lives == '1' else 'lives'})"
        parts.append(text)
    return ", ".join(parts)


def group_words(army: Army, group: Group) -> str:
    """Return a group in players' words: `1,500 tanks`, `2 battleships (1 damaged)`; at most 3 decimals."""
    damaged = amount(army.damage(group))
    words = f"{amount(group.count)} {group.unit.named(decimal_text(group.count))}"
    return words if damaged == "0" else f"{words} ({damaged} damaged)"


def army_words(army: Army) -> str:
    """Return an army in players' words, groups in order, separated by commas; "" for an empty army."""
    return ", ".join(group_words(army, group) for group in army.groups)


_FACES = str.maketrans({sign: icon(f"d6_{face}", sign) for face, sign in enumerate(FACES, start=1)})
_WORDS = sorted((word for unit in Unit for word in (unit.plural, unit.value)), key=len, reverse=True)
_COUNTED = re.compile(rf"(?<![\w.,])(?=[\d.,]+ (?P<unit>{'|'.join(_WORDS)})\b)")


def pictured(words: str) -> str:
    """Return words of ours with a picture before each count of units, and dice as pictures."""
    return _COUNTED.sub(lambda found: unit_icon(WORDS[found["unit"]]), words).translate(_FACES)


def unit_icon(unit: Unit) -> str:
    """Return a unit's icon."""
    return icon(unit.value.replace(" ", "_"))


def pictured_army(army: Army) -> str:
    """Return an army in players' words, each unit with its picture; "" for an empty army."""
    return pictured(army_words(army))


def format_army(army: Army) -> str:
    """Return text that `parse_army` reads as the same army, with every digit.

    ValueError if a count or the damage has no finite decimals; nobody can type such an army.
    """
    parts = []
    for group in army.groups:
        count = exact_text(group.count)
        text = f"{count} {group.unit.named(count)}"
        if damage := army.damage(group):
            hits = exact_text(damage)
            text += f" ({hits} {'hit' if hits == '1' else 'hits'})"
        parts.append(text)
    return ", ".join(parts)


def battle_notes(attacker: Army, defender: Army) -> tuple[str, ...]:
    """Return the notes for readers of a report about a battle of these armies."""
    categories = {unit.category for unit in (*attacker.units, *defender.units)}
    return ("land units take no part in naval battles",) if {Category.NAVAL, Category.LAND} <= categories else ()
