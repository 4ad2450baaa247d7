"""The answer to a question for the odds of a battle."""

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
