"""How lucky a result was: its place among all the results that the engine finds."""

import math
from collections.abc import Mapping

import numpy as np

from sim.axis_allies.army import Army, shown_army
from sim.axis_allies.average import notes
from sim.axis_allies.odds.arrays import Flags, Ints
from sim.axis_allies.odds.base_request import BattleRequest
from sim.axis_allies.odds.engine import Terms, solve
from sim.axis_allies.odds.orders import Muster
from sim.axis_allies.odds.reports import LuckReport, word
from sim.axis_allies.odds.value_tables import ipc
from sim.axis_allies.units import Unit
from sim.core.errors import RuleError
from sim.core.outcomes import Side


def report(battle: BattleRequest, left: Mapping[Side, Army], stop_after: int | None) -> LuckReport:
    """Return how lucky it is that these armies are left of a battle, broken off after so many rounds."""
    attacker, defender = (battle.muster(side) for side in Side)
    solution = solve(Terms(attacker, defender, stop_after))
    here = {
        Side.ATTACKER: _is(solution.attackers, attacker, left[Side.ATTACKER]),
        Side.DEFENDER: _is(solution.defenders, defender, left[Side.DEFENDER]),
    }
    for side, armies in here.items():
        if not armies.any():
            raise _impossible(battle, left, stop_after, alone=side)
    exactly = float(solution.chances[here[Side.ATTACKER][solution.rows] & here[Side.DEFENDER][solution.columns]].sum())
    if exactly <= 0.0:
        raise _impossible(battle, left, stop_after)
    worth = ipc(attacker, solution.attackers)[solution.rows] - ipc(defender, solution.defenders)[solution.columns]
    swings = worth - int(ipc(attacker, np.array(attacker.counts)) - ipc(defender, np.array(defender.counts)))
    swing = _swing(battle, left)
    chances = solution.chances / solution.chances.sum()
    mean = float(chances @ swings)
    spread = math.sqrt(max(0.0, float(chances @ (swings - mean) ** 2)))
    worse, same, better = (float(chances[chosen].sum()) for chosen in (swings < swing, swings == swing, swings > swing))
    luck = min(100.0, 100 * (worse + same / 2))
    return LuckReport(
        attacker=battle.attacker,
        defender=battle.defender,
        attacker_left=left[Side.ATTACKER],
        defender_left=left[Side.DEFENDER],
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
        notes=notes(battle.attacker, battle.defender),
    )


_NO_SPREAD = 1e-6  # IPC: what rounding alone may make of a result that is certain


def _swing(battle: BattleRequest, left: Mapping[Side, Army]) -> int:
    lost = {side: battle.army(side).ipc - left[side].ipc for side in Side}
    return int(lost[Side.DEFENDER] - lost[Side.ATTACKER])


def _is(armies: Ints, muster: Muster, left: Army) -> Flags:
    """Tell which of a side's armies is `left`."""
    wanted = {group.unit: int(group.count) for group in left.groups}
    lives = sum(int(group.lives) for group in left.groups)
    counts = [wanted.get(slot, 0) if isinstance(slot, Unit) else lives for slot in muster.slots]
    found: Flags = (armies == np.array(counts, dtype=np.int64)).all(axis=1)
    return found


def _impossible(
    battle: BattleRequest, left: Mapping[Side, Army], stop_after: int | None, *, alone: Side | None = None
) -> RuleError:
    """Return the error for a result without a chance; `alone`: a side whose losses can't be these at all."""
    names = {side: shown_army(left[side]) or "nothing" for side in Side}
    if alone is not None:
        return RuleError(
            "Such a result can't come about: in its order of losses, and under the enemy's fire, the "
            f"{alone} is never left with {names[alone]} of {shown_army(battle.army(alone))}."
        )
    rounds = f" by the end of round {stop_after}" if stop_after else ""
    return RuleError(
        f"Such a result can't come about{rounds}, or only with a chance too small to tell: "
        f"the attacker with {names[Side.ATTACKER]}, the defender with {names[Side.DEFENDER]}."
    )
