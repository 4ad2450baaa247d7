"""Another way to the same odds, as plain as can be: the outcome of a round is found by throwing every die of it.

And waves and a counterattack, each a battle of its own.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import TypeVar

from sim.axis_allies.question import NEVER
from sim.axis_allies.units import Category, Unit
from sim.core.values import Side
from tests.sim.axis_allies import enumerate_losses as e

K = TypeVar("K")


@dataclass(frozen=True)
class Enumeration:
    """The exact odds: chance of each final pair of armies, and the mean number of rounds."""

    finals: dict[e.Pair, Fraction]
    rounds: Fraction


def mixed(parts: Iterable[tuple[Mapping[K, Fraction], Fraction]]) -> dict[K, Fraction]:
    """Return the chances of several distributions, each met with a chance."""
    chances: dict[K, Fraction] = defaultdict(Fraction)
    for part, chance in parts:
        for each, more in part.items():
            chances[each] += chance * more
    return dict(chances)


# Dice


def _throws(dice: Iterable[Fraction], rules: e.Rules) -> dict[int, Fraction]:
    """Return the chance of each number of hits of dice with these chances, thrown together."""
    chances = {0: Fraction(1)}
    if rules.low_luck:
        total = sum(dice, Fraction(0))
        sure = int(total)
        chances = {sure: 1 - (total - sure), sure + 1: total - sure}
    else:
        for chance in dice:
            chances = mixed(({hits: 1 - chance, hits + 1: chance}, before) for hits, before in chances.items())
    return {hits: chance for hits, chance in chances.items() if chance}


def _dice(side: Side, pile: e.Pile, rules: e.Rules) -> Iterator[tuple[Unit, Fraction]]:
    """Yield all dice of an army: unit and chance to hit."""
    lifted = _lifted(pile, rules) if side is Side.ATTACKER else {}
    for unit, count, _ in pile:
        value = rules.value(side, unit)
        heavy = unit is Unit.BOMBER and side is Side.ATTACKER and rules.has(side, "heavy-bombers")
        for number in range(count):
            if number < lifted.get(unit, 0):
                yield unit, Fraction(4 if unit is Unit.TACTICAL else 2, 6)
            elif heavy and rules.edition in e.NEW:
                yield unit, 1 - (1 - Fraction(value, 6)) ** 2
            elif value:
                dice = {"classic": 3, "revised": 2}[rules.edition] if heavy else 1
                yield from [(unit, Fraction(value, 6))] * dice


def _lifted(pile: e.Pile, rules: e.Rules) -> dict[Unit, int]:
    """Return how many units of each kind attack better beside others."""
    if rules.edition in {"classic", "1941"}:
        return {}
    infantry, mech = e.count_of(pile, Unit.INFANTRY), e.count_of(pile, Unit.MECH)
    artillery = e.count_of(pile, Unit.ARTILLERY) * (2 if rules.has(Side.ATTACKER, "improved-artillery") else 1)
    towed = min(artillery - min(artillery, infantry), mech)
    if rules.has(Side.ATTACKER, "improved-mech"):
        towed += min(mech - towed, e.count_of(pile, Unit.TANK))
    guided = e.count_of(pile, Unit.FIGHTER, Unit.TANK)
    return {
        Unit.INFANTRY: min(artillery, infantry),
        Unit.MECH: towed,
        Unit.TACTICAL: min(guided, e.count_of(pile, Unit.TACTICAL)),
    }


def _volley(
    side: Side, shooter: e.Pile, target: e.Pile, rules: e.Rules, *, struck: bool, more: Iterable[Fraction] = ()
) -> dict[e.Pile, Fraction]:
    """Return what the general fire of `side` leaves of `target`; `more`: dice that are thrown with it."""
    free = rules.edition in {"classic", "revised"} or e.count_of(shooter, Unit.DESTROYER) > 0
    kinds = {e.kind_of(unit) for unit, _, _ in target}
    groups: tuple[list[Fraction], ...] = ([], [], list(more))
    for unit, chance in _dice(side, shooter, rules):
        if unit is Unit.SUBMARINE:
            if not struck:
                groups[0 if 1 in kinds else 2].append(chance)
        else:
            groups[1 if unit.category is Category.AIR and not free and 0 in kinds else 2].append(chance)
    after: dict[e.Pile, Fraction] = defaultdict(Fraction)
    for thrown in product(*(_throws(dice, rules).items() for dice in groups)):
        (x, p_x), (y, p_y), (z, p_z) = thrown
        after[e.share(side.other, target, (x, y, z), rules)] += p_x * p_y * p_z
    return after


# Rounds


def _opens(side: Side, pair: e.Pair, rules: e.Rules) -> tuple[bool, bool]:
    """Return whether a side's submarines fire first, and whether what they hit still fires."""
    watched = e.count_of(pair[side is Side.ATTACKER], Unit.DESTROYER) > 0
    if rules.edition == "classic":
        return side is Side.ATTACKER, False
    return (True, watched) if rules.edition == "revised" else (not watched, False)


def _opening_fire(side: Side, pair: e.Pair, rules: e.Rules) -> dict[tuple[e.Pile, e.Pile], Fraction]:
    """Return what a side's submarines leave of the enemy when they fire first: what is left, and what still fires."""
    shooter, target = pair if side is Side.ATTACKER else (pair[1], pair[0])
    opens, marks = _opens(side, pair, rules)
    if not opens:
        return {(target, target): Fraction(1)}
    dice = [chance for unit, chance in _dice(side, shooter, rules) if unit is Unit.SUBMARINE]
    after: dict[tuple[e.Pile, e.Pile], Fraction] = defaultdict(Fraction)
    for hits, chance in _throws(dice, rules).items():
        left = e.share(side.other, target, (hits, 0, 0), rules)
        after[left, target if marks else left] += chance
    return after


def play_round(pair: e.Pair, rules: e.Rules, more: Sequence[Fraction] = ()) -> dict[e.Pair, Fraction]:
    """Return the chances of what one round leaves; `more`: dice that are thrown with the attacker's."""
    struck = [_opens(side, pair, rules)[0] for side in Side]
    after: dict[e.Pair, Fraction] = defaultdict(Fraction)
    for (there, from_there), p_there in _opening_fire(Side.ATTACKER, pair, rules).items():
        for (here, from_here), p_here in _opening_fire(Side.DEFENDER, pair, rules).items():
            left = _volley(Side.DEFENDER, from_there, here, rules, struck=struck[1])
            right = _volley(Side.ATTACKER, from_here, there, rules, struck=struck[0], more=more)
            for final_a, p_left in left.items():
                for final_d, p_right in right.items():
                    after[settled((final_a, final_d), rules)] += p_there * p_here * p_left * p_right
    return after


def settled(pair: e.Pair, rules: e.Rules) -> e.Pair:
    """Return what is left when defenceless units have gone."""
    if rules.edition not in e.NEW:
        return pair
    defenceless = {Unit.TRANSPORT, Unit.GUN} if rules.edition in {"1942", "1940"} else {Unit.TRANSPORT}
    bare = [bool(pile) and all(unit in defenceless for unit, _, _ in pile) for pile in pair]
    armed = [any(True for _ in _dice(side, pile, rules)) for side, pile in zip(Side, pair, strict=True)]
    attacker, defender = (() if bare[at] and armed[1 - at] else pair[at] for at in range(2))
    planes = attacker and all(unit.category is Category.AIR for unit, _, _ in attacker)
    if planes and {unit for unit, _, _ in defender} == {Unit.SUBMARINE, Unit.TRANSPORT}:
        defender = tuple(group for group in defender if group[0] is Unit.SUBMARINE)
    return attacker, defender


def leaves(pair: e.Pair, rules: e.Rules) -> bool:
    """Return whether the attacker retreats."""
    attacker, defender = pair
    when = rules.withdrawal
    land = sum(count for unit, count, _ in attacker if unit.category is Category.LAND)
    return (
        e.size(attacker) < (when.below or 0)
        or (when.ipc_lost is not None and rules.paid - e.price(attacker, rules.edition) > when.ipc_lost)
        or (when.only_air and all(unit.category is Category.AIR for unit, _, _ in attacker))
        or (when.last_land and land <= 1)
        or e.size(defender) < (when.defenders_below or 0)
    )


def is_over(pair: e.Pair, rules: e.Rules, *, fresh: bool = False) -> bool:
    """Return whether a side is gone, the attacker has left, or nothing can happen any more; `fresh`: at the start."""
    return not all(pair) or (not fresh and leaves(pair, rules)) or set(play_round(pair, rules)) == {pair}


# Before the first round


def _by_antiaircraft_fire(attacker: e.Pile, defender: e.Pile, rules: e.Rules) -> dict[e.Pile, Fraction]:
    """Return what antiaircraft fire leaves of the attacker."""
    planes = {unit: count for unit, count, _ in attacker if unit.category is Category.AIR}
    guns = e.count_of(defender, Unit.GUN)
    dice = min(3 * guns, sum(planes.values())) if guns else sum(planes.values()) if rules.mark else 0
    die = Fraction(2 if rules.has(Side.DEFENDER, "radar") else 1, 6)
    fires: list[tuple[list[Unit], int]] = [(list(planes), dice)]
    if rules.mark and rules.edition != "classic":
        fires = [([unit], count) for unit, count in planes.items()]
    after = {attacker: Fraction(1)}
    for targets, count in fires:
        thrown = _throws([die] * count, rules).items()
        after = mixed(
            ({_shot(pile, hits, targets, rules): more}, p) for pile, p in after.items() for hits, more in thrown
        )
    return after


def _shot(pile: e.Pile, hits: int, targets: list[Unit], rules: e.Rules) -> e.Pile:
    """Return what hits of antiaircraft fire leave of the attacker."""
    for _ in range(hits):
        pile = e.without(pile, next(loss for loss in e.losses(Side.ATTACKER, pile, rules) if loss[0] in targets))
    return pile


def _ships(start: e.Pair, rules: e.Rules) -> list[Fraction]:
    """Return the dice of the bombardment."""
    dice = sorted((Fraction(rules.value(Side.ATTACKER, ship), 6) for ship in rules.bombard), reverse=True)
    if rules.edition in {"classic", "revised"}:
        return dice
    landed = sum(count for unit, count, _ in start[0] if unit.category is Category.LAND)
    return dice[: landed if rules.landing is None else min(rules.landing, landed)]


def _first_round(pair: e.Pair, ships: Sequence[Fraction], rules: e.Rules) -> dict[e.Pair, Fraction]:
    """Return what the first round with its bombardment leaves."""
    if rules.edition != "revised" or not ships:
        return play_round(pair, rules, ships)
    hits = _throws(ships, rules).items()
    bombarded = [((pair[0], e.share(Side.DEFENDER, pair[1], (0, 0, number), rules)), chance) for number, chance in hits]
    return mixed((play_round(left, rules) if all(left) else {left: Fraction(1)}, p) for left, p in bombarded)


def _openings(start: e.Pair, rules: e.Rules) -> tuple[dict[e.Pair, Fraction], list[Fraction], e.Rules]:
    """Return how the first round may begin, the dice of the bombardment, and the rules with the attacker's price."""
    attackers = _by_antiaircraft_fire(*start, rules).items()
    pairs = mixed(({settled((attacker, start[1]), rules): chance}, Fraction(1)) for attacker, chance in attackers)
    return pairs, _ships(start, rules), replace(rules, paid=e.price(start[0], rules.edition))


def enumerate_battle(start: e.Pair, rules: e.Rules) -> Enumeration:
    """Fight to the end."""
    begins, ships, rules = _openings(start, rules)

    @cache
    def odds(pair: e.Pair) -> Enumeration:
        if is_over(pair, rules):
            return Enumeration({pair: Fraction(1)}, Fraction(0))
        after = play_round(pair, rules)
        moves = 1 / (1 - after.pop(pair, Fraction(0)))
        return _sum(((odds(following), moves * chance) for following, chance in after.items()), moves)

    def opened(pair: e.Pair) -> Enumeration:
        if is_over(pair, rules, fresh=True):
            return Enumeration({pair: Fraction(1)}, Fraction(0))
        first = _first_round(pair, ships, rules)
        return _sum(((odds(following), chance) for following, chance in first.items()), Fraction(1))

    return _sum(((opened(pair), chance) for pair, chance in begins.items()), Fraction(0))


def _sum(parts: Iterable[tuple[Enumeration, Fraction]], rounds: Fraction) -> Enumeration:
    known = list(parts)
    finals = mixed((part.finals, chance) for part, chance in known)
    return Enumeration(finals, rounds + sum(chance * part.rounds for part, chance in known))


def enumerate_rounds(start: e.Pair, rules: e.Rules, count: int) -> dict[e.Pair, Fraction]:
    """Fight `count` rounds."""
    chances, ships, rules = _openings(start, rules)

    def fought(pair: e.Pair, number: int) -> dict[e.Pair, Fraction]:
        if is_over(pair, rules, fresh=number == 0):
            return {pair: Fraction(1)}
        return play_round(pair, rules) if number else _first_round(pair, ships, rules)

    for number in range(count):
        chances = mixed((fought(pair, number), chance) for pair, chance in chances.items())
    return chances


# Waves

Attack = tuple[e.Pile, tuple[Unit, ...]]
"""An army, and the ships that bombard for it."""


@dataclass(frozen=True)
class Waves:
    """What becomes of waves.

    `wins`: chance that the attacker wins with each wave. `ends`: chances of the other ends. `holders`: chance of the
    land units that take the territory. `rounds`: their mean number. `lost`: chance of each price of what the attacker
    loses.
    """

    wins: list[Fraction]
    ends: dict[str, Fraction]
    holders: dict[e.Pile, Fraction]
    rounds: Fraction
    lost: dict[int, Fraction]


def fight_waves(waves: Sequence[Attack], defender: e.Pile, rules: e.Rules) -> Waves:
    """Fight wave after wave, each against what the one before has left."""
    states = {("defender", defender, 0): Fraction(1)}
    wins, rounds = [Fraction(0)] * len(waves), Fraction(0)
    holders: dict[e.Pile, Fraction] = defaultdict(Fraction)
    lost: dict[int, Fraction] = defaultdict(Fraction)
    untaken = Fraction(0)  # won by planes alone: the next land units walk in
    for number, (army, ships) in enumerate(waves):
        if land := land_of(army):
            holders[land] += untaken
            untaken = Fraction(0)
        terms = replace(rules, bombard=ships)
        battles = {met: _fight((army, met), terms) for met in {met for _, met, _ in states}}
        after: dict[tuple[str, e.Pile, int], Fraction] = defaultdict(Fraction)
        for (_, met, before), p in states.items():
            rounds += p * battles[met].rounds
            for (left, remaining), q in battles[met].finals.items():
                spent = before + e.price(army, rules.edition) - e.price(left, rules.edition)
                if left and not remaining:
                    wins[number] += p * q
                    lost[spent] += p * q
                    if land := land_of(left):
                        holders[land] += p * q
                    else:
                        untaken += p * q
                else:
                    end = "nobody" if left else "defender" if remaining else "tie"
                    after[end, remaining, spent] += p * q
        states = after
    ends: dict[str, Fraction] = defaultdict(Fraction)
    for (end, _, spent), p in states.items():
        ends[end] += p
        lost[spent] += p
    return Waves(wins, ends, holders, rounds, lost)


def _fight(pair: e.Pair, rules: e.Rules) -> Enumeration:
    """Fight a battle; if nobody is left, the attacker walks in."""
    return enumerate_battle(pair, rules) if pair[1] else Enumeration({pair: Fraction(1)}, Fraction(0))


def land_of(pile: e.Pile) -> e.Pile:
    """Return its land units."""
    return tuple(group for group in pile if group[0].category is Category.LAND)


def holds(holders: dict[e.Pile, Fraction], counter: Attack, rules: e.Rules) -> Fraction:
    """Return the chance that the territory is taken and that land units of the counterattack don't take it back.

    `rules`: those of the waves. The sides' technologies change places, and guns that are a mark are left behind.
    """
    army, ships = counter
    here, there = rules.technology
    terms = replace(rules, technology=(there, here), withdrawal=NEVER, mark=False, bombard=ships)
    chance = Fraction(0)
    for pile, p in holders.items():
        finals = enumerate_battle((army, pile), terms).finals
        chance += p * sum(q for (left, remaining), q in finals.items() if remaining or not land_of(left))
    return chance
