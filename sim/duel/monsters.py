"""Monsters by level, with B/X statistics, and random encounters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from sim.core.dice import Dice
from sim.core.errors import RuleError
from sim.core.values import Frozen
from sim.duel.critter import RULES_VERSION, Alignment, Critter
from sim.duel.damage import Damage, parse_damage

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


@dataclass(frozen=True, slots=True)
class Monster:
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

    def roll(self, name: str, dice: Dice) -> Critter:
        """Return a monster of this kind with rolled hit points."""
        points = sum(dice.roll(_HIT_DIE) for _ in range(self.hit_dice)) + self.plus
        return Critter(
            name=name,
            proper=False,
            alignment=self.alignment,
            hp=max(1, points),
            armour_class=self.armour_class,
            to_hit=self.to_hit,
            damage=self.damage,
            attacks=self.attacks,
        )


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

_ALONE, _PACK, _SWARM = Company
_L, _N, _C = Alignment

# name, plural, hit dice, plus, armour class, attacks, damage, morale, company, alignment; five kinds per level
_ROWS: Mapping[int, tuple[tuple[str, str, int, int, int, int, str, int, Company, Alignment], ...]] = {
    1: (
        ("giant rat", "giant rats", 1, -4, 7, 1, "1d3", 8, _SWARM, _N),
        ("kobold", "kobolds", 1, -4, 7, 1, "1d4", 6, _SWARM, _C),
        ("goblin", "goblins", 1, -1, 6, 1, "1d6", 7, _PACK, _C),
        ("skeleton", "skeletons", 1, 0, 7, 1, "1d6", 12, _PACK, _C),
        ("cave adder", "cave adders", 1, 0, 6, 1, "1d4", 7, _ALONE, _N),
    ),
    2: (
        ("orc", "orcs", 1, 0, 6, 1, "1d6", 8, _PACK, _C),
        ("hobgoblin", "hobgoblins", 1, 1, 6, 1, "1d8", 8, _PACK, _C),
        ("zombie", "zombies", 2, 0, 8, 1, "1d8", 12, _PACK, _C),
        ("ghoul", "ghouls", 2, 0, 6, 3, "1d3", 9, _ALONE, _C),
        ("fire beetle", "fire beetles", 1, 2, 4, 1, "2d4", 7, _PACK, _N),
    ),
    3: (
        ("gnoll", "gnolls", 2, 0, 5, 1, "2d4", 8, _PACK, _C),
        ("lizard man", "lizard men", 2, 1, 5, 1, "1d6+1", 12, _PACK, _N),
        ("bugbear", "bugbears", 3, 1, 5, 1, "2d4", 9, _ALONE, _C),
        ("crab spider", "crab spiders", 2, 0, 7, 1, "1d8", 7, _PACK, _N),
        ("wolf", "wolves", 2, 2, 7, 1, "1d6", 8, _SWARM, _N),
    ),
    4: (
        ("wight", "wights", 3, 0, 5, 1, "1d6", 12, _PACK, _C),
        ("living statue", "living statues", 3, 0, 4, 2, "1d6", 11, _ALONE, _N),
        ("boar", "boars", 3, 0, 7, 1, "2d4", 9, _PACK, _N),
        ("ogre", "ogres", 4, 1, 5, 1, "1d10", 10, _ALONE, _C),
        ("harpy", "harpies", 3, 0, 7, 3, "1d4", 7, _PACK, _C),
    ),
    5: (
        ("gargoyle", "gargoyles", 4, 0, 5, 3, "1d4", 11, _PACK, _C),
        ("wraith", "wraiths", 4, 0, 3, 1, "1d6", 12, _ALONE, _C),
        ("owl bear", "owl bears", 5, 0, 5, 3, "1d8", 9, _ALONE, _N),
        ("dire wolf", "dire wolves", 4, 1, 6, 1, "2d4", 8, _PACK, _N),
        ("cave bear", "cave bears", 5, 0, 6, 2, "1d6", 9, _ALONE, _N),
    ),
    6: (
        ("minotaur", "minotaurs", 6, 0, 6, 2, "1d6", 12, _ALONE, _C),
        ("frost salamander", "frost salamanders", 6, 0, 5, 3, "1d6", 9, _ALONE, _C),
        ("mummy", "mummies", 5, 1, 3, 1, "1d12", 12, _PACK, _C),
        ("troll", "trolls", 6, 3, 4, 3, "1d6", 10, _ALONE, _C),
        ("cockatrice", "cockatrices", 5, 0, 6, 1, "1d6", 7, _PACK, _N),
    ),
    7: (
        ("basilisk", "basilisks", 6, 1, 4, 1, "1d10", 9, _ALONE, _N),
        ("spectre", "spectres", 6, 0, 2, 1, "1d8", 11, _PACK, _C),
        ("manticore", "manticores", 6, 1, 4, 3, "1d6", 9, _ALONE, _C),
        ("hydra of five heads", "hydras of five heads", 5, 0, 5, 5, "1d10", 9, _ALONE, _N),
        ("ice giant's hound", "ice giant's hounds", 5, 2, 5, 2, "1d8", 9, _PACK, _C),
    ),
    8: (
        ("vampire", "vampires", 8, 0, 2, 1, "1d10", 11, _ALONE, _C),
        ("hill giant", "hill giants", 8, 0, 4, 1, "2d8", 8, _PACK, _C),
        ("stone giant", "stone giants", 9, 0, 4, 1, "3d6", 9, _ALONE, _N),
        ("chimera", "chimeras", 9, 0, 4, 4, "2d4", 9, _ALONE, _C),
        ("young frost wyrm", "young frost wyrms", 7, 1, 3, 3, "2d6", 8, _ALONE, _C),
    ),
}

MONSTERS: tuple[Monster, ...] = tuple(
    Monster(name, plural, level, dice, plus, armour, attacks, parse_damage(damage), morale, company, alignment)
    for level, rows in _ROWS.items()
    for name, plural, dice, plus, armour, attacks, damage, morale, company, alignment in rows
)
"""All kinds, in order of level, 1 to `MAX_LEVEL`."""

MONSTERS_BY_NAME: Mapping[str, Monster] = {monster.name: monster for monster in MONSTERS}


class Encounter(Frozen):
    """Monsters of one kind; `kind` is a name of `MONSTERS`."""

    kind: str
    critters: tuple[Critter, ...]

    @property
    def monster(self) -> Monster:
        """Their kind."""
        return MONSTERS_BY_NAME[self.kind]


def roll_encounter(level: int, dice: Dice, party: int = 1, edition: int = RULES_VERSION) -> Encounter:
    """Roll the monsters, of a level from 1 to 8, that a party of 1 to 4 meets: kind, number, hit points, in this order.

    RuleError for other levels.
    """
    if not 1 <= level <= MAX_LEVEL:
        raise RuleError(f"Monsters have levels 1 to {MAX_LEVEL}, not {level}.")
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
