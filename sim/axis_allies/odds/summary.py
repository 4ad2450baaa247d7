"""Report of a battle's odds from its solution."""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from sim.axis_allies.army import Army, battle_notes
from sim.axis_allies.odds import layout
from sim.axis_allies.odds.army_graph import Armies, PlainSide, is_plain, plain_side
from sim.axis_allies.odds.engine import NO_COURSE, Solution, solve
from sim.axis_allies.odds.land import fight_out
from sim.axis_allies.odds.layout import IPC, LAND, UNITS, Codes, Flags, Floats, Ints, layout_of
from sim.axis_allies.odds.simulate import simulate
from sim.axis_allies.odds.terms import OUTCOMES, impossible_outcomes
from sim.axis_allies.odds_report import (
    AtLeast,
    Bar,
    Counts,
    FinalArmies,
    FoundOrder,
    OddsReport,
    RoundOdds,
    SideOdds,
    Simulation,
    UnitOdds,
    unit_key,
)
from sim.axis_allies.question import Terms
from sim.core import TooMuchError
from sim.core.kernels import copy, inner, kernel
from sim.core.numbers import chance_interval, mean_interval, probability
from sim.core.values import Ending, Side

FIELDS = tuple(zip(OUTCOMES, ("p_attacker", "p_defender", "p_tie", "p_none"), strict=True))
"""The outcomes, and the fields of `Ends` that have their chances."""

_new = tuple.__new__  # makes a named tuple of its values without a call of Python

_MAX_BARS = 100
_MIN_BAR = 1e-12  # smaller chances make no bar

_ENDINGS = {
    layout.ATTACKER: Ending.ANNIHILATION,
    layout.DEFENDER: Ending.ANNIHILATION,
    layout.TIE: Ending.MUTUAL,
    layout.STALEMATE: Ending.STALEMATE,
    layout.RETREAT: Ending.RETREAT,
    layout.ROUND_LIMIT: Ending.ROUND_LIMIT,
    layout.GOES_ON: Ending.ROUND_LIMIT,
}
_WINNERS = {layout.ATTACKER: Side.ATTACKER, layout.DEFENDER: Side.DEFENDER, 0: None}


class Summary(NamedTuple):
    """What a report tells, in numbers.

    `sums`: see `summed`. `simulated`: the solution, if it is a simulation's. The rest is as in `Solution`.
    """

    terms: Terms
    must_take: bool
    sums: "Sums"
    chances: Floats
    mean_rounds: float
    course: Floats = NO_COURSE
    simulated: Solution | None = None


def fight(terms: Terms, battles: int, seed: int, *, course: bool, must_take: bool, outcomes: int) -> Summary:
    """Fight a battle, exactly if that takes reasonable time, else by simulation; sum it up: see `summary_of`.

    `battles`, `seed`: of a simulation. `course`: see `solve`.
    """
    here, there = terms.attacker, terms.defender
    if course or not (terms.is_small and is_plain(here, there)) or here.exposed or there.exposed:
        try:
            solution = solve(terms, course=course)
        except TooMuchError:
            solution = simulate(terms, battles, seed)
        return summary_of(solution, must_take=must_take, outcomes=outcomes)
    sums, chances, rounds = fought(plain_side(here), plain_side(there), terms.low_luck, must_take, outcomes)
    return Summary(terms, must_take, sums, chances, rounds)


def summary_of(solution: Solution, *, must_take: bool, outcomes: int) -> Summary:
    """Sum up a solution, with the `outcomes` likeliest of its results.

    With `must_take` the attacker wins only with a land unit left.
    """
    here, there = (
        (side.counts, side.totals, side.layout.worth, side.layout.kind, np.array((side.order.counts,), np.int64))
        for side in solution.sides
    )
    rows, columns, chances, codes = solution.ends
    sums = summed((rows, columns, chances, codes), here, there, must_take, outcomes)
    simulated = None if solution.battles is None else solution
    return Summary(solution.terms, must_take, sums, chances, solution.mean_rounds, solution.course, simulated)


def odds_report(
    summary: Summary,
    attacker: Army,
    defender: Army,
    *,
    found_orders: tuple[FoundOrder, ...] = (),
    notes: tuple[str, ...] = (),
) -> OddsReport:
    """Report on a battle of these armies; `found_orders`: of losses; `notes`: besides those on the armies."""
    terms, must_take, (numbers, results), all_chances, mean_rounds, course, simulated = summary
    own_keys, enemy_keys = layout_of(terms.attacker).keys, layout_of(terms.defender).keys
    figures: list[float] = numbers.tolist()
    by_code, first = figures[: layout.ROUND_LIMIT + 1], layout.ROUND_LIMIT + 2
    p = ends(by_code, figures[first - 1], must_take=must_take)
    codes, winners, *armies = results.tolist()
    chances, at = figures[first : first + len(codes)], first + len(codes)
    attackers, attackers_left, at = _side(own_keys, figures, at)
    defenders, defenders_left, _ = _side(enemy_keys, figures, at)
    ours = _named(own_keys, armies[: len(own_keys)], len(codes))
    theirs = _named(enemy_keys, armies[len(own_keys) :], len(codes))
    how, who = map(_ENDINGS.__getitem__, codes), map(_WINNERS.__getitem__, winners)
    finals = tuple(map(_new, repeat(FinalArmies), zip(ours, theirs, how, who, chances, strict=True)))
    every = simulated is None and every_chance(terms, all_chances)
    never = [name for name, field in FIELDS if p[field] == 0.0]
    if never and not every:
        ruled_out = impossible_outcomes(terms, must_take=must_take, among=never)
        never = [name for name in never if name in ruled_out]
    return OddsReport.trusted(
        {
            "attacker": attacker,
            "defender": defender,
            **p,
            "exp_rounds": mean_rounds,
            "att_left": attackers_left,
            "def_left": defenders_left,
            "att_ipc_lost": attackers.ipc_lost,
            "def_ipc_lost": defenders.ipc_lost,
            "attacker_odds": attackers,
            "defender_odds": defenders,
            "outcomes": finals,
            "outcomes_beyond": probability(math.fsum(by_code) - math.fsum(chances)),
            "rounds": tuple(_course(course)) if len(course) else (),
            "lost_mass": missing(all_chances),
            "impossible": tuple(never),
            "every_chance": every,
            "method": "exact" if simulated is None else "simulated",
            "simulation": None if simulated is None else _simulation(simulated, p, attackers, defenders),
            "must_take": must_take,
            "found_orders": found_orders,
            "notes": (*battle_notes(attacker, defender), *notes),
        }
    )


_FEW_SHOOTERS = 7
_SMALL_CHANCE = 1e-12


def every_chance(terms: Terms, chances: Floats) -> bool:
    """Return whether surely no chance was dropped: with few units, or with low luck, no chance is that small."""
    few = terms.low_luck or (terms.attacker.shooters <= _FEW_SHOOTERS and terms.defender.shooters <= _FEW_SHOOTERS)
    return few and min(chances.tolist(), default=1.0) >= _SMALL_CHANCE


def missing(chances: Floats) -> float:
    """Return the missing probability: dropped negligible chances, and rounding."""
    return abs(1.0 - float(np.add.reduce(chances)))


def ends(by_code: Sequence[float], p_takes: float, *, must_take: bool) -> dict[str, Any]:
    """Return the chances in `Ends` from those of all codes, and the chance that the attacker takes the territory."""
    chances = [p if 0.0 <= p <= 1.0 else probability(p) for p in (*by_code, p_takes)]
    _, attacker, defender, tie, stalemate, retreat, limit, takes = chances
    not_taken = probability(by_code[layout.ATTACKER] - takes) if must_take else 0.0
    return {
        "p_defender": defender,
        "p_tie": tie,
        "p_stalemate": stalemate,
        "p_retreat": retreat,
        "p_round_limit": limit,
        "p_takes": takes,
        "p_attacker": takes if must_take else attacker,
        "p_not_taken": not_taken,
        "p_none": probability(stalemate + retreat + limit + not_taken),
    }


@lru_cache(maxsize=1024)
def _told(start: int) -> tuple[int, ...]:
    return tuple(steps_of(start).tolist())


def _side(keys: tuple[str, ...], figures: list[float], at: int) -> tuple[SideOdds, dict[str, float], int]:
    """Return the odds of a side, whose `figures` begin at a place, its mean counts left, and where the figures end."""
    ipc, lost, deviation, fewest, size = figures[at : at + 5]
    end = at + 5 + int(size)
    bars, units, left = _bars(int(fewest), figures[at + 5 : end]), [], {}
    for key in keys:
        start, mean = figures[end : end + 2]
        told = _told(int(start))
        at, end = end + 2, end + 2 + len(told)
        if told:
            chances = tuple(map(_new, repeat(AtLeast), zip(told, figures[at:end])))  # noqa: B905  # they are as many
            units.append(_new(UnitOdds, (key, int(start), mean, chances)))
            left[key] = mean
    odds = {
        "units": tuple(units),
        "ipc_start": int(ipc),
        "ipc_lost": lost,
        "ipc_lost_sd": deviation,
        "units_of_winner": bars,
    }
    return SideOdds.trusted(odds), left, end


def _named(keys: tuple[str, ...], armies: Iterable[list[int]], size: int) -> list[Counts]:
    """Return `size` armies as counts by key; `armies`: a row for each key."""
    named: list[Counts] = [{} for _ in range(size)]
    for key, counts in zip(keys, armies, strict=True):
        for army, count in zip(named, counts, strict=True):
            if count:
                army[key] = count
    return named


SideArrays = tuple[Ints, Ints, Ints, Ints, Ints]
"""A side for `summed`: `counts` and `totals` of its `Armies`, `worth` and `kind` of `Layout`, and what it came with."""

Sums = tuple[Floats, Ints]
"""What `summed` returns."""


@kernel
def fought(here: PlainSide, there: PlainSide, low_luck: bool, must_take: bool, most: int) -> tuple[Sums, Floats, float]:
    """Fight to the end from two armies: return what `summed` does, the chance of each result, and the mean rounds.

    One call in place of two, with a dozen arrays in between, which take as long as a small battle.
    """
    (counts, totals), (enemy_counts, enemy_totals), (ends, rounds) = fight_out(here, there, low_luck)
    side, enemy = (
        (counts, totals, here[2], here[3], here[0]),
        (enemy_counts, enemy_totals, there[2], there[3], there[0]),
    )
    return summed(ends, side, enemy, must_take, most), ends[2], rounds


@kernel
def summed(
    found: tuple[Ints, Ints, Floats, Codes], here: SideArrays, there: SideArrays, must_take: bool, most: int
) -> Sums:
    """Return all figures of a report in one row, and the `most` likeliest results in a column each.

    `found`: the fields of `Solution.ends`. The figures: the chances of all codes; that the attacker wins with a
    land unit left, as it has to with `must_take`; of the likeliest results; and `_figures` of each side. The results:
    their codes, who wins them, `layout.ATTACKER`, `layout.DEFENDER` or 0, and what is left by kind of the attacker and
    of the defender.
    """
    rows, columns, chances, endings = found
    best = likeliest(chances, most)
    attackers, defenders = _by_kind(here[0], here[3]), _by_kind(there[0], there[3])
    room = here[1][UNITS].max() + there[1][UNITS].max() + (attackers.shape[1] + defenders.shape[1]) * (_MAX_BARS + 2)
    figures = np.zeros(room + len(best) + layout.ROUND_LIMIT + 14)
    winners = np.zeros(len(endings), np.int8)
    takes = layout.ROUND_LIMIT + 1
    for at in range(len(endings)):
        code, taken = endings[at], here[1][LAND, rows[at]] > 0
        figures[code] += chances[at]
        if code == layout.DEFENDER or (code == layout.ATTACKER and (taken or not must_take)):
            winners[at] = code
        if code == layout.ATTACKER and taken:
            figures[takes] += chances[at]
    enemies = 2 + attackers.shape[1]
    results, end = np.empty((enemies + defenders.shape[1], len(best)), np.int64), takes + 1
    for at in range(len(best)):
        results[0, at], results[1, at] = endings[best[at]], winners[best[at]]
        copy(attackers[rows[best[at]]], results[2:enemies, at])
        copy(defenders[columns[best[at]]], results[enemies:, at])
        figures[end + at] = min(1.0, chances[best[at]])
    end += len(best)
    end = _figures(attackers, here, rows, chances, winners == layout.ATTACKER, figures, end)
    end = _figures(defenders, there, columns, chances, winners == layout.DEFENDER, figures, end)
    return figures[:end], results


@inner
def _figures(units: Ints, side: SideArrays, which: Ints, chances: Floats, won: Flags, figures: Floats, end: int) -> int:
    """Fill in a side's `figures` from `end` on; return their new end.

    `units`: its armies by kind; `which`: the number of its army in each result. The figures: its price; the mean and
    the standard deviation of its losses in IPC; the fewest units with which it wins, and how many chances follow: to
    win with these, one more and so on; and for each kind how many came, the mean units left, and the chances that as
    many as its `steps_of` are left.
    """
    _, totals, worth, kind_of, came = side
    p, wins = np.zeros(len(units)), np.zeros(len(units))
    for at in range(len(which)):
        p[which[at]] += chances[at]
        wins[which[at]] += chances[at] if won[at] else 0.0
    ipc, lost = 0, 0.0
    for slot in range(len(kind_of)):
        ipc += worth[IPC, slot] * came[0, slot]
    for army in range(len(p)):
        lost += p[army] * (ipc - totals[IPC, army])
    fewest, spread = _spread(totals[UNITS], wins)
    figures[end], figures[end + 1] = ipc, lost
    figures[end + 2] = np.sqrt((p * (ipc - totals[IPC] - lost) ** 2).sum())
    figures[end + 3], figures[end + 4] = fewest, len(spread)
    end += 5
    copy(spread, figures[end:])
    end += len(spread)
    starts = _by_kind(came, kind_of)[0]
    for kind in range(len(starts)):
        steps = steps_of(starts[kind])
        figures[end], mean, told = starts[kind], end + 1, figures[end + 2 : end + 2 + len(steps)]
        for army in range(len(p)):
            reached = units[army, kind]
            if p[army] > 0.0 and reached > 0:
                figures[mean] += p[army] * reached
                if len(steps) == _MAX_BARS:
                    reached = np.searchsorted(steps, reached, side="right")
                told[reached - 1] += p[army]
        total = 0.0
        for step in range(len(steps) - 1, -1, -1):
            total += told[step]
            told[step] = min(1.0, total)
        end += 2 + len(steps)
    return end


@kernel
def steps_of(start: int) -> Ints:
    """Return the numbers that are told of `start` units: from 1 to as many, in `_MAX_BARS` steps if there are more."""
    steps = np.empty(min(_MAX_BARS, start), np.int64)
    for step in range(len(steps)):
        steps[step] = round(1 + step * ((start - 1) / max(1, len(steps) - 1)))
    return steps


@inner
def _by_kind(counts: Ints, kind_of: Ints) -> Ints:
    """Return armies by kind; `kind_of`: see `Layout.kind`."""
    kinds = 0
    for kind in kind_of:
        kinds = max(kinds, kind + 1)
    units = np.zeros((len(counts), kinds), np.int64)
    for army in range(len(counts)):
        for slot in range(len(kind_of)):
            units[army, kind_of[slot]] += counts[army, slot]
    return units


@inner
def _spread(values: Ints, chances: Floats) -> tuple[int, Floats]:
    """Return the lowest value that has a chance, and the chances of it, one more and so on."""
    low, high = 0, -1
    for at in range(len(values)):
        if chances[at] > 0.0:
            low, high = min(low, values[at]) if high >= 0 else values[at], max(high, values[at])
    spread = np.zeros(high - low + 1)
    for at in range(len(values)):
        if chances[at] > 0.0:
            spread[values[at] - low] = min(1.0, spread[values[at] - low] + chances[at])
    return low, spread


def _bars(fewest: int, chances: list[float]) -> tuple[Bar, ...]:
    """Return the bars of a histogram; `chances`: of the fewest, one more and so on."""
    bars = tuple([Bar(number, number, p) for number, p in enumerate(chances, fewest) if p > _MIN_BAR])
    if len(bars) <= _MAX_BARS:
        return bars
    low, high = bars[0].low, bars[-1].high
    width = -(-(high + 1 - low) // _MAX_BARS)
    starts = range(low, high + 1, width)
    sums = np.add.reduceat(chances[: high + 1 - fewest], np.array(starts) - fewest).tolist()
    return tuple(Bar(start, min(high, start + width - 1), min(1.0, p)) for start, p in zip(starts, sums, strict=True))


@kernel
def likeliest(chances: Floats, most: int) -> Ints:
    """Return the numbers of the `most` highest chances, the highest first, of equal ones the earlier."""
    best = np.zeros(min(most, len(chances)), np.int64)
    found = 0
    for at in range(len(chances)):
        if found == len(best) and chances[at] <= chances[best[-1]]:
            continue
        place = found if found < len(best) else found - 1
        while place > 0 and chances[best[place - 1]] < chances[at]:
            best[place] = best[place - 1]
            place -= 1
        best[place] = at
        found = min(found + 1, len(best))
    return best


def counts_by_unit(armies: Armies, army: int) -> dict[str, int]:
    """Return the positive counts of an army by `unit_key`, in the order typed."""
    return {unit_key(slot): int(counts[army]) for slot, counts in armies.kinds.items() if counts[army]}


def _course(course: Floats) -> Iterator[RoundOdds]:
    for number, (going, attackers, defenders) in enumerate(course.tolist()):
        over = probability(1.0 - going)
        yield RoundOdds.trusted(
            {"number": number, "p_over": over, "attacker_units": attackers, "defender_units": defenders}
        )


def _simulation(solution: Solution, p: dict[str, float], *sides: SideOdds) -> Simulation:
    battles = solution.battles or 0
    intervals = {name: chance_interval(chance, battles) for name, chance in p.items()}
    spread = math.sqrt(max(0.0, solution.round_squares - solution.mean_rounds**2))
    intervals["exp_rounds"] = mean_interval(solution.mean_rounds, spread, battles)
    for name, side in zip(("att_ipc_lost", "def_ipc_lost"), sides, strict=True):
        intervals[name] = mean_interval(side.ipc_lost, side.ipc_lost_sd, battles)
    cut_off = probability(missing(solution.ends.chances))
    return Simulation(battles=battles, seed=solution.seed or 0, cut_off=cut_off, intervals=intervals)
