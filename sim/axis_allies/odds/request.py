"""A question for the odds of a battle, and the job that answers it."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from sim.axis_allies.army import Army, Frozen
from sim.axis_allies.average import MAX_ROUNDS
from sim.axis_allies.odds.orders import Casualties, Muster, category
from sim.axis_allies.odds.report import OddsReport
from sim.axis_allies.units import Category, Unit
from sim.core.errors import RuleError, TooMuchError
from sim.core.outcomes import Side

MAX_SEED = (1 << 64) - 1
"""The largest seed of a simulation."""

BATTLES = 20_000
"""Battles thrown where exact odds would take too long."""

_MOST_SECONDS = 2.0  # the slowest exact calculation that is begun; no simulation takes as long


class OddsRequest(Frozen):
    """A question for the odds of a battle, and the job that answers it.

    `casualties`: how both sides choose their losses, unless `attacker_casualties` or `defender_casualties` says
    otherwise. `stop_after`: the battle is broken off after that many rounds. `retreat_below`: the attacker leaves after
    a round that leaves it fewer units than this. `must_take`: a territory is to be taken, which only land units can.
    `battles` and `seed`: for a simulation where exact odds would take too long. RuleError for fractions of units and
    for terms that make no sense.
    """

    attacker: Army
    defender: Army
    casualties: Casualties = "score"
    attacker_casualties: Casualties | None = None
    defender_casualties: Casualties | None = None
    stop_after: Annotated[int, Field(ge=1, le=MAX_ROUNDS)] | None = None
    retreat_below: Annotated[int, Field(ge=1)] | None = None
    must_take: bool = False
    battles: Annotated[int, Field(ge=1_000, le=100_000)] = BATTLES
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)] = 0

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        for side in Side:
            self.muster(side)
        units = sum(int(group.count) for group in self.attacker.groups)
        if self.retreat_below is not None and units < self.retreat_below:
            raise RuleError(f"The attacker has only {units} units to begin with: it can't wait for fewer to retreat.")
        if self.must_take and not self.attacker.has(Category.LAND):
            raise RuleError("Only land units take a territory, and the attacker has none.")
        return self

    @classmethod
    def of(cls, armies: dict[Side, Army], stop_after: int | None = None) -> Self:
        """Make the request for the armies of both sides."""
        return cls(attacker=armies[Side.ATTACKER], defender=armies[Side.DEFENDER], stop_after=stop_after)

    def army(self, side: Side) -> Army:
        """Return the army of `side`."""
        return self.attacker if side is Side.ATTACKER else self.defender

    def muster(self, side: Side) -> Muster:
        """Return the army of `side` in the order of its losses."""
        own = self.attacker_casualties if side is Side.ATTACKER else self.defender_casualties
        return Muster.of(
            self.army(side),
            side,
            self.casualties if own is None else own,
            self.army(side.other),
            must_take=self.must_take,
        )

    def cost(self) -> float:
        """Return the most seconds that the calculation can take: a rough upper figure."""
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
        rounds = self.stop_after or 0
        each = 5e-9 * guns + 2e-9 * rounds if grouped else 1e-6 + 4e-9 * rounds
        return min(_MOST_SECONDS, 0.01 + pairs * each)

    def run(self) -> OddsReport:
        """Work the odds out, exactly where that is possible in reasonable time, else by simulation."""
        # Not at the top: who only asks the question must not load the kernels.
        from sim.axis_allies.odds.engine import Terms, solve  # noqa: PLC0415
        from sim.axis_allies.odds.simulate import simulate  # noqa: PLC0415
        from sim.axis_allies.odds.summary import report  # noqa: PLC0415

        terms = Terms(
            attacker=self.muster(Side.ATTACKER),
            defender=self.muster(Side.DEFENDER),
            stop_after=self.stop_after,
            retreat_below=self.retreat_below or 1,
        )
        try:
            solution = solve(terms)
        except TooMuchError:
            solution = simulate(terms, self.battles, self.seed)
        return report(solution, self.attacker, self.defender, must_take=self.must_take)
