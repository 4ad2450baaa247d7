"""The search for the best orders of losses as a question in parts."""

from collections.abc import Sequence
from dataclasses import dataclass

from sim.axis_allies.odds.base_request import BattleRequest
from sim.axis_allies.odds.order_question import Tried
from sim.axis_allies.odds.search_parts import SearchPart, SoFar
from sim.axis_allies.odds_report import FoundOrder
from sim.axis_allies.withdrawal import NEVER, Withdrawal
from sim.core.parts import Unfinished

_BEGINNING = SoFar()


@dataclass(frozen=True, slots=True)
class OrderSearch:
    """Finds the best orders of the sides of a battle whose casualties are smart or thrifty.

    `share`: of the time that all searches may take. `begun`: how far it has come; a search that has begun has parts.
    """

    battle: BattleRequest
    stop_after: int | None = None
    withdrawal: Withdrawal = NEVER
    share: float = 1.0
    begun: SoFar = _BEGINNING

    def parts(self, so_far: SoFar | None) -> tuple[SearchPart, ...]:
        """Return what the current turn needs next."""
        return (so_far or self.begun).parts

    def join(self, so_far: SoFar | None, reports: Sequence[tuple[Tried, ...]]) -> SoFar:
        """Go on until something takes long again."""
        from sim.axis_allies.odds.best_order import go_on  # noqa: PLC0415

        return go_on(self.battle, self.stop_after, self.withdrawal, self.share, so_far or self.begun, tuple(reports))

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
