"""The parts of a search for the best orders of losses, and how far it has come.

What is quick is done in between; every order of one side is tried by parts that differ in what is lost last, and
battles with given orders are fought by parts that have some of the orders each.
"""

from dataclasses import dataclass

from sim.axis_allies.casualties import Order
from sim.axis_allies.odds.order_question import Question, Tried
from sim.axis_allies.odds_report import FoundOrder

PART_SECONDS = 1.0
"""The longest time of a part."""


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
        from sim.axis_allies.odds.order_trials import try_orders  # noqa: PLC0415

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
