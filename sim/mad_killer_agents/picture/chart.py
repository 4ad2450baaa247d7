"""How the scores of a war went, as a picture."""

from collections.abc import Sequence

from matplotlib.ticker import MaxNLocator

from sim.core.charts import new_figure, png
from sim.core.pictures import FAINT, INK
from sim.mad_killer_agents.picture.style import PLAYERS

_MARGINS = {"left": 0.12, "right": 0.97, "top": 0.95, "bottom": 0.16}
_DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (8, 3)))


def _hex(colour: tuple[int, int, int]) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


def draw_scores(names: Sequence[str], scores: Sequence[Sequence[float]]) -> bytes:
    """Return a PNG of scores by round: for each round from the first, a figure for each name."""
    figure = new_figure()
    axes = figure.subplots(gridspec_kw=_MARGINS)
    axes.set_facecolor(FAINT)
    rounds = range(1, len(scores) + 1)
    for place, name in enumerate(names):
        axes.plot(
            rounds,
            [row[place] for row in scores],
            label=name,
            color=_hex(PLAYERS[place + 1]),
            linestyle=_DASHES[place],
            linewidth=3,
        )
    axes.set_xlabel("round", color=INK, fontsize=16)
    axes.set_ylabel("score", color=INK, fontsize=16)
    axes.tick_params(colors=INK, labelsize=14)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True, min_n_ticks=1))
    axes.grid(alpha=0.3)
    axes.legend(fontsize=13, loc="upper left", handlelength=3)
    return png(figure)
