"""Simulated odds: batches of fights of two groups by a compiled kernel, with the rules of `battle.rules`.

A random fraction added to each initiative breaks ties: every order is equally likely. The draws of fighters killed in
the round change nothing and are left out.
"""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.core.kernels import inner, kernel
from sim.duel.critter import INITIATIVE_DIE, Critter
from sim.duel.reports import MAX_LISTED_ROUNDS, Sums, Tally

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

FIRST, SECOND, NEVER, GIVEN_UP = range(4)
"""The ends of a fight."""

MAX_ROUNDS = 20_000
"""Rounds after which a fight is given up."""

# Columns of the fighters' values, and those behind the first one.
SIDE, HP, DEX, DICE, SIDES, PLUS, ATTACKS = range(7)
_FIGURES = attrgetter("hp", "dex_mod", "damage.count", "damage.sides", "damage.plus", "attacks")


@kernel
def _fight_battles(
    battles: int,
    values: Ints,
    chances: Floats,
    rng: Any,  # noqa: ANN401  # a NumPy Generator, typed by the compiler
) -> tuple[Ints, Ints, Ints]:
    """Fight `battles` times; `values` has a row for each fighter, `chances[i, j]` is the chance that i hits j.

    Returns the end, the rounds and each fighter's hit points left of every battle.
    """
    ends = np.zeros(battles, np.int64)
    rounds = np.zeros(battles, np.int64)
    left = np.zeros((battles, len(values)), np.int64)
    for battle in range(battles):
        for who in range(len(values)):
            left[battle, who] = values[who, HP]
        ends[battle], rounds[battle] = _fight(values, chances, left[battle], rng)
    return ends, rounds, left


@inner
def _fight(values: Ints, chances: Floats, hp: Ints, rng: Any) -> tuple[int, int]:  # noqa: ANN401  # as above
    members = np.zeros((2, len(values)), np.int64)
    sizes = np.zeros(2, np.int64)
    for who in range(len(values)):
        side = values[who, SIDE]
        members[side, sizes[side]] = who
        sizes[side] += 1
    checked_size = -1
    for number in range(MAX_ROUNDS):
        # Whether anybody can hit anybody changes only when a fighter falls.
        if sizes.sum() != checked_size and not _can_hit(chances, members, sizes):
            return NEVER, number
        checked_size = sizes.sum()
        _round(values, chances, hp, members, sizes, rng)
        if sizes[0] == 0:
            return SECOND, number + 1
        if sizes[1] == 0:
            return FIRST, number + 1
    return GIVEN_UP, MAX_ROUNDS


@inner
def _can_hit(chances: Floats, members: Ints, sizes: Ints) -> bool:
    for first_at in range(sizes[0]):
        for second_at in range(sizes[1]):
            here, there = members[0, first_at], members[1, second_at]
            if chances[here, there] > 0 or chances[there, here] > 0:
                return True
    return False


@inner
def _order(values: Ints, members: Ints, sizes: Ints, rng: Any) -> Ints:  # noqa: ANN401  # as above
    """Roll for initiative and return the fighters in order of action."""
    order = np.zeros(sizes.sum(), np.int64)
    keys = np.zeros(sizes.sum())
    filled = 0
    for side in range(2):
        for at in range(sizes[side]):
            who = members[side, at]
            key = int(rng.random() * INITIATIVE_DIE) + values[who, DEX] + rng.random()
            slot = filled
            while slot > 0 and keys[slot - 1] < key:
                keys[slot], order[slot] = keys[slot - 1], order[slot - 1]
                slot -= 1
            keys[slot], order[slot] = key, who
            filled += 1
    return order


@inner
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


def simulate(first: Sequence[Critter], second: Sequence[Critter], battles: int, seed: int, batch: int) -> Tally:
    """Fight `battles` (1 or more) times; the same `seed` and `batch` always give the same tally."""
    critters = (*first, *second)
    size = len(first)
    values = np.array([(at >= size, *_FIGURES(critter)) for at, critter in enumerate(critters)], dtype=np.int64)
    chances = np.array([[critter.hit_chance(other) for other in critters] for critter in critters])
    ends, rounds, left = _fight_battles(battles, values, chances, np.random.default_rng([seed, batch]))
    kinds = np.bincount(ends, minlength=4).tolist()
    lengths = np.bincount(np.clip(rounds, 0, MAX_LISTED_ROUNDS + 1), minlength=MAX_LISTED_ROUNDS + 2)[1:-1]
    sides = left[:, :size], left[:, size:]
    return Tally(
        battles=battles,
        ends=(kinds[0], kinds[1], kinds[2], kinds[3]),
        rounds=_sums(rounds),
        lengths=tuple(lengths.tolist()),
        survivors=(_survivors(sides[0]), _survivors(sides[1])),
        hp=(_sums(sides[0].sum(axis=1)), _sums(sides[1].sum(axis=1))),
    )


def _sums(values: Ints) -> Sums:
    return Sums(total=int(values.sum()), squares=int((values * values).sum()))


def _survivors(left: Ints) -> tuple[int, ...]:
    counts: list[int] = np.bincount((left > 0).sum(axis=1), minlength=left.shape[1] + 1).tolist()
    return tuple(counts)
