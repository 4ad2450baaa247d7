"""When a battle is broken off: after a number of rounds, or when the attacker leaves.

Source: .docs/rules/axis_allies.md, "End, winner, territory": all at once, after any round, the attacker only.
"""

from fractions import Fraction
from typing import Annotated

from pydantic import Field

from sim.axis_allies.army import Army
from sim.axis_allies.units import Category
from sim.core.errors import RuleError
from sim.core.numbers import amount
from sim.core.values import Frozen

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
        units, land = _units(attacker), _units(attacker, Category.LAND)
        if units < (self.below or 0):
            raise RuleError(f"The attacker starts with only {_quantity(units)}, so it would retreat before the battle.")
        if self.only_air and units == _units(attacker, Category.AIR):
            raise RuleError("The attacker has only planes, so it would retreat before the battle.")
        if self.last_land and land <= 1:
            lacks = "has no land units" if land == 0 else "starts with a single land unit"
            raise RuleError(f"The attacker {lacks}, so it would retreat before the battle.")
        if _units(defender) < (self.defenders_below or 0):
            starts = _quantity(_units(defender))
            raise RuleError(f"The defender starts with only {starts}, so the attacker would retreat before the battle.")

    @property
    def possible(self) -> bool:
        """Whether the attacker ever leaves."""
        return self is not NEVER and self != NEVER


NEVER = Withdrawal()
"""The attacker never leaves."""


def _quantity(units: Fraction) -> str:
    return f"{amount(units)} {'unit' if units == 1 else 'units'}"


def _units(army: Army, *categories: Category) -> Fraction:
    """Return how many units fight, marks left out: all of them or those of some categories."""
    counts = (group.count for group in army.fighters.groups if not categories or group.unit.category in categories)
    return sum(counts, Fraction(0))
