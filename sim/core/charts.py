"""Plots in the theme of the cards: an empty figure, and its PNG. Imports matplotlib: only workers import this."""

import io

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from sim.core.cards.theme import GROUND, SOFT, TROUGH, WIDTH

_DPI = 100
_HEIGHT = 450
_LABELS, _TICKS = 16, 14.5  # points, 72 to the inch: 22 and 20 pixels
# Fixed margins: matplotlib's own search for the best ones draws everything twice.
_MARGINS = {"left": 0.12, "right": 0.7, "top": 0.95, "bottom": 0.17}


def new_plot(x_label: str, y_label: str) -> tuple[Figure, Axes]:
    """Return an empty figure with labelled axes, and room for a legend on the right."""
    figure = Figure(figsize=(WIDTH / _DPI, _HEIGHT / _DPI), dpi=_DPI, facecolor=GROUND)
    FigureCanvasAgg(figure)
    axes = figure.subplots(gridspec_kw=_MARGINS)
    axes.set_facecolor(GROUND)
    axes.set_xlabel(x_label, color=SOFT, fontsize=_LABELS)
    axes.set_ylabel(y_label, color=SOFT, fontsize=_LABELS)
    axes.tick_params(colors=SOFT, labelsize=_TICKS)
    axes.grid(axis="y", color=TROUGH)
    axes.set_axisbelow(True)
    for name, spine in axes.spines.items():
        spine.set_visible(name == "bottom")
        spine.set_color(TROUGH)
    return figure, axes


def png(figure: Figure) -> bytes:
    """Return the figure as a PNG."""
    out = io.BytesIO()
    figure.savefig(out, format="png", metadata={"Software": None})
    return out.getvalue()
