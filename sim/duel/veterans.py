"""Characters who live on after a fight: hit points, experience, and the levels of B/X fighters.

The levels are those of .docs/rules/duel.md, "Levels". A new level adds d8 and the Constitution modifier to the hit
points, at least 1, up to level 9, then 2; and every third level fights better.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

from pydantic import Field

from sim.core.battle import Seat
from sim.core.campaign import Care, Veteran
from sim.core.dice import Dice
from sim.core.errors import RuleError
from sim.core.names import name_key
from sim.core.values import Frozen, Number
from sim.duel.critter import MAX_HP, MIN_TO_HIT, Critter
from sim.duel.monsters import EXPERIENCE

LEVELS = (0, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 120_000)
"""The experience that each level needs; every further one needs as much more as the last here."""

MAX_LEVEL = 14

_HIT_DIE = 8
_LAST_DIE = 9
_PLUS = 2
_BETTER: Mapping[int, int] = {4: 2, 7: 3, 10: 2, 13: 2}
"""By how much the number to hit falls at a level: 19, 17, 14, 12, 10."""

_HIT_DICE = 20


def level_at(experience: int) -> int:
    """Return the level, 1 to 14, that some experience is enough for."""
    level = sum(experience >= needed for needed in LEVELS)
    if level == len(LEVELS):
        level = experience // LEVELS[-1] + len(LEVELS) - 1
    return min(MAX_LEVEL, max(1, level))


def worth(critter: Critter) -> int:
    """Return the experience for overcoming a critter: that of a monster with as many hit dice, by its number to hit."""
    dice = min(max(EXPERIENCE), max(0, _HIT_DICE - critter.to_hit))
    return EXPERIENCE[dice][0]


class Character(Frozen):
    """A fighter between fights: in full health, with the hit points left (0: dead) and the experience so far.

    `seat`: whose it was in the last fight, where everybody has their own.
    """

    critter: Critter
    hp: Number
    experience: Number = 0
    level: Annotated[int, Field(ge=1, le=MAX_LEVEL)] = 1
    seat: Annotated[Seat | None, Field(exclude_if=lambda seat: seat is None)] = None

    @classmethod
    def of(cls, critter: Critter, seat: Seat | None = None) -> "Character":
        """Return somebody in full health."""
        return cls(critter=critter, hp=critter.hp, seat=seat)

    @property
    def key(self) -> str:
        """The name by which it is known."""
        return name_key(self.critter.name)

    def learned(self, gained: int, dice: Dice) -> "Character":
        """Return the character with more experience, and the levels that it is enough for, if it lives."""
        after = self.model_copy(update={"experience": max(0, self.experience + gained)})
        while after.hp and after.level < level_at(after.experience):
            after = after.risen(dice)
        return after

    def risen(self, dice: Dice) -> "Character":
        """Return the character a level higher."""
        level = self.level + 1
        gained = _PLUS if level > _LAST_DIE else max(1, dice.roll(_HIT_DIE) + self.critter.con_mod)
        most = min(MAX_HP, self.critter.hp + gained)
        to_hit = max(MIN_TO_HIT, self.critter.to_hit - _BETTER.get(level, 0))
        critter = self.critter.model_copy(update={"hp": most, "to_hit": to_hit})
        return self.model_copy(update={"critter": critter, "hp": self.hp + most - self.critter.hp, "level": level})

    def veteran(self, side: str) -> Veteran:
        """Return how players see it."""
        return Veteran(
            side=side,
            name=self.critter.name,
            left=self.hp,
            most=self.critter.hp,
            experience=self.experience,
            level=self.level if self.experience or self.level > 1 else 0,
        )


Band = tuple[Character, ...]


def band_of(critters: Iterable[Critter], before: Sequence[Character] = ()) -> Band:
    """Return critters in full health; who is known by name keeps experience and level."""
    known = {one.key: one for one in before}
    found = []
    for critter in critters:
        one, old = Character.of(critter), known.get(name_key(critter.name))
        if old is not None:
            one = one.model_copy(update={"experience": old.experience, "level": old.level})
        found.append(one)
    return tuple(found)


def rested(band: Band) -> Band:
    """Return a band in full health; the dead stay dead."""
    return tuple(one.model_copy(update={"hp": one.critter.hp}) if one.hp else one for one in band)


def cared(band: Band, side: str, care: Mapping[tuple[str, str], Care]) -> Band:
    """Return a band after what was given by hand: never above full health (.docs/rules/duel.md, "Critters")."""
    return tuple(_given(one, care.get((side, one.key))) for one in band)


def _given(one: Character, care: Care | None) -> Character:
    if care is None:
        return one
    experience = one.experience + care.experience
    if experience < 0:
        raise RuleError(f"{one.critter.name} hasn't got that much experience.")
    hp = min(one.critter.hp, max(0, one.hp + care.healing))
    return one.model_copy(update={"hp": hp, "experience": experience})


REST = "The living are back to full hit points; the dead stay dead."
