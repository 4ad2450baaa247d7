"""Requests about a live battle: the best orders of losses before it opens, the odds from here, the luck so far."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from typing_extensions import override

from sim.axis_allies.army import Army
from sim.axis_allies.battle.runner import LOSSES_DUE
from sim.axis_allies.battle.values import MANUAL, Phase, RoundBegan, Setup, State, Tally
from sim.axis_allies.odds.order_problem import FoundOrders
from sim.axis_allies.odds.order_search import OrderSearch, found_by
from sim.axis_allies.requests import LuckRequest, OddsRequest
from sim.axis_allies.units import Category
from sim.axis_allies.withdrawal import NEVER, RoundLimit, Withdrawal
from sim.core.errors import RuleError
from sim.core.staged_job import answer
from sim.core.values import Ending, Request

if TYPE_CHECKING:
    from sim.axis_allies.odds.terms import Terms


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


class OddsFromHere(OddsRequest):
    """The odds in the middle of a battle: antiaircraft guns and ships have fired."""

    @override
    def terms(self, stop_after: int | None = None, withdrawal: Withdrawal = NEVER) -> "Terms":
        return replace(super().terms(stop_after, withdrawal), guns=0, bombardment=())


def odds_from_here(state: State) -> OddsRequest | None:
    """Return the request for the odds from here; None while losses are due, and if the armies can't fight on."""
    if state.phase is not Phase.READY:
        return None
    return _odds(state.setup, state.attacker, state.defender, first=not state.round)


def odds_before(setup: Setup, began: RoundBegan) -> OddsRequest | None:
    """Return the same before a round, of the first before everything that comes before it."""
    return _odds(setup, began.attacker, began.defender, first=began.number == 1)


def _odds(setup: Setup, attacker: Army, defender: Army, *, first: bool) -> OddsRequest | None:
    try:
        if first:
            return OddsRequest(**setup.fields)
        later: dict[str, Any] = {"bombard": Army(), "landing": None, "attacker": attacker, "defender": defender}
        must_take = setup.must_take and attacker.has(Category.LAND)
        return OddsFromHere(**setup.fields | later | {"must_take": must_take}) if attacker and defender else None
    except RuleError:
        return None


def luck_request(state: State) -> LuckRequest | None:
    """Return the request for the luck of the result so far; None if it has no answer.

    There is none before the first dice, in the middle of a round, and for manual losses: no method says what other dice
    would have destroyed. The tallies of the state always have the luck of the dice.
    """
    setup = state.setup
    if state.phase in LOSSES_DUE or state.attacker_fire == state.defender_fire == Tally():
        return None
    if MANUAL in (setup.attacker_losses, setup.defender_losses):
        return None
    broken_off = state.ending in {None, Ending.RETREAT}
    return LuckRequest(
        **setup.fields | {"stop_after": state.round if broken_off else None},
        attacker_left=state.attacker,
        defender_left=state.defender,
    )
