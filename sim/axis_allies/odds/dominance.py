"""Armies that failed, and which others can't do better.

Where any hit may take any unit, an army with h hits to go loses its units in a single order. If one army has at least
as many dice of each value as another for every h, and as many hits to go in the beginning, then it does at least as
well against the same enemy: let both throw the same dice, and by induction over the rounds it has at least as many hits
to go, and its enemy at most as many. Pair bonuses, lives, and units that never hit change nothing in that, because an
army that loses a unit never has more dice. The enemy's antiaircraft fire takes the same planes of armies with the same
planes, so such armies are compared by what each of its outcomes leaves of them.
"""

from collections import defaultdict
from collections.abc import Hashable
from itertools import pairwise

import numpy as np

from sim.axis_allies.odds.army_graph import Chain
from sim.axis_allies.odds.layout import Floats, Ints
from sim.axis_allies.unit_stats import UnitStats, Weapon
from sim.core.kernels import copy, kernel

Strength = tuple[Hashable, Ints]
"""What has to be the same of armies that are compared, and what an army can do: rows of dice for 0, 1, 2 hits to go and
so on, all in one.

A row has the number of dice that hit with at least the first chance of a fixed list, at least the second, and so on
(with low luck, the value of all dice) for each outcome of antiaircraft fire; -1 after fire that leaves fewer hits to
go. Row 0 has what else has to be as good: the dice of a bombardment, and whether the army can take a territory.
"""


class Failures:
    """Armies of one side that failed against the same enemy."""

    def __init__(self, arms: UnitStats, *, low_luck: bool) -> None:
        weapons = [*arms.weapons.values(), *(Weapon(lift.to) for lift in arms.lifts)]
        self._chances: Floats = np.array(sorted({weapon.chance for weapon in weapons if weapon.value}))
        self._low_luck = low_luck
        # By what has to be the same: rows, which end with -1 for more hits than they have to go; and how many are used.
        self._failed: defaultdict[Hashable, tuple[Ints, int]] = defaultdict(lambda: (np.zeros((0, 0), np.int64), 0))

    def __len__(self) -> int:
        return sum(count for _, count in self._failed.values())

    def strength(self, armies: Chain, alike: Hashable, *, bombarding: int, takes: bool) -> Strength:
        """Return the strength of an army.

        `armies`: what antiaircraft fire may leave of it. `alike`: what has to be the same. `bombarding`: dice of its
        ships. `takes`: it can take a territory.
        """
        dice = armies.dice
        worth = dice.values[:, np.newaxis] if self._low_luck else dice.chances[:, np.newaxis] >= self._chances
        strong = dice.counts.sum(axis=1) @ worth.astype(np.int64)
        spans = [*pairwise(armies.bounds.tolist())]
        rows = np.full((max(end - first for first, end in spans), len(spans), max(2, worth.shape[1])), -1)
        for at, (first, end) in enumerate(spans):
            rows[: end - first, at, : worth.shape[1]] = strong[first:end][::-1]
        rows[0] = -1
        rows[0, :, :2] = bombarding, takes
        return alike, rows.ravel()

    def dominate(self, army: Strength) -> bool:
        """Return whether an army that failed was at least as strong."""
        alike, dice = army
        return bool(any_dominates(*self._failed[alike], dice))

    def add(self, army: Strength) -> None:
        """Add an army that failed; those that are no stronger are no longer needed."""
        alike, dice = army
        failed, count = self._failed[alike]
        if count == len(failed) or len(dice) > failed.shape[1]:
            wider = np.full((2 * count + 1, max(2 * len(dice), failed.shape[1])), -1)
            wider[:count, : failed.shape[1]] = failed[:count]
            failed = wider
        self._failed[alike] = failed, insert(failed, count, dice)


@kernel
def any_dominates(failed: Ints, count: int, dice: Ints) -> bool:
    """Return whether any of the first `count` rows is at least as large everywhere."""
    if failed.shape[1] < len(dice):
        return False
    for row in range(count):
        for at in range(len(dice) - 1, -1, -1):  # the armies with fewer hits to go are found out at once
            if failed[row, at] < dice[at]:
                break
        else:
            return True
    return False


@kernel
def insert(failed: Ints, count: int, dice: Ints) -> int:
    """Put `dice` behind the first `count` rows, without those that are no larger anywhere; return the new count."""
    kept = 0
    for row in range(count):
        larger = False
        for at in range(failed.shape[1] - 1, -1, -1):
            if failed[row, at] > (dice[at] if at < len(dice) else -1):
                larger = True
                break
        if larger:
            copy(failed[row], failed[kept])
            kept += 1
    failed[kept] = -1
    copy(dice, failed[kept])
    return kept + 1
