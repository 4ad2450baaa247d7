"""A chart of the odds of a duel. Only workers may import this: it imports matplotlib."""

from sim.core.charts import SideBars, paired_bars
from sim.core.numbers import percent
from sim.core.pictures import BLUE, ORANGE
from sim.duel.reports import DuelOdds, SideOdds


def draw(report: DuelOdds) -> bytes:
    """Return a PNG with bars for each side's hit points left, or its survivors if it is a group."""
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
