"""The report of a battle's odds: numbers and armies, no layout. The JSON form has the same names."""

from typing import Literal

from sim.axis_allies.army import Army, Note
from sim.core.numbers import amount, percent, rounded_percent
from sim.core.values import Ending, Frozen, Probability, Side

Counts = dict[str, int]
"""Positive counts by `unit_key`; lives of battleships are `battleship_extra_lives`."""


class Bar(Frozen):
    """One bar of a histogram: the chance of a value from `low` to `high`, both included."""

    low: int
    high: int
    p: Probability


class AtLeast(Frozen):
    """The chance `p` of at least `count` left."""

    count: int
    p: Probability


class UnitOdds(Frozen):
    """One unit type: the count at the start, the mean count left, and the chances of at least 1, 2, ... left.

    `at_least` goes from 1 to `start`, in about a hundred steps if there are more.
    """

    unit: str
    start: int
    mean: float
    at_least: tuple[AtLeast, ...]


class SideOdds(Frozen):
    """One side: its unit types (and lives), the price of its losses, and what is left.

    `ipc_lost_sd`: standard deviation of the IPC lost. `units_left`, `ipc_left`: histograms in rising order, at most
    about a hundred bars, without negligible ones. `units_of_winner`: the same for its units left where it wins; the
    chances add up to its chance to win.
    """

    units: tuple[UnitOdds, ...]
    ipc_start: int
    ipc_lost: float
    ipc_lost_sd: float
    units_left: tuple[Bar, ...]
    units_of_winner: tuple[Bar, ...]
    ipc_left: tuple[Bar, ...]


OutcomeName = Literal["attacker", "defender", "tie", "nobody"]

EndName = Literal["attacker", "defender", "tie", "stalemate", "retreat", "out of rounds", "not taken"]
"""How a battle may end: the outcomes, with "nobody" in its parts."""

_SENTENCES: dict[EndName, tuple[str, str]] = {
    "attacker": ("Attacker wins", ""),
    "defender": ("Defender wins", ""),
    "tie": ("Both sides fall", ""),
    "stalemate": ("Stalemate", ": neither side can hit the other"),
    "retreat": ("Attacker retreats", ""),
    "out of rounds": ("Out of rounds", ""),
    "not taken": ("Won, but not taken", ": no land unit left"),
}
"""What stands before and after the chance of an end."""


class FinalArmies(Frozen):
    """One result of a battle; a destroyed side is `{}`. `winner` is None if nobody wins."""

    attacker: Counts
    defender: Counts
    ending: Ending
    winner: Side | None
    p: Probability


class RoundOdds(Frozen):
    """The battle after `number` rounds (0: before the battle): the chance that it is over, both sides' mean units.

    For charts; accurate to seven decimals.
    """

    number: int
    p_over: Probability
    attacker_units: float
    defender_units: float


class Simulation(Frozen):
    """A simulation: its number of battles, its seed, and 95% confidence intervals of the main figures.

    `cut_off`: share of battles that were given up because they were too long; they count as lost mass.
    """

    battles: int
    seed: int
    cut_off: Probability
    intervals: dict[str, tuple[float, float]]


class OddsReport(Frozen):
    """The odds of a battle.

    `p_attacker`, `p_defender`, `p_tie` and `p_none` (nobody wins) add up to 1 except for `lost_mass`. Parts of
    `p_none`: `p_stalemate`, neither side can ever hit the other; `p_retreat`, the attacker left; `p_round_limit`, both
    sides were left at the limit; `p_not_taken`, if a territory must be taken: only the attacker is left, but without
    land units. `exp_rounds`: mean number of rounds. `att_left`, `def_left`: mean counts left by `unit_key`, and
    `battleship_extra_lives`. `att_ipc_lost`, `def_ipc_lost`: mean losses in IPC. `outcomes`: up to a hundred results,
    likeliest first; `outcomes_beyond`: the chance of all others. `rounds`: the course of the battle. `lost_mass`: bound
    on the probability missing because of rounding and dropped negligible chances. `impossible`: outcomes that no dice
    can produce; any other chance of 0 was merely negligible, unless `every_chance` says that nothing was dropped.
    `method`: "exact", or "simulated" if exact odds would take too long.
    """

    attacker: Army
    defender: Army
    p_attacker: Probability
    p_defender: Probability
    p_tie: Probability
    p_none: Probability
    p_stalemate: Probability
    p_retreat: Probability
    p_round_limit: Probability
    p_not_taken: Probability
    exp_rounds: float
    att_left: dict[str, float]
    def_left: dict[str, float]
    att_ipc_lost: float
    def_ipc_lost: float
    attacker_odds: SideOdds
    defender_odds: SideOdds
    outcomes: tuple[FinalArmies, ...]
    outcomes_beyond: Probability
    rounds: tuple[RoundOdds, ...]
    lost_mass: float
    impossible: tuple[OutcomeName, ...]
    every_chance: bool
    method: Literal["exact", "simulated"]
    simulation: Simulation | None = None
    notes: tuple[Note, ...] = ()

    def odds(self, side: Side) -> SideOdds:
        """Return the odds of `side`."""
        return self.attacker_odds if side is Side.ATTACKER else self.defender_odds

    @property
    def outcomes_by_name(self) -> dict[OutcomeName, float]:
        """The chances of the four outcomes."""
        return {"attacker": self.p_attacker, "defender": self.p_defender, "tie": self.p_tie, "nobody": self.p_none}

    @property
    def ends(self) -> dict[EndName, float]:
        """The chances of all ends that aren't impossible; they add up to 1 as the outcomes do."""
        whole: dict[EndName, float] = {"attacker": self.p_attacker, "defender": self.p_defender, "tie": self.p_tie}
        parts: dict[EndName, float] = {
            "stalemate": self.p_stalemate,
            "retreat": self.p_retreat,
            "out of rounds": self.p_round_limit,
            "not taken": self.p_not_taken,
        }
        possible = {name: chance for name, chance in whole.items() if name not in self.impossible}
        return possible | {name: chance for name, chance in parts.items() if chance > 0}

    @property
    def likeliest(self) -> EndName:
        """The likeliest end."""
        chances = self.ends
        return max(chances, key=lambda name: chances[name])

    def percent(self, name: EndName) -> str:
        """Return the chance of one of the `ends` as text: 100% only if there is no other."""
        chances = self.ends
        return percent(1, certain=True) if len(chances) == 1 else rounded_percent(chances[name], exact=False)

    def headline(self) -> tuple[str, str, str]:
        """Return the likeliest end as a sentence for players: what comes before its chance, the chance, the rest.

        A certain stalemate needs no chance.
        """
        end = self.likeliest
        before, after = _SENTENCES[end]
        if after and len(self.ends) == 1:
            return before, "", after
        return f"{before} ", self.percent(end), f" of the time{after}"

    def chances_text(self) -> str:
        """Return the chances of all ends for players: "attacker 7.6%, defender 91.7%, tie 0.8%"."""
        return ", ".join(f"{name} {self.percent(name)}" for name in self.ends)

    def rounds_text(self) -> str:
        """Return the mean number of rounds for players, "about 2.7 rounds"; "" if there is nothing to fight."""
        rounds = amount(self.exp_rounds, 1)
        return "" if rounds == "0" else f"about {rounds} {'round' if rounds == '1' else 'rounds'}"
