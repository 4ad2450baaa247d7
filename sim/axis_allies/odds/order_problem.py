"""A battle of which one side's best order of losses is asked, what an order is worth to it, and how far a search is.

NumPy is loaded only to fight.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeVar

from sim.axis_allies.casualties import Casualties, Order
from sim.axis_allies.odds_report import FoundOrder
from sim.axis_allies.question import BattleRequest, Terms
from sim.axis_allies.units import Category, Unit
from sim.core.values import Side

PART_SECONDS = 1.0
"""The longest time of a part."""

_DEAR = {Unit.CARRIER, *(unit for unit in Unit if unit.category is Category.AIR)}
_SAME_CHANCE = 1e-12  # a smaller difference is rounding
_SAME_SWING = 1e-9  # the same, in IPC

Aim = Literal["smart", "thrifty"]
FoundOrders = tuple[FoundOrder, ...]

B = TypeVar("B", bound=BattleRequest)


def with_losses(battle: B, casualties: dict[Side, Casualties]) -> B:
    """Return a battle with other casualties of some sides."""
    return battle.model_copy(update={f"{side}_casualties": how for side, how in casualties.items()})


class Worth(NamedTuple):
    """What an order is worth to its side; a longer chance of nobody is neither's."""

    win: float
    lose: float
    swing: float

    def beats(self, other: "Worth", aim: Aim) -> bool:
        """Return whether this is better: by the chances first for "smart", by the swing first for "thrifty"."""
        chances = (self.win - other.win, _SAME_CHANCE), (other.lose - self.lose, _SAME_CHANCE)
        swing = (self.swing - other.swing, _SAME_SWING)
        gains = (*chances, swing) if aim == "smart" else (swing, *chances)
        return next((gain > 0 for gain, same in gains if abs(gain) > same), False)


Tried = dict[Order, Worth]
"""Orders that were tried, and what they are worth."""


@dataclass(frozen=True)
class OrderProblem:
    """A battle of which one side's best order is asked; the other one's casualties are an order or a simple method.

    `seconds`: estimated time for the search.
    """

    battle: BattleRequest
    side: Side
    seconds: float

    @cached_property
    def aim(self) -> Aim:
        """What the order should be best for."""
        return "thrifty" if self.battle.casualties_of(self.side) == "thrifty" else "smart"

    @cached_property
    def terms(self) -> Terms:
        """The battle, the side's losses in an order that is sure to be possible."""
        return with_losses(self.battle, {self.side: "lives-first"}).terms()

    def worth(self, order: Order) -> Worth:
        """Fight the battle with an order, exactly; TooMuchError if that would take too long."""
        from sim.axis_allies.odds import layout  # noqa: PLC0415
        from sim.axis_allies.odds.engine import solve  # noqa: PLC0415

        own = with_losses(self.battle, {self.side: order}).casualty_order(self.side)
        attacks = self.side is Side.ATTACKER
        terms = self.terms._replace(attacker=own) if attacks else self.terms._replace(defender=own)
        solution = solve(terms, course=False)
        win, lose = solution.p_won(must_take=self.battle.must_take), solution.ends.sum_of(layout.DEFENDER)
        swing = float(solution.ends.chances @ solution.balance)
        return Worth(win, lose, swing) if attacks else Worth(lose, win, -swing)

    def presets(self) -> Iterator[Order]:
        """Yield the usual orders, written out."""
        battle = self.battle.model_copy(update={"must_take": False})
        for method in ("lives-first", "score", "formula"):
            order = with_losses(battle, {self.side: method}).casualty_order(self.side)
            yield order.written
            if method == "lives-first":
                # Planes and carriers are what players pay for.
                yield tuple(sorted(order.written, key=_DEAR.__contains__))


@dataclass(frozen=True, slots=True)
class FightOrders:
    """Fights a problem's battle with some orders; `best`: reports only those of them that none beats."""

    problem: OrderProblem
    orders: tuple[Order, ...]
    best: bool

    def cost(self) -> float:
        """Return the seconds that a part may take."""
        return PART_SECONDS

    def run(self) -> Tried:
        """Return what the orders are worth."""
        tried = {order: self.problem.worth(order) for order in self.orders}
        return unbeaten(tried, self.problem.aim) if self.best else tried


def unbeaten(tried: Tried, aim: Aim) -> Tried:
    """Return the orders that none beats."""
    top = next(iter(tried.values()))
    for worth in tried.values():
        top = worth if worth.beats(top, aim) else top
    return {order: worth for order, worth in tried.items() if not top.beats(worth, aim)}


Stage = tuple[Tried, ...]
"""What parts have reported, in their order."""


@dataclass(frozen=True, slots=True)
class SoFar:
    """How far a search has come.

    `turns`: what each turn that is over has found. `stages`: what the parts of the current turn have reported, `parts`:
    what it needs next. `found`: both sides' orders once the search is over.
    """

    turns: FoundOrders = ()
    stages: tuple[Stage, ...] = ()
    parts: tuple[FightOrders, ...] = ()
    found: FoundOrders | None = None
