"""Exact odds of one critter against another.

Until somebody is dead both take one turn a round, and what one suffers depends on the other's turns alone: how many
turns each would need to kill the other are two independent numbers, and the fight is over after the smaller one; who
acts first decides where they are the same. So two short lists of damage taken are all that has to be followed.
"""

from itertools import product

import numpy as np
from numpy.typing import NDArray

from sim.duel.critter import Critter
from sim.duel.odds.report import DuelOdds, SideOdds

Floats = NDArray[np.float64]

MOST_ROUNDS = 100_000
"""Rounds that are followed at most; no pair of critters comes near."""

TOLD_ROUNDS = 100
TOLD_REST = 1e-4
"""Rounds are told until the chance of more is this or less."""

_NEGLIGIBLE = 1e-14
_INITIATIVE_DIE = 6


class _Victim:
    """Who is struck, round by round: `taken[k]` is the chance to be alive with k hit points lost."""

    def __init__(self, victim: Critter, striker: Critter) -> None:
        self._turn = _turn(striker, victim)
        self.taken = np.zeros(victim.hp)
        self.taken[0] = 1.0
        more = np.cumsum(self._turn[::-1])[::-1]
        # What kills with k points lost already is a turn of at least hp - k.
        reach = victim.hp - np.arange(victim.hp)
        self._kills = np.where(reach < len(more), more[np.minimum(reach, len(more) - 1)], 0.0)

    def suffer(self) -> tuple[Floats, float]:
        """Let the striker take a turn; return how it stood before, and the chance that this turn kills."""
        before = self.taken
        self.taken = np.convolve(before, self._turn)[: len(before)]
        return before, float(before @ self._kills)


def exact(first: Critter, second: Critter) -> DuelOdds:
    """Return the odds of a duel in which at least one can hit the other."""
    leads = _lead(first, second)
    victim_1, victim_2 = _Victim(first, second), _Victim(second, first)
    left_1, left_2 = np.zeros(first.hp + 1), np.zeros(second.hp + 1)
    ends: list[float] = []
    going = 1.0
    while going > _NEGLIGIBLE and len(ends) < MOST_ROUNDS:
        before_1, falls_1 = victim_1.suffer()
        before_2, falls_2 = victim_2.suffer()
        # Who acts first kills before the other one's turn of this round, who acts second after it.
        wins_1 = falls_2 * (leads * before_1 + (1 - leads) * victim_1.taken)
        wins_2 = falls_1 * ((1 - leads) * before_2 + leads * victim_2.taken)
        left_1[1:] += wins_1[::-1]
        left_2[1:] += wins_2[::-1]
        ends.append(float(wins_1.sum() + wins_2.sum()))
        going = float(victim_1.taken.sum() * victim_2.taken.sum())
    return _report(left_1, left_2, np.array(ends), going)


def _report(left_1: Floats, left_2: Floats, ends: Floats, going: float) -> DuelOdds:
    p_1, p_2 = float(left_1.sum()), float(left_2.sum())
    left_1[0], left_2[0] = p_2, p_1
    rest = 1.0 - np.cumsum(ends)
    listed_rounds = min(TOLD_ROUNDS, int(np.argmax(rest <= TOLD_REST)) + 1 if (rest <= TOLD_REST).any() else len(ends))
    return DuelOdds(
        p_win_first=min(1.0, p_1),
        p_win_second=min(1.0, p_2),
        p_never=0.0,
        p_given_up=0.0,
        mean_rounds=float(ends @ np.arange(1, len(ends) + 1)),
        rounds=tuple(min(1.0, chance) for chance in ends[:listed_rounds].tolist()),
        rounds_beyond=float(ends[listed_rounds:].sum()),
        first=_side(left_1),
        second=_side(left_2),
        lost_mass=max(going, abs(1.0 - p_1 - p_2)),
        method="exact",
    )


def _side(left: Floats) -> SideOdds:
    chances = tuple(min(1.0, chance) for chance in left.tolist())
    return SideOdds(
        survivors=(chances[0], min(1.0, float(left[1:].sum()))),
        mean_hp_left=float(left @ np.arange(len(left))),
        hp_left=chances,
    )


def _turn(striker: Critter, victim: Critter) -> Floats:
    """Return the chance of each damage in a turn, all that kills a fresh victim counted as its hit points."""
    hits = striker.hit_chance(victim)
    blow = hits * np.array(striker.damage.chances())
    blow[0] += 1.0 - hits
    turn = np.ones(1)
    for _ in range(striker.attacks):
        turn = np.convolve(turn, blow)
        if len(turn) > victim.hp + 1:
            turn = np.append(turn[: victim.hp], turn[victim.hp :].sum())
    return turn


def _lead(first: Critter, second: Critter) -> float:
    """Return the chance that the first acts before the second in a round; a tie is drawn."""
    faces = range(1, _INITIATIVE_DIE + 1)
    ahead = [first_die + first.dex_mod - second_die - second.dex_mod for first_die, second_die in product(faces, faces)]
    return (sum(by > 0 for by in ahead) + sum(by == 0 for by in ahead) / 2) / len(ahead)
