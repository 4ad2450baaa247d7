"""Armies that failed, and which others can't do better.

Where any hit may take any unit, an army with h hits to go loses its units in a single order. If one army has at least
as many dice of each value as another for every h, and as many hits to go in the beginning, then it does at least as
well against the same enemy: let both throw the same dice, and by induction over the rounds it has at least as many hits
to go, and its enemy at most as many. Pair bonuses, lives, and units that never hit change nothing in that, because an
army that loses a unit never has more dice. What the enemy's antiaircraft fire leaves has to be compared with what it
leaves of the other, so armies that it fires at are not compared at all.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.axis_allies.arms import Arms, Weapon
from sim.axis_allies.odds.army_graph import Chain
from sim.axis_allies.odds.codes import Floats

Numbers = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Strength:
    """What an army can do: `dice[h, v]` with h hits to go, dice that hit with at least the v-th chance of a fixed list.

    With low luck, the value of all dice. Row 0 has what else has to be as good: dice of a bombardment, and whether the
    army can take a territory. `guns`: the dice of its antiaircraft fire, which have to be the same.
    """

    dice: Numbers
    guns: int


class Failures:
    """Armies of one side that failed against the same enemy."""

    def __init__(self, arms: Arms, *, low_luck: bool) -> None:
        weapons = [*arms.weapons.values(), *(Weapon(lift.to) for lift in arms.lifts)]
        self._chances: Floats = np.array(sorted({weapon.chance for weapon in weapons if weapon.value}))
        self._low_luck = low_luck
        self._failed: dict[int, Numbers] = {}

    @property
    def numbers(self) -> int:
        """How many numbers a comparison takes."""
        return max((failed.size for failed in self._failed.values()), default=0)

    def strength(self, chain: Chain, *, bombarding: int, guns: int) -> Strength:
        """Return the strength of an army; `bombarding`: dice of its ships, `guns`: of its antiaircraft guns."""
        dice = chain.dice
        thrown = dice.counts.sum(axis=1)[::-1]
        if self._low_luck:
            numbers = (thrown @ dice.values)[:, np.newaxis]
        else:
            numbers = thrown @ (dice.chances[:, np.newaxis] >= self._chances)
        beside = [bombarding, int(chain.land_units[0] > 0)]
        table = np.zeros((len(numbers), max(numbers.shape[1], len(beside))), np.int32)
        table[:, : numbers.shape[1]] = numbers
        table[0, : len(beside)] = beside
        return Strength(table, guns)

    def dominate(self, army: Strength) -> bool:
        """Return whether an army that failed was at least as strong."""
        failed = self._failed.get(army.guns)
        if failed is None or len(army.dice) > failed.shape[1]:
            return False
        return bool((failed[:, : len(army.dice)] >= army.dice).all(axis=(1, 2)).any())

    def add(self, army: Strength) -> None:
        """Add an army that failed."""
        failed = self._failed.get(army.guns, np.zeros((0, *army.dice.shape), np.int32))
        width = max(len(army.dice), failed.shape[1])
        failed, entry = (
            np.pad(table, ((0, 0), (0, width - table.shape[1]), (0, 0)), constant_values=-1)
            for table in (failed, army.dice[np.newaxis])
        )
        weaker = (failed <= entry).all(axis=(1, 2))
        self._failed[army.guns] = np.concatenate((failed[~weaker], entry))
