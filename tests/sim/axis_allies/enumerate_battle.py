"""Another way to the same odds, as plain as can be: fractions, one hit at a time, no tables.

It shares nothing with the engine but the editions' tables of figures: the rules stand here as on their page, edition
by edition. The outcome of a round is found by throwing every die of it. Which units its hits take is found by
trying: as many as possible, and of all ways to do so the one that the owner likes best.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import product

from sim.axis_allies.editions import EDITIONS
from sim.axis_allies.units import Category, Unit
from sim.axis_allies.withdrawal import NEVER, Withdrawal
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
        if loss == (Unit.DESTROYER, False) and "last destroyer" in order and _count(pile, unit) == 1:
            return (2, order.index("last destroyer"))
        if loss in order:
            return (2, order.index(loss), 1)
        if life and rules.edition != "1941":
            return (0, 0 if unit is Unit.BATTLESHIP else 1)
        if life and (unit, False) in order:
            return (2, order.index((unit, False)), 0)
        return (3, *score(side, loss, pile))

    return rank


@dataclass(frozen=True)
class Enumeration:
    """The exact odds: chance of each final pair of armies, and the mean number of rounds."""

    finals: dict[Pair, Fraction]
    rounds: Fraction


def _count(pile: Pile, *units: Unit) -> int:
    return sum(count for unit, count, _ in pile if unit in units)


def _size(pile: Pile) -> int:
    return sum(count for _, count, _ in pile)


def price(pile: Pile, edition: str = "1941") -> int:
    """Return the price of an army in IPC."""
    return sum(EDITIONS[edition].units[unit].cost * count for unit, count, _ in pile)


# Losses


def _losses(side: Side, pile: Pile, rules: Rules) -> list[Loss]:
    """Return what may be lost next, first lost first."""
    losses: list[Loss] = []
    for unit, count, whole in pile:
        # A ship that goes before its life takes it along; the damaged ones go first.
        along = rules.rank(side, (unit, False), pile) < rules.rank(side, (unit, True), pile)
        if whole and not along:
            losses.append((unit, True))
        if along or count > whole:
            losses.append((unit, False))
    return sorted(losses, key=lambda loss: rules.rank(side, loss, pile))


def _without(pile: Pile, loss: Loss) -> Pile:
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


def _kind(unit: Unit) -> int:
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
        loss = _losses(side, pile, rules)[0]
        room[_kind(loss[0])] += 1
        pile = _without(pile, loss)
    return room[0], room[1], room[2]


def _share(side: Side, pile: Pile, hits: Hits, rules: Rules) -> Pile:
    """Return what hits of one fire leave: as many as possible take effect, on what the owner likes to lose best."""
    left = {hits}  # what may be left of the hits, whichever took the losses so far
    room = _room(side, pile, rules)
    while goal := max(_most(room, rest) for rest in left):
        for loss in _losses(side, pile, rules):
            kind = _kind(loss[0])
            after = _less(room, kind)
            rests = {
                _less(rest, group)
                for rest in left
                for group, kinds in enumerate(_MAY_TAKE)
                if rest[group] and kind in kinds and _most(after, _less(rest, group)) == goal - 1
            }
            if rests:
                pile, left, room = _without(pile, loss), rests, after
                break
    return pile


# Dice


def _throws(dice: Iterable[Fraction], rules: Rules) -> dict[int, Fraction]:
    """Return the chance of each number of hits of dice with these chances, thrown together."""
    chances = {0: Fraction(1)}
    if rules.low_luck:
        total = sum(dice, Fraction(0))
        sure = int(total)
        chances = {sure: 1 - (total - sure), sure + 1: total - sure}
    else:
        for chance in dice:
            after: dict[int, Fraction] = defaultdict(Fraction)
            for hits, before in chances.items():
                after[hits] += before * (1 - chance)
                after[hits + 1] += before * chance
            chances = after
    return {hits: chance for hits, chance in chances.items() if chance}


def _dice(side: Side, pile: Pile, rules: Rules) -> Iterator[tuple[Unit, Fraction]]:
    """Yield all dice of an army: unit and chance to hit."""
    lifted = _lifted(pile, rules) if side is Side.ATTACKER else {}
    for unit, count, _ in pile:
        value = rules.value(side, unit)
        heavy = unit is Unit.BOMBER and side is Side.ATTACKER and rules.has(side, "heavy-bombers")
        for number in range(count):
            if number < lifted.get(unit, 0):
                yield unit, Fraction(4 if unit is Unit.TACTICAL else 2, 6)
            elif heavy and rules.edition in NEW:
                yield unit, 1 - (1 - Fraction(value, 6)) ** 2
            elif value:
                dice = {"classic": 3, "revised": 2}[rules.edition] if heavy else 1
                yield from [(unit, Fraction(value, 6))] * dice


def _lifted(pile: Pile, rules: Rules) -> dict[Unit, int]:
    """Return how many units of each kind attack better beside others."""
    if rules.edition in {"classic", "1941"}:
        return {}
    infantry, mech = _count(pile, Unit.INFANTRY), _count(pile, Unit.MECH)
    artillery = _count(pile, Unit.ARTILLERY) * (2 if rules.has(Side.ATTACKER, "improved-artillery") else 1)
    towed = min(artillery - min(artillery, infantry), mech)
    if rules.has(Side.ATTACKER, "improved-mech"):
        towed += min(mech - towed, _count(pile, Unit.TANK))
    guided = _count(pile, Unit.FIGHTER, Unit.TANK)
    return {
        Unit.INFANTRY: min(artillery, infantry),
        Unit.MECH: towed,
        Unit.TACTICAL: min(guided, _count(pile, Unit.TACTICAL)),
    }


def _volley(
    side: Side, shooter: Pile, target: Pile, rules: Rules, *, struck: bool, more: Iterable[Fraction] = ()
) -> dict[Pile, Fraction]:
    """Return what the general fire of `side` leaves of `target`; `more`: dice that are thrown with it."""
    free = rules.edition in {"classic", "revised"} or _count(shooter, Unit.DESTROYER) > 0
    kinds = {_kind(unit) for unit, _, _ in target}
    groups: tuple[list[Fraction], ...] = ([], [], list(more))
    for unit, chance in _dice(side, shooter, rules):
        if unit is Unit.SUBMARINE:
            if not struck:
                groups[0 if 1 in kinds else 2].append(chance)
        else:
            groups[1 if unit.category is Category.AIR and not free and 0 in kinds else 2].append(chance)
    after: dict[Pile, Fraction] = defaultdict(Fraction)
    for thrown in product(*(_throws(dice, rules).items() for dice in groups)):
        (x, p_x), (y, p_y), (z, p_z) = thrown
        after[_share(side.other, target, (x, y, z), rules)] += p_x * p_y * p_z
    return after


# Rounds


def _opens(side: Side, pair: Pair, rules: Rules) -> tuple[bool, bool]:
    """Return whether a side's submarines fire first, and whether what they hit still fires."""
    watched = _count(pair[side is Side.ATTACKER], Unit.DESTROYER) > 0
    if rules.edition == "classic":
        return side is Side.ATTACKER, False
    return (True, watched) if rules.edition == "revised" else (not watched, False)


def _opening_fire(side: Side, pair: Pair, rules: Rules) -> dict[tuple[Pile, Pile], Fraction]:
    """Return what a side's submarines leave of the enemy when they fire first: what is left, and what still fires."""
    shooter, target = pair if side is Side.ATTACKER else (pair[1], pair[0])
    opens, marks = _opens(side, pair, rules)
    if not opens:
        return {(target, target): Fraction(1)}
    dice = [chance for unit, chance in _dice(side, shooter, rules) if unit is Unit.SUBMARINE]
    after: dict[tuple[Pile, Pile], Fraction] = defaultdict(Fraction)
    for hits, chance in _throws(dice, rules).items():
        left = _share(side.other, target, (hits, 0, 0), rules)
        after[left, target if marks else left] += chance
    return after


def play_round(pair: Pair, rules: Rules, more: Sequence[Fraction] = ()) -> dict[Pair, Fraction]:
    """Return the chances of what one round leaves; `more`: dice that are thrown with the attacker's."""
    struck = [_opens(side, pair, rules)[0] for side in Side]
    after: dict[Pair, Fraction] = defaultdict(Fraction)
    for (there, from_there), p_there in _opening_fire(Side.ATTACKER, pair, rules).items():
        for (here, from_here), p_here in _opening_fire(Side.DEFENDER, pair, rules).items():
            left = _volley(Side.DEFENDER, from_there, here, rules, struck=struck[1])
            right = _volley(Side.ATTACKER, from_here, there, rules, struck=struck[0], more=more)
            for final_a, p_left in left.items():
                for final_d, p_right in right.items():
                    after[settled((final_a, final_d), rules)] += p_there * p_here * p_left * p_right
    return after


def settled(pair: Pair, rules: Rules) -> Pair:
    """Return what is left when defenceless units have gone."""
    if rules.edition not in NEW:
        return pair
    defenceless = {Unit.TRANSPORT, Unit.GUN} if rules.edition in {"1942", "1940"} else {Unit.TRANSPORT}
    bare = [bool(pile) and all(unit in defenceless for unit, _, _ in pile) for pile in pair]
    armed = [any(True for _ in _dice(side, pile, rules)) for side, pile in zip(Side, pair, strict=True)]
    attacker, defender = (() if bare[at] and armed[1 - at] else pair[at] for at in range(2))
    planes = attacker and all(unit.category is Category.AIR for unit, _, _ in attacker)
    if planes and {unit for unit, _, _ in defender} == {Unit.SUBMARINE, Unit.TRANSPORT}:
        defender = tuple(group for group in defender if group[0] is Unit.SUBMARINE)
    return attacker, defender


def leaves(pair: Pair, rules: Rules) -> bool:
    """Return whether the attacker retreats."""
    attacker, defender = pair
    when = rules.withdrawal
    land = sum(count for unit, count, _ in attacker if unit.category is Category.LAND)
    return (
        _size(attacker) < (when.below or 0)
        or (when.ipc_lost is not None and rules.paid - price(attacker, rules.edition) > when.ipc_lost)
        or (when.only_air and all(unit.category is Category.AIR for unit, _, _ in attacker))
        or (when.last_land and land <= 1)
        or _size(defender) < (when.defenders_below or 0)
    )


def is_over(pair: Pair, rules: Rules, *, fresh: bool = False) -> bool:
    """Return whether a side is gone, the attacker has left, or nothing can happen any more; `fresh`: at the start."""
    return not all(pair) or (not fresh and leaves(pair, rules)) or set(play_round(pair, rules)) == {pair}


# Before the first round


def _by_antiaircraft_fire(attacker: Pile, defender: Pile, rules: Rules) -> dict[Pile, Fraction]:
    """Return what antiaircraft fire leaves of the attacker."""
    planes = {unit: count for unit, count, _ in attacker if unit.category is Category.AIR}
    guns = _count(defender, Unit.GUN)
    dice = min(3 * guns, sum(planes.values())) if guns else sum(planes.values()) if rules.mark else 0
    die = Fraction(2 if rules.has(Side.DEFENDER, "radar") else 1, 6)
    fires: list[tuple[list[Unit], int]] = [(list(planes), dice)]
    if rules.mark and rules.edition != "classic":
        fires = [([unit], count) for unit, count in planes.items()]
    after = {attacker: Fraction(1)}
    for targets, count in fires:
        before, after = after, defaultdict(Fraction)
        for pile, chance in before.items():
            for hits, more in _throws([die] * count, rules).items():
                left = pile
                for _ in range(hits):
                    losses = _losses(Side.ATTACKER, left, rules)
                    left = _without(left, next(loss for loss in losses if loss[0] in targets))
                after[left] += chance * more
    return after


def _ships(start: Pair, rules: Rules) -> list[Fraction]:
    """Return the dice of the bombardment."""
    dice = sorted((Fraction(rules.value(Side.ATTACKER, ship), 6) for ship in rules.bombard), reverse=True)
    if rules.edition in {"classic", "revised"}:
        return dice
    landed = sum(count for unit, count, _ in start[0] if unit.category is Category.LAND)
    return dice[: landed if rules.landing is None else min(rules.landing, landed)]


def _first_round(pair: Pair, ships: Sequence[Fraction], rules: Rules) -> dict[Pair, Fraction]:
    """Return what the first round with its bombardment leaves."""
    if rules.edition != "revised" or not ships:
        return play_round(pair, rules, ships)
    after: dict[Pair, Fraction] = defaultdict(Fraction)
    for hits, chance in _throws(ships, rules).items():
        bombarded = pair[0], _share(Side.DEFENDER, pair[1], (0, 0, hits), rules)
        for following, more in (
            {bombarded: Fraction(1)} if not all(bombarded) else play_round(bombarded, rules)
        ).items():
            after[following] += chance * more
    return after


def _openings(start: Pair, rules: Rules) -> tuple[dict[Pair, Fraction], list[Fraction], Rules]:
    """Return how the first round may begin, the dice of the bombardment, and the rules with the attacker's price."""
    attackers = _by_antiaircraft_fire(*start, rules)
    pairs: dict[Pair, Fraction] = defaultdict(Fraction)
    for attacker, chance in attackers.items():
        pairs[settled((attacker, start[1]), rules)] += chance
    return pairs, _ships(start, rules), replace(rules, paid=price(start[0], rules.edition))


def enumerate_battle(start: Pair, rules: Rules) -> Enumeration:
    """Fight to the end."""
    begins, ships, rules = _openings(start, rules)

    @cache
    def odds(pair: Pair) -> Enumeration:
        if is_over(pair, rules):
            return Enumeration({pair: Fraction(1)}, Fraction(0))
        after = play_round(pair, rules)
        moves = 1 / (1 - after.pop(pair, Fraction(0)))
        return _sum(((odds(following), moves * chance) for following, chance in after.items()), moves)

    def opened(pair: Pair) -> Enumeration:
        if is_over(pair, rules, fresh=True):
            return Enumeration({pair: Fraction(1)}, Fraction(0))
        first = _first_round(pair, ships, rules)
        return _sum(((odds(following), chance) for following, chance in first.items()), Fraction(1))

    return _sum(((opened(pair), chance) for pair, chance in begins.items()), Fraction(0))


def _sum(parts: Iterable[tuple[Enumeration, Fraction]], rounds: Fraction) -> Enumeration:
    finals: dict[Pair, Fraction] = defaultdict(Fraction)
    for part, chance in parts:
        rounds += chance * part.rounds
        for final, more in part.finals.items():
            finals[final] += chance * more
    return Enumeration(dict(finals), rounds)


def enumerate_rounds(start: Pair, rules: Rules, count: int) -> dict[Pair, Fraction]:
    """Fight `count` rounds."""
    chances, ships, rules = _openings(start, rules)
    for number in range(count):
        after: dict[Pair, Fraction] = defaultdict(Fraction)
        for pair, chance in chances.items():
            if is_over(pair, rules, fresh=number == 0):
                after[pair] += chance
                continue
            following = play_round(pair, rules) if number else _first_round(pair, ships, rules)
            for final, more in following.items():
                after[final] += chance * more
        chances = after
    return dict(chances)
