"""The reports: the odds of a battle and how counts become them, and whose presence moves them."""

import math
from typing import Annotated, Literal

from pydantic import Field

from sim.core.frozen import Frozen
from sim.core.intervals import Interval, chance_interval, mean_interval
from sim.marked_for_death.odds.tally import Tally
from sim.marked_for_death.roster import Camp, Fighter, Roster

Chance = Annotated[float, Field(ge=0, le=1 + 1e-9)]
"""A probability; sums of many may end some units in the last place over 1."""


MOST_BARS = 20
"""Fighters of a side that a picture has room for."""


class FighterIntervals(Frozen):
    """95 % intervals around a fighter's figures."""

    p_survives: Interval
    mean_hp: Interval
    p_falls_first: Interval


class FighterOdds(Frozen):
    """What becomes of a fighter.

    `hp`: at the start; who has none `sits_out`, and counts as fallen without ever being among the first. `mean_hp`: the
    mean HP when the battle is over, or stops at its limit; the fallen count as 0. `p_falls_first`: the chance to be
    among those who fall in the first round in which anybody falls, be it by a link; several may.
    """

    camp: Camp
    name: str
    hp: int
    sits_out: bool
    p_survives: Chance
    mean_hp: float
    p_falls_first: Chance
    intervals: FighterIntervals | None = None


class Intervals(Frozen):
    """95 % intervals around the main figures."""

    p_heroes: Interval
    p_villains: Interval
    p_both_fall: Interval
    p_undecided: Interval
    mean_rounds: Interval


class Simulation(Frozen):
    """How the figures were thrown.

    `battles` from `seed`. `settled`: every chance of an ending and of survival is known to half a point; if not, time
    was up or no more were asked for. `cut_off`: the share of battles given up because they went on for too long; they
    count as undecided.
    """

    battles: int
    seed: int
    settled: bool
    cut_off: Chance
    intervals: Intervals


class OddsReport(Frozen):
    """The odds of a battle; its JSON form has the same names.

    `p_heroes`, `p_villains`, `p_both_fall` (nobody wins) and `p_undecided` (both sides stand at `max_rounds`) add up to
    1. `mean_rounds`: rounds fought. `fighters`: heroes first, each side in the order of its roster. `method`: "exact",
    to ten digits, or "simulated"; then `simulation` tells how, and every figure has its interval.
    """

    p_heroes: Chance
    p_villains: Chance
    p_both_fall: Chance
    p_undecided: Chance
    mean_rounds: float
    max_rounds: int | None
    fighters: tuple[FighterOdds, ...]
    method: Literal["exact", "simulated"]
    simulation: Simulation | None = None

    def side(self, camp: Camp) -> tuple[FighterOdds, ...]:
        """Return the fighters of one side."""
        return tuple(fighter for fighter in self.fighters if fighter.camp is camp)


def drawn(report: OddsReport, camp: Camp) -> tuple[FighterOdds, ...]:
    """Return the fighters of a side that the picture shows: the likeliest to survive, that one first."""
    there = [fighter for fighter in report.side(camp) if not fighter.sits_out]
    return tuple(sorted(there, key=lambda fighter: -fighter.p_survives)[:MOST_BARS])


def everybody(heroes: Roster, villains: Roster) -> list[tuple[Camp, Fighter]]:
    """Return all fighters with their sides, heroes first."""
    return [(camp, fighter) for camp, side in zip(Camp, (heroes, villains), strict=True) for fighter in side.fighters]


def summary(
    heroes: Roster, villains: Roster, tally: Tally, *, seed: int, max_rounds: int | None, settled: bool
) -> OddsReport:
    """Return what simulated battles say."""
    n = tally.battles
    undecided = tally.undecided + tally.cut_off
    chances = [count / n for count in (tally.heroes, tally.villains, tally.nobody, undecided)]
    p_heroes, p_villains, p_both_fall, p_undecided = (chance_interval(p, n) for p in chances)
    return OddsReport(
        p_heroes=chances[0],
        p_villains=chances[1],
        p_both_fall=chances[2],
        p_undecided=chances[3],
        mean_rounds=tally.rounds / n,
        max_rounds=max_rounds,
        fighters=tuple(
            _fighter(camp, fighter, tally, at) for at, (camp, fighter) in enumerate(everybody(heroes, villains))
        ),
        method="simulated",
        simulation=Simulation(
            battles=n,
            seed=seed,
            settled=settled,
            cut_off=tally.cut_off / n,
            intervals=Intervals(
                p_heroes=p_heroes,
                p_villains=p_villains,
                p_both_fall=p_both_fall,
                p_undecided=p_undecided,
                mean_rounds=_mean_interval(tally.rounds, tally.rounds_squared, n),
            ),
        ),
    )


def _fighter(camp: Camp, fighter: Fighter, tally: Tally, at: int) -> FighterOdds:
    n = tally.battles
    hp = fighter.hp
    survives, first = tally.survived[at] / n, tally.fell_first[at] / n
    return FighterOdds(
        camp=camp,
        name=fighter.name,
        hp=hp,
        sits_out=hp <= 0,
        p_survives=survives,
        mean_hp=tally.hp_left[at] / n,
        p_falls_first=first,
        intervals=FighterIntervals(
            p_survives=chance_interval(survives, n),
            mean_hp=_mean_interval(tally.hp_left[at], tally.hp_squared[at], n),
            p_falls_first=chance_interval(first, n),
        ),
    )


def _mean_interval(total: int, squares: int, battles: int) -> Interval:
    """Return the interval of a mean from sums; no value that is summed is below 0."""
    variance = (squares * battles - total * total) / (battles * max(1, battles - 1))
    low, high = mean_interval(total / battles, math.sqrt(variance), battles)
    return max(0.0, low), high


class Weight(Frozen):
    """What a fighter's presence is worth: its side's chance to win with it, without it, and the difference.

    `gain`: positive where its presence helps its side; `interval`: 95 %, of the difference.
    """

    camp: Camp
    name: str
    p_with: Chance
    p_without: Chance
    gain: float
    interval: Interval


class SensitivityReport(Frozen):
    """Who moves the odds, the most first. `skipped`: how many who take part were not tried, for they weigh little.

    `battles`: fought with each line-up, from `seed`. `cut_off`: how many of all were given up as endless.
    """

    weights: tuple[Weight, ...]
    skipped: int
    battles: int
    seed: int
    cut_off: int
