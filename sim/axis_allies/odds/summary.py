"""Report of a battle's odds from its solution, and which outcomes are impossible.

Numbers can't tell impossible from unlikely: negligible chances are dropped, so a computed 0 may stand for 1e-30.
"""

import math
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from sim.axis_allies.army import Army, battle_notes
from sim.axis_allies.casualties import LIFE, CasualtyOrder, Slot, category
from sim.axis_allies.odds import codes
from sim.axis_allies.odds.codes import Flags, Floats, Ints
from sim.axis_allies.odds.engine import Solution
from sim.axis_allies.odds_report import OddsReport
from sim.axis_allies.units import Category, Unit
from sim.core.numbers import chance_interval, mean_interval, probability
from sim.core.values import Ending, Side

OUTCOMES = ("attacker", "defender", "tie", "nobody")


def can_win(winner: Army, side: Side, loser: Army, rounds: int | None) -> bool:
    """Return whether `winner` wins with the best possible dice, within `rounds` if there is a limit.

    It does if its army can hit each kind of the other's units and has enough shots.
    """
    shooters = [group for group in winner.groups if group.unit.score(side)]
    destroyer = winner.count(Unit.DESTROYER) > 0
    has_targets = all(
        any(shooter.unit.can_hit(target.unit, own_destroyer=destroyer) for shooter in shooters)
        for target in loser.groups
    )
    shots = sum(shooter.count for shooter in shooters) * (rounds or 1)
    return has_targets and (rounds is None or shots >= sum(group.count + group.lives for group in loser.groups))


def can_stall(army: Army, other: Army) -> bool:
    """Return whether the battle can come to a point where both have units left and neither can hit the other."""
    if army.count(Unit.TRANSPORT) and other.count(Unit.TRANSPORT):
        return True
    return any(
        below.count(Unit.SUBMARINE) and above.has(Category.AIR) for below, above in ((army, other), (other, army))
    )


def impossible_outcomes(
    attacker: Army, defender: Army, stop_after: int | None, *, breaks_off: bool
) -> AbstractSet[str]:
    """Return the `OUTCOMES` that no dice can produce; the others may be possible.

    `breaks_off`: the attacker may retreat, or fail to take a territory.
    """
    wins = {
        "attacker": can_win(attacker, Side.ATTACKER, defender, stop_after),
        "defender": can_win(defender, Side.DEFENDER, attacker, stop_after),
    }
    possible = {
        **wins,
        "tie": all(wins.values()),
        "nobody": breaks_off or stop_after is not None or can_stall(attacker, defender),
    }
    return {name for name in OUTCOMES if not possible[name]}


MAX_OUTCOMES = 100
_MAX_BARS = 100
_MIN_BAR = 1e-12  # smaller chances make no bar

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
    """Return the key of a unit or of the battleships' lives in reports: one word."""
    if not isinstance(slot, Unit):
        return "battleship_extra_lives"
    return "carrier" if slot is Unit.CARRIER else slot.value


def odds_report(solution: Solution, attacker: Army, defender: Army, *, must_take: bool) -> OddsReport:
    """Summarize a solution for these armies; with `must_take` the attacker wins only with a land unit left."""
    terms = solution.terms
    taken = _taken(solution) if must_take else np.ones(len(solution.rows), np.bool_)
    won = solution.endings == codes.ATTACKER
    p = {name: _chance(solution, solution.endings == code) for name, code in _CHANCES.items()}
    p["p_not_taken"] = _chance(solution, won & ~taken)
    p["p_attacker"] = _chance(solution, won & taken)
    p["p_none"] = probability(p["p_stalemate"] + p["p_retreat"] + p["p_round_limit"] + p["p_not_taken"])
    chances = (
        _marginal(solution, solution.rows, solution.attackers),
        _marginal(solution, solution.columns, solution.defenders),
    )
    winning = (
        _marginal(solution, solution.rows, solution.attackers, won & taken),
        _marginal(solution, solution.columns, solution.defenders, solution.endings == codes.DEFENDER),
    )
    sides = {
        Side.ATTACKER: _side(terms.attacker, solution.attackers, chances[0], winning[0]),
        Side.DEFENDER: _side(terms.defender, solution.defenders, chances[1], winning[1]),
    }
    left = {side: {unit["unit"]: unit["mean"] for unit in odds["units"]} for side, odds in sides.items()}
    best = _likeliest(solution)
    every = _every_chance(solution)
    ruled_out = impossible_outcomes(
        attacker, defender, terms.stop_after, breaks_off=must_take or terms.retreat_below > 1
    ) | {name for name in OUTCOMES if every and p[f"p_{'none' if name == 'nobody' else name}"] == 0.0}
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
            "outcomes_beyond": probability(float(solution.chances.sum() - solution.chances[best].sum())),
            "rounds": _course(solution.course),
            "lost_mass": solution.lost,
            "impossible": [name for name in OUTCOMES if name in ruled_out],
            "every_chance": every,
            "method": "exact" if solution.battles is None else "simulated",
            "simulation": _simulation(solution, p, sides),
            "notes": battle_notes(attacker, defender),
        }
    )


_FEW_SHOOTERS = 7
_SMALL_CHANCE = 1e-12


def _every_chance(solution: Solution) -> bool:
    """Return whether surely no chance was dropped: with few units no chance is that small."""
    shooters = max(solution.terms.attacker.shooters, solution.terms.defender.shooters)
    return solution.battles is None and shooters <= _FEW_SHOOTERS and bool((solution.chances >= _SMALL_CHANCE).all())


_CHANCES = {
    "p_defender": codes.DEFENDER,
    "p_tie": codes.TIE,
    "p_stalemate": codes.STALEMATE,
    "p_retreat": codes.RETREAT,
    "p_round_limit": codes.ROUND_LIMIT,
}


def _chance(solution: Solution, chosen: Flags) -> float:
    return probability(float(solution.chances[chosen].sum()))


def _taken(solution: Solution) -> Flags:
    """Return for each result whether the attacker has a land unit left."""
    land = [category(slot) is Category.LAND for slot in solution.terms.attacker.slots]
    has_land: Flags = solution.attackers[:, land].sum(axis=1) > 0
    return has_land[solution.rows]


def _marginal(solution: Solution, which: Ints, armies: Ints, chosen: Flags | None = None) -> Floats:
    """Return the chance that each of a side's armies is what is left, in the chosen results."""
    chances = solution.chances if chosen is None else solution.chances * chosen
    marginal: Floats = np.bincount(which, weights=chances, minlength=len(armies)).astype(np.float64)
    return marginal


def _side(order: CasualtyOrder, counts: Ints, chances: Floats, winning: Floats) -> dict[str, Any]:
    costs = np.array([slot.cost if isinstance(slot, Unit) else 0 for slot in order.slots], dtype=np.int64)
    is_unit = np.array([slot != LIFE for slot in order.slots], dtype=np.bool_)
    ipc_left = counts @ costs
    ipc_start = int(np.dot(order.counts, costs))
    lost = ipc_start - ipc_left
    mean = float(chances @ lost)
    return {
        "units": [
            {
                "unit": unit_key(order.slots[at]),
                "start": order.counts[at],
                "mean": float(chances @ counts[:, at]),
                "at_least": _at_least(counts[:, at], chances, order.counts[at]),
            }
            for at in order.typed
            if order.counts[at]
        ],
        "ipc_start": ipc_start,
        "ipc_lost": mean,
        "ipc_lost_sd": math.sqrt(max(0.0, float(chances @ (lost - mean) ** 2))),
        "units_left": _bars(counts[:, is_unit].sum(axis=1), chances),
        "units_of_winner": _bars(counts[:, is_unit].sum(axis=1), winning),
        "ipc_left": _bars(ipc_left, chances),
    }


def _at_least(left: Ints, chances: Floats, start: int) -> list[dict[str, Any]]:
    exactly = np.bincount(left, weights=chances, minlength=start + 1)
    or_more = np.cumsum(exactly[::-1])[::-1]
    steps = range(1, start + 1) if start <= _MAX_BARS else np.linspace(1, start, _MAX_BARS).round().astype(int)
    return [{"count": int(count), "p": probability(float(or_more[count]))} for count in steps]


def _bars(values: Ints, chances: Floats) -> list[dict[str, Any]]:
    spread = np.bincount(values, weights=chances)
    seen = np.flatnonzero(spread > _MIN_BAR)
    if len(seen) <= _MAX_BARS:
        return [{"low": int(at), "high": int(at), "p": probability(float(spread[at]))} for at in seen]
    low, high = int(seen[0]), int(seen[-1])
    width = -(-(high + 1 - low) // _MAX_BARS)
    starts = np.arange(low, high + 1, width)
    sums = np.add.reduceat(spread[: high + 1], starts)
    return [
        {"low": int(start), "high": min(high, int(start) + width - 1), "p": probability(float(p))}
        for start, p in zip(starts, sums, strict=True)
    ]


def _likeliest(solution: Solution) -> Ints:
    chances = solution.chances
    if len(chances) <= MAX_OUTCOMES:
        best = np.arange(len(chances))
    else:
        best = np.argpartition(chances, -MAX_OUTCOMES)[-MAX_OUTCOMES:]
    return best[np.argsort(-chances[best], kind="stable")]


def _outcome(solution: Solution, at: int, *, taken: bool) -> dict[str, Any]:
    ending, winner = _ENDINGS[int(solution.endings[at])]
    terms = solution.terms
    return {
        "attacker": counts_by_unit(terms.attacker, solution.attackers[solution.rows[at]]),
        "defender": counts_by_unit(terms.defender, solution.defenders[solution.columns[at]]),
        "ending": ending,
        "winner": winner if taken or winner is not Side.ATTACKER else None,
        "p": probability(float(solution.chances[at])),
    }


def counts_by_unit(order: CasualtyOrder, counts: Ints) -> dict[str, int]:
    """Return an army's positive counts by `unit_key`, in the order typed; `counts` are by slot."""
    left = counts.tolist()
    return {unit_key(order.slots[at]): left[at] for at in order.typed if left[at]}


def _course(course: Floats) -> list[dict[str, Any]]:
    return [
        {"number": number, "p_over": probability(1.0 - going), "attacker_units": attackers, "defender_units": defenders}
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
    return {"battles": battles, "seed": solution.seed, "cut_off": probability(solution.lost), "intervals": intervals}
