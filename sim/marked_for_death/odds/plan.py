"""How many battles to simulate, and in what parts: decided by counts alone, never by a clock."""

import math
from collections.abc import Iterator

from sim.core.intervals import chance_interval
from sim.marked_for_death.odds.lineup import TIRED, Terms, buffed, to_hit
from sim.marked_for_death.odds.tally import Tally

SETTLED = 0.005
"""A chance is settled when its 95 % interval reaches no further than this either way."""

LEAST_BATTLES = 1_000
"""Battles before which nothing counts as settled."""

MOST_BATCH = 50_000
"""Battles of one part."""

BATCH_WORK = 1_000_000_000
"""Work after which a part ends: nanoseconds, by an estimate of somewhat more than is measured."""

MOST_BATTLE_WORK = BATCH_WORK // 2
"""Work after which a battle is given up as endless."""

BATCH_SECONDS = 2.0
"""The longest that a part takes, its last battle and a slower machine included."""

MOST_WORK = 30_000_000_000
"""Work after which a simulation ends, settled or not."""

MOST_EXACT_SECONDS = 2.0
"""The longest exact calculation that is begun."""

_FIRST_BATTLES = 2_000
_STEEP = (1.96 / SETTLED) ** 2  # battles for each unit of a chance's variance
_SPARE = 1.03  # a few battles more than seem needed, so that one more part is enough
_ROUND_SECONDS = 4e-7  # for each attack or fighter, upper figure


def settled(tally: Tally) -> bool:
    """Tell whether the chances of all four endings and of everybody's survival are settled."""
    return tally.battles >= LEAST_BATTLES and all(
        (high - low) / 2 <= SETTLED for low, high in (chance_interval(p, tally.battles) for p in _chances(tally))
    )


def battles_next(tally: Tally | None, most: int | None) -> int:
    """Return how many battles the next part should have; 0 when those of `tally` are enough.

    `most`: how many were asked for, None for as many as it takes.
    """
    if tally is None:
        return _FIRST_BATTLES if most is None else min(most, _FIRST_BATTLES)
    if settled(tally) or tally.work >= MOST_WORK:
        return 0
    left = math.inf if most is None else most - tally.battles
    wanted = max(_wanted(tally) - tally.battles, tally.battles // 10, LEAST_BATTLES)
    # The part that would end at its limit of work is as large as that anyway.
    affordable = math.ceil(BATCH_WORK / (tally.work / tally.battles))
    return int(min(left, wanted, affordable, MOST_BATCH))


def progress(tally: Tally, most: int | None) -> float:
    """Return about how much is done, from 0 to 1."""
    wanted = _wanted(tally) if most is None else min(most, _wanted(tally))
    return min(1.0, max(tally.battles / wanted, tally.work / MOST_WORK))


def seconds(terms: Terms, most: int | None) -> float:
    """Return the seconds that a whole simulation takes: a rough upper figure, from what both sides throw and bear.

    `most`: as in `battles_next`.
    """
    soldiers, heroes = terms.soldiers, terms.heroes
    here = [at for at, soldier in enumerate(soldiers) if soldier.hp > 0]
    raw = buffed(soldiers, here)
    sides = [at for at in here if at < heroes], [at for at in here if at >= heroes]
    rested = max((raw[at][1] / TIRED for at in here), default=0.0)  # rounds until nobody blocks any more
    rounds = math.inf
    for own, foes in (sides, sides[::-1]):
        hits = sum(soldiers[at].dice * soldiers[at].aoe * to_hit(raw[at][0]) / 1e6 for at in own)
        if hits > 0:
            rounds = min(rounds, max(0.0, rested) + 4 + 2 * sum(soldiers[at].hp for at in foes) / hits)
    rounds = min(rounds, terms.max_rounds or math.inf)
    throws = sum(1 + soldiers[at].aoe for at in here)
    battles = min(most or math.inf, _STEEP / 4)
    return min(MOST_WORK / 1e9, 0.1 + battles * rounds * throws * _ROUND_SECONDS)


def _chances(tally: Tally) -> Iterator[float]:
    for count in (tally.heroes, tally.villains, tally.nobody, tally.undecided + tally.cut_off, *tally.survived):
        yield count / tally.battles


def _wanted(tally: Tally) -> int:
    """Return how many battles will settle everything, as far as one can tell."""
    steepest = max(p * (1 - p) for p in _chances(tally))
    return max(LEAST_BATTLES, math.ceil(_SPARE * _STEEP * steepest))
