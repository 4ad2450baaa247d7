"""A battle of which one side's best order of losses is asked, and what an order is worth to its side."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

from sim.axis_allies.casualties import Casualties, Order, Place
from sim.axis_allies.odds.base_request import BattleRequest
from sim.axis_allies.units import Category, Unit
from sim.axis_allies.withdrawal import Withdrawal
from sim.core.values import Side

if TYPE_CHECKING:
    from sim.axis_allies.odds.lineup import Search

_SAME_CHANCE = 1e-12  # a smaller difference is rounding
_SAME_SWING = 1e-9  # the same, in IPC
_BATTLE = 0.5e-3  # seconds to prepare a battle, measured
_ARMY = 30e-6  # the same, for each army that a side can come to

Aim = Literal["smart", "thrifty"]

B = TypeVar("B", bound=BattleRequest)


class Worth(NamedTuple):
    """What an order is worth to its side; a longer chance of nobody is neither's."""

    win: float
    lose: float
    swing: float

    def ranks(self, aim: Aim) -> tuple[tuple[float, float], ...]:
        """Return what counts, the most important first, each with the difference that is none."""
        chances = (self.win, _SAME_CHANCE), (-self.lose, _SAME_CHANCE)
        swing = (self.swing, _SAME_SWING)
        return (*chances, swing) if aim == "smart" else (swing, *chances)

    def beats(self, other: "Worth", aim: Aim) -> bool:
        """Return whether this is better."""
        for (mine, same), (yours, _) in zip(self.ranks(aim), other.ranks(aim), strict=True):
            if abs(mine - yours) > same:
                return mine > yours
        return False


class Tried(NamedTuple):
    """An order that was tried, and what it is worth; of equally good ones that of the lowest rank is taken."""

    rank: int
    order: Order
    worth: Worth


@dataclass(frozen=True)
class Question:
    """A battle of which one side's best order is asked; the other one's casualties are an order or a simple method.

    `seconds`: for the search; `preset_seconds`: for fighting the usual orders, whatever the search takes.
    """

    battle: BattleRequest
    side: Side
    stop_after: int | None
    withdrawal: Withdrawal
    seconds: float
    preset_seconds: float

    @cached_property
    def aim(self) -> Aim:
        """What the order should be best for."""
        return "thrifty" if self.battle.casualties_of(self.side) == "thrifty" else "smart"

    def with_losses(self, casualties: Casualties) -> BattleRequest:
        """Return the battle with the side's casualties."""
        return with_losses(self.battle, {self.side: casualties})

    def worth(self, casualties: Casualties) -> Worth:
        """Fight the battle with an order, exactly; TooMuchError if that would take too long."""
        from sim.axis_allies.odds import layout  # noqa: PLC0415
        from sim.axis_allies.odds.engine import solve  # noqa: PLC0415

        solution = solve(self.with_losses(casualties).terms(self.stop_after, self.withdrawal), course=False)
        attacker, defender = solution.sides
        won = solution.endings == layout.ATTACKER
        if self.battle.must_take:
            won &= attacker.land_units[solution.rows] > 0
        win = float(solution.chances[won].sum())
        lose = float(solution.chances[solution.endings == layout.DEFENDER].sum())
        swing = float(solution.chances @ (attacker.ipc[solution.rows] - defender.ipc[solution.columns]))
        return Worth(win, lose, swing) if self.side is Side.ATTACKER else Worth(lose, win, -swing)

    def battle_seconds(self) -> float:
        """Return an estimate for `worth`; TooMuchError if it would take too long."""
        from sim.axis_allies.odds.engine import lines  # noqa: PLC0415

        terms = self.battle.terms(self.stop_after, self.withdrawal)
        total = 0.0
        for line in lines(terms):
            armies = sum(line.tables.over.shape)
            total += _BATTLE + _ARMY * armies + line.tables.forward_seconds(self.stop_after or 0)
        return total

    def searches(self, *, by_chance: bool) -> "list[Search]":
        """Return what has to be searched: with a territory to take, one for each type whose last unit is kept."""
        from sim.axis_allies.odds.lineup import Search, slots_of  # noqa: PLC0415

        battle = with_losses(self.battle, {self.side: "lives-first"})
        terms = battle.terms(self.stop_after, self.withdrawal)
        order = battle.model_copy(update={"must_take": False}).casualty_order(self.side)
        must_take = self.battle.must_take
        return [
            Search(terms, slots, must_take=must_take, by_chance=by_chance)
            for slots in slots_of(order, must_take=must_take)
        ]

    def presets(self) -> Iterator[Order]:
        """Yield the usual orders, written out."""
        for method in ("lives-first", "score", "formula"):
            order = self.with_losses(method).model_copy(update={"must_take": False}).casualty_order(self.side)
            yield order.written
            if method == "lives-first":
                # Planes and carriers are what players pay for.
                yield tuple(sorted(order.written, key=_is_dear))


def _is_dear(place: Place) -> bool:
    return isinstance(place, Unit) and (place.category is Category.AIR or place is Unit.CARRIER)


def with_losses(battle: B, casualties: dict[Side, Casualties]) -> B:
    """Return a battle with other casualties of some sides."""
    return battle.model_copy(update={f"{side}_casualties": how for side, how in casualties.items()})
