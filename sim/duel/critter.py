"""Who fights: critters with their abilities, and rolling one up (rules: Critters)."""

import math
from collections.abc import Container, Iterable, Mapping
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, model_validator

from sim.core.dice import Dice
from sim.core.errors import RuleError
from sim.core.frozen import Frozen
from sim.duel.damage import Damage
from sim.duel.names import NAMES, Gender, fighter_name

MAX_HP = 1_000
MAX_MODIFIER = 20
"""Of an ability, either way: people have -3 to +3, monsters may have more."""

MAX_ATTACKS = 10
"""Attacks of one critter in a round."""

LEAST_ARMOUR, MOST_ARMOUR = -20, 40
"""Armour classes; the lower, the better."""

LEAST_TO_HIT, MOST_TO_HIT = -20, 60

LEAST_SCORE, MOST_SCORE = 3, 18
"""Scores of an ability."""

_HIT_DIE = 8
_STRIKE_DIE = 20
_DIE_OF_ABILITIES = 6

# The highest score of each step, and its modifier.
_STEPS = ((3, -3), (5, -2), (8, -1), (12, 0), (15, 1), (17, 2), (18, 3))

Name = Annotated[str, AfterValidator(fighter_name)]
Score = Annotated[int, Field(strict=True, ge=LEAST_SCORE, le=MOST_SCORE)]
Modifier = Annotated[int, Field(strict=True, ge=-MAX_MODIFIER, le=MAX_MODIFIER)]


class Alignment(StrEnum):
    """What a critter stands for."""

    LAWFUL = "lawful"
    NEUTRAL = "neutral"
    CHAOTIC = "chaotic"


def modifier(score: int) -> int:
    """Return what an ability of 3 to 18 adds: -3 to +3."""
    return next(value for highest, value in _STEPS if score <= highest)


class Abilities(Frozen):
    """The six abilities in the order in which they are rolled."""

    strength: Score
    intelligence: Score
    wisdom: Score
    dexterity: Score
    constitution: Score
    charisma: Score

    def modifiers(self) -> dict[str, int]:
        """Return the six modifiers by the names that a critter has them under."""
        return {short: modifier(getattr(self, ability)) for short, ability in MODIFIERS.items()}


MODIFIERS: Mapping[str, str] = {
    "str_mod": "strength",
    "int_mod": "intelligence",
    "wis_mod": "wisdom",
    "dex_mod": "dexterity",
    "con_mod": "constitution",
    "cha_mod": "charisma",
}
"""A critter's modifiers and the abilities that they come from."""


class Figure(Frozen):
    """Who a critter is in a story. A `proper` name stands alone, another one with its article: the goblin."""

    name: Name
    gender: Gender = Gender.IT
    proper: bool = True


class Critter(Figure):
    """A fighter in full health; what is left out has the rules' defaults.

    `hp`: hit points. Where the six `abilities` are known, the modifiers follow from them. A strike is d20 + `str_mod`
    and hits from `to_hit` - the target's `armour_class` on; `damage`, at least 1; `attacks` in a round. RuleError for
    modifiers that contradict the abilities.
    """

    alignment: Alignment = Alignment.NEUTRAL
    hp: Annotated[int, Field(strict=True, ge=1, le=MAX_HP)]
    abilities: Abilities | None = None
    str_mod: Modifier = 0
    int_mod: Modifier = 0
    wis_mod: Modifier = 0
    dex_mod: Modifier = 0
    con_mod: Modifier = 0
    cha_mod: Modifier = 0
    armour_class: Annotated[int, Field(strict=True, ge=LEAST_ARMOUR, le=MOST_ARMOUR)] = 5
    to_hit: Annotated[int, Field(strict=True, ge=LEAST_TO_HIT, le=MOST_TO_HIT)] = 19
    damage: Damage = Damage()
    attacks: Annotated[int, Field(strict=True, ge=1, le=MAX_ATTACKS)] = 1

    @model_validator(mode="before")
    @classmethod
    def _from_abilities(cls, data: Any) -> Any:  # noqa: ANN401  # whatever stands in a file
        if isinstance(data, dict) and data.get("abilities") is not None:
            return Abilities.model_validate(data["abilities"]).modifiers() | data
        return data

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.abilities is not None:
            for short, value in self.abilities.modifiers().items():
                if getattr(self, short) != value:
                    ability = MODIFIERS[short]
                    raise RuleError(
                        f"{self.name}'s {ability} of {getattr(self.abilities, ability)} makes {value:+d}, "
                        f"not {getattr(self, short):+d}."
                    )
        return self

    @property
    def figure(self) -> Figure:
        """Who it is, without its strength."""
        return Figure(name=self.name, gender=self.gender, proper=self.proper)

    def needed(self, target: "Critter") -> int:
        """Return the least that d20 + Strength modifier has to show for a hit."""
        return self.to_hit - target.armour_class

    def hit_chance(self, target: "Critter") -> float:
        """Return the chance that a strike hits; 0 where no face of the die is enough."""
        return min(_STRIKE_DIE, max(0, _STRIKE_DIE + 1 - (self.needed(target) - self.str_mod))) / _STRIKE_DIE


def can_harm(strikers: Iterable[Critter], targets: Iterable[Critter]) -> bool:
    """Tell whether any of `strikers` could ever hit any of `targets`: the best with a 20 the worst armoured."""
    best = max((striker.str_mod - striker.to_hit for striker in strikers), default=-math.inf)
    worst = max((target.armour_class for target in targets), default=-math.inf)
    return best + worst + _STRIKE_DIE >= 0


def roll_critter(
    dice: Dice,
    *,
    name: str | None = None,
    gender: Gender | None = None,
    alignment: Alignment | None = None,
    taken: Container[str] = (),
) -> Critter:
    """Roll a character: 3d6 for each ability in order, d8 + Constitution for hit points, at least 1.

    Then what isn't given: gender (d2: he, she), name (of the table, none that is `taken` while there are
    others), alignment (d3).
    """
    scores = [sum(dice.roll(_DIE_OF_ABILITIES) for _ in range(3)) for _ in MODIFIERS]
    abilities = Abilities.model_validate(dict(zip(MODIFIERS.values(), scores, strict=True)))
    points = max(1, dice.roll(_HIT_DIE) + abilities.modifiers()["con_mod"])
    who = gender or (Gender.HE, Gender.SHE)[dice.roll(2) - 1]
    if name is None:
        free = [candidate for candidate in NAMES[who] if candidate not in taken] or list(NAMES[who])
        name = free[dice.roll(len(free)) - 1]
    side = alignment or tuple(Alignment)[dice.roll(len(Alignment)) - 1]
    return Critter.model_validate(
        {"name": name, "gender": who, "alignment": side, "hp": points, "abilities": abilities.model_dump()}
    )


def roll_rivals(dice: Dice) -> tuple[Critter, Critter]:
    """Roll two for a duel: a lawful barbarian and then a chaotic one, with different names."""
    lawful = roll_critter(dice, alignment=Alignment.LAWFUL)
    return lawful, roll_critter(dice, alignment=Alignment.CHAOTIC, taken=(lawful.name,))
