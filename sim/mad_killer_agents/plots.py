"""The plot of scores by round. Only workers import this."""

from collections.abc import Sequence

from matplotlib.ticker import MaxNLocator

from sim.core.cards import theme
from sim.core.charts import new_plot, png
from sim.mad_killer_agents.looks import line_color

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
