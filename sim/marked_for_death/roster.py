"""Who fights: fighters and their buffs, as a roster's rows give them (rules: Roster CSV)."""

from decimal import Decimal
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

MAX_FIGHTERS = 500
"""Fighters of one side."""

MAX_NAME = 40
"""Characters of a name."""

MAX_XP = 10_000_000
"""XP and BonusXP, either way."""

MAX_HP = 1_000_000
"""BonusHP, either way."""

MAX_BONUS = Decimal(1000)
"""BonusToHit, BonusToDefend and what a buff adds, either way."""

BONUS_PLACES = 6
"""Decimals of a bonus."""

MAX_AOE = 500
"""Opponents that one fighter attacks in a round."""

Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME)]
Bonus = Annotated[Decimal, Field(ge=-MAX_BONUS, le=MAX_BONUS, decimal_places=BONUS_PLACES, allow_inf_nan=False)]


class Camp(StrEnum):
    """The two sides; the heroes come first wherever the order matters."""

    HEROES = "heroes"
    VILLAINS = "villains"

    @property
    def other(self) -> "Camp":
        """The opposing side."""
        return Camp.VILLAINS if self is Camp.HEROES else Camp.HEROES


class Buff(BaseModel):
    """What a living fighter adds to everybody named in `who`, perhaps itself; names that nobody has do nothing."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(max_length=MAX_NAME)] = ""
    who: tuple[Name, ...] = ()
    offense: Bonus = Decimal(0)
    defense: Bonus = Decimal(0)


class Fighter(BaseModel):
    """A row of a roster; all but the name and the sum of both XP may be left out."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Name
    xp: Annotated[int, Field(ge=-MAX_XP, le=MAX_XP)]
    bonus_xp: Annotated[int, Field(ge=-MAX_XP, le=MAX_XP)] = 0
    bonus_hp: Annotated[int, Field(ge=-MAX_HP, le=MAX_HP)] = 0
    bonus_to_hit: Bonus = Decimal(0)
    bonus_to_defend: Bonus = Decimal(0)
    aoe: Annotated[int, Field(ge=1, le=MAX_AOE)] = 1
    bodyguard_for: Name | None = None
    linked_to: Name | None = None
    buffs: tuple[Buff, ...] = ()


class Roster(BaseModel):
    """A side: its fighters in the order of the file, 1 to `MAX_FIGHTERS`, no two names alike by `key`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fighters: Annotated[tuple[Fighter, ...], Field(min_length=1, max_length=MAX_FIGHTERS)]
