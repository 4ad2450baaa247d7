"""Reports of the requests: numbers and armies, no layout. The JSON forms have the same names."""

from enum import StrEnum
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import Field

from sim.axis_allies.army import Army, Note
from sim.axis_allies.units import Unit
from sim.core.numbers import amount, percent, rounded_percent
from sim.core.values import Ending, Frozen, Probability, Side


class Hit(Frozen):
    """Hits of one firing type on one target type.

    `amount`: more than 0. `on`: None for ineffective hits, which have no legal target.
    """

    by: Unit
    on: Unit | None
    amount: Fraction


class Volley(Frozen):
    """One side's surprise strike or general fire; `hits` in the order placed."""

    side: Side
    surprise: bool
    hits: tuple[Hit, ...]

    @property
    def effective(self) -> Fraction:
        """Number of hits that took a unit or a life."""
        return sum((hit.amount for hit in self.hits if hit.on is not None), Fraction(0))

    @property
    def ineffective(self) -> Fraction:
        """Number of hits without a legal target."""
        return sum((hit.amount for hit in self.hits if hit.on is None), Fraction(0))


class Round(Frozen):
    """One round: the armies as it begins, and the volleys in the order fired.

    Only a side that may strike by surprise has a surprise volley; both have a general one.
    """

    number: int
    attacker: Army
    defender: Army
    volleys: tuple[Volley, ...]

    def army(self, side: Side) -> Army:
        """Return the army of `side` as the round begins."""
        return self.attacker if side is Side.ATTACKER else self.defender

    def volley(self, side: Side, *, surprise: bool = False) -> Volley | None:
        """Return the volley of `side`, None if it has no surprise strike."""
        return next((volley for volley in self.volleys if volley.side is side and volley.surprise is surprise), None)


class AverageReport(Frozen):
    """The average battle.

    JSON (`battle.json`): `attacker` and `defender` are the armies at the start, `attacker_left` and `defender_left` at
    the end; an army is `{"groups": [{"unit", "count", "lives"}]}` in the order typed, with the hits that the group
    absorbs as `lives`. `rounds` is a list of `{"number", "attacker", "defender", "volleys"}` with the armies as the
    round begins and volleys `{"side", "surprise", "hits"}` of hits `{"by", "on", "amount"}` (`on` null if ineffective).
    `winner` is "attacker", "defender" or null; `ending` says why the battle ended. All amounts are exact fractions as
    text: "3", "11/4".
    """

    attacker: Army
    defender: Army
    rounds: tuple[Round, ...]
    attacker_left: Army
    defender_left: Army
    winner: Side | None
    ending: Ending
    notes: tuple[Note, ...] = ()

    def army(self, side: Side) -> Army:
        """Return the army of `side` before the battle."""
        return self.attacker if side is Side.ATTACKER else self.defender

    def left(self, side: Side) -> Army:
        """Return the army of `side` after the battle."""
        return self.attacker_left if side is Side.ATTACKER else self.defender_left

    def ipc_lost(self, side: Side) -> Fraction:
        """Return the losses of `side` in IPC."""
        return self.army(side).ipc - self.left(side).ipc


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


class Purchase(Frozen):
    """Units to buy, their price in IPC, and the chance to win with them."""

    units: Army
    ipc: int
    chance: Probability


class PurchaseReport(Frozen):
    """The cheapest reinforcement that reaches a chance.

    `chance_before`: the chance of `side` to win without reinforcement. `best`: the cheapest purchase that reaches
    `wanted`, with the best chance at that price; 0 IPC if nothing is needed. `others`: up to three more that reach it
    for little or no more IPC, by price and then by chance, none of them an earlier one plus more units. `looked_up_to`:
    price in IPC up to which every purchase was checked. `battles`: number of battles calculated; purchases that can't
    be better than a failed one need none.
    """

    attacker: Army
    defender: Army
    side: Side
    wanted: Probability
    chance_before: Probability
    best: Purchase
    others: tuple[Purchase, ...]
    looked_up_to: int
    battles: int
    notes: tuple[Note, ...] = ()

    @property
    def already(self) -> bool:
        """Whether the wanted chance is reached without a purchase."""
        return self.best.ipc == 0


class Advice(StrEnum):
    """The attacker's better choice."""

    GO_ON = "go on"
    RETREAT = "retreat"


class RoundAdvice(Frozen):
    """Advice after `number` rounds of fighting (0: before the battle, where "retreat" means not to attack).

    `p_on`: chance that the battle still goes on. Swings are means over the pairs of armies possible at that time, in
    IPC from then on, so an immediate retreat is 0: `swing_fight_on` if the attacker fights to the end; `swing_best` if
    it chooses best then and after each later round; `swing_go_on` if it fights the next round and chooses best after
    it. `p_go_on_better`: share of those pairs, by chance, with which fighting on is better. `advice`: the better choice
    if only the round is known.
    """

    number: int
    p_on: Probability
    swing_fight_on: float
    swing_best: float
    swing_go_on: float
    p_go_on_better: Probability
    advice: Advice


class StateAdvice(Frozen):
    """Advice for a pair of armies after the first round; `p`: their chance.

    `swing_so_far`: the defender's losses minus the attacker's, in IPC. The other swings count from then on, as in
    `RoundAdvice`; a retreat is 0.
    """

    attacker: Counts
    defender: Counts
    p: Probability
    swing_so_far: float
    swing_fight_on: float
    swing_go_on: float
    advice: Advice


class PlanOdds(Frozen):
    """The odds of following a plan.

    `swing`: mean swing in IPC. The chances add up to 1: the attacker wins, the defender wins, both are gone, the
    attacker retreats (or never attacks), and everything else (stalemate, round limit, won but not taken).
    """

    swing: float
    p_attacker: Probability
    p_defender: Probability
    p_tie: Probability
    p_retreat: Probability
    p_none: Probability


class RetreatReport(Frozen):
    """When to retreat.

    A swing is the defender's losses minus the attacker's in IPC, plus `territory` if the attacker wins. `fight_on`: the
    attacker never retreats. `best`: it chooses best after each round. `rounds`: advice before the first round and after
    each round, up to the 20th, as long as the battle goes on with a chance over 0.1%. `states`: up to twelve pairs of
    armies with which it goes on after the first round, likeliest first.
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
"""Rank among all results: 0 the worst, 50 the median, 100 the best."""


class LuckReport(Frozen):
    """How lucky a result was.

    A swing is the defender's losses minus the attacker's in IPC: `swing` is the observed one, `expected_swing` and
    `swing_sd` are the mean and standard deviation over all results. `attacker_luck`: 100 times the chance of a worse
    swing for the attacker plus half the chance of the same one; `defender_luck` is 100 minus that; `*_word` describes
    it. `z`: standard deviations above the mean, 0 if nothing depends on chance. `p_as_good`, `p_as_bad`: chance of a
    swing at least this good, and at least this bad, for the attacker. `p_exactly`: chance of exactly these armies.
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
    p_as_good: Probability
    p_as_bad: Probability
    p_exactly: Probability
    notes: tuple[Note, ...] = ()

    def words(self) -> str:
        """Return whose luck it was, as a sentence without its period."""
        lucky = Side.ATTACKER if self.attacker_luck >= self.defender_luck else Side.DEFENDER
        return f"The {lucky} was luckier than in {max(self.attacker_luck, self.defender_luck):.0f}% of such battles"


class SmartOdds(Frozen):
    """Both sides' chances to win with smart casualties on both sides."""

    p_attacker: Probability
    p_defender: Probability


class CalcReport(Frozen):
    """The average battle and, if all units are whole, `odds` with their `card` (PNG).

    `smart`: the chances with smart casualties, if they differ from the chosen method's by `SMART_GAIN` or more.
    """

    average: AverageReport
    odds: OddsReport | None = None
    smart: SmartOdds | None = None
    card: bytes | None = None


class CheckedArmies(Frozen):
    """The armies in a text: one, or the attacker's and the defender's."""

    armies: tuple[Army, ...]
