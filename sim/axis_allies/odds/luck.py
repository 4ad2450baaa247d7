"""A question how lucky the result of a battle was, and its answer: where it stands among all results."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from sim.axis_allies.army import Army, Group, shown_army, shown_group
from sim.axis_allies.average import Note
from sim.axis_allies.fire import can_harm
from sim.axis_allies.odds.base_request import BattleRequest, RoundLimit
from sim.axis_allies.odds.orders import whole
from sim.axis_allies.odds.report import Chance
from sim.core.errors import RuleError
from sim.core.frozen import Frozen
from sim.core.outcomes import Side

Percentile = Annotated[float, Field(ge=0, le=100)]
"""A place among all results: 0 the worst, 50 the middle, 100 the best."""

WORDS: tuple[tuple[float, str, str], ...] = (
    (0.25, "about average", "about average"),
    (0.10, "a little lucky", "a little unlucky"),
    (0.03, "lucky", "unlucky"),
    (0.01, "very lucky", "very unlucky"),
    (0.001, "luck of once in a hundred battles", "bad luck of once in a hundred battles"),
    (0.0, "luck of once in a thousand battles", "bad luck of once in a thousand battles"),
)
"""The least share of results beyond the percentile, on the side that it leans to, for good and for bad luck."""
_MIDDLE = 50


def word(percentile: float) -> str:
    """Return what to call a percentile of 0 to 100."""
    beyond = min(percentile, 100 - percentile) / 100
    return next(good if percentile > _MIDDLE else bad for least, good, bad in WORDS if beyond >= least)


class LuckReport(Frozen):
    """How lucky a result was; its JSON form has the same names.

    A swing is the IPC that the defender lost minus those that the attacker lost: `swing` the observed one,
    `expected_swing` and `swing_sd` its mean and standard deviation over all results. `attacker_luck`: 100 times the
    chance of a worse swing for the attacker and half of that of the same; `defender_luck` is the rest to 100; `*_word`
    says it in words. `z`: by how many standard deviations the swing lies over its mean, 0 when nothing is left to
    chance. `p_as_good`, `p_as_bad`: chance of a swing at least this good, and at least this bad, for the attacker.
    `p_exactly`: chance of exactly these armies left.
    """

    attacker: Army
    defender: Army
    attacker_left: Army
    defender_left: Army
    attacker_luck: Percentile
    defender_luck: Percentile
    attacker_word: str
    defender_word: str
    swing: int
    expected_swing: float
    swing_sd: float
    z: float
    p_as_good: Chance
    p_as_bad: Chance
    p_exactly: Chance
    notes: tuple[Note, ...] = ()


class LuckRequest(BattleRequest):
    """A question how lucky the result of a battle was, and the job that answers it.

    `attacker_left`, `defender_left`: what was left of both armies, empty for nothing; extra lives count. `stop_after`:
    the battle was broken off after that many rounds, had it not ended before. RuleError for fractions of units, for
    more units than there were, and for a battle that is not over and was not broken off.
    """

    attacker_left: Army
    defender_left: Army
    stop_after: RoundLimit | None = None

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        self.check()
        for side in Side:
            for group in self.left(side).groups:
                whole(group)
                self._was_there(side, group)
        if self.stop_after is None and self._goes_on():
            raise RuleError(
                "The battle is not over: both sides can still fight. Say after how many rounds it was broken off."
            )
        return self

    def left(self, side: Side) -> Army:
        """Return what was left of `side`."""
        return self.attacker_left if side is Side.ATTACKER else self.defender_left

    def _was_there(self, side: Side, group: Group) -> None:
        start = next((one for one in self.army(side).groups if one.unit is group.unit), None)
        if start is None:
            raise RuleError(f"The {side} can't have {shown_group(group)} left: there was none before the battle.")
        if group.count > start.count or group.lives > start.lives:
            raise RuleError(f"The {side} can't have {shown_group(group)} left of {shown_group(start)}.")

    def _goes_on(self) -> bool:
        return any(can_harm(self.left(side), side, self.left(side.other)) for side in Side)

    def cost(self) -> float:
        """Return the most seconds that the calculation can take: a rough upper figure."""
        return min(10.0, 0.01 + self.seconds(self.stop_after or 0))

    def run(self) -> LuckReport:
        """Find the result's place among all results, exactly.

        RuleError for a result that can't come about, TooMuchError for armies too large for exact odds.
        """
        # Not at the top: who only asks the question must not load the kernels.
        from sim.axis_allies.odds.percentile import report  # noqa: PLC0415

        return report(self)

    def impossible(self, *, alone: Side | None) -> RuleError:
        """Return the error for a result without a chance; `alone`: a side whose losses can't be these at all."""
        one, two = (shown_army(self.left(side)) or "nothing" for side in Side)
        if alone is not None:
            left = one if alone is Side.ATTACKER else two
            return RuleError(
                "Such a result can't come about: in its order of losses, and under the enemy's fire, the "
                f"{alone} is never left with {left} of {shown_army(self.army(alone))}."
            )
        rounds = f" by the end of round {self.stop_after}" if self.stop_after else ""
        return RuleError(
            f"Such a result can't come about{rounds}, or only with a chance too small to tell: "
            f"the attacker with {one}, the defender with {two}."
        )
