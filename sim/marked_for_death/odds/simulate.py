"""Simulated battles, counted: the way from a request to the kernel and back."""

from typing import Self

import numpy as np
from numba import config

from sim.marked_for_death.odds import kernel, plan
from sim.marked_for_death.odds.arrays import Ints
from sim.marked_for_death.odds.chance import new_tables
from sim.marked_for_death.odds.lineup import Terms
from sim.marked_for_death.odds.ranks import ranks
from sim.marked_for_death.odds.tally import SensitivityTally, Tally

_PLAIN_PYTHON = 300
"""How many times slower the kernels are without the compiler."""


def simulate(terms: Terms, first: int, count: int) -> Tally:
    """Fight the battles from number `first` on: `count`, or fewer where that would be too much work, one at least."""
    with Arena(terms, first, count) as arena:
        fought, work = arena.fight((), work_allowed(), plan.MOST_BATTLE_WORK)
    endings = np.bincount(arena.endings[:fought], minlength=kernel.CUT_OFF + 1).tolist()
    rounds = arena.rounds[:fought]
    return Tally(
        first=first,
        battles=fought,
        heroes=endings[kernel.HEROES],
        villains=endings[kernel.VILLAINS],
        nobody=endings[kernel.NOBODY],
        undecided=endings[kernel.UNDECIDED],
        cut_off=endings[kernel.CUT_OFF],
        rounds=int(rounds.sum()),
        rounds_squared=int((rounds * rounds).sum()),
        survived=tuple(arena.sums[kernel.SURVIVED].tolist()),
        hp_left=tuple(arena.sums[kernel.HP_LEFT].tolist()),
        hp_squared=tuple(arena.sums[kernel.HP_SQUARED].tolist()),
        fell_first=tuple(arena.sums[kernel.FELL_FIRST].tolist()),
        work=work,
    )


def compare(terms: Terms, left_out: tuple[int, ...], first: int, count: int) -> SensitivityTally:
    """Fight the same battles with everybody and without each one; `count`, or fewer where that would be too much."""
    share = max(1, work_allowed() // (1 + len(left_out)))
    # Twice its share is what a line-up may take before the battles of all are cut down to what it managed.
    most = share, share // 2
    with Arena(terms, first, count) as arena:
        fought, work = arena.fight((), *most)
        endings = [arena.endings[:fought].copy()]
        for at in left_out:
            fought, more = arena.fight((at,), 2 * most[0], most[1], fought)
            endings.append(arena.endings[:fought].copy())
            work += more
    base, *others = (ending[:fought] for ending in endings)
    lost, gained = [], []
    for at, other in zip(left_out, others, strict=True):
        own = kernel.HEROES if at < terms.heroes else kernel.VILLAINS
        lost.append(int(((base == own) & (other != own)).sum()))
        gained.append(int(((base != own) & (other == own)).sum()))
    return SensitivityTally(
        first=first,
        battles=fought,
        heroes=int((base == kernel.HEROES).sum()),
        villains=int((base == kernel.VILLAINS).sum()),
        lost=tuple(lost),
        gained=tuple(gained),
        cut_off=sum(int((outcomes == kernel.CUT_OFF).sum()) for outcomes in (base, *others)),
        work=work,
    )


def work_allowed() -> int:
    """Return the work of one job: what fits, with the compiler or without."""
    return plan.BATCH_WORK // (_PLAIN_PYTHON if config.DISABLE_JIT else 1)  # type: ignore[attr-defined]  # set when Numba loads


class Arena:
    """Room to fight the same battles in, with everybody or without some; `with` it the generators may wrap around."""

    def __init__(self, terms: Terms, first: int, count: int) -> None:
        self._soldiers = terms.soldiers
        self._heroes = terms.heroes
        self._limit = terms.max_rounds or 0
        self._key = np.uint64(terms.seed)
        self._first = first
        self._field = kernel.new_field(len(self._soldiers))
        self._tables = new_tables()
        self._wrap = np.errstate(over="ignore")
        self.endings: Ints = np.zeros(count, np.int64)
        self.rounds: Ints = np.zeros(count, np.int64)
        self.sums: Ints = np.zeros((4, len(self._soldiers)), np.int64)

    def __enter__(self) -> Self:
        """Let words wrap around."""
        self._wrap.__enter__()
        return self

    def __exit__(self, *_error: object) -> None:
        """Let overflows be told again."""
        self._wrap.__exit__(None, None, None)

    def fight(
        self, without: tuple[int, ...], most_work: int, most_battle_work: int, count: int | None = None
    ) -> tuple[int, int]:
        """Fight battles without the fighters of these numbers; returns how many, and their work.

        `endings`, `rounds` and `sums` tell of these battles, until the next ones. `most_work`,
        `most_battle_work`: after which no battle begins, and after which one is given up. `count`: fewer than fit.
        """
        self.sums[:] = 0
        span = self._first, self._first + (len(self.endings) if count is None else count)
        fought, work = kernel.battles(
            ranks(self._soldiers, self._heroes, without),
            self._field,
            self._tables,
            self._key,
            span,
            self._limit,
            (most_work, most_battle_work),
            self.endings,
            self.rounds,
            self.sums,
        )
        return int(fought), int(work)
