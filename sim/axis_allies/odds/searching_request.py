"""The base of requests that find the best orders of losses before they fight."""

from typing import Self

from sim.axis_allies.odds.base_request import BattleRequest
from sim.axis_allies.odds_report import FoundOrder
from sim.axis_allies.withdrawal import NEVER, Withdrawal


class SearchingRequest(BattleRequest):
    """A battle with dice in which a side may have smart or thrifty casualties."""

    def resolved(
        self, stop_after: int | None = None, withdrawal: Withdrawal = NEVER, share: float = 1.0
    ) -> tuple[Self, tuple[FoundOrder, ...]]:
        """Return the battle with the best orders in place of smart and thrifty casualties, and the orders found.

        `share`: of the time that the search may take.
        """
        from sim.axis_allies.odds.best_order import resolve_casualties  # noqa: PLC0415

        return resolve_casualties(self, stop_after, withdrawal, share)
