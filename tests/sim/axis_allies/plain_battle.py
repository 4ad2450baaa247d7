"""Battles, waves and counterattacks in fractions, written down from the rules page and nothing else.

An army is its units (and lives) one by one, first lost first. The figures stand here a second time on purpose.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import NamedTuple

Pile = tuple[str, ...]
Pair = tuple[Pile, Pile]

AIR = {"fighter", "bomber"}
LAND = {"infantry", "artillery", "tank", "gun"}
HELPLESS = {"gun", "transport"}
LIFE = "life"

FIGURES = {  # attack, defence, IPC
    "1941": {"infantry": (1, 2, 3), "tank": (3, 3, 6), "fighter": (3, 4, 10), "bomber": (4, 1, 12)}
    | {"submarine": (2, 1, 6), "destroyer": (2, 2, 8)},
    "1942": {"infantry": (1, 2, 3), "artillery": (2, 2, 4), "tank": (3, 3, 6), "gun": (0, 0, 5)}
    | {"fighter": (3, 4, 10), "bomber": (4, 1, 12), "submarine": (2, 1, 6), "destroyer": (2, 2, 8)}
    | {"cruiser": (3, 3, 12), "battleship": (4, 4, 20), "transport": (0, 0, 7)},
    "anniversary": {"infantry": (1, 2, 3), "artillery": (2, 2, 4), "tank": (3, 3, 5), "fighter": (3, 4, 10)}
    | {"bomber": (4, 1, 12), "cruiser": (3, 3, 12), "battleship": (4, 4, 20)},
    "revised": {"infantry": (1, 2, 3), "artillery": (2, 2, 4), "tank": (3, 3, 5), "fighter": (3, 4, 10)}
    | {"bomber": (4, 1, 15), "battleship": (4, 4, 24)},
    "classic": {"infantry": (1, 2, 3), "tank": (3, 2, 5), "fighter": (3, 4, 12), "bomber": (4, 1, 15)}
    | {"battleship": (4, 4, 24)},
}
_SHIPS = ("submarine", "destroyer")
ORDERS = {  # of losses, as the rules page lists them; the same in all of these editions
    "attacker": [LIFE, "infantry", "artillery", "tank", *_SHIPS, "fighter", "cruiser", "bomber", "battleship"],
    "defender": [LIFE, "gun", "bomber", "infantry", "artillery", "tank", *_SHIPS, "cruiser", "fighter", "battleship"],
}
BY_TYPE = {"revised", "anniversary"}


class Moment(NamedTuple):
    """What is left of both sides after a round, what the attacker came with, and the edition."""

    here: Pile
    there: Pile
    before: Pile
    edition: str


@dataclass(frozen=True)
class Rules:
    """An edition's battle.

    `marked`: the defender has a gun that is no unit; `leaves`: after which rounds the attacker leaves.
    """

    edition: str
    marked: bool = False
    rounds: int = 0
    leaves: Callable[[Moment], bool] = lambda _: False
    low_luck: bool = False


def pile(text: str, side: str, edition: str) -> Pile:
    """Read "2 infantry, 1 tank" into the order of losses."""
    parts = [part.split() for part in text.split(", ") if part]
    units = [unit for count, unit in parts for _ in range(int(count))]
    lives = units.count("battleship") if edition != "classic" else 0
    return tuple(sorted([LIFE] * lives + units, key=[*ORDERS[side], "transport"].index))


def price(army: Pile, edition: str) -> int:
    """Return the IPC of an army."""
    return sum(FIGURES[edition][unit][2] for unit in army if unit != LIFE)


def thrown(values: Sequence[int], *, low_luck: bool) -> dict[int, Fraction]:
    """Return the chance of each number of hits of dice thrown together."""
    if low_luck:
        sure, rest = divmod(sum(values), 6)
        return {sure: Fraction(6 - rest, 6), sure + 1: Fraction(rest, 6)} if rest else {sure: Fraction(1)}
    chances = {0: Fraction(1)}
    for value in values:
        after: dict[int, Fraction] = defaultdict(Fraction)
        for hits, chance in chances.items():
            after[hits] += chance * (6 - value) / 6
            after[hits + 1] += chance * value / 6
        chances = after
    return {hits: chance for hits, chance in chances.items() if chance}


def dice(army: Pile, side: str, edition: str) -> Iterator[tuple[str, int]]:
    """Yield what fires, with its value; each artillery lifts an infantry of the attacker."""
    lifted = army.count("artillery") if side == "attacker" else 0
    for unit in army:
        if unit != LIFE:
            value = FIGURES[edition][unit][side == "defender"]
            if unit == "infantry" and lifted:
                lifted, value = lifted - 1, 2
            yield unit, value


def share(army: Pile, wet: int, high: int, free: int) -> Pile:
    """Return what the hits of submarines, of air without a destroyer, and all others leave."""
    left, lost, lost_wet, lost_high = [], 0, 0, 0
    for unit in army:
        dives, flies = unit == "submarine", unit in AIR
        if lost < wet + high + free and lost_wet + dives <= wet + free and lost_high + flies <= high + free:
            lost, lost_wet, lost_high = lost + 1, lost_wet + dives, lost_high + flies
        else:
            left.append(unit)
    return tuple(left)


def volley(
    army: Pile, side: str, target: Pile, rules: Rules, fires: Callable[[str], bool], extra: Sequence[int] = ()
) -> dict[Pile, Fraction]:
    """Return what the units that fire leave of the target."""
    wet, high, free = list[int](), list[int](), list(extra)
    for unit, value in dice(army, side, rules.edition):
        if fires(unit):
            dives = unit == "submarine" and not AIR.isdisjoint(target)
            flies = unit in AIR and "destroyer" not in army and "submarine" in target
            (wet if dives else high if flies else free).append(value)
    after: dict[Pile, Fraction] = defaultdict(Fraction)
    for each in product(*(thrown(values, low_luck=rules.low_luck).items() for values in (wet, high, free))):
        after[share(target, *(hits for hits, _ in each))] += math.prod(chance for _, chance in each)
    return after


def fight_round(pair: Pair, rules: Rules, bombardment: Sequence[int] = ()) -> dict[Pair, Fraction]:
    """Return what one round leaves."""
    attacker, defender = pair
    struck = {
        side: {"submarine"} if "destroyer" not in enemy else set()
        for side, enemy in (("attacker", defender), ("defender", attacker))
    }
    sunk = volley(attacker, "attacker", defender, rules, struck["attacker"].__contains__)
    lost = volley(defender, "defender", attacker, rules, struck["defender"].__contains__)
    after: dict[Pair, Fraction] = defaultdict(Fraction)
    for (there, p), (here, q) in product(sunk.items(), lost.items()):
        right = volley(here, "attacker", there, rules, lambda unit: unit not in struck["attacker"], bombardment)
        left = volley(there, "defender", here, rules, lambda unit: unit not in struck["defender"])
        for (attacker_left, r), (defender_left, s) in product(left.items(), right.items()):
            after[attacker_left, defender_left] += p * q * r * s
    return after


def after_guns(attacker: Pile, defender: Pile, rules: Rules) -> dict[Pile, Fraction]:
    """Return what antiaircraft fire leaves of the attacker."""
    planes = [unit for unit in attacker if unit in AIR]
    dice_thrown = len(planes) if rules.marked else min(3 * defender.count("gun"), len(planes))
    by_type = rules.edition in BY_TYPE
    fires = [attacker.count(kind) for kind in sorted(AIR)] if by_type else [dice_thrown]
    after: dict[Pile, Fraction] = defaultdict(Fraction)
    if not dice_thrown:
        return {attacker: Fraction(1)}
    for each in product(*(thrown([1] * count, low_luck=rules.low_luck).items() for count in fires)):
        left = list(attacker)
        for kinds, (hits, _) in zip([{kind} for kind in sorted(AIR)] if by_type else [AIR], each, strict=True):
            for _ in range(hits):
                left.remove(next(unit for unit in left if unit in kinds))
        after[tuple(left)] += math.prod(chance for _, chance in each)
    return after


def verdict(pair: Pair, rules: Rules) -> str:
    """Return why a battle is over, "" if it goes on; leaving is not considered."""
    attacker, defender = pair
    if not attacker or not defender:
        return "attacker" if attacker else "defender" if defender else "tie"
    if rules.edition not in {"1941", "classic", "revised"} and HELPLESS.issuperset(defender):
        return "attacker"
    return "nobody" if _bare(pair) or set(fight_round(pair, rules)) == {pair} else ""


def _bare(pair: Pair) -> bool:
    """Return whether planes meet transports beside nothing but submarines, as from the anniversary edition on."""
    return bool(pair[0]) and AIR.issuperset(pair[0]) and set(pair[1]) == {"submarine", "transport"}


Ends = dict[tuple[str, Pair], Fraction]
"""Chances of a verdict and what is left."""


def fight(attacker: Pile, defender: Pile, rules: Rules, bombard: Pile = ()) -> tuple[Ends, Fraction]:
    """Fight to the end; return also the mean number of rounds."""

    @cache
    def odds(pair: Pair, fought: int) -> tuple[Ends, Fraction]:
        end = verdict(pair, rules) or (
            "nobody" if fought and rules.leaves(Moment(*pair, attacker, rules.edition)) else ""
        )
        if end or (rules.rounds and fought == rules.rounds):
            left = (pair[0], ()) if end == "attacker" else pair
            if end and _bare(pair):
                left = (pair[0], tuple(unit for unit in pair[1] if unit == "submarine"))
            return {(end or "nobody", left): Fraction(1)}, Fraction(0)
        joining = bombardment if not fought and rules.edition != "revised" else ()
        after = fight_round(pair, rules, joining)
        then = fought + 1 if rules.rounds else 1
        again = after.pop(pair, Fraction(0)) if fought == then else Fraction(0)
        ends: Ends = defaultdict(Fraction)
        rounds = Fraction(1)
        for following, chance in after.items():
            more, longer = odds(following, then)
            rounds += chance * longer
            for final, p in more.items():
                ends[final] += chance * p
        return {final: p / (1 - again) for final, p in ends.items()}, rounds / (1 - again)

    bombardment = [FIGURES[rules.edition][ship][0] for ship in bombard if ship != LIFE]
    ends: Ends = defaultdict(Fraction)
    rounds = Fraction(0)
    for army, p in after_guns(attacker, defender, rules).items():
        first = thrown(bombardment, low_luck=rules.low_luck) if rules.edition == "revised" else {0: Fraction(1)}
        for hits, q in first.items():
            more, longer = odds((army, defender[hits:]), 0)
            rounds += p * q * (1 if hits and not defender[hits:] else longer)
            for final, chance in more.items():
                ends[final] += p * q * chance
    return dict(ends), rounds


@dataclass(frozen=True)
class Waves:
    """Chances that the attacker wins with each wave, and with land units; of the other ends; the losses' moments."""

    wins: list[Fraction]
    takes: Fraction
    ends: dict[str, Fraction]
    holders: dict[Pile, Fraction]
    rounds: Fraction
    lost: dict[int, Fraction]


def fight_waves(waves: Sequence[tuple[Pile, Pile]], defender: Pile, rules: Rules) -> Waves:
    """Fight wave after wave, each with the ships that bombard."""
    states = {("defender", defender, 0): Fraction(1)}
    wins, total = [Fraction(0)] * len(waves), Fraction(0)
    holders: dict[Pile, Fraction] = defaultdict(Fraction)
    lost: dict[int, Fraction] = defaultdict(Fraction)
    for number, (wave, bombard) in enumerate(waves):
        after: dict[tuple[str, Pile, int], Fraction] = defaultdict(Fraction)
        for (_, left, spent), p in states.items():
            walked: Ends = {("attacker", (wave, ())): Fraction(1)}
            ends, rounds = fight(wave, left, rules, bombard) if left else (walked, Fraction(0))
            total += p * rounds
            for (end, (army, remaining)), q in ends.items():
                cost = spent + price(wave, rules.edition) - price(army, rules.edition)
                if end != "attacker":
                    after[end, remaining, cost] += p * q
                    continue
                wins[number] += p * q
                lost[cost] += p * q
                holders[tuple(unit for unit in army if unit in LAND)] += p * q
        states = after
    final: dict[str, Fraction] = defaultdict(Fraction)
    for (end, _, spent), p in states.items():
        final[end] += p
        lost[spent] += p
    holders.pop((), None)
    return Waves(wins, sum(holders.values(), Fraction(0)), final, holders, total, lost)


def holds(holders: dict[Pile, Fraction], counter: Pile, rules: Rules) -> Fraction:
    """Return the chance that the territory is taken and not taken back by land units."""
    chance = Fraction(0)
    for army, p in holders.items():
        ends, _ = fight(counter, pile_of(army, "defender"), rules)
        chance += p * sum(q for (end, (left, _)), q in ends.items() if end != "attacker" or LAND.isdisjoint(left))
    return chance


def pile_of(army: Pile, side: str) -> Pile:
    """Return an army in the order of losses of the other side."""
    return tuple(sorted(army, key=ORDERS[side].index))
