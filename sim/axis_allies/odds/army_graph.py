"""Armies as arrays: every army that a side can come to, numbered, with what the kernels need of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat

import numpy as np

from sim.axis_allies.odds.arrays import Floats, Ints
from sim.axis_allies.odds.orders import LIFE, HitGroup, Muster, Slot, hit_group, may_fall_on
from sim.axis_allies.units import Unit
from sim.core.errors import TooMuchError


@dataclass(frozen=True, slots=True)
class Chain:
    """A side whose every hit takes the next unit of one line; army i is what is left after i hits.

    `counts[i, k]`: how many of slot k are left. `chances[i]`: chance that the unit which hit i takes would hit itself.
    """

    muster: Muster
    counts: Ints
    chances: Floats


@dataclass(frozen=True, slots=True)
class Graph:
    """A side with one successor for each hit group; losses lead to higher numbers.

    `counts[s, k]`: how many of slot k army s has. `successor[g, s]`: army after a hit of group g, s itself when no unit
    may take it.
    """

    muster: Muster
    counts: Ints
    successor: Ints

    @property
    def chances(self) -> Floats:
        """The chance to hit of one unit of each slot."""
        return np.array(self.muster.chances, dtype=np.float64)

    @property
    def groups(self) -> Ints:
        """The hit group of each slot, -1 for lives."""
        return np.array([-1 if slot == LIFE else hit_group(slot) for slot in self.muster.slots], dtype=np.int64)

    @property
    def destroyer(self) -> int:
        """The destroyers' slot, -1 without."""
        slots = self.muster.slots
        return slots.index(Unit.DESTROYER) if Unit.DESTROYER in slots else -1


def chain(muster: Muster) -> Chain:
    """Line up an army for hits that may fall on all of it."""
    taken = line(muster)
    counts = np.tile(np.array(muster.counts, dtype=np.int64), (len(taken) + 1, 1))
    for slot in range(len(muster.slots)):
        counts[1:, slot] -= np.cumsum(taken == slot)
    return Chain(muster, counts, np.array(muster.chances)[taken])


def line(muster: Muster) -> Ints:
    """Return the slot that each hit takes, where hits may fall on all of an army."""
    left = list(muster.counts)
    taken: list[int] = []
    lengths: list[int] = []
    while (loss := muster.next_loss(left, HitGroup.REST)) is not None:
        slot, length = loss
        left[slot] -= length
        taken.append(slot)
        lengths.append(length)
    return np.repeat(np.array(taken, dtype=np.int64), lengths)


def graph(muster: Muster, enemy: Muster, most: int) -> Graph:
    """Find every army that hits of `enemy` can leave; TooMuchError for more than `most`."""
    groups = hit_groups(enemy)
    number = {muster.counts: 0}
    found = [muster.counts]
    after: list[list[int]] = []
    for here, counts in enumerate(found):  # grows while it is read
        row = [here] * len(HitGroup)
        for group in groups:
            loss = muster.next_loss(counts, group)
            if loss is None:
                continue
            slot = loss[0]
            left = (*counts[:slot], counts[slot] - 1, *counts[slot + 1 :])
            if left not in number:
                if len(found) == most:
                    raise TooMuchError("There are too many ways in which these fleets can lose their units.")
                number[left] = len(found)
                found.append(left)
            row[group] = number[left]
            # Hits that no unit is safe from are thrown together with the rest's.
            if group is not HitGroup.REST and all(map(may_fall_on, repeat(group), _standing(muster, counts))):
                row[HitGroup.REST] = row[group]
        after.append(row)
    # Found in the order of hits taken, so losses already lead to higher numbers.
    return Graph(muster, np.array(found, dtype=np.int64), np.array(after, dtype=np.int64).T.copy())


def _standing(muster: Muster, counts: tuple[int, ...]) -> Iterator[Slot]:
    return (slot for slot, count in zip(muster.slots, counts, strict=True) if count)


def hit_groups(shooter: Muster) -> list[HitGroup]:
    """Return the groups that the hits of an army may ever belong to."""
    armed = [slot for slot, chance in zip(shooter.slots, shooter.chances, strict=True) if chance > 0]
    groups = {hit_group(slot) for slot in armed}
    if Unit.DESTROYER in shooter.slots:
        groups.add(HitGroup.REST)
    return sorted(groups)


def is_plain(attacker: Muster, defender: Muster) -> bool:
    """Tell whether every hit may fall on every unit, and nobody strikes by surprise: no submarine is there."""
    return not any(Unit.SUBMARINE in side.slots for side in (attacker, defender))
