"""Which units hits take, as plain as can be: fractions, one hit at a time, no tables.

It shares nothing with the engine but the editions' tables of figures: the rules stand here as on their page, edition
by edition. Which units the hits of a round take is found by trying: as many as possible, and of all ways to do so the
one that the owner likes best.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from sim.axis_allies.editions import EDITIONS
from sim.axis_allies.question import NEVER, Withdrawal
from sim.axis_allies.units import Category, Unit
from sim.core.values import Side

Pile = tuple[tuple[Unit, int, int], ...]
"""An army: unit, how many, and how many of them can still take a hit without being lost."""

Pair = tuple[Pile, Pile]
Loss = tuple[Unit, bool]
"""A unit, or only its life."""

Chooser = Callable[[Side, Loss, Pile], tuple[int, ...]]
"""From a side, a possible loss and its army to a rank: the lowest is lost first."""

Hits = tuple[int, int, int]
"""Hits of submarines, of air without a destroyer, and of all others."""

NEW = ("anniversary", "1942-1", "1942", "1940")
"""The editions with defenceless transports."""


@dataclass(frozen=True)
class Rules:
    """An edition, how both sides choose their losses (None: as the edition does), and the other terms of a battle.

    `technology`: of the attacker and of the defender. `paid`: price of the attacker in the beginning. `take`: the last
    land unit of the attacker is kept. `mark`: the defender has an antiaircraft gun that is a mark.
    """

    edition: str = "1941"
    choosers: tuple[Chooser | None, Chooser | None] = (None, None)
    technology: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    withdrawal: Withdrawal = NEVER
    paid: int = 0
    take: bool = False
    mark: bool = False
    bombard: tuple[Unit, ...] = ()
    landing: int | None = None
    low_luck: bool = False

    def has(self, side: Side, technology: str) -> bool:
        """Return whether a side has a technology."""
        return technology in self.technology[side is Side.DEFENDER]

    def value(self, side: Side, unit: Unit) -> int:
        """Return a unit's highest die that hits."""
        row = EDITIONS[self.edition].units[unit]
        if side is Side.ATTACKER:
            if unit is Unit.SUBMARINE and self.has(side, "super-subs"):
                return 3
            if unit is Unit.FIGHTER and self.has(side, "jets") and self.edition in NEW:
                return 4
            return row.attack
        old_jets = unit is Unit.FIGHTER and self.has(side, "jets") and self.edition not in NEW
        return 5 if old_jets else row.defence

    def rank(self, side: Side, loss: Loss, pile: Pile) -> tuple[int, ...]:
        """Return the rank of a loss."""
        choose = self.choosers[side is Side.DEFENDER]
        if choose is None:
            choose = (by_score if self.edition == "1941" else lives_first)(self)
        land = sum(count for unit, count, _ in pile if unit.category is Category.LAND)
        kept = self.take and side is Side.ATTACKER and loss[0].category is Category.LAND and land == 1
        return (int(kept), *choose(side, loss, pile))


def by_score(rules: Rules) -> Chooser:
    """Choose the lowest score, then the cheapest, transports last where they are, a life before its ship."""

    def rank(side: Side, loss: Loss, pile: Pile) -> tuple[int, ...]:
        del pile
        unit, life = loss
        last = unit is Unit.TRANSPORT and rules.edition not in {"classic", "revised"}
        cost = EDITIONS[rules.edition].units[unit].cost
        return (1, int(last), rules.value(side, unit), cost, list(Unit).index(unit), int(not life))

    return rank


def lives_first(rules: Rules) -> Chooser:
    """Choose a life if there is one, battleships' before carriers', else by score."""
    score = by_score(rules)

    def rank(side: Side, loss: Loss, pile: Pile) -> tuple[int, ...]:
        if loss[1]:
            return (0, 0 if loss[0] is Unit.BATTLESHIP else 1)
        return score(side, loss, pile)

    return rank


def in_order(order: Sequence[Loss | str], rules: Rules) -> Chooser:
    """Follow a list; "last destroyer" on it stands for that.

    Lives that it doesn't name go first, in 1941 before their ship; units that it doesn't name go last, by score.
    """
    score = by_score(rules)

    def rank(side: Side, loss: Loss, pile: Pile) -> tuple[int, ...]:
        unit, life = loss
        if loss == (Unit.DESTROYER, False) and "last destroyer" in order and count_of(pile, unit) == 1:
            return (2, order.index("last destroyer"))
        if loss in order:
            return (2, order.index(loss), 1)
        if life and rules.edition != "1941":
            return (0, 0 if unit is Unit.BATTLESHIP else 1)
        if life and (unit, False) in order:
            return (2, order.index((unit, False)), 0)
        return (3, *score(side, loss, pile))

    return rank


def count_of(pile: Pile, *units: Unit) -> int:
    return sum(count for unit, count, _ in pile if unit in units)


def size(pile: Pile) -> int:
    return sum(count for _, count, _ in pile)


def price(pile: Pile, edition: str = "1941") -> int:
    """Return the price of an army in IPC."""
    return sum(EDITIONS[edition].units[unit].cost * count for unit, count, _ in pile)


def swing(start: Pair, end: Pair, edition: str) -> int:
    """Return what the defender lost in IPC more than the attacker."""
    own, enemy = (price(before, edition) - price(after, edition) for before, after in zip(start, end, strict=True))
    return enemy - own


# Losses


def losses(side: Side, pile: Pile, rules: Rules) -> list[Loss]:
    """Return what may be lost next, first lost first."""
    found: list[Loss] = []
    for unit, count, whole in pile:
        # A ship that goes before its life takes it along; the damaged ones go first.
        along = rules.rank(side, (unit, False), pile) < rules.rank(side, (unit, True), pile)
        if whole and not along:
            found.append((unit, True))
        if along or count > whole:
            found.append((unit, False))
    return sorted(found, key=lambda loss: rules.rank(side, loss, pile))


def without(pile: Pile, loss: Loss) -> Pile:
    lost, life = loss
    after = []
    for unit, count, whole in pile:
        if unit is not lost:
            after.append((unit, count, whole))
        elif life:
            after.append((unit, count, whole - 1))
        elif count > 1:
            after.append((unit, count - 1, min(whole, count - 1)))
    return tuple(after)


def kind_of(unit: Unit) -> int:
    """Return 0 for a submarine, 1 for air, 2 for all others."""
    return 0 if unit is Unit.SUBMARINE else 1 if unit.category is Category.AIR else 2


_MAY_TAKE = ((0, 2), (1, 2), (0, 1, 2))
"""The kinds of units that hits of submarines, of air without a destroyer, and others may take."""


def _less(numbers: Hits, at: int) -> Hits:
    x, y, z = (number - (place == at) for place, number in enumerate(numbers))
    return x, y, z


@cache
def _most(room: Hits, hits: Hits) -> int:
    """Return how many hits can take effect, by trying all; `room`: hits that fit, by kind of unit."""
    tries = [
        1 + _most(_less(room, kind), _less(hits, group))
        for group, kinds in enumerate(_MAY_TAKE)
        for kind in kinds
        if hits[group] and room[kind]
    ]
    return max(tries, default=0)


def _room(side: Side, pile: Pile, rules: Rules) -> Hits:
    room = [0, 0, 0]
    while pile:
        loss = losses(side, pile, rules)[0]
        room[kind_of(loss[0])] += 1
        pile = without(pile, loss)
    return room[0], room[1], room[2]


def share(side: Side, pile: Pile, hits: Hits, rules: Rules) -> Pile:
    """Return what hits of one fire leave: as many as possible take effect, on what the owner likes to lose best."""
    left = {hits}  # what may be left of the hits, whichever took the losses so far
    room = _room(side, pile, rules)
    while goal := max(_most(room, rest) for rest in left):
        for loss in losses(side, pile, rules):
            kind = kind_of(loss[0])
            after = _less(room, kind)
            rests = {
                _less(rest, group)
                for rest in left
                for group, kinds in enumerate(_MAY_TAKE)
                if rest[group] and kind in kinds and _most(after, _less(rest, group)) == goal - 1
            }
            if rests:
                pile, left, room = without(pile, loss), rests, after
                break
    return pile
