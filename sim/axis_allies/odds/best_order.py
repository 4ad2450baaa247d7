"""The best order of losses: "smart" by the chance to win, "thrifty" by the swing in IPC.

Source: .docs/rules/axis_allies.md, "Casualty orders".

The battle is fought with every order of the army's kinds that may be the best. Where there are too many, a smaller copy
of the battle is searched instead; its best order and the usual ones are fought in full, and the best of them is
improved by moving one kind at a time. How much is tried depends on estimates only, so that the same question always has
the same answer. Where both sides search, they answer each other until neither has a better order.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from math import ceil, inf

from sim.axis_allies.army import Army, Group
from sim.axis_allies.casualties import CasualtyOrder, Last, Life, Order, Place, unit_of
from sim.axis_allies.odds import FightOrders, OrderProblem, SoFar, Stage, Tried, unbeaten, with_losses
from sim.axis_allies.odds.army_graph import is_plain
from sim.axis_allies.odds.engine import lines
from sim.axis_allies.odds.layout import layout_of
from sim.axis_allies.odds_report import FoundOrder
from sim.axis_allies.question import BattleRequest
from sim.axis_allies.unit_stats import HitGroup, may_fall_on
from sim.axis_allies.units import Category, Unit
from sim.core import TooMuchError
from sim.core.values import Side

SECONDS = 1.0
"""Estimated time for all searches of a question."""

FEW = 5
"""Kinds, lives included, up to which `SECONDS_FOR_FEW` must do."""

SECONDS_FOR_FEW = 0.2

MAX_ANSWERS = 3
"""How often each side may answer the other's order."""

LONG_SECONDS = 0.1
"""Estimated time from which something is cut into parts, an even number of them."""

_MOST_SECONDS = 0.2  # of a part, estimated
_AHEAD_SECONDS = 0.2  # of the fights with moved orders in parts; those after a better one are for nothing
_BATTLE = 0.5e-3  # seconds to prepare a battle, measured
_ARMY = 30e-6  # the same, for each army that a side can come to
_RESERVE = 6.0  # how much higher these two and the estimate for a fight usually are than its time, measured
_SHORTEST = 0.4e-3  # seconds of a fight, measured
_BEGINNINGS = 4  # how many times more beginnings of orders may be looked at than orders tried
_SURE = 1e-9  # a chance so near to 0 or 1 is as good as certain


class _InParts(Exception):  # noqa: N818  # no error: it goes on
    """What has to be fought next takes long."""


class _Fights:
    """The fights of a search, which begins anew after each of its `stages`: those that are over are known by then.

    `parts`: those of the next stage, once it takes long.
    """

    def __init__(self, stages: Sequence[Stage]) -> None:
        self.stages = list(stages)
        self.parts: tuple[FightOrders, ...] = ()
        self._known = iter(stages)

    def fight(
        self, problem: OrderProblem, orders: Sequence[Order], each_seconds: float, *, best: bool = False
    ) -> Tried:
        """Fight the battle with each order; `best`: tell the best alone. Raises `_InParts` if that takes long."""
        if (reports := next(self._known, None)) is None:
            seconds = len(orders) * each_seconds
            count = 1 if seconds <= LONG_SECONDS else min(len(orders), 2 * ceil(seconds / (2 * _MOST_SECONDS)))
            self.parts = tuple(FightOrders(problem, tuple(orders[at::count]), best) for at in range(count))
            if count > 1:
                raise _InParts
            reports = (self.parts[0].run(),)
            self.stages.append(reports)
        return {order: worth for report in reports for order, worth in report.items()}


def _fight_seconds(problem: OrderProblem) -> float:
    """Return the seconds that a fight usually takes; infinity if it may take too long."""
    total = 0.0
    try:
        for line in lines(problem.terms):
            armies = len(line.tables.attacker.counts) + len(line.tables.defender.counts)
            total += _BATTLE + _ARMY * armies + line.tables.forward_seconds(problem.battle.stop_after or 0)
    except TooMuchError:
        return inf
    return max(_SHORTEST, total / _RESERVE)


def _best_of_all(problem: OrderProblem, current: Order | None, fights: _Fights) -> FoundOrder | None:
    """Try every order; None if that would take too long. `current`, an order of all kinds, stays if none is better."""
    seconds = _fight_seconds(problem)
    found: FoundOrder | None = None
    # If who wins is as good as certain, the swing decides, and more orders may be the best; also if there is a last
    # round, after which it doesn't matter who would fire.
    by_chance_first = problem.aim == "smart" and problem.battle.stop_after is None
    for by_chance in (True, False) if by_chance_first else (False,):
        orders = orders_to_try(problem, int(problem.seconds / seconds), by_chance=by_chance)
        if not orders:
            break
        best = unbeaten(fights.fight(problem, orders, seconds, best=True), problem.aim)
        first = next(order for order in orders if order in best)
        order = current if current in best else first
        found = FoundOrder(side=problem.side, order=order)
        if _SURE < max(best[first].win, best[first].lose) < 1.0 - _SURE:
            break
    return found


def orders_to_try(problem: OrderProblem, most: int, *, by_chance: bool) -> list[Order]:
    """Return all orders that may be the best, none if there are more than `most`.

    `by_chance`: the swing decides between orders of the same chances only.
    """
    own = problem.battle.model_copy(update={"must_take": False}).casualty_order(problem.side)
    counts: dict[Place, int] = {}
    for slot, count in zip(own.slots, own.counts, strict=True):
        several = slot is Unit.DESTROYER and count > 1
        counts[slot] = count - 1 if several else count
        if several:
            counts[Last.DESTROYER] = 1
    places = [place for place, count in counts.items() if count]
    idle = _idle(problem, own, places, by_chance=by_chance)
    later = _later(problem, counts, places, idle)
    ends: list[Order] = [()]  # what is lost last
    for _ in places:
        ends = [
            (place, *end)
            for end in ends
            for place in reversed(places)
            if place not in end and later[place].issubset(end) and not (end and (place, end[0]) in idle)
        ]
        if len(ends) > most * _BEGINNINGS:
            return []
    return list(dict.fromkeys(map(_named, ends))) if len(ends) <= most else []


def _named(order: Order) -> Order:
    """Return an order without the last destroyer if it is lost with the others."""
    if Last.DESTROYER in order and order.index(Last.DESTROYER) == order.index(Unit.DESTROYER) + 1:
        return tuple(place for place in order if place is not Last.DESTROYER)
    return order


def _later(
    problem: OrderProblem, counts: dict[Place, int], places: Sequence[Place], idle: set[tuple[Place, Place]]
) -> dict[Place, set[Place]]:
    """Return what is lost later than each place in any order to try."""
    later: dict[Place, set[Place]] = {place: set() for place in places}
    in_turn = _in_turn(places)
    for place, other in permutations(places, 2):
        # In each other's place they are lost after equally many hits, unless the last land unit is kept.
        land = [unit_of(each).category is Category.LAND for each in (place, other)]
        aligned = counts[place] == counts[other] and (land[0] == land[1] or not problem.battle.must_take)
        if (place, other) in in_turn or (aligned and (other, place) in idle):
            later[place].add(other)
    return later


def _idle(
    problem: OrderProblem, own: CasualtyOrder, places: Sequence[Place], *, by_chance: bool
) -> set[tuple[Place, Place]]:
    """Return pairs of places of which the second is never better to have, so the first isn't lost directly before."""
    if problem.battle.withdrawal.possible:  # the attacker may leave earlier if it loses more slowly
        return set()
    enemy = problem.terms.defender if problem.side is Side.ATTACKER else problem.terms.attacker
    here, fired = set(own.slots), layout_of(enemy).fires
    lifts = [lift for lift in own.arms.lifts if here & {*lift.by} and here & {*lift.lifts}]
    paired = {unit for lift in lifts for unit in (*lift.by, *lift.lifts)}
    falls = {
        place: [not fired >> group & 1 or may_fall_on(group, unit_of(place)) for group in HitGroup] for place in places
    }
    first = {place: at for at, place in enumerate(places)}
    return {
        (place, other)
        for place, other in permutations(places, 2)
        if not {unit_of(place), unit_of(other)} & paired
        and falls[place] == falls[other]
        and _is_better(own, enemy, place, other, after=first[place] > first[other], by_chance=by_chance)
    }


def _is_better(
    own: CasualtyOrder, enemy: CasualtyOrder, place: Place, other: Place, *, after: bool, by_chance: bool
) -> bool:
    """Return whether it is never better to have `other` than `place`, which the same hits may take.

    `after`: how to choose between equals.
    """
    if isinstance(other, Life):
        return not isinstance(place, Life) or after
    if isinstance(place, Life):
        return False
    arms, unit, second = own.arms, unit_of(place), unit_of(other)
    here, there = arms.weapons[unit], arms.weapons[second]
    cost, price = arms.edition.cost(unit), arms.edition.cost(second)
    watches = second is Unit.DESTROYER and unit is not second and enemy.count(Unit.SUBMARINE) > 0
    stands = unit in arms.rules.defenceless and second not in arms.rules.defenceless
    fires = there.dice > here.dice or there.chance > here.chance
    hits_others = arms.group(unit) is not arms.group(second) and not is_plain(own, enemy)
    if watches or stands or fires or hits_others:
        return False
    if here == there and cost == price:
        return after
    return price <= cost or (by_chance and here != there)


def _best_found(problem: OrderProblem, current: Order | None, fights: _Fights) -> FoundOrder:
    """Choose among the usual orders and that of a smaller copy of the battle, and improve the best of them."""
    smaller = _of_smaller(problem, fights)
    orders = list(dict.fromkeys([*([current] if current else []), *smaller, *problem.presets()]))
    seconds = _fight_seconds(problem)
    tries = int(problem.seconds / seconds)
    if tries < len(orders):
        return FoundOrder(side=problem.side, order=orders[0], complete=False)
    fought = fights.fight(problem, orders, seconds)
    known = dict(fought)
    best = next(order for order in orders if order in unbeaten(known, problem.aim))
    improved = True
    while improved:
        improved = False
        moved = [order for order in dict.fromkeys(_moved(best)) if order not in known]
        for at, order in enumerate(moved):
            if len(known) >= tries:
                return FoundOrder(side=problem.side, order=best, complete=False)
            if order not in fought:
                ahead = moved[at : at + min(tries - len(known), int(_AHEAD_SECONDS / seconds))]
                long = len(ahead) * seconds > LONG_SECONDS
                fought |= fights.fight(problem, ahead if long else [order], seconds)
            known[order] = fought[order]
            if known[order].beats(known[best], problem.aim):
                best, improved = order, True
                break
    return FoundOrder(side=problem.side, order=best, complete=False)


def _of_smaller(problem: OrderProblem, fights: _Fights) -> list[Order]:
    """Return the best order of the largest smaller copy of the battle of which every order can be tried."""
    small = replace(problem, seconds=problem.seconds / 4)
    while any(group.count > 1 for army in (small.battle.attacker, small.battle.defender) for group in army.groups):
        small = _halved(small)
        if (best := _best_of_all(small, None, fights)) is not None:
            return [best.order]
    return []


def _halved(problem: OrderProblem) -> OrderProblem:
    battle = problem.battle
    half: dict[str, object] = {"landing": None if battle.landing is None else ceil(battle.landing / 2)}
    for name in ("attacker", "defender", "bombard"):
        army: Army = getattr(battle, name)
        half[name] = army.with_groups(
            Group(unit=group.unit, count=Fraction(ceil(group.count / 2)), lives=Fraction(ceil(group.lives / 2)))
            for group in army.groups
        )
    limits = {name: ceil(limit / 2) for name, limit in battle.withdrawal if not isinstance(limit, bool) and limit}
    half["withdrawal"] = battle.withdrawal.model_copy(update=limits)
    return replace(problem, battle=battle.model_copy(update=half))


def _moved(order: Order) -> Iterator[Order]:
    """Yield the orders with one place moved, but no ship before its life and no last of a type before the others."""
    pairs = _in_turn(order)
    for taken, place in enumerate(order):
        rest = order[:taken] + order[taken + 1 :]
        for at in range(len(order)):
            moved = (*rest[:at], place, *rest[at:])
            if at != taken and all(moved.index(early) < moved.index(late) for early, late in pairs):
                yield moved


def _in_turn(places: Sequence[Place]) -> set[tuple[Place, Place]]:
    """Return pairs of places of which the second is always lost later: a whole ship never sinks."""
    lives = {(place, place.unit) for place in places if isinstance(place, Life)}
    pairs: set[tuple[Place, Place]] = {*lives, (Unit.DESTROYER, Last.DESTROYER)}
    return {pair for pair in pairs if set(pair).issubset(places)}


def go_on(battle: BattleRequest, share: float, partial: SoFar, reports: Stage) -> SoFar:
    """Continue a search with what the parts of its stage have reported, until it has parts again or is over."""
    turns, stages = list(partial.turns), partial.stages + ((reports,) if partial.parts else ())
    methods = {side: battle.casualties_of(side) for side in battle.searched}
    resolved = with_losses(battle, dict.fromkeys(methods, "lives-first"))
    kinds = {side: sum(count > 0 for count in resolved.casualty_order(side).counts) for side in methods}
    sides = [side for side in methods if kinds[side]]
    most = MAX_ANSWERS * len(sides) if len(sides) > 1 else len(sides)
    seconds = SECONDS_FOR_FEW if max(kinds.values(), default=0) <= FEW else SECONDS
    settled = most == 1
    found: dict[Side, FoundOrder] = {}
    for turn in range(most):
        side = sides[turn % len(sides)]
        before = found[side].order if side in found else None
        if turn == len(turns):
            turn_seconds = seconds * share / (MAX_ANSWERS if most > 1 else 1)
            problem = OrderProblem(with_losses(resolved, {side: methods[side]}), side, turn_seconds)
            fights = _Fights(stages)
            try:
                turns.append(_best_of_all(problem, before, fights) or _best_found(problem, before, fights))
            except _InParts:
                return SoFar(tuple(turns), tuple(fights.stages), fights.parts)
            stages = ()
        found[side] = turns[turn]
        resolved = with_losses(resolved, {side: found[side].order})
        if found[side].order == before:  # and the enemy's is the best answer to this one
            settled = True
            break
    orders = (best.model_copy(update={"settled": settled}) for best in found.values())
    return SoFar(tuple(turns), found=tuple(orders))
