"""Simulated battles: how many to fight, in what batches, and the odds from their counts.

Counts and estimated work alone decide, never a clock, so the same request gives the same odds everywhere.
"""

import math
from collections.abc import Iterator
from typing import Self

from sim.core.numbers import Interval, chance_interval, mean_interval
from sim.core.values import Summed
from sim.marked_for_death.odds.lineup import EXHAUSTION_PER_ROUND, Lineup, buffed, to_hit
from sim.marked_for_death.reports import FighterOdds, OddsReport, Simulation
from sim.marked_for_death.roster import Camp, Fighter, Roster, all_fighters

PRECISION = 0.005
"""A chance is settled once its 95% interval reaches no further than this either way."""

MIN_BATTLES = 1_000
"""The fewest battles for anything to count as settled."""

MAX_BATCH = 50_000
"""The most battles in one batch."""

BATCH_WORK = 1_000_000_000
"""Work after which a batch ends: estimated nanoseconds, somewhat more than measured."""

MAX_BATTLE_WORK = BATCH_WORK // 2
"""Work after which a battle is given up as endless."""

MAX_WORK = 30_000_000_000
"""Work after which a simulation ends, settled or not."""

MAX_EXACT_SECONDS = 2.0
"""The longest exact calculation to start."""

_FIRST_BATTLES = 2_000
_STEEP = (1.96 / PRECISION) ** 2  # battles per unit of a chance's variance
_SPARE = 1.03  # a few battles more than seem needed, so that one more batch is enough
_ROUND_SECONDS = 4e-7  # per attack or fighter, upper bound


class BatchCounts(Summed):
    """Base of counts over the battles numbered `first` to `first + battles - 1`.

    `work`: the estimated nanoseconds of the battles, the same on every machine.
    """

    first: int = 0
    battles: int
    work: int

    def __add__(self, after: Self) -> Self:
        """Add the battles that come right after these; ValueError for any others."""
        if after.first != self.first + self.battles:
            raise ValueError("only battles that follow on each other add up")
        return super().__add__(after.model_copy(update={"first": 0}))


class Tally(BatchCounts):
    """The counts of simulated battles.

    Battles won by each side, with `nobody` left, `undecided` at the round limit, and `cut_off` after too many rounds.
    `rounds`, `rounds_squared`: sums. By fighter, heroes first: battles survived, sums of the HP left and of its square
    (0 for the fallen), and battles in which the fighter was among the first to fall.
    """

    heroes: int
    villains: int
    nobody: int
    undecided: int
    cut_off: int
    rounds: int
    rounds_squared: int
    survived: tuple[int, ...]
    hp_left: tuple[int, ...]
    hp_squared: tuple[int, ...]
    fell_first: tuple[int, ...]


def settled(tally: Tally) -> bool:
    """Return whether the chances of all four endings and of everybody's survival are settled."""
    return tally.battles >= MIN_BATTLES and all(
        (high - low) / 2 <= PRECISION for low, high in (chance_interval(p, tally.battles) for p in _chances(tally))
    )


def next_count(tally: Tally | None, max_battles: int | None) -> int:
    """Return how many battles the next batch should have; 0 if those of `tally` are enough.

    `max_battles`: the limit of the request, None for as many as it takes.
    """
    if tally is None:
        return _FIRST_BATTLES if max_battles is None else min(max_battles, _FIRST_BATTLES)
    if settled(tally) or tally.work >= MAX_WORK:
        return 0
    left = math.inf if max_battles is None else max_battles - tally.battles
    wanted = max(_battles_needed(tally) - tally.battles, tally.battles // 10, MIN_BATTLES)
    # A larger batch would end at its limit of work anyway.
    affordable = math.ceil(BATCH_WORK / (tally.work / tally.battles))
    return int(min(left, wanted, affordable, MAX_BATCH))


def needed(tally: Tally, max_battles: int | None) -> int:
    """Return about how many battles it takes in all."""
    wanted = _battles_needed(tally)
    return wanted if max_battles is None else min(max_battles, wanted)


def seconds(lineup: Lineup, max_battles: int | None) -> float:
    """Return a rough upper bound of the seconds of a whole simulation, from both sides' dice and HP.

    `max_battles`: as in `next_count`.
    """
    soldiers, heroes = lineup.soldiers, lineup.heroes
    present = [at for at, soldier in enumerate(soldiers) if soldier.hp > 0]
    raw = buffed(soldiers, present)
    sides = [at for at in present if at < heroes], [at for at in present if at >= heroes]
    rested = max((raw[at][1] / EXHAUSTION_PER_ROUND for at in present), default=0.0)  # rounds until nobody can block
    rounds = math.inf
    for own, foes in (sides, sides[::-1]):
        hits = sum(soldiers[at].dice * soldiers[at].aoe * to_hit(raw[at][0]) / 1e6 for at in own)
        if hits > 0:
            rounds = min(rounds, max(0.0, rested) + 4 + 2 * sum(soldiers[at].hp for at in foes) / hits)
    rounds = min(rounds, lineup.max_rounds or math.inf)
    throws = sum(1 + soldiers[at].aoe for at in present)
    battles = min(max_battles or math.inf, _STEEP / 4)
    return min(MAX_WORK / 1e9, 0.1 + battles * rounds * throws * _ROUND_SECONDS)


def _chances(tally: Tally) -> Iterator[float]:
    """Yield the chances of the four endings, then everybody's to survive."""
    for count in (tally.heroes, tally.villains, tally.nobody, tally.undecided + tally.cut_off, *tally.survived):
        yield count / tally.battles


def _battles_needed(tally: Tally) -> int:
    """Estimate how many battles will settle everything."""
    steepest = max(p * (1 - p) for p in _chances(tally))
    return max(MIN_BATTLES, math.ceil(_SPARE * _STEEP * steepest))


def odds_report(heroes: Roster, villains: Roster, tally: Tally, seed: int, max_rounds: int | None) -> OddsReport:
    """Return the odds that simulated battles give."""
    n = tally.battles
    names = ("p_heroes", "p_villains", "p_both_fall", "p_undecided")
    chances = dict(zip(names, _chances(tally), strict=False))  # leaves out everybody's survival
    return OddsReport(
        **chances,
        mean_rounds=tally.rounds / n,
        max_rounds=max_rounds,
        fighters=tuple(
            _fighter(camp, fighter, tally, at) for at, (camp, fighter) in enumerate(all_fighters(heroes, villains))
        ),
        method="simulated",
        simulation=Simulation(
            battles=n,
            seed=seed,
            settled=settled(tally),
            cut_off=tally.cut_off / n,
            intervals={
                **{name: chance_interval(p, n) for name, p in chances.items()},
                "mean_rounds": _mean_interval(tally.rounds, tally.rounds_squared, n),
            },
        ),
    )


def _fighter(camp: Camp, fighter: Fighter, tally: Tally, at: int) -> FighterOdds:
    n = tally.battles
    survives, first = tally.survived[at] / n, tally.fell_first[at] / n
    return FighterOdds.of(
        camp,
        fighter,
        p_survives=survives,
        mean_hp=tally.hp_left[at] / n,
        p_falls_first=first,
        intervals={
            "p_survives": chance_interval(survives, n),
            "mean_hp": _mean_interval(tally.hp_left[at], tally.hp_squared[at], n),
            "p_falls_first": chance_interval(first, n),
        },
    )


def _mean_interval(total: int, squares: int, battles: int) -> Interval:
    """Return the interval of a mean from the sums of non-negative values and of their squares."""
    variance = (squares * battles - total * total) / (battles * max(1, battles - 1))
    low, high = mean_interval(total / battles, math.sqrt(variance), battles)
    return max(0.0, low), high
