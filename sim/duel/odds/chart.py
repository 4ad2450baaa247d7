"""The odds of a duel as a picture: how likely each side wins, and what the winner has left.

Imports matplotlib, so only workers may import this.
"""

import io
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from sim.core.numbers import percent
from sim.duel.odds.report import DuelOdds, SideOdds

INCHES = (8.0, 4.5)
DPI = 100
"""800 x 450 points: sharp across a phone, a few dozen KiB."""

# Blue and orange differ for every kind of colour vision, and both stand out from the dark ground.
FIRST, SECOND = "#4dabf7", "#ff922b"
_MARGINS = {"left": 0.13, "right": 0.98, "top": 0.87, "bottom": 0.19, "wspace": 0.06}
_GROUND, _INK, _FAINT = "#2b2d31", "#f1f3f5", "#868e96"
_BIG, _SMALL = 22, 18


def draw(report: DuelOdds) -> bytes:
    """Return a PNG: for each side the chances of what it has left, hit points where one fights one, else survivors."""
    figure = Figure(figsize=INCHES, dpi=DPI, facecolor=_GROUND)
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2, sharey=True, gridspec_kw=_MARGINS)
    exact = report.method == "exact"
    chances = report.p_win_first, report.p_win_second
    titles = [percent(one, certain=exact and not other) for one, other in (chances, chances[::-1])]
    _bars(left, f"First {titles[0]}", report.first, FIRST)
    _bars(right, f"Second {titles[1]}", report.second, SECOND)
    left.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.3g} %")
    right.tick_params(left=False)
    out = io.BytesIO()
    figure.savefig(out, format="png", metadata={"Software": None})
    return out.getvalue()


def _bars(axes: Axes, title: str, side: SideOdds, colour: str) -> None:
    chances: Sequence[float] = side.hp_left or side.survivors
    axes.set_facecolor(_GROUND)
    axes.bar(range(1, len(chances)), chances[1:], color=colour, width=0.85)
    axes.set_title(title, color=colour, fontsize=_BIG, fontweight="bold")
    axes.set_xlabel("hit points left" if side.hp_left else "left of them", color=_INK, fontsize=_SMALL)
    axes.set_xlim(0.4, len(chances) - 0.4)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True, min_n_ticks=1))
    axes.tick_params(colors=_INK, labelsize=_SMALL)
    axes.grid(axis="y", color=_FAINT, alpha=0.35)
    axes.set_axisbelow(True)
    for place, spine in axes.spines.items():
        spine.set_visible(place == "bottom")
        spine.set_color(_FAINT)
    if not sum(chances[1:]):
        axes.text(0.5, 0.5, "nobody", color=_FAINT, fontsize=_BIG, ha="center", va="center", transform=axes.transAxes)
