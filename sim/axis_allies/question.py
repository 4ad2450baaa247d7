"""A whole question about a battle, as it is typed in one line or put together from options.

That is its armies, its terms, and when it is broken off: after a number of rounds, or when the attacker leaves, all at
once, after any round, the attacker only. Source: .docs/rules/axis_allies.md, "In the chat line", "End, winner,
territory" and "Low luck, waves, counterattacks".
"""

from fractions import Fraction
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from sim.axis_allies.army import Army
from sim.axis_allies.casualties import Casualties
from sim.axis_allies.editions import Edition
from sim.axis_allies.units import Category
from sim.core.errors import RuleError
from sim.core.numbers import amount
from sim.core.values import Frozen, Side

MAX_ROUNDS = 1_000
"""Length of the longest battle; only large numbers of harmless transports last longer."""

RoundLimit = Annotated[int, Field(ge=1, le=MAX_ROUNDS)]
"""Number of rounds after which a battle is broken off."""


class Withdrawal(Frozen):
    """When the attacker leaves, after any round.

    `below`: with fewer units. `ipc_lost`: after losing more IPC. `only_air`: with nothing but planes left. `last_land`:
    with one land unit left. `defenders_below`: with fewer defenders left, as in a strafing attack.
    """

    below: Annotated[int, Field(ge=1)] | None = None
    ipc_lost: Annotated[int, Field(ge=0)] | None = None
    only_air: bool = False
    last_land: bool = False
    defenders_below: Annotated[int, Field(ge=1)] | None = None

    def check(self, attacker: Army, defender: Army) -> None:
        """Raise RuleError for a condition that holds before the first round."""
        units, land = attacker.fighters.size(), attacker.fighters.size(Category.LAND)
        if units < (self.below or 0):
            raise RuleError(f"The attacker starts with only {_quantity(units)}, so it would retreat before the battle.")
        if self.only_air and units == attacker.size(Category.AIR):
            raise RuleError("The attacker has only planes, so it would retreat before the battle.")
        if self.last_land and land <= 1:
            lacks = "has no land units" if land == 0 else "starts with a single land unit"
            raise RuleError(f"The attacker {lacks}, so it would retreat before the battle.")
        if (defenders := defender.fighters.size()) < (self.defenders_below or 0):
            starts = _quantity(defenders)
            raise RuleError(f"The defender starts with only {starts}, so the attacker would retreat before the battle.")

    def leaves(self, units: Any, air: Any, land: Any, ipc_lost: Any) -> Any:  # noqa: ANN401  # numbers, or arrays of them
        """Return whether the attacker leaves, by its units, planes and land units left and by the IPC lost so far."""
        if self is NEVER:  # as fast as can be: most battles are fought to the end
            return units < 0
        return (
            (units < (self.below or 0))
            | (self.ipc_lost is not None and ipc_lost > self.ipc_lost)
            | (self.only_air and air == units)
            | (self.last_land and land <= 1)
        )

    @property
    def possible(self) -> bool:
        """Whether the attacker ever leaves."""
        return self is not NEVER and self != NEVER


NEVER = Withdrawal()
"""The attacker never leaves."""


def _quantity(units: Fraction) -> str:
    return f"{amount(units)} {'unit' if units == 1 else 'units'}"


MAX_WAVES = 5
"""Maximum number of attackers one after another."""

Technologies = tuple[str, ...]
"""Names of technologies, as in the edition's file."""


class BattleTerms(Frozen):
    """What holds for a battle besides its armies.

    `attacker_casualties`, `defender_casualties`: how the sides choose their losses, None for the edition's default.
    `stop_after`: rounds after which the battle is broken off. `withdrawal`: when the attacker leaves. `must_take`: the
    attacker wins only with a land unit left to take the territory. `low_luck`: six points of value are a hit, one die
    decides on the rest.
    """

    attacker_technology: Technologies = ()
    defender_technology: Technologies = ()
    attacker_casualties: Casualties | None = None
    defender_casualties: Casualties | None = None
    stop_after: RoundLimit | None = None
    withdrawal: Withdrawal = NEVER
    must_take: bool = False
    low_luck: bool = False


class Wave(Frozen):
    """An attacker of several, or a counterattack.

    `bombard`: its ships that bombard; `landing`: how many land units come by sea, by default all of them.
    """

    army: Army
    bombard: Army = Army()
    landing: Annotated[int, Field(ge=0)] | None = None

    @property
    def can_take(self) -> bool:
        """Whether it has land units, which alone can take a territory."""
        return self.army.has(Category.LAND)


class Question(BattleTerms):
    """A battle, or several attackers one after another, with everything that is asked about it.

    `counter`: who attacks those that took the territory.
    """

    waves: Annotated[tuple[Wave, ...], Field(min_length=1, max_length=MAX_WAVES)]
    defender: Army
    counter: Wave | None = None

    @model_validator(mode="after")
    def _one_edition(self) -> Self:
        waves = self.waves if self.counter is None else (*self.waves, self.counter)
        armies = (self.defender, *(army for wave in waves for army in (wave.army, wave.bombard) if army))
        if not all(armies) or not all(wave.army for wave in waves):
            raise ValueError("every army of a question has units")
        if len({army.edition for army in armies}) > 1:
            raise ValueError("all armies of a question are of one edition")
        return self

    @property
    def edition(self) -> str:
        """The edition that all armies are of."""
        return self.defender.edition

    @property
    def book(self) -> Edition:
        """The edition's units and rules."""
        return self.defender.book

    @property
    def armies(self) -> dict[Side, Army]:
        """The first attacker and the defender."""
        return {Side.ATTACKER: self.waves[0].army, Side.DEFENDER: self.defender}

    @property
    def one_battle(self) -> bool:
        """Whether there is one attacker and no counterattack."""
        return len(self.waves) == 1 and self.counter is None

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of a request about the battle of the first wave."""
        return self.fields_of(self.waves[0])

    def fields_of(self, wave: Wave) -> dict[str, Any]:
        """Return the fields of a request about the battle of one attacker against the whole defender."""
        terms = {name: getattr(self, name) for name in BattleTerms.model_fields}
        armies = {"attacker": wave.army, "bombard": wave.bombard, "landing": wave.landing, "defender": self.defender}
        return armies | terms

    def with_options(
        self, *, casualties: Casualties | None = None, landing: int | None = None, **options: object
    ) -> Self:
        """Return the question with the options given besides its text: they win, None is no option.

        `casualties`: of both sides; `landing`: of every wave; the others are fields. Of a `withdrawal` only the
        conditions that it sets.
        """
        given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
        if casualties is not None:
            given = {"attacker_casualties": casualties, "defender_casualties": casualties, **given}
        if landing is not None:
            given["waves"] = tuple(wave.model_copy(update={"landing": landing}) for wave in self.waves)
        if "withdrawal" in given:
            conditions = {
                name: value for name, value in given["withdrawal"] if value is not None and value is not False
            }
            given["withdrawal"] = self.withdrawal.model_copy(update=conditions)
        return type(self).model_validate({**dict(self), **given})
