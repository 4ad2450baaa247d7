"""A question for the odds of a battle, and the job that answers it."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from sim.axis_allies.army import Army
from sim.axis_allies.odds.base_request import BattleRequest, RoundLimit
from sim.axis_allies.odds.report import OddsReport
from sim.core.dice import Seed
from sim.core.errors import RuleError, TooMuchError
from sim.core.outcomes import Side

BATTLES = 20_000
"""Battles thrown where exact odds would take too long."""

_MOST_SECONDS = 2.0  # the slowest exact calculation that is begun takes about one, a simulation less


class OddsRequest(BattleRequest):
    """A question for the odds of a battle, and the job that answers it.

    `stop_after`: the battle is broken off after that many rounds. `retreat_below`: the attacker leaves after a round
    that leaves it fewer units than this. `battles` and `seed`: for a simulation where exact odds would take too long.
    RuleError for fractions of units and for terms that make no sense.
    """

    stop_after: RoundLimit | None = None
    retreat_below: Annotated[int, Field(ge=1)] | None = None
    battles: Annotated[int, Field(ge=1_000, le=100_000)] = BATTLES
    seed: Seed = 0

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        self.check()
        units = sum(int(group.count) for group in self.attacker.groups)
        if self.retreat_below is not None and units < self.retreat_below:
            raise RuleError(f"The attacker has only {units} units to begin with: it can't wait for fewer to retreat.")
        return self

    @classmethod
    def of(cls, armies: dict[Side, Army], stop_after: int | None = None) -> Self:
        """Make the request for the armies of both sides."""
        return cls(attacker=armies[Side.ATTACKER], defender=armies[Side.DEFENDER], stop_after=stop_after)

    def cost(self) -> float:
        """Return the most seconds that the calculation can take: a rough upper figure."""
        return min(_MOST_SECONDS, 0.01 + self.seconds(self.stop_after or 0))

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
