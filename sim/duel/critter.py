"""Critters: damage dice, abilities, names, and rolling a character (.docs/rules/duel.md, "Critters")."""

import math
import re
import tomllib
import unicodedata
from bisect import bisect_left
from collections.abc import Container, Iterable, Mapping
from enum import StrEnum
from importlib.resources import files
from itertools import accumulate
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, model_serializer, model_validator

from sim.core import Problem, RuleError, Span, TextError
from sim.core.dice import Dice, SeededDice
from sim.core.names import check_name
from sim.core.values import Frozen, is_one, is_unset

MAX_DICE = 20
MAX_SIDES = 100
MAX_PLUS = 100
"""Limit of the number added to the dice, plus or minus."""

MAX_DAMAGE_TEXT = 40
"""Maximum length of a damage text."""

# What may be missing at the end still makes a valid start: a wrong text is wrong from there on.
_DAMAGE_SHAPE = re.compile(
    r"\s*(?:(?P<count>[0-9]*)\s*(?:[dD](?:(?P<sides>[0-9]+)\s*"
    r"(?:(?P<sign>[+\-\u2212\u2013])\s*(?:(?P<plus>[0-9]+)\s*)?)?)?)?)?",
    re.ASCII,
)
_HOW_DAMAGE = "Write damage as 2d6+1: number of dice, d, number of sides."


class Damage(Frozen):
    """`count` dice of `sides` sides plus `plus`; a hit deals the sum, but at least 1.

    Serialized as text such as "2d6+1"; TextError marks what can't be read.
    """

    count: Annotated[int, Field(strict=True, ge=1, le=MAX_DICE)] = 1
    sides: Annotated[int, Field(strict=True, ge=1, le=MAX_SIDES)] = 4
    plus: Annotated[int, Field(strict=True, ge=-MAX_PLUS, le=MAX_PLUS)] = 0

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, data: Any) -> Any:  # noqa: ANN401  # any JSON value
        return _parse_damage(data) if isinstance(data, str) else data

    @model_serializer
    def _to_text(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return f"{self.count}d{self.sides}{f'{self.plus:+d}' if self.plus else ''}"

    @property
    def maximum(self) -> int:
        """The maximum damage of a hit."""
        return max(1, self.count * self.sides + self.plus)

    @property
    def mean(self) -> float:
        """The approximate mean damage of a hit: too low if some sums below 1 are raised to 1."""
        return max(1.0, self.count * (self.sides + 1) / 2 + self.plus)

    def roll(self, dice: Dice) -> int:
        """Roll die by die and return the damage of a hit."""
        return max(1, sum(dice.roll(self.sides) for _ in range(self.count)) + self.plus)

    def chances(self) -> list[float]:
        """Return the probability of each damage from 0 to `maximum`."""
        total_ways = self.sides**self.count
        return [count / total_ways for count in self.weights()]

    def weights(self) -> tuple[int, ...]:
        """Return the number of ways to roll each damage from 0 to `maximum`."""
        ways = [1]  # the number of ways to roll each sum
        for _ in range(self.count):
            # Another die adds 1 to `sides`: the ways to roll a sum are those of the `sides` sums below it.
            below = list(accumulate(ways + [0] * (self.sides - 1), initial=0))
            ways = [0, *(below[at] - below[max(0, at - self.sides)] for at in range(1, len(below)))]
        dealt = [0] * (self.maximum + 1)
        for total, count in enumerate(ways):
            dealt[max(1, total + self.plus)] += count
        return tuple(dealt)


def _parse_damage(text: str) -> dict[str, int]:
    """Return the fields of damage such as `2d6+1`, `d8` or `1d4 - 1`; TextError marks what is wrong."""
    if len(text) > MAX_DAMAGE_TEXT:
        raise RuleError(f"Damage such as 2d6+1 has at most {MAX_DAMAGE_TEXT} characters, not {len(text):,}.")
    found = _DAMAGE_SHAPE.match(text)
    at = found.end() if found else 0
    if found is None or at < len(text) or not found["sides"] or (found["sign"] and not found["plus"]):
        raise TextError(text, (Problem(Span(at, len(text.rstrip()) if text[at:].strip() else at), _HOW_DAMAGE),))
    values = {
        "count": int(found["count"] or 1),
        "sides": int(found["sides"]),
        "plus": int(found["plus"] or 0) * (1 if found["sign"] in {None, "+"} else -1),
    }
    limits = {
        "count": (1, MAX_DICE, f"Use 1 to {MAX_DICE} dice."),
        "sides": (1, MAX_SIDES, f"A die has 1 to {MAX_SIDES} sides."),
        "plus": (-MAX_PLUS, MAX_PLUS, f"Add or subtract at most {MAX_PLUS}."),
    }
    problems = tuple(
        Problem(Span(*found.span(name)), message)
        for name, (least, most, message) in limits.items()
        if not least <= values[name] <= most
    )
    if problems:
        raise TextError(text, problems)
    return values


MAX_GROUP = 100
"""Maximum size of a group: the log tells every turn."""

LIMITS: Mapping[str, tuple[int, int]] = {
    "hp": (1, 1_000),
    "score": (3, 18),
    "modifier": (-20, 20),  # people have -3 to +3, monsters may have more
    "armour_class": (-20, 40),
    "to_hit": (-20, 60),
    "attacks": (1, 10),
    "morale": (2, 12),
}
"""The least and the most of a critter's figures. Lower armor classes are better; 2d6 above its morale make it flee."""

MAX_NAME = 40
"""Characters of a name."""

RULES_VERSION = 2
"""The version of the rules that new battles are fought by; earlier battles keep theirs, to the last hash.

The second uses up the texts of a message before it repeats one, knows more stories and rooms, and sends smaller packs
of monsters.
"""

RulesVersion = Annotated[int, Field(ge=1, le=RULES_VERSION, strict=True, exclude_if=is_one)]
"""A version in a setup; the first one isn't written: it had no such field."""

STRIKE_DIE, INITIATIVE_DIE = 20, 6


def _whole(figure: str) -> Any:  # noqa: ANN401  # pydantic's word for a field
    least, most = LIMITS[figure]
    return Field(strict=True, ge=least, le=most)


class Gender(StrEnum):
    """A critter's pronoun."""

    HE = "he"
    SHE = "she"
    IT = "it"


def fighter_name(name: str) -> str:
    """Return a name in composed form, stripped; RuleError if it can't be displayed as it is."""
    composed = unicodedata.normalize("NFC", name.strip())
    wrong = check_name(composed, MAX_NAME)
    if wrong is not None:
        raise RuleError(f"A fighter's name {wrong}.")
    return composed


Name = Annotated[str, AfterValidator(fighter_name)]
Score = Annotated[int, _whole("score")]
Modifier = Annotated[int, _whole("modifier")]
Morale = Annotated[int, _whole("morale")]


class Alignment(StrEnum):
    """A critter's moral side, which decides how stories about it open and close."""

    LAWFUL = "lawful"
    NEUTRAL = "neutral"
    CHAOTIC = "chaotic"


def modifier(score: int) -> int:
    """Return the modifier, -3 to +3, of an ability score of 3 to 18."""
    return bisect_left((3, 5, 8, 12, 15, 17), score) - 3  # the highest score of each modifier but the last


class Abilities(Frozen):
    """The six ability scores, in the order they are rolled."""

    strength: Score
    intelligence: Score
    wisdom: Score
    dexterity: Score
    constitution: Score
    charisma: Score

    def modifiers(self) -> dict[str, int]:
        """Return the six modifiers by the names of a critter's fields."""
        return {short: modifier(getattr(self, ability)) for short, ability in MODIFIERS.items()}


MODIFIERS: Mapping[str, str] = {
    "str_mod": "strength",
    "int_mod": "intelligence",
    "wis_mod": "wisdom",
    "dex_mod": "dexterity",
    "con_mod": "constitution",
    "cha_mod": "charisma",
}
"""A critter's modifier fields and their abilities."""


class Figure(Frozen):
    """A critter as a story names it. A `proper` name stands alone; others take an article, as in "the goblin"."""

    name: Name
    gender: Gender = Gender.IT
    proper: bool = True

    @property
    def called(self) -> str:
        """Its name in a sentence, with an article unless it is proper."""
        return self.name if self.proper else f"the {self.name}"


class Critter(Figure):
    """A fighter in full health, with the rules' defaults.

    `hp`: hit points. If the six `abilities` are known, the modifiers follow from them; RuleError for modifiers that
    contradict them. A strike is d20 + `str_mod` and hits at `to_hit` - the target's `armour_class` or more. `attacks`
    counts the strikes of a round. Without a `morale` it never flees.
    """

    alignment: Alignment = Alignment.NEUTRAL
    hp: Annotated[int, _whole("hp")]
    abilities: Abilities | None = None
    str_mod: Modifier = 0
    int_mod: Modifier = 0
    wis_mod: Modifier = 0
    dex_mod: Modifier = 0
    con_mod: Modifier = 0
    cha_mod: Modifier = 0
    armour_class: Annotated[int, _whole("armour_class")] = 5
    to_hit: Annotated[int, _whole("to_hit")] = 19
    damage: Damage = Damage()
    attacks: Annotated[int, _whole("attacks")] = 1
    morale: Annotated[Morale | None, Field(exclude_if=is_unset)] = None

    @model_validator(mode="before")
    @classmethod
    def _from_abilities(cls, data: Any) -> Any:  # noqa: ANN401  # any JSON value
        if isinstance(data, dict) and data.get("abilities") is not None:
            return Abilities.model_validate(data["abilities"]).modifiers() | data
        return data

    @model_validator(mode="after")
    def _check_modifiers(self) -> Self:
        if self.abilities is not None:
            for short, value in self.abilities.modifiers().items():
                if getattr(self, short) != value:
                    ability = MODIFIERS[short]
                    raise RuleError(
                        f"{self.name}'s {ability} of {getattr(self.abilities, ability)} gives {value:+d}, "
                        f"not {getattr(self, short):+d}."
                    )
        return self

    @property
    def figure(self) -> Figure:
        """Its name, pronoun and article, without its statistics."""
        return Figure(name=self.name, gender=self.gender, proper=self.proper)

    def hit_chance(self, target: "Critter") -> float:
        """Return the chance that a strike hits; 0 if even a 20 misses."""
        needed = self.to_hit - target.armour_class - self.str_mod
        return min(STRIKE_DIE, max(0, STRIKE_DIE + 1 - needed)) / STRIKE_DIE


Group = Annotated[tuple[Critter, ...], Field(min_length=1, max_length=MAX_GROUP)]


def can_harm(strikers: Iterable[Critter], targets: Iterable[Critter]) -> bool:
    """Return whether any of `strikers` could ever hit any of `targets`."""
    # The best striker with a 20 against the worst armour.
    best = max((striker.str_mod - striker.to_hit for striker in strikers), default=-math.inf)
    worst = max((target.armour_class for target in targets), default=-math.inf)
    return best + worst + STRIKE_DIE >= 0


TEXTS: Mapping[str, Any] = tomllib.loads((files("sim.duel") / "texts.toml").read_text(encoding="utf-8"))
"""The names of characters, and all that is said in duels and dungeons."""

NAMES: Mapping[Gender, tuple[str, ...]] = {gender: tuple(TEXTS["names"][gender]) for gender in Gender}
"""Names by gender, without duplicates."""


def roll_critter(
    dice: Dice,
    *,
    name: str | None = None,
    gender: Gender | None = None,
    alignment: Alignment | None = None,
    taken: Container[str] = (),
) -> Critter:
    """Roll a character: 3d6 for each ability in order, d8 + Constitution for hit points, at least 1.

    Then roll what isn't given: gender (d2: he, she), name (from the table, avoiding `taken` names while others are
    left), alignment (d3).
    """
    scores = [sum(dice.roll(6) for _ in range(3)) for _ in MODIFIERS]
    abilities = Abilities.model_validate(dict(zip(MODIFIERS.values(), scores, strict=True)))
    points = max(1, dice.roll(8) + abilities.modifiers()["con_mod"])
    gender = gender or (Gender.HE, Gender.SHE)[dice.roll(2) - 1]
    if name is None:
        free = [candidate for candidate in NAMES[gender] if candidate not in taken] or list(NAMES[gender])
        name = free[dice.roll(len(free)) - 1]
    alignment = alignment or tuple(Alignment)[dice.roll(len(Alignment)) - 1]
    return Critter.model_validate(
        {"name": name, "gender": gender, "alignment": alignment, "hp": points, "abilities": abilities.model_dump()}
    )


def roll_rivals(dice: Dice) -> tuple[Critter, Critter]:
    """Roll a lawful barbarian, then a chaotic one with another name."""
    lawful = roll_critter(dice, alignment=Alignment.LAWFUL)
    return lawful, roll_critter(dice, alignment=Alignment.CHAOTIC, taken=(lawful.name,))


OPPONENTS: Mapping[str, tuple[str, Gender, str]] = {
    "strong": ("Gunnvor", Gender.SHE, "opponent 1369"),
    "quick": ("Kari", Gender.HE, "opponent 1093"),
    "tough": ("Old Bersi", Gender.HE, "opponent 1810"),
}
"""The bot's own duelists, for players who find nobody else, by a word: name, gender, what seeds the other dice."""


def opponent(word: str) -> Critter:
    """Return the duelist of a word."""
    name, gender, seed = OPPONENTS[word]
    return roll_critter(SeededDice(seed.encode()), name=name, gender=gender)
