"""Helpers for charts: figures, PNGs, and paired bar charts of two sides' chances.

Imports matplotlib, so only workers may import this.
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from sim.core.pictures import FAINT, GROUND, INK

WIDTH, HEIGHT = 800, 450
"""Points: sharp across a phone, a few dozen KiB."""

_DPI = 100
_BIG, _SMALL = 22, 18
# Fixed margins: matplotlib's own search for the best ones draws everything twice.
_MARGINS = {"left": 0.14, "right": 0.98, "top": 0.88, "bottom": 0.2, "wspace": 0.05}


@dataclass(frozen=True, slots=True)
class SideBars:
    """One side's chances: a bar (low, high, chance) for each number, or range of numbers, of what is left."""

    title: str
    color: str
    label: str
    bars: Sequence[tuple[int, int, float]]


def new_figure(height: float = HEIGHT) -> Figure:
    """Return an empty figure, `height` points high."""
    figure = Figure(figsize=(WIDTH / _DPI, height / _DPI), dpi=_DPI, facecolor=GROUND)
    FigureCanvasAgg(figure)
    return figure


def png(figure: Figure) -> bytes:
    """Return the figure as a PNG."""
    out = io.BytesIO()
    figure.savefig(out, format="png", metadata={"Software": None})
    return out.getvalue()


def paired_bars(left: SideBars, right: SideBars, *, mirrored: bool = False) -> bytes:
    """Return a PNG of two sides' chances; `mirrored`: the left one's numbers rise to the left."""
    figure = new_figure()
    axes = figure.subplots(1, 2, sharey=True, gridspec_kw=_MARGINS)
    for side, place in zip((left, right), axes, strict=True):
        _draw(place, side)
    if mirrored:
        axes[0].invert_xaxis()
    axes[0].yaxis.set_major_formatter(lambda value, _: f"{100 * value:.3g} %")
    axes[1].tick_params(left=False)
    return png(figure)


def _draw(axes: Axes, side: SideBars) -> None:
    axes.set_facecolor(GROUND)
    axes.bar(
        [(low + high) / 2 for low, high, _ in side.bars],
        [chance for _, _, chance in side.bars],
        width=[0.85 * (high - low + 1) for low, high, _ in side.bars],
        color=side.color,
    )
    axes.set_title(side.title, color=side.color, fontsize=_BIG, fontweight="bold")
    axes.set_xlabel(side.label, color=INK, fontsize=_SMALL)
    axes.tick_params(colors=INK, labelsize=_SMALL)
    axes.grid(axis="y", color=FAINT, alpha=0.35)
    axes.set_axisbelow(True)
    if side.bars:
        axes.set_xlim(side.bars[0][0] - 0.6, side.bars[-1][1] + 0.6)
        axes.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True, min_n_ticks=1))
    else:
        axes.set_xticks([])
    if not any(chance for _, _, chance in side.bars):
        axes.text(0.5, 0.5, "nobody", color=FAINT, fontsize=_BIG, ha="center", va="center", transform=axes.transAxes)
    for name, spine in axes.spines.items():
        spine.set_visible(name == "bottom")
        spine.set_color(FAINT)
