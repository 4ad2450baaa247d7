"""The odds of a battle as a picture: what is left on either side, and how likely.

Imports matplotlib, so only workers may import this.
"""

import io
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from sim.axis_allies.odds.report import Bar, OddsReport
from sim.core.numbers import percent
from sim.core.outcomes import Side

INCHES = (8.0, 4.5)
DPI = 100
"""800 x 450 points: sharp across a phone, a few dozen KiB."""

# Blue and orange differ for every kind of colour vision, and both stand out from the dark ground.
COLOURS = {Side.ATTACKER: "#ff922b", Side.DEFENDER: "#4dabf7"}
# Fixed margins: matplotlib's own search for the best ones draws everything twice.
_MARGINS = {"left": 0.14, "right": 0.98, "top": 0.88, "bottom": 0.2, "wspace": 0.03}
_GROUND = "#2b2d31"
_INK = "#f1f3f5"
_FAINT = "#868e96"
_ROUNDING = 1e-12
_SHOWN = 0.0005
"""Chances under this make no visible bar and only widen the picture."""


def draw(report: OddsReport) -> bytes:
    """Return a PNG: the defender's survivors left of the middle, the attacker's right of it, heights chances."""
    figure = Figure(figsize=INCHES, dpi=DPI, facecolor=_GROUND)
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2, sharey=True, gridspec_kw=_MARGINS)
    _bars(left, report, Side.DEFENDER)
    _bars(right, report, Side.ATTACKER)
    left.invert_xaxis()
    left.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.3g} %")
    right.tick_params(left=False)
    out = io.BytesIO()
    figure.savefig(out, format="png", metadata={"Software": None})
    return out.getvalue()


def _bars(axes: Axes, report: OddsReport, side: Side) -> None:
    survivors = [bar for bar in report.odds(side).units_left if bar.low > 0]
    shown = _visible(survivors)
    axes.set_facecolor(_GROUND)
    axes.bar(
        [(bar.low + bar.high) / 2 for bar in shown],
        [bar.p for bar in shown],
        width=[0.85 * (bar.high - bar.low + 1) for bar in shown],
        color=COLOURS[side],
    )
    holds = sum(bar.p for bar in survivors)
    axes.set_title(
        f"{side.capitalize()} {percent(holds, certain=report.every_chance and holds > 1 - _ROUNDING)}",
        color=COLOURS[side],
        fontsize=22,
        fontweight="bold",
    )
    axes.set_xlabel("units left", color=_INK, fontsize=19)
    axes.tick_params(colors=_INK, labelsize=18)
    axes.grid(axis="y", color=_FAINT, alpha=0.35)
    axes.set_axisbelow(True)
    if shown:
        axes.set_xlim(shown[0].low - 0.6, shown[-1].high + 0.6)
        axes.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True, min_n_ticks=1))
    else:
        axes.set_xticks([])
        axes.text(0.5, 0.5, "nobody", color=_FAINT, fontsize=20, ha="center", va="center", transform=axes.transAxes)
    for name, spine in axes.spines.items():
        spine.set_visible(name == "bottom")
        spine.set_color(_FAINT)


def _visible(bars: Sequence[Bar]) -> Sequence[Bar]:
    """Cut what is too unlikely to be seen off both ends."""
    seen = [at for at, bar in enumerate(bars) if bar.p >= _SHOWN]
    return bars[seen[0] : seen[-1] + 1] if seen else ()
