"""How lucky a result was: its place among all the results that the engine finds."""

import math

import numpy as np

from sim.axis_allies.army import Army
from sim.axis_allies.average import notes
from sim.axis_allies.odds.arrays import Flags, Ints
from sim.axis_allies.odds.engine import Terms, solve
from sim.axis_allies.odds.luck import LuckReport, LuckRequest, word
from sim.axis_allies.odds.orders import Muster
from sim.axis_allies.odds.value_tables import ipc
from sim.axis_allies.units import Unit
from sim.core.outcomes import Side


def report(request: LuckRequest) -> LuckReport:
    """Answer a question how lucky a result was."""
    one, two = (request.muster(side) for side in Side)
    solution = solve(Terms(one, two, request.stop_after))
    here = {
        Side.ATTACKER: _is(solution.attackers, one, request.attacker_left),
        Side.DEFENDER: _is(solution.defenders, two, request.defender_left),
    }
    for side, armies in here.items():
        if not armies.any():
            raise request.impossible(alone=side)
    exactly = float(solution.chances[here[Side.ATTACKER][solution.rows] & here[Side.DEFENDER][solution.columns]].sum())
    if exactly <= 0.0:
        raise request.impossible(alone=None)
    left = ipc(one, solution.attackers)[solution.rows] - ipc(two, solution.defenders)[solution.columns]
    swings = left - int(ipc(one, np.array(one.counts)) - ipc(two, np.array(two.counts)))
    swing = _swing(request)
    chances = solution.chances / solution.chances.sum()
    mean = float(chances @ swings)
    spread = math.sqrt(max(0.0, float(chances @ (swings - mean) ** 2)))
    worse, same, better = (float(chances[chosen].sum()) for chosen in (swings < swing, swings == swing, swings > swing))
    luck = min(100.0, 100 * (worse + same / 2))
    return LuckReport(
        attacker=request.attacker,
        defender=request.defender,
        attacker_left=request.attacker_left,
        defender_left=request.defender_left,
        attacker_luck=luck,
        defender_luck=100 - luck,
        attacker_word=word(luck),
        defender_word=word(100 - luck),
        swing=swing,
        expected_swing=mean,
        swing_sd=spread,
        z=(swing - mean) / spread if spread > _NO_SPREAD else 0.0,
        p_as_good=min(1.0, same + better),
        p_as_bad=min(1.0, worse + same),
        p_exactly=exactly,
        notes=notes(request.attacker, request.defender),
    )


_NO_SPREAD = 1e-6  # IPC: what rounding alone may make of a result that is certain


def _swing(request: LuckRequest) -> int:
    lost = {side: request.army(side).ipc - request.left(side).ipc for side in Side}
    return int(lost[Side.DEFENDER] - lost[Side.ATTACKER])


def _is(armies: Ints, muster: Muster, left: Army) -> Flags:
    """Tell which of a side's armies is `left`."""
    wanted = {group.unit: int(group.count) for group in left.groups}
    lives = sum(int(group.lives) for group in left.groups)
    counts = [wanted.get(slot, 0) if isinstance(slot, Unit) else lives for slot in muster.slots]
    found: Flags = (armies == np.array(counts, dtype=np.int64)).all(axis=1)
    return found
