"""Report of a battle's odds from its solution."""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from sim.axis_allies.army import Army, battle_notes
from sim.axis_allies.casualties import CasualtyOrder, Life, Slot
from sim.axis_allies.odds import layout
from sim.axis_allies.odds.army_graph import Armies
from sim.axis_allies.odds.engine import Solution
from sim.axis_allies.odds.layout import IPC, LAND, UNITS, Codes, Flags, Floats, Ints, layout_of
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
)
from sim.axis_allies.units import Unit
from sim.core.kernels import copy, inner, kernel
from sim.core.numbers import chance_interval, mean_interval, probability
from sim.core.values import Ending, Side

FIELDS = tuple(zip(OUTCOMES, ("p_attacker", "p_defender", "p_tie", "p_none"), strict=True))
"""The outcomes, and the fields of `Ends` that have their chances."""

_AT_LEAST, _BAR = partial(tuple.__new__, AtLeast), partial(tuple.__new__, Bar)
_FINAL, _UNIT = partial(tuple.__new__, FinalArmies), partial(tuple.__new__, UnitOdds)
"""What makes named tuples from their values without a call of Python."""

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


_KEYS: dict[Slot, str] = {slot: slot.value for slot in (*Unit, *Life)} | {
    Unit.MECH: "mech",
    Unit.GUN: "aagun",
    Unit.TACTICAL: "tac",
    Unit.CARRIER: "carrier",
    Life.BATTLESHIP: "battleship_extra_lives",
    Life.CARRIER: "carrier_extra_lives",
}


def unit_key(slot: Slot) -> str:
    """Return the key of a unit or of ships' lives in reports: one word."""
    return _KEYS[slot]


def odds_report(
    solution: Solution,
    attacker: Army,
    defender: Army,
    *,
    must_take: bool,
    outcomes: int,
    found_orders: tuple[FoundOrder, ...] = (),
    notes: tuple[str, ...] = (),
) -> OddsReport:
    """Summarize a solution for these armies, with the `outcomes` likeliest of its results.

    With `must_take` the attacker wins only with a land unit left. `found_orders`: of losses; `notes`: besides those on
    the armies.
    """
    terms, sides = solution.terms, solution.sides
    here, there = map(_came_of, sides)
    given: list[Any] = [solution.rows, solution.columns, solution.chances, solution.endings]
    for armies, came in zip(sides, (here, there), strict=True):
        given += armies.counts, armies.totals, *came.arrays
    given += must_take, outcomes
    numbers, results, *left = summed(*given)
    figures: list[float] = numbers.tolist()
    by_code, first = figures[: layout.ROUND_LIMIT + 1], layout.ROUND_LIMIT + 2
    p = ends(by_code, figures[first - 1], must_take=must_take)
    codes, winners, *which = results.tolist()
    chances, at = figures[first : first + len(codes)], first + len(codes)
    attackers, at = _side(here, figures, at)
    defenders, _ = _side(there, figures, at)
    names = map(_named, (here, there), left, which)
    endings = map(_ENDINGS.__getitem__, codes)
    finals = tuple(map(_FINAL, zip(*names, endings, map(_WINNERS.__getitem__, winners), chances, strict=True)))
    every = every_chance(solution)
    never = [name for name, field in FIELDS if p[field] == 0.0]
    if never and not every:
        ruled_out = impossible_outcomes(terms, must_take=must_take, among=never)
        never = [name for name in never if name in ruled_out]
    return OddsReport.trusted(
        {
            "attacker": attacker,
            "defender": defender,
            **p,
            "exp_rounds": solution.mean_rounds,
            "att_left": {unit.unit: unit.mean for unit in attackers.units},
            "def_left": {unit.unit: unit.mean for unit in defenders.units},
            "att_ipc_lost": attackers.ipc_lost,
            "def_ipc_lost": defenders.ipc_lost,
            "attacker_odds": attackers,
            "defender_odds": defenders,
            "outcomes": finals,
            "outcomes_beyond": probability(math.fsum(by_code) - math.fsum(chances)),
            "rounds": tuple(_course(solution.course)) if len(solution.course) else (),
            "lost_mass": solution.lost,
            "impossible": tuple(never),
            "every_chance": every,
            "method": "exact" if solution.battles is None else "simulated",
            "simulation": None if solution.battles is None else _simulation(solution, p, attackers, defenders),
            "must_take": must_take,
            "found_orders": found_orders,
            "notes": (*battle_notes(attacker, defender), *notes),
        }
    )


_FEW_SHOOTERS = 7
_SMALL_CHANCE = 1e-12


def every_chance(solution: Solution) -> bool:
    """Return whether surely no chance was dropped: with few units, or with low luck, no chance is that small."""
    terms = solution.terms
    few = terms.low_luck or (terms.attacker.shooters <= _FEW_SHOOTERS and terms.defender.shooters <= _FEW_SHOOTERS)
    return solution.battles is None and few and min(solution.chances.tolist(), default=1.0) >= _SMALL_CHANCE


def ends(by_code: Sequence[float], p_takes: float, *, must_take: bool) -> dict[str, Any]:
    """Return the chances in `Ends` from those of all codes, and the chance that the attacker takes the territory."""
    _, attacker, defender, tie, stalemate, retreat, limit = map(probability, by_code)
    takes = probability(p_takes)
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


class _Came(NamedTuple):
    """A side as it came.

    `kinds`: the key of each, how many came, and the numbers of them that are told; these go from 1 to as many as came,
    in `_MAX_BARS` steps if there are more. `keys`: of all kinds. `arrays`: what `summed` needs, `Layout.kind`, the
    numbers that are told in a row for each kind, and the price.
    """

    kinds: tuple[tuple[str, int, tuple[int, ...]], ...]
    keys: tuple[str, ...]
    arrays: tuple[Ints, Ints, int]


def _came_of(armies: Armies) -> _Came:
    order = armies.order
    return _came(order.arms, order.slots, order.counts, order.typed)


@lru_cache(maxsize=256)
def _came(*order: Any) -> _Came:  # noqa: ANN401  # the fields of an order, which are hashed in less time than it is
    army = CasualtyOrder(*order)
    told = []
    for start in army.kinds.values():
        last = min(_MAX_BARS, start) - 1
        told.append(tuple(round(1 + step * ((start - 1) / max(1, last))) for step in range(last + 1)))
    steps = np.zeros((len(told), max(map(len, told), default=0)), np.int64)
    for row, numbers in zip(steps, told, strict=True):
        row[: len(numbers)] = numbers
    keys = tuple(map(unit_key, army.kinds))
    kinds = tuple(zip(keys, army.kinds.values(), told, strict=True))
    return _Came(kinds, keys, (layout_of(army).kind, steps, army.ipc))


def _side(came: _Came, figures: list[float], at: int) -> tuple[SideOdds, int]:
    """Return the odds of a side, whose `figures` begin at a place, and where they end."""
    lost, deviation, fewest, size = figures[at : at + 4]
    end = at + 4 + int(size)
    bars, units = _bars(int(fewest), figures[at + 4 : end]), []
    for key, start, told in came.kinds:
        at, end = end, end + 1 + len(told)
        if start:
            chances = tuple(map(_AT_LEAST, zip(told, figures[at + 1 : end])))  # noqa: B905  # they are as many
            units.append(_UNIT((key, start, figures[at], chances)))
    odds = {
        "units": tuple(units),
        "ipc_start": came.arrays[2],
        "ipc_lost": lost,
        "ipc_lost_sd": deviation,
        "units_of_winner": bars,
    }
    return SideOdds.trusted(odds), end


def _named(came: _Came, armies: Ints, which: Iterable[int]) -> Iterator[Counts]:
    """Yield some of a side's `armies` as counts by key; `which` has their numbers."""
    keys = came.keys
    named = [{key: n for key, n in zip(keys, counts) if n} for counts in armies.tolist()]  # noqa: B905  # as many
    return map(named.__getitem__, which)


@kernel
def summed(
    rows: Ints,
    columns: Ints,
    chances: Floats,
    endings: Codes,
    attackers: Ints,
    attacker_totals: Ints,
    attacker_kinds: Ints,
    attacker_steps: Ints,
    attacker_ipc: int,
    defenders: Ints,
    defender_totals: Ints,
    defender_kinds: Ints,
    defender_steps: Ints,
    defender_ipc: int,
    must_take: bool,
    most: int,
) -> tuple[Floats, Ints, Ints, Ints]:
    """Return all figures of a report in one row, the `most` likeliest results, and both sides' armies in these.

    `rows` to `endings`: see `Solution`. Of each side: `counts` and `totals` of its `Armies`, and `_Came.arrays`. The
    figures: the chances of all codes; that the attacker wins with a land unit left, as it has to with `must_take`; of
    the likeliest results; and `_figures` of each side. The likeliest results: their codes, who wins them,
    `layout.ATTACKER`, `layout.DEFENDER` or 0, and the number of each army among those that are returned, each once, as
    counts by kind.
    """
    best = likeliest(chances, most)
    here, there = (
        _by_kind(attackers, attacker_kinds, attacker_steps),
        _by_kind(defenders, defender_kinds, defender_steps),
    )
    room = attacker_totals[UNITS].max() + defender_totals[UNITS].max() + attacker_steps.size + defender_steps.size
    figures = np.zeros(room + len(attacker_steps) + len(defender_steps) + len(best) + layout.ROUND_LIMIT + 12)
    winners = np.zeros(len(endings), np.int8)
    takes = layout.ROUND_LIMIT + 1
    for at in range(len(endings)):
        code, taken = endings[at], attacker_totals[LAND, rows[at]] > 0
        figures[code] += chances[at]
        if code == layout.DEFENDER or (code == layout.ATTACKER and (taken or not must_take)):
            winners[at] = code
        if code == layout.ATTACKER and taken:
            figures[takes] += chances[at]
    results, end = np.empty((4, len(best)), np.int64), takes + 1
    for at in range(len(best)):
        results[0, at], results[1, at] = endings[best[at]], winners[best[at]]
        figures[end + at] = min(1.0, chances[best[at]])
    end += len(best)
    end = _figures(
        here, attacker_totals, attacker_steps, attacker_ipc, rows, chances, winners == layout.ATTACKER, figures, end
    )
    end = _figures(
        there, defender_totals, defender_steps, defender_ipc, columns, chances, winners == layout.DEFENDER, figures, end
    )
    return (
        figures[:end],
        results,
        _each_once(here, rows, best, results[2]),
        _each_once(there, columns, best, results[3]),
    )


@inner
def _figures(
    units: Ints,
    totals: Ints,
    steps: Ints,
    ipc: int,
    which: Ints,
    chances: Floats,
    won: Flags,
    figures: Floats,
    end: int,
) -> int:
    """Fill in a side's `figures` from `end` on; return their new end.

    `units`: its armies by kind; `which`: the number of its army in each result. The figures: the mean and the standard
    deviation of its losses in IPC; the fewest units with which it wins, and how many chances follow: to win with these,
    one more and so on; and for each kind the mean units left and the chances that as many as its `steps` are left.
    """
    p, wins = np.zeros(len(units)), np.zeros(len(units))
    for at in range(len(which)):
        p[which[at]] += chances[at]
        wins[which[at]] += chances[at] if won[at] else 0.0
    lost = 0.0
    for army in range(len(p)):
        lost += p[army] * (ipc - totals[IPC, army])
    fewest, spread = _spread(totals[UNITS], wins)
    figures[end], figures[end + 1] = lost, np.sqrt((p * (ipc - totals[IPC] - lost) ** 2).sum())
    figures[end + 2], figures[end + 3] = fewest, len(spread)
    end += 4
    copy(spread, figures[end:])
    end += len(spread)
    for kind in range(len(steps)):
        size = (steps[kind] > 0).sum()
        mean, told = end, figures[end + 1 : end + 1 + size]
        for army in range(len(p)):
            reached = units[army, kind]
            if p[army] > 0.0 and reached > 0:
                figures[mean] += p[army] * reached
                if size == _MAX_BARS:
                    reached = np.searchsorted(steps[kind], reached, side="right")
                told[reached - 1] += p[army]
        total = 0.0
        for step in range(size - 1, -1, -1):
            total += told[step]
            told[step] = min(1.0, total)
        end += 1 + size
    return end


@inner
def _by_kind(counts: Ints, kind_of: Ints, steps: Ints) -> Ints:
    """Return armies by kind, of which there are as many as `steps`; `kind_of`: see `Layout.kind`."""
    units = np.zeros((len(counts), len(steps)), np.int64)
    for army in range(len(counts)):
        for slot in range(len(kind_of)):
            units[army, kind_of[slot]] += counts[army, slot]
    return units


@inner
def _each_once(units: Ints, which: Ints, best: Ints, numbers: Ints) -> Ints:
    """Return the armies in the results `best`, each once, and fill in their `numbers` in each result."""
    armies, known, found = np.empty((len(best), units.shape[1]), np.int64), np.full(len(units), -1), 0
    for at in range(len(best)):
        army = which[best[at]]
        if known[army] < 0:
            copy(units[army], armies[found])
            known[army] = found
            found += 1
        numbers[at] = known[army]
    return armies[:found]


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
    each = range(fewest, fewest + len(chances))
    bars = tuple(map(_BAR, zip(each, each, chances, strict=True)))
    if min(chances, default=1.0) <= _MIN_BAR:
        bars = tuple(compress(bars, map(_MIN_BAR.__lt__, chances)))
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
    return Simulation(battles=battles, seed=solution.seed or 0, cut_off=probability(solution.lost), intervals=intervals)
