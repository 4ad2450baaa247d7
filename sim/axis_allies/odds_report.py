"""The report of a battle's odds: numbers and armies, no layout. The JSON form has the same names."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Literal, NamedTuple, TypeVar

from pydantic import PlainSerializer

from sim.axis_allies.army import TwoArmies
from sim.axis_allies.casualties import Life, Order, Place, Slot
from sim.axis_allies.units import WORDS, Unit
from sim.core.numbers import percent, rounded_percent
from sim.core.values import Ending, Frozen, Probability, Side

Counts = dict[str, int]
"""Positive counts by `unit_key`; lives of battleships are `battleship_extra_lives`."""


_KEYS: dict[Slot, str] = {slot: slot.value for slot in (*Unit, *Life)} | {
    Unit.MECH: "mech",
    Unit.GUN: "aagun",
    Unit.TACTICAL: "tac",
    Unit.CARRIER: "carrier",
    Life.BATTLESHIP: "battleship_extra_lives",
    Life.CARRIER: "carrier_extra_lives",
}


def unit_key(slot: Slot) -> str:
    """Return the key of a unit or of ships' lives in reports: one word."""
    return _KEYS[slot]


class Bar(NamedTuple):
    """One bar of a histogram: the chance `p` of a value from `low` to `high`, both included; a list in JSON."""

    low: int
    high: int
    p: float


class AtLeast(NamedTuple):
    """The chance `p` of at least `units` left; a list in JSON."""

    units: int
    p: float


class UnitOdds(NamedTuple):
    """One unit type: the count at the start, the mean count left, and the chances of at least 1, 2, ... left.

    `at_least` goes from 1 to `start`, in about a hundred steps if there are more.
    """

    unit: str
    start: int
    mean: float
    at_least: tuple[AtLeast, ...]


Row = TypeVar("Row", bound=NamedTuple)

Rows = Annotated[tuple[Row, ...], PlainSerializer(lambda rows: [row._asdict() for row in rows])]
"""Rows that are made by the dozen, so that models would take most of the time; objects with their names in JSON."""


class SideOdds(Frozen):
    """One side: its unit types (and lives), the price of its losses, and what is left where it wins.

    `ipc_lost_sd`: standard deviation of the IPC lost. `units_of_winner`: a histogram of its units left where it wins,
    in rising order, at most about a hundred bars, without negligible ones; the chances add up to its chance to win.
    """

    units: Rows[UnitOdds]
    ipc_start: int
    ipc_lost: float
    ipc_lost_sd: float
    units_of_winner: tuple[Bar, ...]


OutcomeName = Literal["attacker", "defender", "tie", "nobody"]

EndName = Literal["attacker", "defender", "tie", "stalemate", "retreat", "out of rounds", "not taken"]
"""How a battle may end: the outcomes, with "nobody" in its parts."""

_ENDS: dict[EndName, tuple[str, str, str]] = {
    "attacker": ("p_attacker", "Attacker wins", ""),
    "defender": ("p_defender", "Defender wins", ""),
    "tie": ("p_tie", "Both sides fall", ""),
    "stalemate": ("p_stalemate", "Stalemate", ": neither side can hit the other"),
    "retreat": ("p_retreat", "Attacker retreats", ""),
    "out of rounds": ("p_round_limit", "Out of rounds", ""),
    "not taken": ("p_not_taken", "Won, but not taken", ": no land unit left"),
}
"""The field of an end's chance, and what stands before and after that."""


_LEAST_SHOWN = 0.001
_LEAST_LEFT = 0.005  # what two decimals show


class FinalArmies(NamedTuple):
    """One result of a battle; a destroyed side is `{}`. `winner` is None if nobody wins."""

    attacker: Counts
    defender: Counts
    ending: Ending
    winner: Side | None
    p: Probability


class RoundOdds(Frozen):
    """The battle after `number` rounds (0: before the battle): the chance that it is over, both sides' mean units.

    For charts; accurate to five digits.
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


class FoundOrder(Frozen):
    """The best order of losses found for a side whose casualties are smart or thrifty.

    `complete`: no order is better; else not all were tried. `settled`: where both sides search, each order is the best
    answer to the other; else every best answer had a better answer.
    """

    side: Side
    order: Order
    complete: bool = True
    settled: bool = True

    def remark(self) -> str:
        """Return what players should know about the search, "" if there is nothing."""
        if not self.settled:
            return "Each side has a better answer to the other's order: no pair of orders is best for both."
        return "" if self.complete else "The best order found: there are too many to try them all."


def order_sentence(order: Order) -> str:
    """Return an order for players, which can be typed: "Lose: battleship lives, submarines"."""
    return f"Lose: {order_words(order)}"


def order_words(order: Order) -> str:
    """Return what an order names: "battleship lives, submarines"."""
    return ", ".join(map(place_name, order))


def found_words(found: Iterable[FoundOrder], part: str = "") -> Iterator[str]:
    """Yield each order that was found with its side and remark: "Attacker: Lose: infantry, tanks.".

    `part`: of several battles. Where there is but one kind to lose, nothing is said.
    """
    for each in found:
        if len(each.order) > 1:
            name = f"{part}, {each.side}" if part else each.side.capitalize()
            yield " ".join(filter(None, (f"{name}: {order_sentence(each.order)}.", each.remark())))


def left_words(left: Mapping[str, float]) -> str:
    """Return mean counts of units by `unit_key` for players; whole ships, without their lives."""
    parts = []
    for key, mean in left.items():
        if mean >= _LEAST_LEFT and key in WORDS:
            count = f"{mean:,.2f}".rstrip("0").rstrip(".")
            parts.append(f"{count} {WORDS[key].named(count)}")
    return ", ".join(parts)


def place_name(place: Place) -> str:
    """Return what a place is called among others: "battleship lives", "submarines"."""
    if isinstance(place, Life):
        return f"{place.unit} lives"
    return place.plural if isinstance(place, Unit) else place


class Ends(Frozen):
    """How a battle ends.

    `p_attacker`, `p_defender`, `p_tie` and `p_none` (nobody wins) add up to 1 except for `lost_mass`. Parts of
    `p_none`: `p_stalemate`, neither side can ever hit the other; `p_retreat`, the attacker left; `p_round_limit`, both
    sides were left at the limit; `p_not_taken`, if a territory must be taken: only the attacker is left, but without
    land units. `p_takes`: only the attacker is left, with a land unit; `must_take`: only that is a victory.
    `exp_rounds`: mean number of rounds. `lost_mass`: bound on the probability missing because of rounding and dropped
    negligible chances. `impossible`: outcomes that no dice can produce; any other chance of 0 was merely negligible,
    unless `every_chance` says that nothing was dropped.
    """

    p_attacker: Probability
    p_defender: Probability
    p_tie: Probability
    p_none: Probability
    p_stalemate: Probability
    p_retreat: Probability
    p_round_limit: Probability
    p_not_taken: Probability
    p_takes: Probability
    must_take: bool = False
    exp_rounds: float
    lost_mass: float
    impossible: tuple[OutcomeName, ...]
    every_chance: bool

    @property
    def ends(self) -> dict[EndName, float]:
        """The chances of all ends that aren't impossible; they add up to 1 as the outcomes do."""
        chances: dict[EndName, float] = {name: getattr(self, field) for name, (field, *_) in _ENDS.items()}
        possible = {"attacker", "defender", "tie"}.difference(self.impossible)
        return {name: chance for name, chance in chances.items() if chance > 0 or name in possible}

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

        Where a territory must be taken, that stands here. A certain stalemate needs no chance.
        """
        if self.must_take:
            return "Attacker takes it ", self.takes_percent, " of the time"
        end = self.likeliest
        _, before, after = _ENDS[end]
        if after and len(self.ends) == 1:
            return before, "", after
        return f"{before} ", self.percent(end), f" of the time{after}"

    @property
    def takes_percent(self) -> str:
        """The chance that the attacker takes the territory, as text."""
        if "attacker" in self.ends and abs(self.p_takes - self.p_attacker) < _LEAST_SHOWN:
            return self.percent("attacker")
        return self.share(self.p_takes)

    def share(self, chance: float) -> str:
        """Return another chance as text; one of 0 is none."""
        return rounded_percent(chance, exact=self.every_chance or chance <= 0)

    @property
    def takes_less(self) -> bool:
        """Whether the attacker takes a territory noticeably less often than it wins."""
        return 0 < self.p_takes < self.p_attacker - _LEAST_SHOWN

    def chances_text(self) -> str:
        """Return the chances of all ends for players: "attacker 7.6%, defender 91.7%, tie 0.8%"."""
        return ", ".join(f"{name} {self.percent(name)}" for name in self.ends)


class OddsReport(TwoArmies, Ends):
    """The odds of a battle.

    `att_left`, `def_left`: mean counts left by `unit_key`, lives of ships as `battleship_extra_lives`. `att_ipc_lost`,
    `def_ipc_lost`: mean losses in IPC. `outcomes`: the likeliest results, as many as were asked for;
    `outcomes_beyond`: the chance of all others. `rounds`: the course of the battle. `method`: "exact", or "simulated"
    if exact odds would take too long. `found_orders`: of the sides whose casualties are smart or thrifty.
    """

    att_left: dict[str, float]
    def_left: dict[str, float]
    att_ipc_lost: float
    def_ipc_lost: float
    attacker_odds: SideOdds
    defender_odds: SideOdds
    outcomes: Rows[FinalArmies]
    outcomes_beyond: Probability
    rounds: tuple[RoundOdds, ...]
    method: Literal["exact", "simulated"]
    simulation: Simulation | None = None
    found_orders: tuple[FoundOrder, ...] = ()
    notes: tuple[str, ...] = ()

    def order_words(self) -> Iterator[str]:
        """Return the orders found, each as a sentence for players."""
        return found_words(self.found_orders)

    def odds(self, side: Side) -> SideOdds:
        """Return the odds of `side`."""
        odds: SideOdds = getattr(self, f"{side}_odds")
        return odds
