"""Measures how lucky a result was: its percentile among all results of the battle."""

import math
from collections.abc import Mapping

import numpy as np

from sim.axis_allies.advice_reports import LuckReport
from sim.axis_allies.army import Army, army_words
from sim.axis_allies.odds.engine import solve
from sim.axis_allies.odds_report import order_words
from sim.axis_allies.question import BattleRequest
from sim.core import RuleError
from sim.core.numbers import probability
from sim.core.values import Side

LUCK_WORDS: tuple[tuple[float, str, str], ...] = (
    (0.25, "about average", "about average"),
    (0.10, "fairly lucky", "fairly unlucky"),
    (0.03, "lucky", "unlucky"),
    (0.01, "very lucky", "very unlucky"),
    (0.001, "extremely lucky", "extremely unlucky"),
    (0.0, "incredibly lucky", "incredibly unlucky"),
)
"""Minimum share of results beyond the percentile, and the words for good and for bad luck."""

_MIDDLE = 50

_NO_SPREAD = 1e-6  # IPC: rounding error of a certain result


def luck_report(battle: BattleRequest, left: Mapping[Side, Army]) -> LuckReport:
    """Return how lucky it is that these armies are left."""
    solution = solve(battle.terms(), course=False)
    attacker, defender = solution.terms.attacker, solution.terms.defender
    matches = {
        side: (armies.counts == np.array(order.placed(left[side]), dtype=np.int64)).all(axis=1)
        for side, armies, order in zip(Side, solution.sides, (attacker, defender), strict=True)
    }
    for side, armies in matches.items():
        if not armies.any():
            raise _impossible(battle, left, alone=side)
    rows, columns, chances, _ = solution.ends
    chosen = matches[Side.ATTACKER][rows] & matches[Side.DEFENDER][columns]
    exactly = probability(float(chances[chosen].sum()))
    if exactly <= 0.0:
        raise _impossible(battle, left)
    swings = solution.balance - int(battle.attacker.ipc - battle.defender.ipc)
    lost = {side: int(battle.army(side).ipc - left[side].ipc) for side in Side}
    swing = lost[Side.DEFENDER] - lost[Side.ATTACKER]
    chances = chances / chances.sum()
    mean = float(chances @ swings)
    spread = math.sqrt(max(0.0, float(chances @ (swings - mean) ** 2)))
    worse, same, better = (float(chances[chosen].sum()) for chosen in (swings < swing, swings == swing, swings > swing))
    luck = 100 * probability(worse + same / 2)
    return LuckReport(
        **battle.subject,
        attacker_left=left[Side.ATTACKER],
        defender_left=left[Side.DEFENDER],
        attacker_luck=luck,
        defender_luck=100 - luck,
        attacker_word=luck_word(luck),
        defender_word=luck_word(100 - luck),
        swing=swing,
        expected_swing=mean,
        swing_sd=spread,
        z=(swing - mean) / spread if spread > _NO_SPREAD else 0.0,
        p_as_good=probability(same + better),
        p_as_bad=probability(worse + same),
        p_exactly=exactly,
    )


def _impossible(battle: BattleRequest, left: Mapping[Side, Army], *, alone: Side | None = None) -> RuleError:
    """Return the error for an impossible result; `alone`: a side that can't have these losses at all."""
    names = {side: army_words(left[side]) or "nothing" for side in Side}
    if alone is not None:
        order = battle.casualties_of(alone)
        words = "" if isinstance(order, str) else f" ({order_words(order)})"
        return RuleError(
            f"This result is impossible: with this order of losses{words}, the {alone} "
            f"is never left with {names[alone]} of {army_words(battle.army(alone))}."
        )
    rounds = f" by the end of round {battle.stop_after}" if battle.stop_after else ""
    return RuleError(
        f"This result is impossible{rounds}, or far too unlikely: "
        f"the attacker with {names[Side.ATTACKER]}, the defender with {names[Side.DEFENDER]}."
    )


def luck_word(percentile: float) -> str:
    """Return the words for a percentile of 0 to 100."""
    beyond = min(percentile, 100 - percentile) / 100
    return next(good if percentile > _MIDDLE else bad for minimum, good, bad in LUCK_WORDS if beyond >= minimum)
