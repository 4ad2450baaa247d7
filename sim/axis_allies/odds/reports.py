"""The reports: the odds of a battle, the cheapest reinforcement, when to retreat, how lucky a result was."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from sim.axis_allies.army import Army
from sim.axis_allies.average import Note
from sim.core.frozen import Frozen
from sim.core.outcomes import Ending, Side

Chance = Annotated[float, Field(ge=0, le=1 + 1e-9)]
"""A probability; sums of many may end some units in the last place over 1."""

Counts = dict[str, int]
"""Units by `unit_key`, those that are there; `battleship_extra_lives` beside them."""


class Bar(Frozen):
    """A stretch of a distribution: the chance of a value from `low` to `high`, both included."""

    low: int
    high: int
    p: Chance


class AtLeast(Frozen):
    """The chance `p` to have at least `count` of something left."""

    count: int
    p: Chance


class UnitOdds(Frozen):
    """What becomes of one unit type: how many there were, the mean number left, and the chance to still have so many.

    `at_least` goes from 1 to `start`, in about a hundred steps where there are more.
    """

    unit: str
    start: int
    mean: float
    at_least: tuple[AtLeast, ...]


class SideOdds(Frozen):
    """What becomes of one side: by unit type (extra lives too), the price of its losses, what is left of it.

    `ipc_lost_sd`: standard deviation of the IPC lost. `units_left`, `ipc_left`: distributions in rising order, at most
    about a hundred bars, without values whose chance does not show.
    """

    units: tuple[UnitOdds, ...]
    ipc_start: int
    ipc_lost: float
    ipc_lost_sd: float
    units_left: tuple[Bar, ...]
    ipc_left: tuple[Bar, ...]


class FinalArmies(Frozen):
    """One way in which the battle may end; an empty side is `{}`. `winner` is None when nobody wins."""

    attacker: Counts
    defender: Counts
    ending: Ending
    winner: Side | None
    p: Chance


class RoundOdds(Frozen):
    """The battle after `number` rounds (0: before it): the chance that it is over, the mean units of both sides.

    Meant for charts, and good to seven decimals.
    """

    number: int
    p_over: Chance
    attacker_units: float
    defender_units: float


class Simulation(Frozen):
    """How the figures were thrown: how many battles, from which seed, and 95 % intervals around the main figures.

    `cut_off`: share of battles that were given up because they went on for too long; they count as lost mass.
    """

    battles: int
    seed: int
    cut_off: Chance
    intervals: dict[str, tuple[float, float]]


class OddsReport(Frozen):
    """The odds of a battle; its JSON form has the same names.

    `p_attacker`, `p_defender`, `p_tie`, `p_none` (nobody wins) add up to 1 but for `lost_mass`. Within `p_none`:
    `p_stalemate`, neither side could ever hit the other; `p_retreat`, the attacker left, so the defender holds the
    field; `p_round_limit`, both were there when time was up; `p_not_taken`, where a territory is to be taken: the
    attacker alone is left, but without land units. `exp_rounds`: mean number of rounds. `att_left`, `def_left`: mean
    number of units left by `unit_key`, `battleship_extra_lives` beside them. `att_ipc_lost`, `def_ipc_lost`: mean loss
    in IPC. `outcomes`: the likeliest ends, at most a hundred, the likeliest first; `outcomes_beyond`: the chance of all
    others. `rounds`: the course of the battle. `lost_mass`: bound on the probability that is missing, by rounding and
    by chances too small to follow. `impossible`: the outcomes that no dice could bring about; any other chance of 0 is
    merely too small to follow, unless `every_chance` says that none was left out. `method`: "exact", or "simulated"
    where exact odds would take too long; then `simulation` tells how.
    """

    attacker: Army
    defender: Army
    p_attacker: Chance
    p_defender: Chance
    p_tie: Chance
    p_none: Chance
    p_stalemate: Chance
    p_retreat: Chance
    p_round_limit: Chance
    p_not_taken: Chance
    exp_rounds: float
    att_left: dict[str, float]
    def_left: dict[str, float]
    att_ipc_lost: float
    def_ipc_lost: float
    attacker_odds: SideOdds
    defender_odds: SideOdds
    outcomes: tuple[FinalArmies, ...]
    outcomes_beyond: Chance
    rounds: tuple[RoundOdds, ...]
    lost_mass: float
    impossible: tuple[Literal["attacker", "defender", "tie", "nobody"], ...]
    every_chance: bool
    method: Literal["exact", "simulated"]
    simulation: Simulation | None = None
    notes: tuple[Note, ...] = ()

    def odds(self, side: Side) -> SideOdds:
        """Return what becomes of `side`."""
        return self.attacker_odds if side is Side.ATTACKER else self.defender_odds


class Purchase(Frozen):
    """Units that one may buy, what they cost in IPC, and the chance to win with them."""

    units: Army
    ipc: int
    chance: Chance


class NeedReport(Frozen):
    """The cheapest reinforcement that reaches a chance; its JSON form has the same names.

    `side` is reinforced, its chance to win is `chance_before` without and `best.chance` with the units of `best`, which
    cost `best.ipc`: 0 where the wanted chance was there already. No purchase for less reaches `wanted`; at the same
    price none has a better chance. `others`: up to three more that reach it for the same price or little more, by price
    and then by chance, none of them one of those before with something added. `looked_up_to`: all purchases for so many
    IPC or less were looked at. `battles`: how many battles were worked out for that; purchases that can't be better
    than one that failed need none.
    """

    attacker: Army
    defender: Army
    side: Side
    wanted: float
    chance_before: Chance
    best: Purchase
    others: tuple[Purchase, ...]
    looked_up_to: int
    battles: int
    notes: tuple[Note, ...] = ()

    @property
    def already(self) -> bool:
        """Tell whether the wanted chance was reached without buying anything."""
        return self.best.ipc == 0


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
