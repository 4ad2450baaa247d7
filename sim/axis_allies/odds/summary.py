"""Report of a battle's odds from its solution, and which outcomes are impossible.

Numbers can't tell impossible from unlikely: negligible chances are dropped, so a computed 0 may stand for 1e-30.
"""

import math
from collections.abc import Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from sim.axis_allies.army import Army, battle_notes
from sim.axis_allies.casualties import CasualtyOrder, Life, Slot
from sim.axis_allies.odds import layout
from sim.axis_allies.odds.army_graph import Armies
from sim.axis_allies.odds.engine import Solution
from sim.axis_allies.odds.layout import AIR, IPC, LAND, UNITS, Codes, Floats, Ints, layout_of
from sim.axis_allies.odds.terms import Terms
from sim.axis_allies.odds_report import (
    AtLeast,
    Bar,
    Counts,
    FinalArmies,
    FoundOrder,
    OddsReport,
    OutcomeName,
    RoundOdds,
    SideOdds,
    Simulation,
    UnitOdds,
)
from sim.axis_allies.units import Unit
from sim.core.kernels import inner, kernel
from sim.core.numbers import chance_interval, mean_interval, probability
from sim.core.values import Ending, Side

OUTCOMES: tuple[OutcomeName, ...] = ("attacker", "defender", "tie", "nobody")


def can_win(winner: CasualtyOrder, loser: CasualtyOrder, rounds: int | None) -> bool:
    """Return whether `winner` wins with the best possible dice, within `rounds` if there is a limit.

    It does if its army can hit each kind of the other's units and has enough shots.
    """
    fires = layout_of(winner).fires
    if not all(fires & targets for targets in layout_of(loser).targets.tolist()):
        return False
    return rounds is None or winner.shooters * rounds >= loser.hits


def can_stall(army: CasualtyOrder, other: CasualtyOrder) -> bool:
    """Return whether the battle can come to a point where both have units left and neither can hit the other."""
    if Unit.TRANSPORT in army.slots and Unit.TRANSPORT in other.slots:
        return True
    return any(
        Unit.SUBMARINE in below.slots and layout_of(above).worth[AIR].any()
        for below, above in ((army, other), (other, army))
    )


def impossible_outcomes(
    terms: Terms, *, must_take: bool, among: Collection[OutcomeName] = OUTCOMES
) -> AbstractSet[OutcomeName]:
    """Return the outcomes that no dice can produce; the others may be possible.

    `must_take`: the attacker wins only with a land unit left. `among`: those that are looked at.
    """
    attacker, defender, rounds = terms.attacker, terms.defender, terms.stop_after

    def possible(name: OutcomeName) -> bool:
        if name == "nobody":
            # The last land unit is lost last, unless submarines' hits have to spare planes; then a battle can stall.
            untaken = must_take and not layout_of(attacker).worth[LAND].any()
            return terms.withdrawal.possible or untaken or rounds is not None or can_stall(attacker, defender)
        return (name == "defender" or can_win(attacker, defender, rounds)) and (
            name == "attacker" or can_win(defender, attacker, rounds)
        )

    return {name for name in among if not possible(name)}


_AT_LEAST, _BAR = partial(tuple.__new__, AtLeast), partial(tuple.__new__, Bar)
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
    terms, armies, chances = solution.terms, solution.sides, solution.chances
    winners, by_ending, p_takes = who_wins(solution.endings, solution.rows, chances, armies[0].totals[LAND], must_take)
    by_code = by_ending.tolist()
    p = ends(by_code, p_takes, must_take=must_take)
    best = likeliest(chances, outcomes)
    attackers, att_finals = _side(armies[0], solution.rows, chances, winners, layout.ATTACKER, best)
    defenders, def_finals = _side(armies[1], solution.columns, chances, winners, layout.DEFENDER, best)
    every = every_chance(solution)
    never = [name for name in OUTCOMES if p["p_none" if name == "nobody" else f"p_{name}"] == 0.0]
    if never and not every:
        ruled_out = impossible_outcomes(terms, must_take=must_take, among=never)
        never = [name for name in never if name in ruled_out]
    shown = [values[best].tolist() for values in (solution.endings, winners, np.minimum(chances, 1.0))]
    finals = [
        FinalArmies.trusted(
            {"attacker": here, "defender": there, "ending": _ENDINGS[code], "winner": _WINNERS[winner], "p": chance}
        )
        for here, there, code, winner, chance in zip(att_finals, def_finals, *shown, strict=True)
    ]
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
            "outcomes": tuple(finals),
            "outcomes_beyond": probability(math.fsum(by_code) - math.fsum(shown[-1])),
            "rounds": tuple(_course(solution.course)),
            "lost_mass": solution.lost,
            "impossible": tuple(never),
            "every_chance": every,
            "method": "exact" if solution.battles is None else "simulated",
            "simulation": _simulation(solution, p, attackers, defenders),
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
    few = terms.low_luck or max(terms.attacker.shooters, terms.defender.shooters) <= _FEW_SHOOTERS
    return solution.battles is None and few and bool((solution.chances >= _SMALL_CHANCE).all())


_CHANCES = {
    "p_defender": layout.DEFENDER,
    "p_tie": layout.TIE,
    "p_stalemate": layout.STALEMATE,
    "p_retreat": layout.RETREAT,
    "p_round_limit": layout.ROUND_LIMIT,
}


def ends(by_code: Sequence[float], p_takes: float, *, must_take: bool) -> dict[str, Any]:
    """Return the chances in `Ends` from those of all codes, and the chance that the attacker takes the territory."""
    p = {name: probability(by_code[code]) for name, code in _CHANCES.items()}
    p["p_takes"] = probability(p_takes)
    p["p_attacker"] = p["p_takes"] if must_take else probability(by_code[layout.ATTACKER])
    p["p_not_taken"] = probability(by_code[layout.ATTACKER] - p["p_takes"]) if must_take else 0.0
    p["p_none"] = probability(p["p_stalemate"] + p["p_retreat"] + p["p_round_limit"] + p["p_not_taken"])
    return p


@kernel
def who_wins(
    endings: Codes, rows: Ints, chances: Floats, land_units: Ints, must_take: bool
) -> tuple[Codes, Floats, float]:
    """Return who wins each result, `layout.ATTACKER`, `layout.DEFENDER` or 0, and the chances of all codes.

    And the chance that the attacker wins with a land unit left, as it has to with `must_take`.
    """
    winners = np.zeros(len(endings), np.int8)
    by_code = np.zeros(layout.ROUND_LIMIT + 1)
    takes = 0.0
    for at in range(len(endings)):
        code, taken = endings[at], land_units[rows[at]] > 0
        by_code[code] += chances[at]
        if code == layout.DEFENDER or (code == layout.ATTACKER and (taken or not must_take)):
            winners[at] = code
        if code == layout.ATTACKER and taken:
            takes += chances[at]
    return winners, by_code, takes


def _side(
    armies: Armies, which: Ints, chances: Floats, winners: Codes, side: int, best: Ints
) -> tuple[SideOdds, list[Counts]]:
    """Return the odds of a side, and its armies in the results `best`; `which`: the number of its army in each."""
    order, kinds = armies.order, armies.order.kinds
    starts = list(kinds.values())
    means, steps, at_least, lost, deviation, fewest, winner, finals = figures(
        armies.counts,
        armies.totals,
        layout_of(order).kind,
        np.array(starts, dtype=np.int64),
        order.ipc,
        which,
        chances,
        winners,
        side,
        best,
    )
    keys = [_KEYS[slot] for slot in kinds]
    by_kind = zip(keys, starts, means.tolist(), map(zip, steps.tolist(), at_least.tolist()), strict=True)
    units = [
        UnitOdds.trusted(
            {"unit": key, "start": start, "mean": mean, "at_least": tuple(map(_AT_LEAST, islice(pairs, start)))}
        )
        for key, start, mean, pairs in by_kind
        if start
    ]
    odds = SideOdds.trusted(
        {
            "units": tuple(units),
            "ipc_start": order.ipc,
            "ipc_lost": lost,
            "ipc_lost_sd": deviation,
            "units_of_winner": _bars(fewest, winner),
        }
    )
    shown = which[best].tolist()
    named = {  # each army once: one of the two is often destroyed
        army: {keys[kind]: count for kind, count in enumerate(each) if count}
        for army, each in dict(zip(shown, finals.tolist(), strict=True)).items()
    }
    return odds, [named[army] for army in shown]


@kernel
def figures(
    counts: Ints,
    totals: Ints,
    kind_of: Ints,
    starts: Ints,
    ipc: int,
    which: Ints,
    chances: Floats,
    winners: Codes,
    side: int,
    best: Ints,
) -> tuple[Floats, Ints, Floats, float, float, int, Floats, Ints]:
    """Return the figures of a side from the number of its army, the chance, and who wins, in each result.

    `counts`, `totals`: see `Armies`; `kind_of`: see `Layout.kind`. `starts`: the units of each kind that it came with;
    `ipc`: their price. `side`: its code in `winners`. Returns by kind: the mean units left, some numbers of units, and
    the chance that at least as many are left. The mean and the standard deviation of its losses in IPC. The fewest
    units with which it wins, and the chances to win with these, one more and so on. The units by kind that it has in
    the results `best`.
    """
    p, wins = np.zeros(len(counts)), np.zeros(len(counts))
    for at in range(len(which)):
        p[which[at]] += chances[at]
        wins[which[at]] += chances[at] if winners[at] == side else 0.0
    means, steps = np.zeros(len(starts)), _steps(starts)
    at_least = np.zeros(steps.shape)
    here = np.zeros(len(starts), np.int64)
    lost = 0.0
    for army in range(len(p)):
        if p[army] == 0.0:
            continue
        _by_kind(counts[army], kind_of, here)
        for kind in range(len(starts)):
            means[kind] += p[army] * here[kind]
            reached = here[kind]
            if starts[kind] > _MAX_BARS:
                reached = np.searchsorted(steps[kind], reached, side="right")
            if reached > 0:
                at_least[kind, reached - 1] += p[army]
        lost += p[army] * (ipc - totals[IPC, army])
    for kind in range(len(starts)):
        total = 0.0
        for step in range(steps.shape[1] - 1, -1, -1):
            total += at_least[kind, step]
            at_least[kind, step] = min(1.0, total)
    deviation = np.sqrt((p * (ipc - totals[IPC] - lost) ** 2).sum())
    fewest, winner = _spread(totals[UNITS], wins)
    finals = np.zeros((len(best), len(starts)), np.int64)
    for at in range(len(best)):
        _by_kind(counts[which[best[at]]], kind_of, finals[at])
    return means, steps, at_least, lost, deviation, fewest, winner, finals


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


@inner
def _steps(starts: Ints) -> Ints:
    """Return for each kind from 1 to as many as it started with, in `_MAX_BARS` steps if there are more."""
    shown = 0
    for start in starts:
        shown = max(shown, min(_MAX_BARS, start))
    steps = np.zeros((len(starts), shown), np.int64)
    for kind in range(len(starts)):
        last = min(_MAX_BARS, starts[kind]) - 1
        for step in range(last + 1):
            steps[kind, step] = np.rint(1 + step * ((starts[kind] - 1) / max(1, last)))
    return steps


@inner
def _by_kind(army: Ints, kind_of: Ints, here: Ints) -> None:
    """Count the units of an army by kind."""
    here[:] = 0
    for slot in range(len(kind_of)):
        here[kind_of[slot]] += army[slot]


def _bars(fewest: int, chances: Floats) -> tuple[Bar, ...]:
    """Return the bars of a histogram; `chances`: of the fewest, one more and so on."""
    bars = [_BAR((at, at, chance)) for at, chance in enumerate(chances.tolist(), fewest) if chance > _MIN_BAR]
    if len(bars) <= _MAX_BARS:
        return tuple(bars)
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


def _simulation(solution: Solution, p: dict[str, float], *sides: SideOdds) -> Simulation | None:
    battles = solution.battles
    if battles is None:
        return None
    intervals = {name: chance_interval(chance, battles) for name, chance in p.items()}
    spread = math.sqrt(max(0.0, solution.round_squares - solution.mean_rounds**2))
    intervals["exp_rounds"] = mean_interval(solution.mean_rounds, spread, battles)
    for name, side in zip(("att_ipc_lost", "def_ipc_lost"), sides, strict=True):
        intervals[name] = mean_interval(side.ipc_lost, side.ipc_lost_sd, battles)
    return Simulation(battles=battles, seed=solution.seed or 0, cut_off=probability(solution.lost), intervals=intervals)
