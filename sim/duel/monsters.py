"""Monsters by level, with B/X statistics (`monsters.csv` beside this module), and random encounters."""

import csv
from collections.abc import Mapping, Sequence
from enum import Enum
from importlib.resources import files
from typing import Any

from pydantic import TypeAdapter

from sim.core.dice import Dice
from sim.core.names import name_key
from sim.core.values import Frozen
from sim.duel.critter import RULES_VERSION, Alignment, Critter, Damage

MAX_LEVEL = 8
MAX_PARTY = 4

_HIT_DIE = 8
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


FEWER_IN_PACK: Mapping[int, int] = {1: 0, 2: 1}
"""How many fewer than the party the largest pack has, by edition of the rules: four heroes of level 1 come through four
rooms in 63% of the dungeons; when a pack was as large as the party, in 46%."""


class Company(Enum):
    """How many monsters of a kind appear together."""

    ALONE = "alone"
    PACK = "pack"
    SWARM = "swarm"

    def max_count(self, party: int, edition: int = RULES_VERSION) -> int:
        """Return the maximum number that a party meets; every number from 1 is equally likely."""
        pack = max(1, party - FEWER_IN_PACK[edition])
        return {Company.ALONE: 1, Company.PACK: pack, Company.SWARM: party + (party + 1) // 2}[self]


class Monster(Frozen):
    """A kind of monster.

    `hit_dice`: d8s rolled for its hit points, `plus` added, at least 1. `morale`: 2 to 12; it flees if 2d6 show more.
    `attacks`: strikes in a round, each with `damage`.
    """

    name: str
    plural: str
    level: int
    hit_dice: int
    plus: int
    armour_class: int
    attacks: int
    damage: Damage
    morale: int
    company: Company
    alignment: Alignment

    @property
    def to_hit(self) -> int:
        """The roll to hit armour class 0: 19 with one hit die, 1 less for each other one."""
        return 20 - self.hit_dice

    @property
    def experience(self) -> int:
        """The experience for overcoming it, by its hit dice; more if `plus` is positive."""
        base, with_plus = EXPERIENCE[self.hit_dice]
        return base if self.plus == 0 else with_plus if self.plus > 0 else EXPERIENCE[0][0]

    def typical(self, name: str) -> Critter:
        """Return a fighter with the figures of this kind and its average hit points, rounded down."""
        return self._critter(self.hit_dice * (_HIT_DIE + 1) // 2, name=name)

    def roll(self, name: str, dice: Dice) -> Critter:
        """Return a monster of this kind with rolled hit points."""
        rolled = sum(dice.roll(_HIT_DIE) for _ in range(self.hit_dice))
        return self._critter(rolled, name=name, proper=False, alignment=self.alignment)

    def _critter(self, rolled: int, **named: Any) -> Critter:  # noqa: ANN401  # a critter's other fields
        figures = {field: getattr(self, field) for field in ("armour_class", "to_hit", "damage", "attacks")}
        return Critter(hp=max(1, rolled + self.plus), **figures, **named)


EXPERIENCE: Mapping[int, tuple[int, int]] = {
    0: (5, 5),
    1: (10, 15),
    2: (20, 25),
    3: (35, 50),
    4: (75, 125),
    5: (175, 225),
    6: (275, 350),
    7: (450, 550),
    8: (650, 775),
    9: (900, 1000),
}
"""Experience by hit dice, without and with a positive `plus`; row 0 is for less than one die."""

MONSTERS: tuple[Monster, ...] = TypeAdapter(tuple[Monster, ...]).validate_python(
    list(csv.DictReader((files("sim.duel") / "monsters.csv").read_text(encoding="utf-8").splitlines()))
)
"""All kinds, in order of level, 1 to `MAX_LEVEL`."""

MONSTERS_BY_NAME: Mapping[str, Monster] = {monster.name: monster for monster in MONSTERS}

PLURALS: Mapping[str, Critter] = {name_key(monster.plural): monster.typical(monster.plural) for monster in MONSTERS}
TYPICAL: Mapping[str, Critter] = {
    **PLURALS,
    **{name_key(monster.name): monster.typical(monster.name) for monster in MONSTERS},
}
"""A fighter of each kind by its name and its plural, as `name_key` writes them; `PLURALS`: those by their plural."""


class Encounter(Frozen):
    """Monsters of one kind; `kind` is a name of `MONSTERS`."""

    kind: str
    critters: tuple[Critter, ...]

    @property
    def monster(self) -> Monster:
        """Their kind."""
        return MONSTERS_BY_NAME[self.kind]


def roll_encounter(level: int, dice: Dice, party: int = 1, edition: int = RULES_VERSION) -> Encounter:
    """Roll the monsters, of a level from 1 to 8, that a party of 1 to 4 meets: kind, number, hit points in turn."""
    kinds = [monster for monster in MONSTERS if monster.level == level]
    monster = kinds[dice.roll(len(kinds)) - 1]
    count = dice.roll(monster.company.max_count(party, edition))
    return Encounter(
        kind=monster.name,
        critters=tuple(monster.roll(_member_name(monster, number, count), dice) for number in range(count)),
    )


def count_text(monster: Monster, count: int) -> str:
    """Return text such as "a goblin" or "3 goblins"."""
    if count > 1:
        return f"{count} {monster.plural}"
    return f"{'an' if monster.name[0] in 'aeiou' else 'a'} {monster.name}"


def company_text(names: Sequence[str]) -> str | None:
    """Return text such as "3 goblins" for the names of all monsters of an encounter; None for any others."""
    if not 1 < len(names) <= len(_ORDINALS):
        return None
    kind = MONSTERS_BY_NAME.get(names[0].removeprefix(f"{_ORDINALS[0]} "))
    if kind is None or any(name != _member_name(kind, at, len(names)) for at, name in enumerate(names)):
        return None
    return count_text(kind, len(names))


def _member_name(monster: Monster, number: int, count: int) -> str:
    return monster.name if count == 1 else f"{_ORDINALS[number]} {monster.name}"
