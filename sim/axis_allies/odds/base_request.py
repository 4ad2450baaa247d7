"""The base of every request about a battle with dice: both armies and how they choose their losses."""

from typing import Annotated

from pydantic import Field

from sim.axis_allies.army import Army
from sim.axis_allies.average import MAX_ROUNDS
from sim.axis_allies.casualties import Casualties, CasualtyOrder, category
from sim.axis_allies.units import Category, Unit
from sim.core.errors import RuleError
from sim.core.values import Request, Side

RoundLimit = Annotated[int, Field(ge=1, le=MAX_ROUNDS)]
"""Number of rounds after which a battle is broken off."""


class BattleRequest(Request):
    """A battle with dice.

    `casualties`: how both sides choose their losses, unless `attacker_casualties` or `defender_casualties` overrides
    it. `must_take`: the attacker wins only with a land unit left to take the territory.
    """

    attacker: Army
    defender: Army
    casualties: Casualties = "score"
    attacker_casualties: Casualties | None = None
    defender_casualties: Casualties | None = None
    must_take: bool = False

    def check(self) -> None:
        """Raise RuleError for fractions of units and for a territory that nobody can take."""
        for side in Side:
            self.casualty_order(side)
        if self.must_take and not self.attacker.has(Category.LAND):
            raise RuleError("Only land units can take a territory, and the attacker has none.")

    def army(self, side: Side) -> Army:
        """Return the army of `side`."""
        return self.attacker if side is Side.ATTACKER else self.defender

    def casualties_of(self, side: Side) -> Casualties:
        """Return how `side` chooses its losses."""
        own = self.attacker_casualties if side is Side.ATTACKER else self.defender_casualties
        return self.casualties if own is None else own

    def casualty_order(self, side: Side) -> CasualtyOrder:
        """Return the army of `side` in casualty order."""
        enemy = self.army(side.other)
        return CasualtyOrder.of(self.army(side), side, self.casualties_of(side), enemy, must_take=self.must_take)

    def estimate_seconds(self, rounds: int = 0) -> float:
        """Return a rough upper bound on the seconds of one exact calculation; `rounds`: its limit, 0 for none."""
        pairs = 1.0
        hits = 1
        grouped = any(self.army(side).count(Unit.SUBMARINE) for side in Side)
        for side in Side:
            order = self.casualty_order(side)
            hits += order.hits
            counts = dict(zip(order.slots, order.counts, strict=True))
            submarines = counts.get(Unit.SUBMARINE, 0)
            air = sum(count for slot, count in counts.items() if category(slot) is Category.AIR)
            pairs *= (submarines + 1) * (air + 1) * (order.hits - submarines - air + 1) if grouped else order.hits + 1
        return pairs * (5e-9 * hits + 2e-9 * rounds if grouped else 1e-6 + 4e-9 * rounds)
