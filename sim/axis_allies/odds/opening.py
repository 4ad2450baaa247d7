"""What happens before the first round: antiaircraft fire and bombardment.

Source: the rules page of all editions, section "Before the first round, in this order".
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from sim.axis_allies.arms import Weapon, arms_of
from sim.axis_allies.casualties import CasualtyOrder
from sim.axis_allies.editions import Guns
from sim.axis_allies.odds.codes import Floats
from sim.axis_allies.odds.dice import low_luck as low_luck_hits
from sim.axis_allies.odds.terms import Terms
from sim.axis_allies.units import Category, Unit
from sim.core.values import Side


def hits_of(dice: Sequence[Weapon], *, low_luck: bool) -> Floats:
    """Return the chance of each number of hits of some dice, thrown together."""
    if low_luck:
        sure, rest = low_luck_hits(sum(weapon.value for weapon in dice))
        chances = np.zeros(sure + 2)
        chances[sure], chances[sure + 1] = 1.0 - rest, rest
        return chances if rest else chances[:-1]
    chances = np.ones(1)
    for weapon in dice:
        chances = np.convolve(chances, (1.0 - weapon.chance, weapon.chance))
    return chances


def gun_dice(guns: int, planes: int, rules_guns: Guns, dice_of_gun: int) -> int:
    """Return how many dice antiaircraft guns throw at planes."""
    if not guns or rules_guns is Guns.NONE:
        return 0
    return planes if rules_guns is Guns.MARK else min(planes, guns * dice_of_gun)


def after_antiaircraft_fire(terms: Terms) -> Iterator[tuple[float, CasualtyOrder]]:
    """Yield what antiaircraft fire may leave of the attacker, with its chance."""
    attacker, rules = terms.attacker, terms.defender.arms.rules
    sky = [at for at, slot in enumerate(attacker.slots) if isinstance(slot, Unit) and slot.category is Category.AIR]
    planes = sum(attacker.counts[at] for at in sky)
    dice = gun_dice(terms.guns, planes, rules.guns, rules.dice_of_gun)
    if not dice:
        yield 1.0, attacker
        return
    gun = Weapon(terms.defender.arms.gun_hits)
    if rules.planes_by_type:
        fires = [(hits_of([gun] * attacker.counts[at], low_luck=terms.low_luck), [at]) for at in sky]
    else:
        fires = [(hits_of([gun] * dice, low_luck=terms.low_luck), sky)]
    for numbers in product(*(range(len(chances)) for chances, _ in fires)):
        chance = float(np.prod([chances[hits] for (chances, _), hits in zip(fires, numbers, strict=True)]))
        counts = list(attacker.counts)
        for (_, slots), hits in zip(fires, numbers, strict=True):
            due = hits
            for at in slots:
                taken = min(due, counts[at])
                counts[at] -= taken
                due -= taken
        if chance > 0.0:
            yield chance, replace(attacker, counts=tuple(counts))


def bombarding_dice(
    ships: Sequence[tuple[Unit, int]], edition: str, technology: tuple[str, ...], landed: int
) -> tuple[Weapon, ...]:
    """Return the dice of bombarding ships, the best first, limited by the edition's rule; `landed`: land units."""
    arms = arms_of(edition, Side.ATTACKER, technology)
    dice = sorted((arms.weapons[unit] for unit, count in ships for _ in range(count)), key=lambda weapon: -weapon.value)
    most = landed if arms.rules.one_ship_for_each_landed_unit else len(dice)
    return tuple(dice[:most])
