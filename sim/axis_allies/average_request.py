"""What the bot and the console ask for about the average battle. NumPy is loaded only to search for the best losses."""

from collections.abc import Iterable, Mapping
from math import ceil
from typing import Self

from pydantic import model_validator
from typing_extensions import override

from sim.axis_allies.army import Army
from sim.axis_allies.average import Choose, fight
from sim.axis_allies.editions import EDITIONS
from sim.axis_allies.odds.base_request import BattleRequest
from sim.axis_allies.odds.order_search import SearchingRequest
from sim.axis_allies.odds_report import FoundOrder
from sim.axis_allies.reports import AverageReport
from sim.axis_allies.withdrawal import MAX_ROUNDS
from sim.core.errors import RuleError
from sim.core.values import Side

_SECONDS_PER_ROUND = 200e-6  # a rough upper figure, measured with full armies


class AverageRequest(SearchingRequest):
    """The average battle, which only some editions have.

    RuleError for another edition and for contradictory terms; armies may have fractions of units.
    """

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        if not EDITIONS[self.edition].average:
            able = " and ".join(book.title for book in EDITIONS.values() if book.average)
            raise RuleError(f"Only {able} has the average battle, the one in which fractions of units fight.")
        self.check_terms()
        self.withdrawal.check(self.attacker, self.defender)
        if not self.whole and self.search_seconds:
            raise RuleError("The best order of losses is found for whole units only: choose another one.")
        self.rounded_up.check()
        return self

    @property
    def whole(self) -> bool:
        """Whether there are only whole units, so that dice can decide the battle, too."""
        return all(group.count.denominator == 1 for side in Side for group in self.army(side).groups)

    @property
    def rounded_up(self) -> BattleRequest:
        """The battle with fractions of units rounded up, which has the same orders of losses."""
        return BattleRequest(
            **{name: getattr(self, name) for name in BattleRequest.model_fields}
            | {str(side): Army.of({group.unit: ceil(group.count) for group in self.army(side).groups}) for side in Side}
        )

    @override
    def cost(self) -> float:
        return self.search_seconds + (self.stop_after or MAX_ROUNDS) * _SECONDS_PER_ROUND

    def run(self, choose: Mapping[Side, Choose] | None = None) -> AverageReport:
        """Fight the battle; TooMuchError if it has no end after `MAX_ROUNDS` rounds.

        `choose`: a side's player, who chooses its losses. The best orders are those of the odds.
        """
        resolved, _ = self.resolved() if self.whole else (self, ())
        whole = resolved.rounded_up
        return fight(
            {side: self.army(side) for side in Side},
            {side: whole.casualty_order(side).slots for side in Side},
            stop_after=self.stop_after,
            withdrawal=self.withdrawal,
            must_take=self.must_take,
            choose=choose,
        )

    def with_orders(self, found: Iterable[FoundOrder]) -> Self:
        """Return the request with the best orders, where they were found for the odds."""
        return self.model_copy(update={f"{each.side}_casualties": each.order for each in found})

    @classmethod
    def of(cls, armies: dict[Side, Army], stop_after: int | None = None) -> Self:
        """Return the request for both sides' armies."""
        return cls(attacker=armies[Side.ATTACKER], defender=armies[Side.DEFENDER], stop_after=stop_after)
