"""Simulate battles with the kernel and count their results."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np
from numba import config

from sim.marked_for_death.odds import kernel, sampling
from sim.marked_for_death.odds.chance import Ints, new_tables
from sim.marked_for_death.odds.kernel import FighterArrays
from sim.marked_for_death.odds.lineup import Lineup, Soldier
from sim.marked_for_death.odds.sampling import Tally
from sim.marked_for_death.odds.sensitivity import SensitivityTally

_PLAIN_PYTHON = 300
"""How many times slower the kernels are without the compiler."""


def simulate(lineup: Lineup, first: int, count: int, max_work: int = sampling.BATCH_WORK) -> Tally:
    """Fight `count` battles from number `first` on, or fewer if those take more work, but at least one."""
    arena = BattleSampler(lineup, first, count)
    fought, work = arena.fight((), work_allowed(max_work), sampling.MAX_BATTLE_WORK)
    endings = np.bincount(arena.endings[:fought], minlength=kernel.CUT_OFF + 1).tolist()
    rounds = arena.rounds[:fought]
    figures: dict[str, Any] = dict(zip(("heroes", "villains", "nobody", "undecided", "cut_off"), endings, strict=True))
    rows = zip(("survived", "hp_left", "hp_squared", "fell_first"), arena.sums, strict=True)
    figures |= {name: tuple(row.tolist()) for name, row in rows}
    return Tally(
        first=first,
        battles=fought,
        rounds=int(rounds.sum()),
        rounds_squared=int((rounds * rounds).sum()),
        work=work,
        **figures,
    )


def compare(
    lineup: Lineup, left_out: tuple[int, ...], first: int, count: int, max_work: int = sampling.BATCH_WORK
) -> SensitivityTally:
    """Fight the same battles with everybody and without each fighter; fewer than `count` if they take more work."""
    lineups = 1 + len(left_out)
    # A line-up may take twice its share of the work; the others then stop at as many battles as it has fought.
    most = max(1, work_allowed(max_work) // lineups), max(1, work_allowed(sampling.BATCH_WORK) // lineups) // 2
    arena = BattleSampler(lineup, first, count)
    fought, work = arena.fight((), *most)
    endings = [arena.endings[:fought].copy()]
    for at in left_out:
        fought, more = arena.fight((at,), 2 * most[0], most[1], fought)
        endings.append(arena.endings[:fought].copy())
        work += more
    base, *others = (ending[:fought] for ending in endings)
    lost, gained = [], []
    for at, other in zip(left_out, others, strict=True):
        own = kernel.HEROES if at < lineup.heroes else kernel.VILLAINS
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


def work_allowed(work: int) -> int:
    """Return how much work may be done in the time of this much, with or without the compiler."""
    return work // (_PLAIN_PYTHON if config.DISABLE_JIT else 1)  # type: ignore[attr-defined]  # set when Numba loads


class BattleSampler:
    """Buffers to fight the same battles with different line-ups; random words may overflow."""

    def __init__(self, lineup: Lineup, first: int, count: int) -> None:
        self._soldiers = lineup.soldiers
        self._heroes = lineup.heroes
        self._limit = lineup.max_rounds or 0
        self._key = np.uint64(lineup.seed)
        self._first = first
        self._field = kernel.new_field(len(self._soldiers))
        self._tables = new_tables()
        self.endings: Ints = np.zeros(count, np.int64)
        self.rounds: Ints = np.zeros(count, np.int64)
        self.sums: Ints = np.zeros((4, len(self._soldiers)), np.int64)

    def fight(
        self, without: tuple[int, ...], max_work: int, max_battle_work: int, count: int | None = None
    ) -> tuple[int, int]:
        """Fight battles without some fighters, by number; return how many were fought, and their work.

        Overwrites `endings`, `rounds` and `sums`. `max_work`, `max_battle_work`: after which no more battles begin, and
        after which a battle is given up. `count`: fight fewer battles than the buffers hold.
        """
        self.sums[:] = 0
        span = self._first, self._first + (len(self.endings) if count is None else count)
        fighters = fighter_arrays(self._soldiers, self._heroes, without)
        most, results = (max_work, max_battle_work), (self.endings, self.rounds, self.sums)
        with np.errstate(over="ignore"):
            fought, work = kernel.battles(
                fighters, self._field, self._tables, self._key, span, self._limit, most, *results
            )
        return int(fought), int(work)


def fighter_arrays(soldiers: Sequence[Soldier], heroes: int, without: Collection[int] = ()) -> FighterArrays:
    """Return all fighters as arrays; those in `without` and those without HP don't take part."""
    guards = _followers([soldier.guarded for soldier in soldiers])
    linked = _followers([soldier.linked_to for soldier in soldiers])
    boons = [boon for soldier in soldiers for boon in soldier.boons]
    columns = ("hp", "dice", "hit", "defend", "aoe", "guarded")
    return FighterArrays(
        heroes=heroes,
        **{name: _ints(getattr(soldier, name) for soldier in soldiers) for name in columns},
        here=np.array([soldier.hp > 0 and at not in without for at, soldier in enumerate(soldiers)], dtype=np.uint8),
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
    """Return where each fighter's list begins, and the concatenated lists of those who chose it."""
    lists: list[list[int]] = [[] for _ in chosen]
    for at, leader in enumerate(chosen):
        if leader >= 0:
            lists[leader].append(at)
    return _starts([len(followers) for followers in lists]), _ints(at for followers in lists for at in followers)


def _starts(sizes: Sequence[int]) -> Ints:
    return np.concatenate((_ints([0]), np.cumsum(_ints(sizes))))


def _ints(numbers: Iterable[int]) -> Ints:
    return np.array(list(numbers), dtype=np.int64)
