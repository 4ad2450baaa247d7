"""Exact odds of one critter against another; a module of its own, so that they wait for no compiler.

Both take one turn a round until one is dead, and the damage that one takes depends on the other's turns alone. So the
turns that each would need to kill the other are independent: the smaller number decides the fight; if they are equal,
initiative does. Two distributions of damage, followed round by round, are enough.
"""

from collections.abc import Iterator
from itertools import islice, product

import numpy as np
from numpy.typing import NDArray

from sim.core.numbers import probability
from sim.duel.critter import INITIATIVE_DIE, Critter
from sim.duel.reports import MAX_LISTED_ROUNDS, DuelOdds, SideOdds

Floats = NDArray[np.float64]

MAX_ROUNDS = 100_000
"""Upper bound of the rounds to follow; no pair of critters comes near."""

_LISTED_REST = 1e-4  # rounds are listed until the chance of more is this or less
_NEGLIGIBLE = 1e-14


def _turns(victim: Critter, striker: Critter) -> Iterator[tuple[Floats, Floats, float]]:
    """Yield, turn by turn, the chances to be alive with k hit points lost, before and after it, and that it kills."""
    hit_chance = striker.hit_chance(victim)
    strike = hit_chance * np.array(striker.damage.chances())
    strike[0] += 1.0 - hit_chance
    turn = np.ones(1)  # the chance of each damage of a turn, capped at the victim's hit points
    for _ in range(striker.attacks):
        turn = np.convolve(turn, strike)
        if len(turn) > victim.hp + 1:
            turn = np.append(turn[: victim.hp], turn[victim.hp :].sum())
    at_least = np.zeros(victim.hp + 1)
    at_least[: len(turn)] = np.cumsum(turn[::-1])[::-1]
    kills = at_least[:0:-1].copy()  # after k hit points lost, a turn of at least hp - k kills
    after = np.zeros(victim.hp)
    after[0] = 1.0
    while True:
        before, after = after, np.convolve(after, turn)[: victim.hp]
        yield before, after, float(before @ kills)


def exact(first: Critter, second: Critter) -> DuelOdds:
    """Return the odds of a duel; at least one must be able to hit the other."""
    faces = range(1, INITIATIVE_DIE + 1)
    ahead = [first_die + first.dex_mod - second_die - second.dex_mod for first_die, second_die in product(faces, faces)]
    first_leads = (sum(by > 0 for by in ahead) + sum(by == 0 for by in ahead) / 2) / len(ahead)  # a die breaks ties
    left_1, left_2 = np.zeros(first.hp + 1), np.zeros(second.hp + 1)
    ends: list[float] = []
    going = 1.0
    for turn_1, turn_2 in islice(zip(_turns(first, second), _turns(second, first), strict=True), MAX_ROUNDS):
        (before_1, after_1, falls_1), (before_2, after_2, falls_2) = turn_1, turn_2
        # The one who acts first kills before the other's turn of this round, the other after it.
        wins_1 = falls_2 * (first_leads * before_1 + (1 - first_leads) * after_1)
        wins_2 = falls_1 * ((1 - first_leads) * before_2 + first_leads * after_2)
        left_1[1:] += wins_1[::-1]
        left_2[1:] += wins_2[::-1]
        ends.append(float(wins_1.sum() + wins_2.sum()))
        going = float(after_1.sum() * after_2.sum())
        if going <= _NEGLIGIBLE:
            break
    return _report(left_1, left_2, np.array(ends), going)


def _report(left_1: Floats, left_2: Floats, ends: Floats, going: float) -> DuelOdds:
    p_1, p_2 = float(left_1.sum()), float(left_2.sum())
    left_1[0], left_2[0] = p_2, p_1
    rest = 1.0 - np.cumsum(ends)
    decided = rest <= _LISTED_REST
    listed_rounds = min(MAX_LISTED_ROUNDS, int(np.argmax(decided)) + 1 if decided.any() else len(ends))
    return DuelOdds(
        p_win_first=probability(p_1),
        p_win_second=probability(p_2),
        p_never=0.0,
        p_given_up=0.0,
        mean_rounds=float(ends @ np.arange(1, len(ends) + 1)),
        rounds=tuple(map(probability, ends[:listed_rounds].tolist())),
        rounds_beyond=probability(float(ends[listed_rounds:].sum())),
        first=_side_odds(left_1),
        second=_side_odds(left_2),
        lost_mass=max(going, abs(1.0 - p_1 - p_2)),
        method="exact",
    )


def _side_odds(left: Floats) -> SideOdds:
    chances = tuple(map(probability, left.tolist()))
    return SideOdds(
        survivors=(chances[0], probability(float(left[1:].sum()))),
        mean_hp_left=float(left @ np.arange(len(left))),
        hp_left=chances,
    )
