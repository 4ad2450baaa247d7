"""What every question about a battle with dice has in common: who fights, and how both sides choose their losses."""

from typing import Annotated

from pydantic import Field

from sim.axis_allies.army import Army
from sim.axis_allies.average import MAX_ROUNDS
from sim.axis_allies.odds.orders import Casualties, Muster, category
from sim.axis_allies.units import Category, Unit
from sim.core.errors import RuleError
from sim.core.outcomes import Side
from sim.core.request import Request

RoundLimit = Annotated[int, Field(ge=1, le=MAX_ROUNDS)]
"""After how many rounds a battle is broken off."""


class BattleRequest(Request):
    """A battle that something is asked about.

    `casualties`: how both sides choose their losses, unless `attacker_casualties` or `defender_casualties` says
    otherwise. `must_take`: a territory is to be taken, which only land units can.
    """

    attacker: Army
    defender: Army
    casualties: Casualties = "score"
    attacker_casualties: Casualties | None = None
    defender_casualties: Casualties | None = None
    must_take: bool = False

    def check(self) -> None:
        """Refuse fractions of units, and a territory that nobody could take: RuleError."""
        for side in Side:
            self.muster(side)
        if self.must_take and not self.attacker.has(Category.LAND):
            raise RuleError("Only land units take a territory, and the attacker has none.")

    def army(self, side: Side) -> Army:
        """Return the army of `side`."""
        return self.attacker if side is Side.ATTACKER else self.defender

    def losses(self, side: Side) -> Casualties:
        """Return how `side` chooses its losses."""
        own = self.attacker_casualties if side is Side.ATTACKER else self.defender_casualties
        return self.casualties if own is None else own

    def muster(self, side: Side) -> Muster:
        """Return the army of `side` in the order of its losses."""
        return Muster.of(self.army(side), side, self.losses(side), self.army(side.other), must_take=self.must_take)

    def seconds(self, rounds: int = 0) -> float:
        """Return a rough upper figure for the seconds of one exact calculation; `rounds`: its limit, 0 for none."""
        pairs = 1.0
        guns = 1
        grouped = any(self.army(side).count(Unit.SUBMARINE) for side in Side)
        for side in Side:
            muster = self.muster(side)
            guns += muster.hits
            counts = dict(zip(muster.slots, muster.counts, strict=True))
            submarines = counts.get(Unit.SUBMARINE, 0)
            air = sum(count for slot, count in counts.items() if category(slot) is Category.AIR)
            pairs *= (submarines + 1) * (air + 1) * (muster.hits - submarines - air + 1) if grouped else muster.hits + 1
        return pairs * (5e-9 * guns + 2e-9 * rounds if grouped else 1e-6 + 4e-9 * rounds)
