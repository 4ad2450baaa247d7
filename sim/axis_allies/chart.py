"""Picture of a battle's odds: what is left of both sides, and the chances.

Imports matplotlib, so only workers may import this.
"""

from collections.abc import Sequence

from sim.axis_allies.reports import Bar, OddsReport
from sim.core.charts import SideBars, paired_bars
from sim.core.numbers import percent
from sim.core.pictures import BLUE, ORANGE
from sim.core.values import Side

_COLORS = {Side.ATTACKER: ORANGE, Side.DEFENDER: BLUE}
_ROUNDING = 1e-12
_MIN_VISIBLE = 0.0005
"""Smaller chances make no visible bar and only widen the picture."""


def odds_chart(report: OddsReport) -> bytes:
    """Return a PNG with the defender's survivors on the left, the attacker's on the right, and chances as heights."""
    return paired_bars(_bars(report, Side.DEFENDER), _bars(report, Side.ATTACKER), mirrored=True)


def _bars(report: OddsReport, side: Side) -> SideBars:
    survivors = [bar for bar in report.odds(side).units_left if bar.low > 0]
    holds = sum(bar.p for bar in survivors)
    chance = percent(holds, certain=report.every_chance and holds > 1 - _ROUNDING)
    bars = [(bar.low, bar.high, bar.p) for bar in _visible(survivors)]
    return SideBars(f"{side.capitalize()} {chance}", _COLORS[side], "units left", bars)


def _visible(bars: Sequence[Bar]) -> Sequence[Bar]:
    """Cut invisible bars off both ends."""
    seen = [at for at, bar in enumerate(bars) if bar.p >= _MIN_VISIBLE]
    return bars[seen[0] : seen[-1] + 1] if seen else ()
