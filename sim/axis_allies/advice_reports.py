"""Reports of what to buy, when to retreat and how lucky it was: numbers and armies, no layout.

The JSON forms have the same names.
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Annotated, NamedTuple, Self

from pydantic import Field

from sim.axis_allies.army import Army, LeftArmies, TwoArmies, army_words
from sim.axis_allies.odds_report import Counts, FoundOrder, Rows, found_words
from sim.core.numbers import percent
from sim.core.values import Frozen, Probability, Side


def swing_text(ipc: float) -> str:
    """Return a swing with its sign, none for 0: "+6.0"."""
    text = f"{ipc:+,.1f}".replace("-", "\N{MINUS SIGN}")
    return "0.0" if text[1:] == "0.0" else text


class BattleAdvice(TwoArmies):
    """What every report is about: both armies, and the attacker's ships that bombard.

    `notes`: what readers should know besides. `found_orders`: of the sides whose casualties are smart or thrifty.
    """

    bombard: Army = Army()
    notes: tuple[str, ...] = ()
    found_orders: tuple[FoundOrder, ...] = ()

    def with_more(self, found_orders: tuple[FoundOrder, ...], notes: Iterable[str]) -> Self:
        """Return the report with the orders found and more notes."""
        return self.model_copy(update={"found_orders": found_orders, "notes": (*self.notes, *notes)})

    def order_words(self) -> Iterator[str]:
        """Return the orders found, each as a sentence for players."""
        return found_words(self.found_orders)

    def army_words(self, side: Side) -> str:
        """Return a side's army in players' words: "6 infantry, 2 battleships bombard"; "nobody" for an empty one."""
        if side is Side.DEFENDER:
            return army_words(self.defender) or "nobody"
        ships = f", {army_words(self.bombard)} bombard" if self.bombard else ""
        return f"{army_words(self.attacker) or 'nobody'}{ships}"


class Purchase(Frozen):
    """Units to buy, their price in IPC, and the chance to win with them."""

    units: Army
    ipc: int
    chance: Probability


class PurchaseReport(BattleAdvice):
    """The cheapest reinforcement that reaches a chance.

    `chance_before`: the chance of `side` to win without reinforcement. `best`: the cheapest purchase that reaches
    `wanted`, with the best chance at that price; 0 IPC if nothing is needed. `others`: up to three more that reach it
    for little or no more IPC, by price and then by chance, none of them an earlier one plus more units. `looked_up_to`:
    price in IPC up to which every purchase was checked. `battles`: number of battles calculated; purchases that can't
    be better than a failed one need none.
    """

    side: Side
    wanted: Probability
    chance_before: Probability
    best: Purchase
    others: tuple[Purchase, ...]
    looked_up_to: int
    battles: int

    @property
    def already(self) -> bool:
        """Whether the wanted chance is reached without a purchase."""
        return self.best.ipc == 0


class Result(NamedTuple):
    """What becomes of an attack: the chance to take the territory, at sea to win, and the mean losses in IPC."""

    p_takes: float
    own_lost: float
    enemy_lost: float


class Advice(StrEnum):
    """The attacker's better choice."""

    GO_ON = "go on"
    RETREAT = "retreat"


class RoundAdvice(NamedTuple):
    """Advice after `number` rounds of fighting (0: before the battle, where "retreat" means not to attack).

    `p_on`: chance that the battle still goes on. Swings are means over the pairs of armies possible at that time, in
    IPC from then on, so an immediate retreat is 0: `swing_fight_on` if the attacker fights to the end; `swing_best` if
    it chooses best then and after each later round; `swing_go_on` if it fights the next round in any case and chooses
    best after it, also if nobody hits. Antiaircraft fire and bombardment belong to the first round. `p_go_on_better`:
    share of those pairs, by chance, with which fighting on is better. `advice`: the better choice if only the round is
    known.
    """

    number: int
    p_on: Probability
    swing_fight_on: float
    swing_best: float
    swing_go_on: float
    p_go_on_better: Probability
    advice: Advice


class StateAdvice(NamedTuple):
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


class RetreatReport(BattleAdvice):
    """When to retreat.

    A swing is the defender's losses minus the attacker's in IPC, plus `territory` if the attacker wins. `fight_on`: the
    attacker never retreats. `best`: it chooses best after each round. `rounds`: advice before the first round and after
    each round, up to the 20th, as long as the battle goes on with a chance over 0.1%. `states`: up to twelve pairs of
    armies with which it goes on after the first round, likeliest first.
    """

    territory: int
    fight_on: PlanOdds
    best: PlanOdds
    rounds: Rows[RoundAdvice]
    states: Rows[StateAdvice]

    @property
    def advice(self) -> Advice:
        """Whether to attack at all."""
        return self.rounds[0].advice

    def words(self) -> str:
        """Return the plan as a sentence without its period."""
        if self.advice is Advice.RETREAT:
            return "Don't attack"
        if self.best.p_retreat < _NEVER:
            return "Attack and fight to the end"
        stops = (each for each in self.rounds[1:] if each.advice is Advice.RETREAT and each.p_on >= _OFTEN)
        if (stop := next(stops, None)) is None:
            return "Attack, and pull out if the dice go against you"
        unless = " unless you rolled well" if stop.p_go_on_better >= _NEVER else ""
        rounds = "one round" if stop.number == 1 else f"{stop.number} rounds"
        return f"Attack {rounds}, then pull out{unless}"

    def worth_words(self) -> str:
        """Return what the plan is worth, as a sentence without its period."""
        swing = self.rounds[0].swing_go_on
        ipc = f"{abs(swing):,.1f} IPC on average"
        if self.advice is Advice.RETREAT:
            nothing = ipc.startswith("0.0 ")
            return "You gain nothing on average" if nothing else f"Even if you retreat in time, you lose {ipc}"
        return f"You gain {ipc} and win {percent(self.best.p_attacker)} of the time"


_NEVER = 0.0005
"""A smaller chance isn't worth a word."""

_OFTEN = 0.05
"""The least chance that the battle is still on after a round for the plan to name it."""


_NEARLY_ALL = 99.5
"""The percentile from which on it is told in thousandths."""

Percentile = Annotated[float, Field(ge=0, le=100)]
"""Rank among all results: 0 the worst, 50 the median, 100 the best."""


class LuckReport(BattleAdvice, LeftArmies):
    """How lucky a result was.

    A swing is the defender's losses minus the attacker's in IPC: `swing` is the observed one, `expected_swing` and
    `swing_sd` are the mean and standard deviation over all results. `attacker_luck`: 100 times the chance of a worse
    swing for the attacker plus half the chance of the same one; `defender_luck` is 100 minus that; `*_word` describes
    it. `z`: standard deviations above the mean, 0 if nothing depends on chance. `p_as_good`, `p_as_bad`: chance of a
    swing at least this good, and at least this bad, for the attacker. `p_exactly`: chance of exactly these armies.
    """

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

    def headline(self) -> str:
        """Return what the dice made of the attacker: "Lucky attacker!"."""
        word = self.attacker_word
        return "Average luck" if "average" in word else f"{word.capitalize()} attacker!"

    def words(self) -> str:
        """Return where the result stands among all: "Luckier than 96 of 100 attackers"."""
        share = max(self.attacker_luck, self.defender_luck)
        of = f"{share:.0f} of 100" if share < _NEARLY_ALL else f"{min(999, int(10 * share))} of 1,000"
        return f"{'Luckier' if self.attacker_luck >= self.defender_luck else 'Unluckier'} than {of} attackers"
