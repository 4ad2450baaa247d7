"""The odds of a duel as a picture: how likely each side wins, and what the winner has left.

Imports matplotlib, so only workers may import this.
"""

from sim.core.charts import SideBars, paired_bars
from sim.core.numbers import percent
from sim.core.pictures import BLUE, ORANGE
from sim.duel.odds.report import DuelOdds, SideOdds


def draw(report: DuelOdds) -> bytes:
    """Return a PNG: for each side the chances of what it has left, hit points where one fights one, else survivors."""
    exact = report.method == "exact"
    chances = report.p_win_first, report.p_win_second
    first, second = (percent(chance, certain=exact and not other) for chance, other in (chances, chances[::-1]))
    return paired_bars(
        _bars(f"First {first}", BLUE, report.first),
        _bars(f"Second {second}", ORANGE, report.second),
    )


def _bars(title: str, color: str, side: SideOdds) -> SideBars:
    chances = list(enumerate(side.hp_left or side.survivors))
    bars = [(left, left, chance) for left, chance in chances[1:]]
    return SideBars(title, color, "hit points left" if side.hp_left else "left of them", bars)
