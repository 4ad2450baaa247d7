"""A batch of simulated fights: critters to arrays, arrays to a tally."""

from collections.abc import Sequence

import numpy as np

from sim.duel.critter import Critter
from sim.duel.odds.kernel import Ints, fights
from sim.duel.odds.tally import TOLD_ROUNDS, Sums, Tally


def simulate(first: Sequence[Critter], second: Sequence[Critter], battles: int, seed: int, batch: int) -> Tally:
    """Fight `battles` (1 or more) times; the same `seed` and `batch` always give the same tally."""
    critters = (*first, *second)
    size = len(first)
    values = np.array(
        [
            [
                number >= size,
                critter.hp,
                critter.dex_mod,
                critter.damage.count,
                critter.damage.sides,
                critter.damage.plus,
                critter.attacks,
            ]
            for number, critter in enumerate(critters)
        ],
        dtype=np.int64,
    )
    chances = np.array([[critter.hit_chance(other) for other in critters] for critter in critters])
    ends, rounds, left = fights(battles, values, chances, np.random.default_rng([seed, batch]))
    kinds = np.bincount(ends, minlength=4).tolist()
    lengths = np.bincount(np.clip(rounds, 0, TOLD_ROUNDS + 1), minlength=TOLD_ROUNDS + 2)[1:-1]
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
