"""The plot of scores by round. Only workers import this."""

import io
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from sim.core.cards import theme
from sim.core.cards.theme import GROUND, SOFT, TROUGH, WIDTH
from sim.mad_killer_agents.looks import line_color

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


_DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (8, 3)))
_LABEL = 14


def _short_name(name: str) -> str:
    return name if len(name) <= _LABEL else f"{name[: _LABEL - 1]}…"


def draw_scores(names: Sequence[str], scores: Sequence[Sequence[float]]) -> bytes:
    """Return a PNG of the scores by round. `scores`: for each round, the score of each name."""
    figure, axes = new_plot("points after each round", "")
    rounds = range(1, len(scores) + 1)
    for index, name in enumerate(names):
        axes.plot(
            rounds,
            [row[index] for row in scores],
            label=_short_name(name),
            color=line_color(index + 1),
            linestyle=_DASHES[index],
            linewidth=3,
        )
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True, min_n_ticks=1))
    legend = axes.legend(
        fontsize=14.5,
        loc="upper left",
        bbox_to_anchor=(1.01, 1.02),
        borderaxespad=0,
        handlelength=2,
        frameon=False,
        labelcolor=theme.INK,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)  # names are nothing but names
    return png(figure)
