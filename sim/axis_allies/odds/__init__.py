"""Exact odds of battles, and what is found with them: best orders, purchases, retreats, waves, luck.

A round is written where it has to be fast, and once more for each other way to count. Where a rule stands in each:

| rule | `land`, chances | `sea`, chances | `simulate`, dice | `average`, fractions |
|---|---|---|---|---|
| who may hit whom | any hit any unit | `_volley`, `_general_fire` | `_joined`, `_after` | `_Force.apply_hits` |
| surprise strikes | none | `strikers`, `_strike` | `_opens`, `_opening_fire` | `_play_round` |
| marked losses | none | `_marked_round` | `_opening_fire` | none |
| losses in order | `army_graph.chain_of` | `army_graph.reachable_armies` | `_after` | `_Force.order` |
| dice, pair bonuses | `dice.count_dice` | the same | the same | scores alone |
| low luck | `dice.fill_in_hits` | the same | `_Thrower` | none |
| antiaircraft fire | `terms.after_antiaircraft_fire` | none | `_fire_at_planes` | none |
| bombardment | `tables.LandTables`, `engine.bombarded_before` | none | `_fight` | none |
| the end | `layout.code_of` | the same | the same | `_ending` |
| the attacker leaves | `terms.standings` | the same | the same | `_ending` |
| what is lost without dice | `layout.unprotected` | the same | the same | none |

The battles that players fight (`sim.axis_allies.battle`) have a fifth way, which throws the dice one by one.

Here: the search for the best orders of losses as a question in parts, what an order is worth, and requests that begin
with the search. What is quick is done in between; parts fight the same battle with some of the orders each. NumPy is
loaded only to fight.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, Generic, Literal, NamedTuple, Protocol, Self, TypeVar

from typing_extensions import override

from sim.axis_allies.casualties import Casualties, Order
from sim.axis_allies.odds_report import FoundOrder
from sim.axis_allies.question import BattleRequest, Terms
from sim.axis_allies.units import Category, Unit
from sim.core.staged_job import Continue, Job, R_co, answer
from sim.core.values import Request, Side

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
        """The battle, with the side's losses in an order that is always possible."""
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


@dataclass(frozen=True, slots=True)
class OrderSearch:
    """Finds the best orders of the sides of a battle whose casualties are smart or thrifty.

    `share`: of the time that all searches may take. `begun`: how far it has come; a search that has begun has parts.
    """

    battle: BattleRequest
    share: float = 1.0
    begun: SoFar = field(default_factory=SoFar)

    def parts(self, partial: SoFar | None) -> tuple[FightOrders, ...]:
        """Return what the current turn needs next."""
        return (partial or self.begun).parts

    def join(self, partial: SoFar | None, reports: Sequence[Tried]) -> SoFar:
        """Go on until something takes long again."""
        from sim.axis_allies.odds.best_order import go_on  # noqa: PLC0415

        return go_on(self.battle, self.share, partial or self.begun, tuple(reports))

    def progress(self, partial: SoFar | None, latest: Sequence[Tried | Continue[Tried]]) -> tuple[float, str]:
        """Return roughly how much is done."""
        before = partial or self.begun
        turns = len(before.turns) + 1.0 - 0.9 ** (len(before.stages) + len(latest) / len(before.parts))
        return 1.0 - 0.5**turns, "looking for the best order of losses"


def found_by(partial: SoFar) -> FoundOrders:
    """Return the orders found by a search that is over."""
    if partial.found is None:
        raise ValueError("the search goes on")
    return partial.found


class SearchingRequest(BattleRequest):
    """A battle with dice in which a side may have smart or thrifty casualties.

    `found`: the best orders of such sides, if they have been searched for already.
    """

    found: FoundOrders | None = None

    @property
    @override
    def search_seconds(self) -> float:
        return super().search_seconds if self.found is None else 0.0

    @property
    def search(self) -> OrderSearch:
        """The search for the best orders."""
        return OrderSearch(self)

    def with_found(self, found: FoundOrders) -> Self:
        """Return the request with the orders that `search` has found."""
        return self.model_copy(update={"found": found})

    def resolved(self, share: float = 1.0) -> tuple[Self, FoundOrders]:
        """Return the battle with the best orders in place of smart and thrifty casualties, and the orders found.

        `share`: of the time that the search may take.
        """
        if not (searched := self.searched):
            return self, ()
        found = self.found
        if found is None:
            found = found_by(answer(replace(self.search, share=self.search.share * share)))
        orders: dict[Side, Casualties] = dict.fromkeys(searched, "lives-first")
        return with_losses(self, orders | {each.side: each.order for each in found}), found


class Searches(Job[R_co], Protocol[R_co]):
    """A request whose answer needs the best orders of losses, as `SearchingRequest` itself does."""

    @property
    def search(self) -> OrderSearch | None:
        """The search for them, None if there can't be any."""
        ...

    def with_found(self, found: FoundOrders) -> "Searches[R_co]":
        """Return the request with the orders that `search` has found."""
        ...


class WrappingRequest(Request):
    """A request that is built on another one's report; `asked` names the field that holds that one."""

    asked: ClassVar[str]

    @property
    def search(self) -> OrderSearch | None:
        """The search for the best orders of losses."""
        within: Searches[object] | None = getattr(self, self.asked)
        return None if within is None else within.search

    def with_found(self, found: FoundOrders) -> Self:
        """Return the request with the orders that `search` has found."""
        within: Searches[object] | None = getattr(self, self.asked)
        return self if within is None else self.model_copy(update={self.asked: within.with_found(found)})


@dataclass(frozen=True, slots=True)
class SearchFirst(Generic[R_co]):
    """The job that answers a request, or only begins its search for the best orders of losses if that takes long."""

    request: Searches[R_co]

    def cost(self) -> float:
        """Return the seconds of the whole request."""
        return self.request.cost()

    def run(self) -> R_co | OrderSearch:
        """Return the report, or the search as far as it has come."""
        search = self.request.search
        if search is None or not search.battle.search_seconds:
            return self.request.run()
        partial = search.join(None, ())
        if partial.found is None:
            return replace(search, begun=partial)
        return self.request.with_found(partial.found).run()
