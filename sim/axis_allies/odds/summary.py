"""From every way in which a battle may end to the report."""

import math
from typing import Any

import numpy as np

from sim.axis_allies.army import Army
from sim.axis_allies.average import notes
from sim.axis_allies.odds import codes
from sim.axis_allies.odds.arrays import Flags, Floats, Ints
from sim.axis_allies.odds.engine import Solution
from sim.axis_allies.odds.orders import LIFE, Muster, Slot, category
from sim.axis_allies.odds.reachability import OUTCOMES, impossible
from sim.axis_allies.odds.reports import OddsReport
from sim.axis_allies.units import Category, Unit
from sim.core.intervals import chance_interval, mean_interval
from sim.core.outcomes import Ending, Side

MOST_OUTCOMES = 100
_MOST_BARS = 100
_UNSHOWN = 1e-12  # chances under this make no bar

_ENDINGS: dict[int, tuple[Ending, Side | None]] = {
    codes.ATTACKER: (Ending.ANNIHILATION, Side.ATTACKER),
    codes.DEFENDER: (Ending.ANNIHILATION, Side.DEFENDER),
    codes.TIE: (Ending.MUTUAL, None),
    codes.STALEMATE: (Ending.STALEMATE, None),
    codes.RETREAT: (Ending.RETREAT, None),
    codes.ROUND_LIMIT: (Ending.ROUND_LIMIT, None),
    codes.GOES_ON: (Ending.ROUND_LIMIT, None),
}


def unit_key(slot: Slot) -> str:
    """Return the name of a unit, or of the battleships' lives, in reports: one word, as in tables of other programs."""
    if not isinstance(slot, Unit):
        return "battleship_extra_lives"
    return "carrier" if slot is Unit.CARRIER else slot.value


def report(solution: Solution, attacker: Army, defender: Army, *, must_take: bool) -> OddsReport:
    """Sum up a solution for these two armies; with `must_take` only land units make a victory of the attacker."""
    terms = solution.terms
    taken = _taken(solution) if must_take else np.ones(len(solution.rows), np.bool_)
    won = solution.endings == codes.ATTACKER
    p = {name: _chance(solution, solution.endings == code) for name, code in _CHANCES.items()}
    p["p_not_taken"] = _chance(solution, won & ~taken)
    p["p_attacker"] = _chance(solution, won & taken)
    p["p_none"] = p["p_stalemate"] + p["p_retreat"] + p["p_round_limit"] + p["p_not_taken"]
    chances = (
        _margin(solution, solution.rows, solution.attackers),
        _margin(solution, solution.columns, solution.defenders),
    )
    sides = {
        Side.ATTACKER: _side(terms.attacker, solution.attackers, chances[0]),
        Side.DEFENDER: _side(terms.defender, solution.defenders, chances[1]),
    }
    left = {side: {unit["unit"]: unit["mean"] for unit in odds["units"]} for side, odds in sides.items()}
    best = _likeliest(solution)
    every = _every_chance(solution)
    ruled_out = impossible(attacker, defender, terms.stop_after, breaks_off=must_take or terms.retreat_below > 1) | {
        name for name in OUTCOMES if every and p[f"p_{'none' if name == 'nobody' else name}"] == 0.0
    }
    return OddsReport.model_validate(
        {
            "attacker": attacker,
            "defender": defender,
            **p,
            "exp_rounds": solution.mean_rounds,
            "att_left": left[Side.ATTACKER],
            "def_left": left[Side.DEFENDER],
            "att_ipc_lost": sides[Side.ATTACKER]["ipc_lost"],
            "def_ipc_lost": sides[Side.DEFENDER]["ipc_lost"],
            "attacker_odds": sides[Side.ATTACKER],
            "defender_odds": sides[Side.DEFENDER],
            "outcomes": [_outcome(solution, at, taken=bool(taken[at])) for at in best],
            "outcomes_beyond": max(0.0, float(solution.chances.sum() - solution.chances[best].sum())),
            "rounds": _course(solution.course),
            "lost_mass": solution.lost,
            "impossible": [name for name in OUTCOMES if name in ruled_out],
            "every_chance": every,
            "method": "exact" if solution.battles is None else "simulated",
            "simulation": _simulation(solution, p, sides),
            "notes": notes(attacker, defender),
        }
    )


_FEW_GUNS = 7
_FAINT = 1e-12


def _every_chance(solution: Solution) -> bool:
    """Tell whether surely no chance was dropped as negligible: each die still shows in the smallest of them."""
    guns = max(
        sum(count for count, chance in zip(side.counts, side.chances, strict=True) if chance > 0)
        for side in (solution.terms.attacker, solution.terms.defender)
    )
    return solution.battles is None and guns <= _FEW_GUNS and bool((solution.chances >= _FAINT).all())


_CHANCES = {
    "p_defender": codes.DEFENDER,
    "p_tie": codes.TIE,
    "p_stalemate": codes.STALEMATE,
    "p_retreat": codes.RETREAT,
    "p_round_limit": codes.ROUND_LIMIT,
}


def _chance(solution: Solution, chosen: Flags) -> float:
    return float(solution.chances[chosen].sum())


def _taken(solution: Solution) -> Flags:
    """Tell for each end whether the attacker has a land unit left."""
    land = [category(slot) is Category.LAND for slot in solution.terms.attacker.slots]
    has_land: Flags = solution.attackers[:, land].sum(axis=1) > 0
    return has_land[solution.rows]


def _margin(solution: Solution, which: Ints, armies: Ints) -> Floats:
    """Return the chance of each of a side's armies to be the one that is left."""
    margin: Floats = np.bincount(which, weights=solution.chances, minlength=len(armies)).astype(np.float64)
    return margin


def _side(muster: Muster, counts: Ints, chances: Floats) -> dict[str, Any]:
    costs = np.array([slot.cost if isinstance(slot, Unit) else 0 for slot in muster.slots], dtype=np.int64)
    is_unit = np.array([slot != LIFE for slot in muster.slots], dtype=np.bool_)
    ipc_left = counts @ costs
    ipc_start = int(np.dot(muster.counts, costs))
    lost = ipc_start - ipc_left
    mean = float(chances @ lost)
    return {
        "units": [
            {
                "unit": unit_key(muster.slots[at]),
                "start": muster.counts[at],
                "mean": float(chances @ counts[:, at]),
                "at_least": _at_least(counts[:, at], chances, muster.counts[at]),
            }
            for at in muster.typed
            if muster.counts[at]
        ],
        "ipc_start": ipc_start,
        "ipc_lost": mean,
        "ipc_lost_sd": math.sqrt(max(0.0, float(chances @ (lost - mean) ** 2))),
        "units_left": _bars(counts[:, is_unit].sum(axis=1), chances),
        "ipc_left": _bars(ipc_left, chances),
    }


def _at_least(left: Ints, chances: Floats, start: int) -> list[dict[str, Any]]:
    exactly = np.bincount(left, weights=chances, minlength=start + 1)
    or_more = np.cumsum(exactly[::-1])[::-1]
    steps = range(1, start + 1) if start <= _MOST_BARS else np.linspace(1, start, _MOST_BARS).round().astype(int)
    return [{"count": int(count), "p": float(or_more[count])} for count in steps]


def _bars(values: Ints, chances: Floats) -> list[dict[str, Any]]:
    spread = np.bincount(values, weights=chances)
    seen = np.flatnonzero(spread > _UNSHOWN)
    if len(seen) <= _MOST_BARS:
        return [{"low": int(at), "high": int(at), "p": float(spread[at])} for at in seen]
    low, high = int(seen[0]), int(seen[-1])
    width = -(-(high + 1 - low) // _MOST_BARS)
    starts = np.arange(low, high + 1, width)
    sums = np.add.reduceat(spread[: high + 1], starts)
    return [
        {"low": int(start), "high": min(high, int(start) + width - 1), "p": float(p)}
        for start, p in zip(starts, sums, strict=True)
    ]


def _likeliest(solution: Solution) -> Ints:
    chances = solution.chances
    if len(chances) <= MOST_OUTCOMES:
        best = np.arange(len(chances))
    else:
        best = np.argpartition(chances, -MOST_OUTCOMES)[-MOST_OUTCOMES:]
    return best[np.argsort(-chances[best], kind="stable")]


def _outcome(solution: Solution, at: int, *, taken: bool) -> dict[str, Any]:
    ending, winner = _ENDINGS[int(solution.endings[at])]
    terms = solution.terms
    return {
        "attacker": named_counts(terms.attacker, solution.attackers[solution.rows[at]]),
        "defender": named_counts(terms.defender, solution.defenders[solution.columns[at]]),
        "ending": ending,
        "winner": winner if taken or winner is not Side.ATTACKER else None,
        "p": float(solution.chances[at]),
    }


def named_counts(muster: Muster, counts: Ints) -> dict[str, int]:
    """Return what is there of an army by `unit_key`, in the order typed; `counts` in the order of its slots."""
    left = counts.tolist()
    return {unit_key(muster.slots[at]): left[at] for at in muster.typed if left[at]}


def _course(course: Floats) -> list[dict[str, Any]]:
    return [
        {"number": number, "p_over": max(0.0, 1.0 - going), "attacker_units": attackers, "defender_units": defenders}
        for number, (going, attackers, defenders) in enumerate(course.tolist())
    ]


def _simulation(solution: Solution, p: dict[str, float], sides: dict[Side, dict[str, Any]]) -> dict[str, Any] | None:
    battles = solution.battles
    if battles is None:
        return None
    intervals = {name: chance_interval(chance, battles) for name, chance in p.items()}
    spread = math.sqrt(max(0.0, solution.round_squares - solution.mean_rounds**2))
    intervals["exp_rounds"] = mean_interval(solution.mean_rounds, spread, battles)
    for name, side in (("att_ipc_lost", Side.ATTACKER), ("def_ipc_lost", Side.DEFENDER)):
        intervals[name] = mean_interval(sides[side]["ipc_lost"], sides[side]["ipc_lost_sd"], battles)
    return {"battles": battles, "seed": solution.seed, "cut_off": solution.lost, "intervals": intervals}
