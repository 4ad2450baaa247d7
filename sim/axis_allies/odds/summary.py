"""Report of a battle's odds from its solution, and which outcomes are impossible.

Numbers can't tell impossible from unlikely: negligible chances are dropped, so a computed 0 may stand for 1e-30.
"""

import math
from collections.abc import Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
from numba import njit

from sim.axis_allies.arms import arms_of
from sim.axis_allies.army import Army, battle_notes
from sim.axis_allies.casualties import Life, Slot
from sim.axis_allies.odds import codes
from sim.axis_allies.odds.army_graph import Armies
from sim.axis_allies.odds.codes import Flags, Floats, Ints
from sim.axis_allies.odds.engine import Solution
from sim.axis_allies.odds_report import (
    AtLeast,
    Bar,
    FinalArmies,
    FoundOrder,
    OddsReport,
    OutcomeName,
    RoundOdds,
    SideOdds,
    Simulation,
    UnitOdds,
)
from sim.axis_allies.units import Category, Unit
from sim.core.numbers import chance_interval, mean_interval, probability
from sim.core.values import Ending, Side

OUTCOMES: tuple[OutcomeName, ...] = ("attacker", "defender", "tie", "nobody")


def can_win(winner: Army, side: Side, loser: Army, rounds: int | None) -> bool:
    """Return whether `winner` wins with the best possible dice, within `rounds` if there is a limit.

    It does if its army can hit each kind of the other's units and has enough shots.
    """
    arms = arms_of(winner.edition, side)
    shooters = [group for group in winner.groups if group.unit in arms.weapons and arms.score(group.unit)]
    destroyer = winner.count(Unit.DESTROYER) > 0
    has_targets = all(
        any(arms.can_hit(shooter.unit, target.unit, own_destroyer=destroyer) for shooter in shooters)
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
    attacker: Army,
    defender: Army,
    stop_after: int | None,
    *,
    retreats: bool,
    must_take: bool,
    among: Collection[OutcomeName] = OUTCOMES,
) -> AbstractSet[OutcomeName]:
    """Return the outcomes that no dice can produce; the others may be possible.

    `retreats`: the attacker may retreat. `must_take`: it wins only with a land unit left. `among`: those that are
    looked at.
    """
    # The last land unit is lost last of all, unless hits of submarines have to spare planes; then a battle can stall.
    untaken = must_take and not attacker.has(Category.LAND)

    def possible(name: OutcomeName) -> bool:
        if name == "nobody":
            return retreats or untaken or stop_after is not None or can_stall(attacker, defender)
        return (name == "defender" or can_win(attacker, Side.ATTACKER, defender, stop_after)) and (
            name == "attacker" or can_win(defender, Side.DEFENDER, attacker, stop_after)
        )

    return {name for name in among if not possible(name)}


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


_KEYS: dict[Slot, str] = {
    Unit.MECH: "mech",
    Unit.GUN: "aagun",
    Unit.TACTICAL: "tac",
    Unit.CARRIER: "carrier",
    Life.BATTLESHIP: "battleship_extra_lives",
    Life.CARRIER: "carrier_extra_lives",
}


def unit_key(slot: Slot) -> str:
    """Return the key of a unit or of ships' lives in reports: one word."""
    return _KEYS.get(slot, slot.value)


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
    """Summarize a solution for these armies, with so many of its likeliest `outcomes`.

    With `must_take` the attacker wins only with a land unit left. `found_orders`: of losses; `notes`: besides those on
    the armies.
    """
    # Validating our own figures would take longer than a small battle.
    terms, armies = solution.terms, dict(zip(Side, solution.sides, strict=True))
    codes_of, chances = solution.endings, solution.chances
    by_code = np.bincount(codes_of, weights=chances, minlength=codes.ROUND_LIMIT + 1).tolist()
    won, lost = codes_of == codes.ATTACKER, codes_of == codes.DEFENDER
    takes = won & (armies[Side.ATTACKER].land_units > 0)[solution.rows]
    p: dict[str, Any] = {name: probability(by_code[code]) for name, code in _CHANCES.items()}
    p["p_takes"] = probability(float(chances[takes].sum()))
    p["p_attacker"] = p["p_takes"] if must_take else probability(by_code[codes.ATTACKER])
    p["p_not_taken"] = probability(by_code[codes.ATTACKER] - p["p_takes"]) if must_take else 0.0
    p["p_none"] = probability(p["p_stalemate"] + p["p_retreat"] + p["p_round_limit"] + p["p_not_taken"])
    taken = takes if must_take else won
    sides = {
        side: _side(armies[side], which, chances, winning)
        for side, which, winning in ((Side.ATTACKER, solution.rows, taken), (Side.DEFENDER, solution.columns, lost))
    }
    left = {side: {unit.unit: unit.mean for unit in odds.units} for side, odds in sides.items()}
    best = _likeliest(chances, outcomes)
    every = every_chance(solution)
    never = [name for name in OUTCOMES if p["p_none" if name == "nobody" else f"p_{name}"] == 0.0]
    if not every:
        ruled_out = impossible_outcomes(
            attacker, defender, terms.stop_after, retreats=terms.withdrawal.possible, must_take=must_take, among=never
        )
        never = [name for name in never if name in ruled_out]
    return OddsReport.trusted(
        attacker=attacker,
        defender=defender,
        **p,
        exp_rounds=solution.mean_rounds,
        att_left=left[Side.ATTACKER],
        def_left=left[Side.DEFENDER],
        att_ipc_lost=sides[Side.ATTACKER].ipc_lost,
        def_ipc_lost=sides[Side.DEFENDER].ipc_lost,
        attacker_odds=sides[Side.ATTACKER],
        defender_odds=sides[Side.DEFENDER],
        outcomes=tuple(_outcomes(solution, armies, best, taken)),
        outcomes_beyond=probability(float(chances.sum() - chances[best].sum())),
        rounds=tuple(_course(solution.course)),
        lost_mass=solution.lost,
        impossible=tuple(never),
        every_chance=every,
        method="exact" if solution.battles is None else "simulated",
        simulation=_simulation(solution, p, sides),
        must_take=must_take,
        found_orders=found_orders,
        notes=(*battle_notes(attacker, defender), *notes),
    )


_FEW_SHOOTERS = 7
_SMALL_CHANCE = 1e-12


def every_chance(solution: Solution) -> bool:
    """Return whether surely no chance was dropped: with few units, or with low luck, no chance is that small."""
    terms = solution.terms
    few = terms.low_luck or max(terms.attacker.shooters, terms.defender.shooters) <= _FEW_SHOOTERS
    return solution.battles is None and few and bool((solution.chances >= _SMALL_CHANCE).all())


_CHANCES = {
    "p_defender": codes.DEFENDER,
    "p_tie": codes.TIE,
    "p_stalemate": codes.STALEMATE,
    "p_retreat": codes.RETREAT,
    "p_round_limit": codes.ROUND_LIMIT,
}


def _side(armies: Armies, which: Ints, chances: Floats, winning: Flags) -> SideOdds:
    """Return the odds of a side; `which`: the number of its army in each result."""
    size = len(armies.counts)
    left: Floats = np.bincount(which, weights=chances, minlength=size).astype(np.float64)
    wins: Floats = np.bincount(which, weights=chances * winning, minlength=size).astype(np.float64)
    ipc_start = armies.order.ipc
    lost = ipc_start - armies.ipc
    mean = float(left @ lost)
    starts = armies.order.kinds
    kinds = np.array(list(armies.kinds.values()), dtype=np.int64).reshape(len(starts), size)
    figures = zip(starts.items(), (kinds @ left).tolist(), held(kinds, left), strict=True)
    return SideOdds.trusted(
        units=tuple(
            UnitOdds.trusted(unit=unit_key(slot), start=start, mean=mean_left, at_least=_at_least(or_more, start))
            for (slot, start), mean_left, or_more in figures
            if start
        ),
        ipc_start=ipc_start,
        ipc_lost=mean,
        ipc_lost_sd=math.sqrt(max(0.0, float(left @ (lost - mean) ** 2))),
        units_of_winner=_bars(armies.units, wins),
    )


@njit(cache=True)
def held(kinds: Ints, chances: Floats) -> Floats:
    """Return the chance of each number of units or more; `kinds[k, s]`: units of kind k in army s."""
    most = 0
    for counts in kinds:
        for count in counts:
            most = max(most, count)
    or_more = np.zeros((len(kinds), most + 1))
    for kind in range(len(kinds)):
        for army in range(len(chances)):
            or_more[kind, kinds[kind, army]] += chances[army]
        for count in range(most, 0, -1):
            or_more[kind, count - 1] += or_more[kind, count]
    return np.minimum(or_more, 1.0)


def _at_least(or_more: Floats, start: int) -> tuple[AtLeast, ...]:
    """Return the chances of at least so many left; `or_more` ends with the most that can be left."""
    steps = np.arange(1, start + 1) if start <= _MAX_BARS else np.linspace(1, start, _MAX_BARS).round().astype(int)
    reached = steps[: np.searchsorted(steps, len(or_more))]
    chances = [*or_more[reached].tolist(), *[0.0] * (len(steps) - len(reached))]
    return tuple(map(AtLeast, steps.tolist(), chances))


def _bars(values: Ints, chances: Floats) -> tuple[Bar, ...]:
    spread = np.bincount(values, weights=chances)
    seen = np.flatnonzero(spread > _MIN_BAR).tolist()
    if len(seen) <= _MAX_BARS:
        return tuple(Bar(at, at, min(1.0, float(spread[at]))) for at in seen)
    low, high = seen[0], seen[-1]
    width = -(-(high + 1 - low) // _MAX_BARS)
    starts = np.arange(low, high + 1, width)
    sums = np.add.reduceat(spread[: high + 1], starts).tolist()
    return tuple(
        Bar(start, min(high, start + width - 1), min(1.0, p)) for start, p in zip(starts.tolist(), sums, strict=True)
    )


def _likeliest(chances: Floats, most: int) -> Ints:
    best = np.arange(len(chances)) if len(chances) <= most else np.argpartition(chances, -most)[-most:]
    return best[np.argsort(-chances[best], kind="stable")]


def _outcomes(solution: Solution, armies: Mapping[Side, Armies], best: Ints, taken: Flags) -> Iterator[FinalArmies]:
    left = []
    for side, which in ((Side.ATTACKER, solution.rows), (Side.DEFENDER, solution.columns)):
        kinds, shape = armies[side].kinds, (len(armies[side].kinds), len(armies[side].counts))
        counts = np.array(list(kinds.values()), dtype=np.int64).reshape(shape)[:, which[best]].T.tolist()
        keys = list(map(unit_key, kinds))
        left.append([{key: count for key, count in zip(keys, each, strict=True) if count} for each in counts])
    figures = (values[best].tolist() for values in (solution.endings, taken, solution.chances))
    for attacker, defender, code, takes, chance in zip(*left, *figures, strict=True):
        ending, winner = _ENDINGS[code]
        yield FinalArmies.trusted(
            attacker=attacker,
            defender=defender,
            ending=ending,
            winner=winner if takes or winner is not Side.ATTACKER else None,
            p=probability(chance),
        )


def counts_by_unit(armies: Armies, army: int) -> dict[str, int]:
    """Return the positive counts of an army by `unit_key`, in the order typed."""
    return {unit_key(slot): int(counts[army]) for slot, counts in armies.kinds.items() if counts[army]}


def _course(course: Floats) -> Iterator[RoundOdds]:
    for number, (going, attackers, defenders) in enumerate(course.tolist()):
        yield RoundOdds.trusted(
            number=number, p_over=probability(1.0 - going), attacker_units=attackers, defender_units=defenders
        )


def _simulation(solution: Solution, p: dict[str, float], sides: dict[Side, SideOdds]) -> Simulation | None:
    battles = solution.battles
    if battles is None:
        return None
    intervals = {name: chance_interval(chance, battles) for name, chance in p.items()}
    spread = math.sqrt(max(0.0, solution.round_squares - solution.mean_rounds**2))
    intervals["exp_rounds"] = mean_interval(solution.mean_rounds, spread, battles)
    for name, side in (("att_ipc_lost", Side.ATTACKER), ("def_ipc_lost", Side.DEFENDER)):
        intervals[name] = mean_interval(sides[side].ipc_lost, sides[side].ipc_lost_sd, battles)
    return Simulation(battles=battles, seed=solution.seed or 0, cut_off=probability(solution.lost), intervals=intervals)
