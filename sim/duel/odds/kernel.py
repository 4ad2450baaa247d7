"""Many fights of two groups with dice from a seed, by the rules of a round; compiled.

Everybody's place among those of the same count is drawn as a fraction added to the count: any order of them is as
likely as any other. What the dead draw changes nothing and is left out.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

FIRST, SECOND, NEVER, GIVEN_UP = range(4)
"""How a fight ended."""

MOST_ROUNDS = 20_000
"""Rounds after which a fight is given up."""

# Columns of what each fighter brings.
SIDE, HP, DEX, DICE, SIDES, PLUS, ATTACKS = range(7)

_INITIATIVE_DIE = 6


@njit(cache=True)
def fights(
    battles: int,
    values: Ints,
    chances: Floats,
    rng: Any,  # noqa: ANN401  # a NumPy Generator, which the compiler types by itself
) -> tuple[Ints, Ints, Ints]:
    """Fight `battles` times; `values`: a row for each fighter, `chances[i, j]`: that i hits j.

    Returns for each battle how it ended, its rounds, and what each fighter has left.
    """
    ends = np.zeros(battles, np.int64)
    rounds = np.zeros(battles, np.int64)
    left = np.zeros((battles, len(values)), np.int64)
    for battle in range(battles):
        left[battle] = values[:, HP]
        ends[battle], rounds[battle] = _fight(values, chances, left[battle], rng)
    return ends, rounds, left


@njit(cache=True)
def _fight(values: Ints, chances: Floats, hp: Ints, rng: Any) -> tuple[int, int]:  # noqa: ANN401  # as above
    members = np.zeros((2, len(values)), np.int64)
    sizes = np.zeros(2, np.int64)
    for who in range(len(values)):
        side = values[who, SIDE]
        members[side, sizes[side]] = who
        sizes[side] += 1
    fallen = -1
    for number in range(MOST_ROUNDS):
        # Whether anybody can hit anybody changes only when somebody has fallen.
        if sizes.sum() != fallen and not _can_hit(chances, members, sizes):
            return NEVER, number
        fallen = sizes.sum()
        _round(values, chances, hp, members, sizes, rng)
        if sizes[0] == 0:
            return SECOND, number + 1
        if sizes[1] == 0:
            return FIRST, number + 1
    return GIVEN_UP, MOST_ROUNDS


@njit(cache=True)
def _can_hit(chances: Floats, members: Ints, sizes: Ints) -> bool:
    for first_at in range(sizes[0]):
        for second_at in range(sizes[1]):
            here, there = members[0, first_at], members[1, second_at]
            if chances[here, there] > 0 or chances[there, here] > 0:
                return True
    return False


@njit(cache=True)
def _order(values: Ints, members: Ints, sizes: Ints, rng: Any) -> Ints:  # noqa: ANN401  # as above
    """Throw for initiative and return who acts in which order."""
    order = np.zeros(sizes.sum(), np.int64)
    keys = np.zeros(sizes.sum())
    filled = 0
    for side in range(2):
        for at in range(sizes[side]):
            who = members[side, at]
            key = int(rng.random() * _INITIATIVE_DIE) + values[who, DEX] + rng.random()
            place = filled
            while place > 0 and keys[place - 1] < key:
                keys[place], order[place] = keys[place - 1], order[place - 1]
                place -= 1
            keys[place], order[place] = key, who
            filled += 1
    return order


@njit(cache=True)
def _round(
    values: Ints,
    chances: Floats,
    hp: Ints,
    members: Ints,
    sizes: Ints,
    rng: Any,  # noqa: ANN401  # as above
) -> None:
    for who in _order(values, members, sizes, rng):
        foes = 1 - values[who, SIDE]
        for _ in range(values[who, ATTACKS]):
            if hp[who] == 0 or sizes[foes] == 0:
                break
            at = int(rng.random() * sizes[foes])
            target = members[foes, at]
            if rng.random() >= chances[who, target]:
                continue
            damage = values[who, PLUS]
            for _ in range(values[who, DICE]):
                damage += int(rng.random() * values[who, SIDES]) + 1
            hp[target] = max(0, hp[target] - max(1, damage))
            if hp[target] == 0:
                sizes[foes] -= 1
                members[foes, at] = members[foes, sizes[foes]]
