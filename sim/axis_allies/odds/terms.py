"""Defines what the exact odds are asked: both sides, what happens before the first round, when the battle breaks off.

Source: .docs/rules/axis_allies.md, "Before the first round".
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np

from sim.axis_allies.casualties import CasualtyOrder
from sim.axis_allies.editions import Guns
from sim.axis_allies.odds.army_graph import Armies
from sim.axis_allies.odds.dice import low_luck as low_luck_hits
from sim.axis_allies.odds.layout import AIR, IPC, LAND, UNITS, Flags, Floats, Ints, layout_of
from sim.axis_allies.question import NEVER, Withdrawal
from sim.axis_allies.unit_stats import Weapon
from sim.core.errors import TooMuchError
from sim.core.kernels import kernel

MAX_DICE = 2_000
"""Maximum number of dice of a bombardment in an exact calculation."""

MAX_SMALL = 2_500
"""Maximum number of pairs of armies of a small battle."""

MAX_LINES = 2_000
"""Maximum number of armies that antiaircraft fire may leave in an exact calculation."""


class Terms(NamedTuple):
    """Both sides, what happens before the first round, and when the battle is broken off.

    `guns`: antiaircraft guns that fire at the attacker's planes. `bombardment`: the ships' dice, already limited.
    `stop_after`: rounds, None for no limit. `low_luck`: six points of value are a hit, one die decides on the rest.
    """

    attacker: CasualtyOrder
    defender: CasualtyOrder
    guns: int = 0
    bombardment: tuple[Weapon, ...] = ()
    stop_after: int | None = None
    withdrawal: Withdrawal = NEVER
    low_luck: bool = False

    @property
    def joining(self) -> tuple[Weapon, ...]:
        """The ships' dice that are thrown in the first round, where what a bombardment hits fires back."""
        return self.bombardment if self.attacker.arms.rules.bombarded_fire_back else ()

    @property
    def is_small(self) -> bool:
        """Whether it is a small battle to the end, with nothing before it."""
        open_end = self.stop_after is None and not (self.guns or self.bombardment or self.withdrawal.possible)
        return open_end and self.attacker.hits * self.defender.hits <= MAX_SMALL


@dataclass(frozen=True, slots=True)
class DefenderDistribution:
    """What an attacker meets: `armies` that the defender may have left, counts by slot, and their `chances`.

    `enemies`: all attackers that the defender meets in turn, this one included.
    """

    armies: Ints
    chances: Floats
    enemies: tuple[CasualtyOrder, ...]


def leaving(withdrawal: Withdrawal, attacker: Armies, ipc_before: int) -> Flags:
    """Return with which of its armies the attacker leaves; `ipc_before`: the price of its army in the beginning."""
    leaves = np.zeros(len(attacker.counts), np.bool_)
    if withdrawal.below is not None:
        leaves |= attacker.totals[UNITS] < withdrawal.below
    if withdrawal.ipc_lost is not None:
        leaves |= ipc_before - attacker.totals[IPC] > withdrawal.ipc_lost
    if withdrawal.only_air:
        leaves |= attacker.totals[AIR] == attacker.totals[UNITS]
    if withdrawal.last_land:
        leaves |= attacker.totals[LAND] <= 1
    return leaves


def strafed(withdrawal: Withdrawal, defender: Armies) -> Flags:
    """Return before which of the defender's armies the attacker leaves."""
    if withdrawal.defenders_below is None:
        return np.zeros(len(defender.counts), np.bool_)
    enough: Flags = defender.totals[UNITS] < withdrawal.defenders_below
    return enough


def hits_of(dice: Sequence[Weapon], *, low_luck: bool) -> Floats:
    """Return the chance of each number of hits of some dice, thrown together; TooMuchError for too many dice."""
    if len(dice) > MAX_DICE:
        raise TooMuchError("These armies are too large for exact odds.")
    if low_luck:
        sure, rest = low_luck_hits(sum(weapon.value for weapon in dice))
        chances = np.zeros(sure + 2)
        chances[sure], chances[sure + 1] = 1.0 - rest, rest
        return chances if rest else chances[:-1]
    thrown: Floats = volley(np.array([weapon.chance for weapon in dice], dtype=np.float64))
    return thrown


@kernel
def volley(dice: Floats) -> Floats:
    """Return the chance of each number of hits of dice with these chances to hit."""
    chances = np.zeros(len(dice) + 1)
    chances[0] = 1.0
    for thrown in range(len(dice)):
        for hits in range(thrown + 1, 0, -1):
            chances[hits] += dice[thrown] * (chances[hits - 1] - chances[hits])
        chances[0] *= 1.0 - dice[thrown]
    return chances


def antiaircraft_fire(terms: Terms, guns: int | None = None) -> list[tuple[int, list[int]]]:
    """Return the volleys of antiaircraft fire: their dice, and the slots of the planes that they may take, in order.

    `guns`: fewer of them than the terms have.
    """
    attacker, rules = terms.attacker, terms.defender.arms.rules
    guns = terms.guns if guns is None else guns
    if not guns or rules.guns is Guns.NONE:
        return []
    sky = np.flatnonzero(layout_of(attacker).worth[AIR]).tolist()
    planes = sum(attacker.counts[at] for at in sky)
    if not planes:
        return []
    if rules.planes_by_type:
        return [(attacker.counts[at], [at]) for at in sky]
    return [(planes if rules.guns is Guns.MARK else min(planes, guns * rules.dice_of_gun), sky)]


def after_antiaircraft_fire(terms: Terms, guns: int | None = None) -> Iterator[tuple[float, CasualtyOrder]]:
    """Yield what antiaircraft fire may leave of the attacker, with its chance; TooMuchError for too many armies.

    `guns`: fewer of them than the terms have.
    """
    volleys = antiaircraft_fire(terms, guns)
    if not volleys:
        yield 1.0, terms.attacker
        return
    if prod(dice + 1 for dice, _ in volleys) > MAX_LINES:
        raise TooMuchError("These armies are too large for exact odds.")
    gun = Weapon(terms.defender.arms.gun_hits)
    fires = [hits_of([gun] * dice, low_luck=terms.low_luck).tolist() for dice, _ in volleys]
    for numbers in product(*(range(len(chances)) for chances in fires)):
        chance = prod(chances[hits] for chances, hits in zip(fires, numbers, strict=True))
        counts = list(terms.attacker.counts)
        for (_, slots), hits in zip(volleys, numbers, strict=True):
            due = hits
            for at in slots:
                taken = min(due, counts[at])
                counts[at] -= taken
                due -= taken
        if chance > 0.0:
            yield chance, terms.attacker.with_counts(tuple(counts)) if any(numbers) else terms.attacker
