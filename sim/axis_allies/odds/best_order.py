"""The best order of losses: "smart" by the chance to win, "thrifty" by the swing in IPC.

Source: the rules page of Axis & Allies 1941, section "The dice battle", paragraph "smart".

All orders of the army's kinds are tried (`order_search`). Where there are too many, a smaller copy of the battle is
searched instead; its best order and the usual ones are fought in full, and the best of them is improved by moving one
kind at a time. How much is tried depends on estimates only, so that the same question always has the same answer.
Where both sides search, they answer each other until neither has a better order.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Literal, NamedTuple, TypeVar

import numpy as np

from sim.axis_allies.army import Army, Group
from sim.axis_allies.casualties import Casualties, Last, Order, Place, unit_of
from sim.axis_allies.odds import codes
from sim.axis_allies.odds.base_request import BattleRequest
from sim.axis_allies.odds.codes import Flags, Floats
from sim.axis_allies.odds.engine import lines, solve
from sim.axis_allies.odds.lineup import Search, slots_of
from sim.axis_allies.odds_report import FoundOrder
from sim.axis_allies.units import Category, Unit
from sim.axis_allies.withdrawal import NEVER, Withdrawal
from sim.core.errors import TooMuchError
from sim.core.values import Side

SECONDS = 1.0
"""Estimated time for all searches of a question."""

FEW = 5
"""Kinds, lives included, up to which `SECONDS_FOR_FEW` must do."""

SECONDS_FOR_FEW = 0.1

PRESET_SECONDS = 1.5
"""Estimated time for fighting the usual orders, which are the least that is tried."""

MAX_ANSWERS = 3
"""How often each side may answer the other's order."""

_SURE = 1e-9  # a chance so near to 0 or 1 is as good as certain
_SAME_CHANCE = 1e-12  # a smaller difference is rounding
_SAME_SWING = 1e-9  # the same, in IPC
_BATTLE = 0.5e-3  # seconds to prepare a battle, measured
_ARMY = 30e-6  # the same, for each army that a side can come to

_SEARCHED = ("smart", "thrifty")

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


@dataclass(frozen=True)
class Question:
    """A battle of which one side's best order is asked; the other one's casualties are an order or a simple method.

    `seconds`: for the search; `preset_seconds`: for fighting the usual orders, whatever the search takes.
    """

    battle: BattleRequest
    side: Side
    stop_after: int | None = None
    withdrawal: Withdrawal = NEVER
    seconds: float = SECONDS
    preset_seconds: float = PRESET_SECONDS

    @cached_property
    def aim(self) -> Aim:
        """What the order should be best for."""
        return "thrifty" if self.battle.casualties_of(self.side) == "thrifty" else "smart"

    def with_losses(self, casualties: Casualties) -> BattleRequest:
        """Return the battle with the side's casualties."""
        return with_losses(self.battle, {self.side: casualties})

    def worth(self, casualties: Casualties) -> Worth:
        """Fight the battle with an order, exactly; TooMuchError if that would take too long."""
        solution = solve(self.with_losses(casualties).terms(self.stop_after, self.withdrawal), course=False)
        attacker, defender = solution.sides
        won = solution.endings == codes.ATTACKER
        if self.battle.must_take:
            won &= attacker.land_units[solution.rows] > 0
        win = float(solution.chances[won].sum())
        lose = float(solution.chances[solution.endings == codes.DEFENDER].sum())
        swing = float(solution.chances @ (attacker.ipc[solution.rows] - defender.ipc[solution.columns]))
        return Worth(win, lose, swing) if self.side is Side.ATTACKER else Worth(lose, win, -swing)

    def battle_seconds(self) -> float:
        """Return an estimate for `worth`; TooMuchError if it would take too long."""
        terms = self.battle.terms(self.stop_after, self.withdrawal)
        total = 0.0
        for line in lines(terms):
            armies = sum(line.tables.over.shape)
            total += _BATTLE + _ARMY * armies + line.tables.forward_seconds(self.stop_after or 0)
        return total

    def searches(self, *, by_chance: bool) -> list[Search]:
        """Return what has to be searched: with a territory to take, one for each type whose last unit is kept."""
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


@dataclass(frozen=True, slots=True)
class Best:
    """The best order found; `complete`: no order is better."""

    order: Order
    complete: bool


def best_order(question: Question, current: Order | None = None) -> Best:
    """Find the best order; `current`, an order of all kinds, stays if none is better."""
    return _best_of_all(question, current) or _best_found(question, current)


def _best_of_all(question: Question, current: Order | None) -> Best | None:
    """Try every order; None if that would take too long."""
    found: Best | None = None
    # If who wins is as good as certain, the swing decides, and more orders may be the best; also if there is a last
    # round, after which it doesn't matter who would fire.
    by_chance_first = question.aim == "smart" and question.stop_after is None
    for by_chance in (True, False) if by_chance_first else (False,):
        try:
            searches = question.searches(by_chance=by_chance)
        except TooMuchError:
            break
        if sum(search.seconds for search in searches) > question.seconds:
            break
        tried = [(search.slots, *search.run()) for search in searches]
        rows = [(slots, order) for slots, orders, _ in tried for order in orders.tolist()]
        values = np.concatenate([worth for _, _, worth in tried])
        best = np.flatnonzero(_best_rows(values, question.aim))
        named = [rows[at][0].named(rows[at][1]) for at in best]
        found = Best(current if current in named else named[0], complete=True)
        if _SURE < values[best[0]].max(where=(True, True, False), initial=0.0) < 1.0 - _SURE:
            break
    return found


def _best_rows(values: Floats, aim: Aim) -> Flags:
    """Return which rows of win, lose, swing are the best."""
    best = np.ones(len(values), np.bool_)
    for column, (_, same) in zip(_columns(values, aim), Worth(0.0, 0.0, 0.0).ranks(aim), strict=True):
        best &= column >= column[best].max() - same
    return best


def _columns(values: Floats, aim: Aim) -> tuple[Floats, ...]:
    win, lose, swing = values.T
    return (win, -lose, swing) if aim == "smart" else (swing, win, -lose)


def _best_found(question: Question, current: Order | None) -> Best:
    """Choose among the usual orders and that of a smaller copy of the battle, and improve the best of them."""
    orders = list(dict.fromkeys([*([current] if current else []), *_of_smaller(question), *question.presets()]))
    try:
        battle_seconds = question.battle_seconds()
    except TooMuchError:
        return Best(orders[0], complete=False)
    tries = int(question.seconds / battle_seconds)
    if max(tries, int(question.preset_seconds / battle_seconds)) < len(orders):
        return Best(orders[0], complete=False)
    known = {order: question.worth(order) for order in orders}
    best = orders[0]
    for order in orders[1:]:
        best = order if known[order].beats(known[best], question.aim) else best
    improved = True
    while improved:
        improved = False
        for order in _moved(best):
            if order in known:
                continue
            if len(known) >= tries:
                return Best(best, complete=False)
            known[order] = question.worth(order)
            if known[order].beats(known[best], question.aim):
                best, improved = order, True
                break
    return Best(best, complete=False)


def _of_smaller(question: Question) -> Iterator[Order]:
    """Yield the best order of the largest smaller copy of the battle of which every order can be tried."""
    small = replace(question, seconds=question.seconds / 4)
    while any(group.count > 1 for army in (small.battle.attacker, small.battle.defender) for group in army.groups):
        small = _halved(small)
        best = _best_of_all(small, None)
        if best is not None:
            yield best.order
            return


def _halved(question: Question) -> Question:
    battle, withdrawal = question.battle, question.withdrawal
    half = {name: _half(getattr(battle, name)) for name in ("attacker", "defender", "bombard")}
    landing = None if battle.landing is None else ceil(battle.landing / 2)
    limits = {name: ceil(limit / 2) for name, limit in withdrawal if not isinstance(limit, bool) and limit}
    return replace(
        question,
        battle=battle.model_copy(update={**half, "landing": landing}),
        withdrawal=withdrawal.model_copy(update=limits),
    )


def _half(army: Army) -> Army:
    groups = (
        Group(unit=group.unit, count=Fraction(ceil(group.count / 2)), lives=Fraction(ceil(group.lives / 2)))
        for group in army.groups
    )
    return army.model_copy(update={"groups": tuple(groups)})


def _moved(order: Order) -> Iterator[Order]:
    """Yield the orders with one place moved, but no ship before its life and no last of a type before the others."""
    for taken, place in enumerate(order):
        rest = order[:taken] + order[taken + 1 :]
        for at in range(len(order)):
            moved = (*rest[:at], place, *rest[at:])
            ahead = {unit_of(early) for early in moved if not isinstance(early, Unit)}
            where = {unit: moved.index(unit) for unit in ahead if unit in moved}
            if at != taken and all(
                (moved.index(early) < where[early.unit]) is not isinstance(early, Last)
                for early in moved
                if not isinstance(early, Unit) and early.unit in where
            ):
                yield moved


def resolve_casualties(
    battle: B, stop_after: int | None = None, withdrawal: Withdrawal = NEVER, share: float = 1.0
) -> tuple[B, tuple[FoundOrder, ...]]:
    """Return the battle with explicit orders in place of smart and thrifty casualties, and the orders found.

    `share`: of the time that all searches may take.
    """
    methods = {side: how for side in Side if (how := battle.casualties_of(side)) in _SEARCHED}
    resolved = with_losses(battle, dict.fromkeys(methods, "lives-first"))
    kinds = {side: sum(count > 0 for count in resolved.casualty_order(side).counts) for side in methods}
    sides = [side for side in methods if kinds[side]]
    turns = MAX_ANSWERS * len(sides) if len(sides) > 1 else len(sides)
    seconds = SECONDS_FOR_FEW if max(kinds.values(), default=0) <= FEW else SECONDS
    settled = turns == 1
    found: dict[Side, Best] = {}
    for turn in range(turns):
        side = sides[turn % len(sides)]
        before = found[side].order if side in found else None
        question = Question(
            with_losses(resolved, {side: methods[side]}),
            side,
            stop_after,
            withdrawal,
            seconds * share / (MAX_ANSWERS if turns > 1 else 1),
            PRESET_SECONDS * share / turns,
        )
        found[side] = best_order(question, before)
        resolved = with_losses(resolved, {side: found[side].order})
        if found[side].order == before:  # and the enemy's is the best answer to this one
            settled = True
            break
    return resolved, tuple(
        FoundOrder(side=side, order=best.order, complete=best.complete, settled=settled) for side, best in found.items()
    )
