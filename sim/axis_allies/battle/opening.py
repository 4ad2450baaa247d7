"""What is calculated before a live battle opens: the best orders of losses, with which its setup is stored."""

from typing import Self

from typing_extensions import override

from sim.axis_allies.battle.values import Setup
from sim.axis_allies.odds.order_problem import FoundOrders
from sim.axis_allies.odds.order_search import OrderSearch, found_by
from sim.axis_allies.withdrawal import NEVER, RoundLimit, Withdrawal
from sim.core.parts import answer
from sim.core.values import Request


class OpeningRequest(Request):
    """Finds the best orders for smart and thrifty losses.

    `stop_after`, `withdrawal`: of the odds that were told with the same orders; the battle itself has no such end.
    """

    setup: Setup
    stop_after: RoundLimit | None = None
    withdrawal: Withdrawal = NEVER

    @property
    def search(self) -> OrderSearch:
        """The search for them."""
        return OrderSearch(self.setup.battle, self.stop_after, self.withdrawal)

    def with_found(self, found: FoundOrders) -> Self:
        """Return the request with the orders that `search` has found."""
        return self.model_copy(update={"setup": self.setup.with_orders(found)})

    @property
    def needed(self) -> bool:
        """Whether there is anything to find."""
        return self.setup.battle.search_seconds > 0

    @override
    def cost(self) -> float:
        return 0.01 + self.setup.battle.search_seconds

    def run(self) -> Setup:
        """Return the setup with the orders found."""
        return self.setup.with_orders(found_by(answer(self.search)))
