"""The best order of losses: "smart" by the chance to win, "thrifty" by the swing in IPC.

Source: .docs/rules/axis_allies.md, "Casualty orders".

All orders of the army's kinds are tried (`order_search`). Where there are too many, a smaller copy of the battle is
searched instead; its best order and the usual ones are fought in full, and the best of them is improved by moving one
kind at a time. How much is tried depends on estimates only, so that the same question always has the same answer.
Where both sides search, they answer each other until neither has a better order.
"""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from math import ceil

import numpy as np

from sim.axis_allies.army import Army, Group
from sim.axis_allies.casualties import Last, Order, unit_of
from sim.axis_allies.odds.base_request import BattleRequest
from sim.axis_allies.odds.layout import Flags, Floats
from sim.axis_allies.odds.lineup import Search
from sim.axis_allies.odds.order_question import Aim, Question, Tried, Worth, with_losses
from sim.axis_allies.odds.order_trials import columns, searches_of
from sim.axis_allies.odds.search_parts import Best, FightOrders, SearchPart, SoFar, TryOrders
from sim.axis_allies.odds_report import FoundOrder
from sim.axis_allies.units import Unit
from sim.axis_allies.withdrawal import Withdrawal
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

LONG_SECONDS = 0.1
"""Estimated time from which something is cut into parts, an even number of them."""

_MOST_SECONDS = 0.2  # of a part, estimated

_AHEAD_SECONDS = 0.2  # of the fights with moved orders in parts; those after a better one are for nothing

_RESERVE = 6.0  # how much higher the estimate for a fight usually is than its time, measured

_SURE = 1e-9  # a chance so near to 0 or 1 is as good as certain

Stage = tuple[tuple[Tried, ...], ...]
"""What parts have reported, in their order."""


def best_order(question: Question, current: Order | None) -> Generator[tuple[SearchPart, ...], Stage, Best]:
    """Find the best order; `current`, an order of all kinds, stays if none is better.

    Yields what has to be calculated, in several parts if it takes long, and gets their reports.
    """
    return (yield from _best_of_all(question, current)) or (yield from _best_found(question, current))


def _best_of_all(question: Question, current: Order | None) -> Generator[tuple[SearchPart, ...], Stage, Best | None]:
    """Try every order; None if that would take too long."""
    found: Best | None = None
    # If who wins is as good as certain, the swing decides, and more orders may be the best; also if there is a last
    # round, after which it doesn't matter who would fire.
    by_chance_first = question.aim == "smart" and question.stop_after is None
    for by_chance in (True, False) if by_chance_first else (False,):
        try:
            searches = searches_of(question, by_chance)
        except TooMuchError:
            break
        if sum(search.seconds for search in searches) > question.seconds:
            break
        tried = yield tuple(TryOrders(question, by_chance, ends) for ends in _cut(searches))
        rows = sorted(chain(*tried), key=lambda row: row.rank)
        best = np.flatnonzero(_best_rows(_values(rows), question.aim))
        named = [rows[at].order for at in best]
        found = Best(current if current in named else named[0], complete=True)
        worth = rows[best[0]].worth
        if _SURE < max(worth.win, worth.lose) < 1.0 - _SURE:
            break
    return found


def _cut(searches: Sequence[Search]) -> list[tuple[int, ...]]:
    """Return which orders each part tries: about equal in work."""
    count = _parts(sum(search.seconds for search in searches))
    if count == 1:
        return [tuple(search.ends for search in searches)]
    parts = [[0] * len(searches) for _ in range(count)]
    work = [0.0] * count
    for pairs, at, end in sorted(
        ((pairs, at, end) for at, search in enumerate(searches) for end, pairs in search.work()), reverse=True
    ):
        least = work.index(min(work))
        parts[least][at] |= 1 << end
        work[least] += pairs
    return [tuple(ends) for ends in parts if any(ends)]


def _values(rows: Sequence[Tried]) -> Floats:
    return np.array([row.worth for row in rows])


def _best_rows(values: Floats, aim: Aim) -> Flags:
    """Return which rows of win, lose, swing are the best."""
    best = np.ones(len(values), np.bool_)
    for column, (_, same) in zip(columns(values, aim), Worth(0.0, 0.0, 0.0).ranks(aim), strict=True):
        best &= column >= column[best].max() - same
    return best


def _best_found(question: Question, current: Order | None) -> Generator[tuple[SearchPart, ...], Stage, Best]:
    """Choose among the usual orders and that of a smaller copy of the battle, and improve the best of them."""
    smaller = yield from _of_smaller(question)
    orders = list(dict.fromkeys([*([current] if current else []), *smaller, *question.presets()]))
    try:
        battle_seconds = question.battle_seconds()
    except TooMuchError:
        return Best(orders[0], complete=False)
    tries = int(question.seconds / battle_seconds)
    if max(tries, int(question.preset_seconds / battle_seconds)) < len(orders):
        return Best(orders[0], complete=False)
    usual_seconds = battle_seconds / _RESERVE
    fought = yield from _fight(question, orders, usual_seconds)
    known = {order: fought[order] for order in orders}
    best = orders[0]
    for order in orders[1:]:
        best = order if known[order].beats(known[best], question.aim) else best
    improved = True
    while improved:
        improved = False
        moved = [order for order in dict.fromkeys(_moved(best)) if order not in known]
        for at, order in enumerate(moved):
            if len(known) >= tries:
                return Best(best, complete=False)
            if order not in fought:
                ahead = moved[at : at + min(tries - len(known), int(_AHEAD_SECONDS / usual_seconds))]
                long = len(ahead) * usual_seconds > LONG_SECONDS
                fought |= yield from _fight(question, ahead if long else [order], usual_seconds)
            known[order] = fought[order]
            if known[order].beats(known[best], question.aim):
                best, improved = order, True
                break
    return Best(best, complete=False)


def _fight(
    question: Question, orders: Sequence[Order], each_seconds: float
) -> Generator[tuple[SearchPart, ...], Stage, dict[Order, Worth]]:
    """Fight the battle with each order, in parts if that takes long."""
    count = min(len(orders), _parts(len(orders) * each_seconds))
    reports = yield tuple(FightOrders(question, tuple(orders[at::count])) for at in range(count))
    return {row.order: row.worth for row in chain(*reports)}


def _parts(seconds: float) -> int:
    """Return how many parts work is cut into."""
    return 1 if seconds <= LONG_SECONDS else 2 * ceil(seconds / (2 * _MOST_SECONDS))


def _of_smaller(question: Question) -> Generator[tuple[SearchPart, ...], Stage, list[Order]]:
    """Return the best order of the largest smaller copy of the battle of which every order can be tried."""
    small = replace(question, seconds=question.seconds / 4)
    while any(group.count > 1 for army in (small.battle.attacker, small.battle.defender) for group in army.groups):
        small = _halved(small)
        best = yield from _best_of_all(small, None)
        if best is not None:
            return [best.order]
    return []


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


def go_on(
    battle: BattleRequest,
    stop_after: int | None,
    withdrawal: Withdrawal,
    share: float,
    so_far: SoFar,
    reports: Stage,
) -> SoFar:
    """Continue a search with what the parts of its stage have reported, until it has parts again or is over."""
    turns, stages = list(so_far.turns), so_far.stages + ((reports,) if so_far.parts else ())
    methods = {side: battle.casualties_of(side) for side in battle.searched}
    resolved = with_losses(battle, dict.fromkeys(methods, "lives-first"))
    kinds = {side: sum(count > 0 for count in resolved.casualty_order(side).counts) for side in methods}
    sides = [side for side in methods if kinds[side]]
    most = MAX_ANSWERS * len(sides) if len(sides) > 1 else len(sides)
    seconds = SECONDS_FOR_FEW if max(kinds.values(), default=0) <= FEW else SECONDS
    settled = most == 1
    found: dict[Side, Best] = {}
    for turn in range(most):
        side = sides[turn % len(sides)]
        before = found[side].order if side in found else None
        if turn == len(turns):
            question = Question(
                with_losses(resolved, {side: methods[side]}),
                side,
                stop_after,
                withdrawal,
                seconds * share / (MAX_ANSWERS if most > 1 else 1),
                PRESET_SECONDS * share / most,
            )
            best, stages, parts = _go_on(best_order(question, before), stages)
            if best is None:
                return SoFar(tuple(turns), stages, parts)
            turns.append(best)
            stages = ()
        found[side] = turns[turn]
        resolved = with_losses(resolved, {side: found[side].order})
        if found[side].order == before:  # and the enemy's is the best answer to this one
            settled = True
            break
    return SoFar(
        tuple(turns),
        found=tuple(
            FoundOrder(side=side, order=best.order, complete=best.complete, settled=settled)
            for side, best in found.items()
        ),
    )


def _go_on(
    steps: Generator[tuple[SearchPart, ...], Stage, Best], stages: tuple[Stage, ...]
) -> tuple[Best | None, tuple[Stage, ...], tuple[SearchPart, ...]]:
    """Go on after some stages until there are several parts to do.

    Returns what the steps come to, if they do; the stages that are over; the parts.
    """
    done = 0
    try:
        parts = next(steps)
        while done < len(stages) or len(parts) == 1:
            if done == len(stages):
                stages = (*stages, (parts[0].run(),))
            done += 1
            parts = steps.send(stages[done - 1])
    except StopIteration as over:
        return over.value, stages, ()
    return None, stages, parts
