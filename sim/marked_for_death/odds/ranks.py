"""Two rosters as arrays for the kernels."""

from collections.abc import Collection, Iterable, Sequence

import numpy as np

from sim.marked_for_death.odds.arrays import Ints
from sim.marked_for_death.odds.kernel import Ranks
from sim.marked_for_death.odds.lineup import Soldier


def ranks(soldiers: Sequence[Soldier], heroes: int, without: Collection[int] = ()) -> Ranks:
    """Return everybody as arrays, the first `heroes` the heroes; those `without` and those without HP stay away."""
    guards = _followers([one.guarded for one in soldiers])
    linked = _followers([one.linked_to for one in soldiers])
    boons = [boon for one in soldiers for boon in one.boons]
    return Ranks(
        heroes=heroes,
        here=np.array([one.hp > 0 and at not in without for at, one in enumerate(soldiers)], dtype=np.uint8),
        hp=_ints(one.hp for one in soldiers),
        dice=_ints(one.dice for one in soldiers),
        hit=_ints(one.hit for one in soldiers),
        defend=_ints(one.defend for one in soldiers),
        aoe=_ints(one.aoe for one in soldiers),
        guarded=_ints(one.guarded for one in soldiers),
        guard_at=guards[0],
        guards=guards[1],
        link_at=linked[0],
        linked=linked[1],
        buff_at=_starts([len(one.boons) for one in soldiers]),
        buffed=_ints(boon.to for boon in boons),
        buff_hit=_ints(boon.hit for boon in boons),
        buff_defend=_ints(boon.defend for boon in boons),
    )


def _followers(chosen: Sequence[int]) -> tuple[Ints, Ints]:
    """Return where each number's list begins, and the lists of those who have chosen it, one after the other."""
    lists: list[list[int]] = [[] for _ in chosen]
    for at, one in enumerate(chosen):
        if one >= 0:
            lists[one].append(at)
    return _starts([len(one) for one in lists]), _ints(at for one in lists for at in one)


def _starts(sizes: Sequence[int]) -> Ints:
    return np.concatenate((_ints([0]), np.cumsum(_ints(sizes))))


def _ints(numbers: Iterable[int]) -> Ints:
    return np.array(list(numbers), dtype=np.int64)
