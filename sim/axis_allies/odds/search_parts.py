"""The search for the best orders of losses as a question in parts.

What is quick is done in between; every order of one side is tried by parts that differ in what is lost last, and
battles with given orders are fought by parts that have some of the orders each.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sim.axis_allies.casualties import Order
from sim.axis_allies.odds.base_request import BattleRequest
from sim.axis_allies.odds.order_question import Question, Worth
from sim.axis_allies.odds_report import FoundOrder
from sim.axis_allies.withdrawal import NEVER, Withdrawal
from sim.core.parts import Unfinished

PART_SECONDS = 1.0
"""The longest time of a part."""


class Tried(NamedTuple):
    """An order that was tried, and what it is worth; of equally good ones that of the lowest rank is taken."""

    rank: int
    order: Order
    worth: Worth


@dataclass(frozen=True, slots=True)
class TryOrders:
    """Tries the orders that end in some ways: `ends` has a bit mask of slots for each of the question's searches.

    The slot is what is lost last, or last before a unit that is kept.
    """

    question: Question
    by_chance: bool
    ends: tuple[int, ...]

    def cost(self) -> float:
        """Return the seconds that a part may take."""
        return PART_SECONDS

    def run(self) -> tuple[Tried, ...]:
        """Return the orders that may be the best."""
        from sim.axis_allies.odds.best_order import try_orders  # noqa: PLC0415

        return try_orders(self.question, self.by_chance, self.ends)


@dataclass(frozen=True, slots=True)
class FightOrders:
    """Fights a question's battle with some orders."""

    question: Question
    orders: tuple[Order, ...]

    def cost(self) -> float:
        """Return the seconds that a part may take."""
        return PART_SECONDS

    def run(self) -> tuple[Tried, ...]:
        """Return all orders."""
        return tuple(Tried(0, order, self.question.worth(order)) for order in self.orders)


SearchPart = TryOrders | FightOrders


@dataclass(frozen=True, slots=True)
class Best:
    """The best order found; `complete`: no order is better."""

    order: Order
    complete: bool


@dataclass(frozen=True, slots=True)
class SoFar:
    """How far a search has come.

    `turns`: what each turn that is over has found. `stages`: what the parts of the current turn have reported, `parts`:
    what it needs next. `found`: both sides' orders once the search is over.
    """

    turns: tuple[Best, ...] = ()
    stages: tuple[tuple[tuple[Tried, ...], ...], ...] = ()
    parts: tuple[SearchPart, ...] = ()
    found: tuple[FoundOrder, ...] | None = None


@dataclass(frozen=True, slots=True)
class OrderSearch:
    """Finds the best orders of the sides of a battle whose casualties are smart or thrifty.

    `share`: of the time that all searches may take. `begun`: how far it has come; a search that has begun has parts.
    """

    battle: BattleRequest
    stop_after: int | None = None
    withdrawal: Withdrawal = NEVER
    share: float = 1.0
    begun: SoFar = SoFar()

    def parts(self, so_far: SoFar | None) -> tuple[SearchPart, ...]:
        """Return what the current turn needs next."""
        return (so_far or self.begun).parts

    def join(self, so_far: SoFar | None, reports: Sequence[tuple[Tried, ...]]) -> SoFar:
        """Go on until something takes long again."""
        from sim.axis_allies.odds.best_order import go_on  # noqa: PLC0415

        return go_on(self, so_far or self.begun, tuple(reports))

    def progress(
        self, so_far: SoFar | None, latest: Sequence[tuple[Tried, ...] | Unfinished[tuple[Tried, ...]]]
    ) -> tuple[float, str]:
        """Return roughly how much is done."""
        before = so_far or self.begun
        turns = len(before.turns) + 1.0 - 0.9 ** (len(before.stages) + len(latest) / len(before.parts))
        return 1.0 - 0.5**turns, "looking for the best order of losses"


def found_by(so_far: SoFar) -> tuple[FoundOrder, ...]:
    """Return the orders that a search has found which is over."""
    if so_far.found is None:
        raise ValueError("the search goes on")
    return so_far.found
