"""Typed results: a check, a whole battle, the changes to a roster, the odds, and who matters most."""

from typing import Annotated, Literal

from pydantic import Field

from sim.core.numbers import Interval
from sim.core.values import Ending, Frozen
from sim.marked_for_death.battle.values import FighterHp
from sim.marked_for_death.roster import Camp, Name, Roster
from sim.marked_for_death.roster_csv import CheckedRoster
from sim.marked_for_death.stats import Card

Chance = Annotated[float, Field(ge=0, le=1 + 1e-9)]
"""A probability; sums of many may end some units in the last place over 1."""

MAX_BARS = 20
"""Fighters of a side that a picture has room for."""


class CheckReport(Frozen):
    """A roster as it would fight: every fighter's `cards`, and `warnings` for its referee."""

    roster: Roster
    cards: tuple[Card, ...]
    warnings: tuple[str, ...]


class ReadReport(Frozen):
    """Both rosters of a battle as they were read."""

    heroes: CheckedRoster
    villains: CheckedRoster


class ChangeReport(Frozen):
    """The roster as it was read, what it changes, a sentence for each fighter, and what to look at again."""

    roster: Roster
    changes: tuple[str, ...]
    warnings: tuple[str, ...]


class Casualty(Frozen):
    """Who fell in which round, at how many HP: by whose hands, or linked to whom."""

    round: int
    camp: Camp
    name: Name
    hp: int
    by: tuple[Name, ...]
    linked_to: Name | None


class SideReport(Frozen):
    """A side: its fighters at the start, who sat out, who stands at the end; its file, and what was odd about it."""

    cards: tuple[Card, ...]
    sat_out: tuple[Name, ...]
    survivors: tuple[FighterHp, ...]
    final: Roster
    warnings: tuple[str, ...]


class RunReport(Frozen):
    """A battle from its start to its end.

    `stopped`: why it was broken off before it was decided, or the limit that was asked for reached; None when it
    wasn't. `fallen`: in the order of the log. `opening`, `rounds` and `closing`: the log, the rounds each on their own.
    """

    winner: Camp | None
    ending: Ending
    seed: int
    stopped: str | None
    heroes: SideReport
    villains: SideReport
    fallen: tuple[Casualty, ...]
    opening: tuple[str, ...]
    rounds: tuple[tuple[str, ...], ...]
    closing: str

    def side(self, camp: Camp) -> SideReport:
        """Return the report on `camp`."""
        return self.heroes if camp is Camp.HEROES else self.villains

    def log(self) -> list[str]:
        """Return the whole log."""
        return [*self.opening, *(line for lines in self.rounds for line in lines), self.closing]


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


def charted_fighters(report: OddsReport, camp: Camp) -> tuple[FighterOdds, ...]:
    """Return the fighters of a side that the picture shows: the likeliest to survive, that one first."""
    there = [fighter for fighter in report.side(camp) if not fighter.sits_out]
    return tuple(sorted(there, key=lambda fighter: -fighter.p_survives)[:MAX_BARS])


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
