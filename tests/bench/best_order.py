"""How good the orders of losses found are: `python -m tests.bench.best_order`, by hand, takes some minutes.

Prints three tables: the best order beside the usual ones; its distance from the true optimum, losses chosen anew in
every round with all dice on the table; what the search takes. The optimum comes from a plain recursion over all
choices, which with the order's own choices has to give the engine's odds.
"""

import random
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

from sim.axis_allies.army import Army
from sim.axis_allies.casualties import CasualtyOrder, Life, unit_of
from sim.axis_allies.editions import EDITIONS
from sim.axis_allies.parse import parse_battle
from sim.axis_allies.requests import OddsRequest
from sim.axis_allies.unit_stats import HitGroup, UnitStats, striking
from sim.axis_allies.units import Category, Unit
from sim.core.numbers import percent
from sim.core.values import Side

SMALL, MANY = 300, 2_000
"""Number of battles of the tables."""

PRESETS = ("score", "lives-first", "formula")

State = tuple[int, ...]
"""Counts by slot."""

Chooser = Callable[[State, int, int, int], list[State]]
"""From an army and the hits by group to what its owner may keep."""


def drawn(rng: random.Random, kinds: int, most: int) -> OddsRequest:
    """Draw a battle of any edition, up to `kinds` kinds a side and `most` of each."""
    book = EDITIONS[rng.choice(list(EDITIONS))]
    at_sea = rng.random() < 0.5
    units = [
        unit
        for unit, row in book.units.items()
        if not row.mark and unit.category in {Category.AIR, Category.NAVAL if at_sea else Category.LAND}
    ]
    armies = [
        {unit: rng.randint(1, most) for unit in rng.sample(pool, rng.randint(min(2, kinds), kinds))}
        for pool in ([unit for unit in units if unit is not Unit.GUN], units)
    ]
    attacker, defender = (Army.of(counts, book.name) for counts in armies)
    return OddsRequest(attacker=attacker, defender=defender, outcomes=1)


def chance(battle: OddsRequest, side: Side, casualties: object) -> float:
    """Return the chance of a side to win with its casualties."""
    report = battle.model_copy(update={f"{side}_casualties": casualties}).run()
    return report.p_attacker if side is Side.ATTACKER else report.p_defender


# The true optimum


class Game:
    """The chance of a side to win if it chooses its losses anew in every round, and the enemy has its order."""

    def __init__(self, battle: OddsRequest, side: Side, choose: Chooser | None = None) -> None:
        self.own, self.enemy = battle.casualty_order(side), battle.casualty_order(side.other)
        self.attacks = side is Side.ATTACKER
        self.choose = choose or self.choices
        self.known: dict[tuple[State, State], float] = {}

    def choices(self, army: State, submarines: int, air: int, rest: int) -> list[State]:
        """Return everything that may be left after hits, as many as possible of which take effect."""
        left: dict[int, list[State]] = defaultdict(list)
        slots = [unit_of(slot) for slot in self.own.slots]
        lives = [self.own.life(at) for at in range(len(army))]
        for after in product(*(range(count + 1) for count in army)):
            if any(life is not None and after[life] > after[at] for at, life in enumerate(lives)):
                continue
            lost = [count - kept for count, kept in zip(army, after, strict=True)]
            wet = sum(number for number, unit in zip(lost, slots, strict=True) if unit is Unit.SUBMARINE)
            high = sum(number for number, unit in zip(lost, slots, strict=True) if unit.category is Category.AIR)
            if wet <= submarines + rest and high <= air + rest and sum(lost) <= submarines + air + rest:
                left[sum(lost)].append(after)
        return left[max(left)]

    def value(self, own: State, enemy: State) -> float:
        """Return the chance to win from two armies before a round."""
        if (own, enemy) not in self.known:
            result = self.result(own, enemy)
            self.known[own, enemy] = self.fought(own, enemy) if result is None else result
        return self.known[own, enemy]

    def result(self, own: State, enemy: State) -> float | None:
        """Return 1 if the battle is won, 0 if it is over without that, None if it goes on."""
        here, there = units(self.own, own), units(self.enemy, enemy)
        hits, is_hit = harms(self.own.arms, here, there), harms(self.enemy.arms, there, here)
        exposed = set(self.own.arms.rules.defenceless)
        attacker, defender = (here, there) if self.attacks else (there, here)
        bare = all(unit.category is Category.AIR for unit in attacker) and set(defender) - exposed == {Unit.SUBMARINE}
        if not here or not there:
            return float(bool(here))
        if (hits and set(there) <= exposed) or (is_hit and set(here) <= exposed):
            # The attacker's shots count first.
            first = (hits if self.attacks else is_hit) and set(there if self.attacks else here) <= exposed
            return float(first is self.attacks)
        return 0.0 if not (hits or is_hit) or (bare and set(defender) & exposed) else None

    def fought(self, own: State, enemy: State) -> float:
        """Return the chance to win from two armies that fight a round."""
        here, there = units(self.own, own), units(self.enemy, enemy)
        struck = striking(self.own.arms, here, there), striking(self.enemy.arms, there, here)
        total, stays = 0.0, 0.0
        for (out, p), (back, q) in product(
            fire(self.own.arms, here, strike=True).items() if struck[0] else [((0, 0, 0), 1.0)],
            fire(self.enemy.arms, there, strike=True).items() if struck[1] else [((0, 0, 0), 1.0)],
        ):
            left = self.enemy.place(enemy, *out)
            options = [self.middle(kept, left, struck, own, enemy) for kept in self.choose(own, *back)]
            best, quiet = max(options)
            total += p * q * best
            stays += p * q * quiet
        return total / (1.0 - stays)

    def middle(
        self, own: State, enemy: State, struck: tuple[bool, bool], first: State, other: State
    ) -> tuple[float, float]:
        """Return the chance to win from the middle of a round, and the chance that the round changed nothing."""
        total, stays = 0.0, 0.0
        volleys = [
            fire(side.arms, units(side, army), strike=False, struck=done)
            for side, army, done in ((self.own, own, struck[0]), (self.enemy, enemy, struck[1]))
        ]
        for (out, p), (back, q) in product(*(volley.items() for volley in volleys)):
            left = self.enemy.place(enemy, *out)
            kept = self.choose(own, *back)
            if kept == [first] and left == other:
                stays += p * q
            else:
                total += p * q * max(self.value(army, left) for army in kept)
        return total, stays


def units(order: CasualtyOrder, army: Sequence[int]) -> dict[Unit, int]:
    """Return the counts of an army by unit."""
    counts: dict[Unit, int] = {}
    for slot, count in zip(order.slots, army, strict=True):
        if count and not isinstance(slot, Life):
            counts[slot] = counts.get(slot, 0) + count
    return counts


def harms(arms: UnitStats, shooters: dict[Unit, int], targets: dict[Unit, int]) -> bool:
    """Return whether any unit can hit any of the others."""
    free = Unit.DESTROYER in shooters
    return any(
        arms.score(unit) and arms.can_hit(unit, target, own_destroyer=free) for unit in shooters for target in targets
    )


def fire(
    arms: UnitStats, shooters: dict[Unit, int], *, strike: bool, struck: bool = False
) -> dict[tuple[int, int, int], float]:
    """Return the chances of the hits by group, of submarines alone (`strike`) or of the general fire."""
    hits: dict[tuple[int, int, int], float] = {(0, 0, 0): 1.0}
    for unit, weapon, count in arms.lifted(shooters):
        if (strike and unit is not Unit.SUBMARINE) or (struck and unit is Unit.SUBMARINE):
            continue
        group = arms.group(unit)
        group = HitGroup.REST if group is HitGroup.AIR and Unit.DESTROYER in shooters else group
        for _ in range(count * weapon.dice):
            after: dict[tuple[int, int, int], float] = defaultdict(float)
            for numbers, p in hits.items():
                more = tuple(number + (at == group) for at, number in enumerate(numbers))
                after[numbers] += p * (1.0 - weapon.chance)
                after[more[0], more[1], more[2]] += p * weapon.chance
            hits = after
    return hits


# The tables


def optimum_table() -> Iterator[str]:
    """Yield the distance of the best order from the true optimum, in points of chance."""
    rng = random.Random(15)
    gaps: dict[str, list[float]] = defaultdict(list)
    while len(gaps["smart"]) < SMALL:
        battle, side = drawn(rng, 3, 2), rng.choice(list(Side))
        armies = battle.attacker, battle.defender
        if battle.attacker.book.rules.marked_losses and any(army.count(Unit.SUBMARINE) for army in armies):
            continue  # what is hit and still fires is left out here
        if battle.defender.count(Unit.GUN) and battle.attacker.has(Category.AIR):
            continue  # so is antiaircraft fire
        order = battle.casualty_order(side)
        follow = Game(battle, side, lambda army, *hits, order=order: [order.place(army, *hits)])
        odds = chance(battle, side, battle.casualties_of(side))
        if abs(follow.value(follow.own.counts, follow.enemy.counts) - odds) > 1e-9:
            raise AssertionError(f"the recursion and the engine differ: {battle}")
        game = Game(battle, side)
        best = game.value(game.own.counts, game.enemy.counts)
        for casualties in ("smart", *PRESETS):
            gaps[casualties].append(best - chance(battle, side, casualties))
    yield f"Losses chosen anew in every round, {SMALL} small battles: how much less an order wins, in points"
    yield from _gap_rows(gaps)


def preset_table() -> Iterator[str]:
    """Yield how much more the best order wins than the usual ones, in points of chance."""
    rng = random.Random(2_000)
    gaps: dict[str, list[float]] = defaultdict(list)
    for _ in range(MANY):
        battle, side = drawn(rng, 4, 3), rng.choice(list(Side))
        best = chance(battle, side, "smart")
        for casualties in PRESETS:
            gaps[casualties].append(best - chance(battle, side, casualties))
    yield f"The best order, {MANY} battles of all editions: how much less others win, in points"
    yield from _gap_rows(gaps)


def _gap_rows(gaps: dict[str, list[float]]) -> Iterator[str]:
    yield f"{'':12} {'same':>6} {'more':>6} {'mean':>7} {'worst':>7}"
    for name, values in gaps.items():
        same = sum(abs(gap) < 1e-9 for gap in values) / len(values)
        more = sum(gap < -1e-9 for gap in values)
        mean = sum(values) / len(values)
        yield f"{name:12} {percent(same):>6} {more:6} {100 * mean:7.3f} {100 * max(values):7.3f}"


BATTLES = (
    "1942: 6 inf, 2 art, 2 tank, 2 ftr vs 6 inf, 2 art, 1 tank, 2 aa, 1 ftr",
    "1942: 12 inf, 6 art, 8 tank, 4 ftr, 2 bmr vs 14 inf, 4 art, 4 tank, 3 ftr",
    "1940: 6 inf, 3 mech, 2 art, 2 tank, 2 ftr, 2 tac, 2 bmr vs 6 inf, 2 art, 1 tank, 2 aa, 2 ftr",
    "1942: 40 inf, 20 art, 20 tank, 10 ftr vs 50 inf, 20 art, 10 tank, 10 ftr",
    "1942: 2 sub, 2 dd, 2 ftr vs 2 sub, 1 dd, 2 ftr, 1 tr",
    "1942: 1 sub, 1 dd, 1 ftr, 1 bb vs 1 sub, 1 dd, 1 ftr, 1 bb",
    "1942: 3 sub, 2 dd, 2 ftr, 2 bb vs 3 sub, 3 dd, 2 ftr, 1 cv",
    "1942: 3 sub, 2 dd, 1 cv, 2 ftr, 1 bb vs 3 sub, 2 dd, 1 cv, 2 ftr, 1 bb",
    "1942: 6 sub, 4 dd, 2 cv, 4 ftr, 2 bb, 2 tr vs 6 sub, 4 dd, 2 cv, 4 ftr, 2 bb, 2 tr",
    "1940: 5 sub, 4 dd, 2 ca, 2 cv, 3 ftr, 2 tac, 2 bb vs 5 sub, 4 dd, 2 ca, 2 cv, 3 ftr, 2 tac, 2 bb",
    "1942: 24 sub, 5 cv, 9 ftr, 4 bb vs 24 sub, 5 cv, 9 ftr, 4 bb",
)


def time_table() -> Iterator[str]:
    """Yield what a search takes, for each side and for both."""
    yield f"{'attacker':>12} {'defender':>12} {'both':>12}  milliseconds; * every order tried"
    for text in BATTLES:
        cells = []
        for sides in ([Side.ATTACKER], [Side.DEFENDER], list(Side)):
            casualties: dict[str, Any] = {f"{side}_casualties": "smart" for side in sides}
            battle = OddsRequest.model_validate({**parse_battle(text), **casualties})
            taken = []
            for _ in range(3):
                start = time.perf_counter()
                found = battle.resolved()[1]
                taken.append(time.perf_counter() - start)
            star = "*" if all(order.complete for order in found) else " "
            cells.append(f"{1000 * min(taken):11.1f}{star}")
        yield f"{' '.join(cells)}  {text}"


def main() -> None:
    """Print the tables."""
    for table in (time_table, optimum_table, preset_table):
        sys.stdout.write("\n".join(table()) + "\n\n")


if __name__ == "__main__":
    main()
