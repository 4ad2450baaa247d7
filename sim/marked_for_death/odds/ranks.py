"""Two rosters as arrays for the kernels."""

from collections.abc import Collection, Iterable, Sequence

import numpy as np

from sim.marked_for_death.odds.arrays import Ints
from sim.marked_for_death.odds.kernel import Ranks
from sim.marked_for_death.odds.lineup import Soldier


def ranks(soldiers: Sequence[Soldier], heroes: int, without: Collection[int] = ()) -> Ranks:
    """Return everybody as arrays, the first `heroes` the heroes; those `without` and those without HP stay away."""
    guards = _followers([soldier.guarded for soldier in soldiers])
    linked = _followers([soldier.linked_to for soldier in soldiers])
    boons = [boon for soldier in soldiers for boon in soldier.boons]
    return Ranks(
        heroes=heroes,
        here=np.array([soldier.hp > 0 and at not in without for at, soldier in enumerate(soldiers)], dtype=np.uint8),
        hp=_ints(soldier.hp for soldier in soldiers),
        dice=_ints(soldier.dice for soldier in soldiers),
        hit=_ints(soldier.hit for soldier in soldiers),
        defend=_ints(soldier.defend for soldier in soldiers),
        aoe=_ints(soldier.aoe for soldier in soldiers),
        guarded=_ints(soldier.guarded for soldier in soldiers),
        guard_at=guards[0],
        guards=guards[1],
        link_at=linked[0],
        linked=linked[1],
        buff_at=_starts([len(soldier.boons) for soldier in soldiers]),
        buffed=_ints(boon.to for boon in boons),
        buff_hit=_ints(boon.hit for boon in boons),
        buff_defend=_ints(boon.defend for boon in boons),
    )


def _followers(chosen: Sequence[int]) -> tuple[Ints, Ints]:
    """Return where each number's list begins, and the lists of those who have chosen it, one after the other."""
    lists: list[list[int]] = [[] for _ in chosen]
    for at, leader in enumerate(chosen):
        if leader >= 0:
            lists[leader].append(at)
    return _starts([len(followers) for followers in lists]), _ints(at for followers in lists for at in followers)


def _starts(sizes: Sequence[int]) -> Ints:
    return np.concatenate((_ints([0]), np.cumsum(_ints(sizes))))


def _ints(numbers: Iterable[int]) -> Ints:
    return np.array(list(numbers), dtype=np.int64)
