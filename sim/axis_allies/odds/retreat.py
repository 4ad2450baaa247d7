"""A question when the attacker should retreat, and its answer: go on or leave, round by round.

Source: the rules page of Axis & Allies 1941, section "The dice battle": the attacker may retreat after any round.
"""

from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from sim.axis_allies.army import Army
from sim.axis_allies.average import Note
from sim.axis_allies.odds.base_request import BattleRequest, RoundLimit
from sim.axis_allies.odds.report import Chance, Counts
from sim.core.frozen import Frozen

MAX_TERRITORY = 1_000_000
"""The most IPC that taking the territory may be worth."""

_MOST_SECONDS = 10.0
_PASSES = 20.0  # passes for each round of a battle with a limit, or for one without, each like a calculation of odds


class Advice(StrEnum):
    """What the attacker does best."""

    GO_ON = "go on"
    RETREAT = "retreat"


class RoundAdvice(Frozen):
    """What the attacker knows after `number` rounds of fighting on (0: before the battle, "retreat": don't attack).

    `p_on`: chance that the battle is still on then. All swings are means over the pairs of armies that may be there
    then, in IPC, counted from then on, so that a retreat at once is 0: `swing_fight_on` when the attacker fights to the
    end; `swing_best` when it does what is best then and after each later round; `swing_go_on` when it fights the next
    round in any case and does what is best after it. `p_go_on_better`: share of those pairs of armies, by chance, where
    to go on is better than to retreat. `advice`: what is better when all that is known is the round.
    """

    number: int
    p_on: Chance
    swing_fight_on: float
    swing_best: float
    swing_go_on: float
    p_go_on_better: Chance
    advice: Advice


class StateAdvice(Frozen):
    """What to do with these armies after the first round, whose chance is `p`.

    `swing_so_far`: IPC that the defender has lost more than the attacker. The others count from then on, as in
    `RoundAdvice`; to retreat is 0.
    """

    attacker: Counts
    defender: Counts
    p: Chance
    swing_so_far: float
    swing_fight_on: float
    swing_go_on: float
    advice: Advice


class PlanOdds(Frozen):
    """How the battle ends by a plan.

    `swing`: mean swing in IPC. The chances add up to 1: the attacker wins, the defender wins, both are gone, the
    attacker retreats (or never attacks), and all the rest (stalemate, round limit, won but not taken).
    """

    swing: float
    p_attacker: Chance
    p_defender: Chance
    p_tie: Chance
    p_retreat: Chance
    p_none: Chance


class RetreatReport(Frozen):
    """When to retreat; its JSON form has the same names.

    A swing is the IPC that the defender loses minus those that the attacker loses, and `territory` IPC where the
    attacker wins. `fight_on`: the attacker never retreats. `best`: it does what is best after each round, which nothing
    beats on average. `rounds`: from before the first round to the last after which the battle still goes on with a
    chance over 0.1 %, at most after the 20th. `states`: the likeliest armies after the first round with which it goes
    on, at most twelve, the likeliest first.
    """

    attacker: Army
    defender: Army
    territory: int
    fight_on: PlanOdds
    best: PlanOdds
    rounds: tuple[RoundAdvice, ...]
    states: tuple[StateAdvice, ...]
    notes: tuple[Note, ...] = ()

    @property
    def advice(self) -> Advice:
        """Whether to attack at all."""
        return self.rounds[0].advice


class RetreatRequest(BattleRequest):
    """A question when the attacker should retreat, and the job that answers it.

    `territory`: what the attacker's victory is worth beside the losses, in IPC; with `must_take` only a victory with a
    land unit left. `stop_after`: the battle is broken off after that many rounds. RuleError for fractions of units and
    for terms that make no sense.
    """

    stop_after: RoundLimit | None = None
    territory: Annotated[int, Field(ge=0, le=MAX_TERRITORY)] = 0

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        self.check()
        return self

    def cost(self) -> float:
        """Return the most seconds that the calculation can take: a rough upper figure."""
        return min(_MOST_SECONDS, 0.02 + _PASSES * self.seconds() * (self.stop_after or 1))

    def run(self) -> RetreatReport:
        """Work the best plan out exactly.

        RuleError where there is no battle to retreat from, TooMuchError where it would take too long.
        """
        # Not at the top: who only asks the question must not load the kernels.
        from sim.axis_allies.odds.retreat_solver import report  # noqa: PLC0415

        return report(self)
