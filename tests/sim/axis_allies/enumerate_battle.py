"""Another way to the same odds, as plain as can be: fractions, one hit at a time, no tables.

It shares nothing with the engine but the figures of the units. The outcome of a round is found by throwing every die of
it, and each hit is placed on its own.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from sim.axis_allies.units import STATS, Category, Unit
from sim.core.values import Side

Pile = tuple[tuple[Unit, int, int], ...]
"""An army: unit, how many, and how many of them can still take a hit without being lost."""

Pair = tuple[Pile, Pile]
Chooser = Callable[[Side, list[tuple[Unit, bool]], Pile], tuple[Unit, bool]]
"""From a side, the possible losses (unit, only its life?) and its army to the loss."""


def by_score(side: Side, losses: list[tuple[Unit, bool]], pile: Pile) -> tuple[Unit, bool]:
    """Choose the lowest score, then the cheapest, transports last, a life before its ship."""
    del pile
    return min(
        losses, key=lambda loss: (loss[0] is Unit.TRANSPORT, loss[0].score(side), STATS[loss[0]].cost, not loss[1])
    )


def lives_first(side: Side, losses: list[tuple[Unit, bool]], pile: Pile) -> tuple[Unit, bool]:
    """Choose a life if there is one, else by score."""
    return next((loss for loss in losses if loss[1]), None) or by_score(side, losses, pile)


def smart(*, against_submarines: bool, take: bool) -> Chooser:
    """Make the chooser of "smart" for one side: lives, then cost x score, the last destroyer and land unit kept."""

    def choose(side: Side, losses: list[tuple[Unit, bool]], pile: Pile) -> tuple[Unit, bool]:
        counts = {unit: count for unit, count, _ in pile}
        land = sum(count for unit, count in counts.items() if unit.category is Category.LAND)

        def badness(loss: tuple[Unit, bool]) -> tuple[int, ...]:
            unit, life = loss
            if life:
                return (0,)
            if unit is Unit.TRANSPORT:
                return (4,)
            if take and unit.category is Category.LAND and land == 1:
                return (3,)
            if against_submarines and unit is Unit.DESTROYER and counts[unit] == 1:
                return (2,)
            return (1, unit.score(side) * unit.cost, unit.score(side))

        return min(losses, key=badness)

    return choose


def in_order(order: list[Unit | None]) -> Chooser:
    """Make the chooser that follows a list, None standing for a battleship's life; all units are on it."""

    def choose(side: Side, losses: list[tuple[Unit, bool]], pile: Pile) -> tuple[Unit, bool]:
        del side, pile
        for entry in order:
            wanted = [(Unit.BATTLESHIP, True)] if entry is None else [(entry, False)]
            # A battleship that is whole takes its damage when its turn comes.
            wanted += [(Unit.BATTLESHIP, True)] if entry is Unit.BATTLESHIP else []
            for loss in wanted:
                if loss in losses:
                    return loss
        raise AssertionError("a unit is not on the list")

    return choose


@dataclass(frozen=True)
class Enumeration:
    """The exact odds: chance of each final pair of armies, and the mean number of rounds."""

    finals: dict[Pair, Fraction]
    rounds: Fraction


@dataclass(frozen=True)
class Rules:
    """How both sides choose their losses, and when the attacker leaves."""

    choosers: tuple[Chooser, Chooser] = (by_score, by_score)
    retreat_below: int = 1


def _count(pile: Pile, *units: Unit) -> int:
    return sum(count for unit, count, _ in pile if unit in units)


def _size(pile: Pile) -> int:
    return sum(count for _, count, _ in pile)


def _hit(side: Side, pile: Pile, legal: Callable[[Unit], bool], choose: Chooser) -> Pile:
    losses = [(unit, life) for unit, count, whole in pile if legal(unit) for life in _losses_of(count, whole)]
    if not losses:
        return pile
    lost, life = choose(side, losses, pile)
    after = []
    for unit, count, whole in pile:
        if unit is not lost:
            after.append((unit, count, whole))
        elif life:
            after.append((unit, count, whole - 1))
        elif count > 1:
            after.append((unit, count - 1, whole))
    return tuple(after)


def _losses_of(count: int, whole: int) -> Iterator[bool]:
    if whole:
        yield True
    if count > whole:
        yield False


def _throws(dice: Iterable[int]) -> dict[int, Fraction]:
    """Return the chance of each number of hits of dice that hit at or under these scores."""
    chances = {0: Fraction(1)}
    for score in dice:
        after: dict[int, Fraction] = defaultdict(Fraction)
        for hits, chance in chances.items():
            after[hits] += chance * (6 - score) / 6
            after[hits + 1] += chance * score / 6
        chances = after
    return {hits: chance for hits, chance in chances.items() if chance}


def _dice(side: Side, pile: Pile, units: Iterable[Unit]) -> list[int]:
    return [unit.score(side) for unit, count, _ in pile if unit in units for _ in range(count)]


_AIR = [unit for unit in Unit if unit.category is Category.AIR]
_OTHERS = [unit for unit in Unit if unit is not Unit.SUBMARINE and unit.category is not Category.AIR]


def _hurt(side: Side, pile: Pile, hits: int, by: Unit, choose: Chooser, *, destroyer: bool) -> Pile:
    for _ in range(hits):
        pile = _hit(side, pile, lambda target: by.can_hit(target, own_destroyer=destroyer), choose)
    return pile


def _strike(side: Side, shooter: Pile, target: Pile, choose: Chooser) -> dict[Pile, Fraction]:
    """Return what the surprise strike of `side` leaves of `target`."""
    if _count(target, Unit.DESTROYER):
        return {target: Fraction(1)}
    after: dict[Pile, Fraction] = defaultdict(Fraction)
    for hits, chance in _throws(_dice(side, shooter, [Unit.SUBMARINE])).items():
        after[_hurt(side.other, target, hits, Unit.SUBMARINE, choose, destroyer=False)] += chance
    return after


def _volley(side: Side, shooter: Pile, target: Pile, choose: Chooser, *, struck: bool) -> dict[Pile, Fraction]:
    """Return what the general fire of `side` leaves of `target`."""
    destroyer = _count(shooter, Unit.DESTROYER) > 0
    after: dict[Pile, Fraction] = defaultdict(Fraction)
    submarines = _throws([] if struck else _dice(side, shooter, [Unit.SUBMARINE]))
    air, others = _throws(_dice(side, shooter, _AIR)), _throws(_dice(side, shooter, _OTHERS))
    for wet, p_wet in submarines.items():
        one_pile = _hurt(side.other, target, wet, Unit.SUBMARINE, choose, destroyer=destroyer)
        for high, p_high in air.items():
            # Beside a destroyer the hits of aircraft are as free as all others and are placed with them.
            first = _hurt(side.other, one_pile, high, Unit.FIGHTER, choose, destroyer=destroyer)
            for rest, p_rest in others.items():
                final = _hurt(side.other, first, rest, Unit.DESTROYER, choose, destroyer=destroyer)
                after[final] += p_wet * p_high * p_rest
    return after


def play_round(pair: Pair, rules: Rules) -> dict[Pair, Fraction]:
    """Return the chances of what one round leaves."""
    attacker, defender = pair
    by_attacker, by_defender = rules.choosers[1], rules.choosers[0]  # the one under fire chooses
    struck = [
        _count(own, Unit.SUBMARINE) > 0 and not _count(other, Unit.DESTROYER)
        for own, other in (pair, (defender, attacker))
    ]
    after: dict[Pair, Fraction] = defaultdict(Fraction)
    for there, p_there in _strike(Side.ATTACKER, attacker, defender, by_attacker).items():
        for here, p_here in _strike(Side.DEFENDER, defender, attacker, by_defender).items():
            left = _volley(Side.DEFENDER, there, here, by_defender, struck=struck[1])
            right = _volley(Side.ATTACKER, here, there, by_attacker, struck=struck[0])
            for final_a, p_left in left.items():
                for final_d, p_right in right.items():
                    after[final_a, final_d] += p_there * p_here * p_left * p_right
    return after


def is_over(pair: Pair, rules: Rules) -> bool:
    """Tell whether a side is gone, the attacker has left, or nothing can happen any more."""
    return not all(pair) or _size(pair[0]) < rules.retreat_below or set(play_round(pair, rules)) == {pair}


def enumerate_battle(start: Pair, rules: Rules) -> Enumeration:
    """Fight to the end."""

    @cache
    def odds(pair: Pair) -> Enumeration:
        if is_over(pair, rules):
            return Enumeration({pair: Fraction(1)}, Fraction(0))
        after = play_round(pair, rules)
        moves = 1 / (1 - after.pop(pair, Fraction(0)))
        finals: dict[Pair, Fraction] = defaultdict(Fraction)
        rounds = moves
        for following, chance in after.items():
            then = odds(following)
            rounds += moves * chance * then.rounds
            for final, more in then.finals.items():
                finals[final] += moves * chance * more
        return Enumeration(dict(finals), rounds)

    return odds(start)


def enumerate_rounds(start: Pair, rules: Rules, count: int) -> dict[Pair, Fraction]:
    """Fight `count` rounds."""
    chances = {start: Fraction(1)}
    for _ in range(count):
        after: dict[Pair, Fraction] = defaultdict(Fraction)
        for pair, chance in chances.items():
            if is_over(pair, rules):
                after[pair] += chance
                continue
            for following, more in play_round(pair, rules).items():
                after[following] += chance * more
        chances = after
    return chances
