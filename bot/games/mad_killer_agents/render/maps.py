"""A map and its statistics on a page."""

from collections.abc import Iterator

from bot.answers.document import EDIT, Action, Document, Page
from bot.ui.layout import Picture
from bot.ui.text import code_block, counted, plain
from sim.core.numbers import percent
from sim.mad_killer_agents.constants import LOWEST, MOUNTAIN
from sim.mad_killer_agents.requests import MapReport
from sim.mad_killer_agents.terrain import Drawing, MapStatistics, Terrain

ANOTHER = Action("another", "Another one", "🎲")

_COLOUR = 0x7A875C
_BAR = 10  # what 28 columns leave


def map_book(report: MapReport, drawing: Drawing | None, seed: int, name: str | None) -> Document:
    """Return a map's page; `drawing` None for one from a file called `name`."""
    terrain = report.terrain
    what = f"{terrain.width} x {terrain.height} {drawing.kind}" if drawing is not None else plain(name or "A map")
    head = [f"### 🗺️ {what}"]
    if drawing is not None:
        without = "" if drawing.omitted is None else f" without:{drawing.omitted}"
        head.append(
            f"-# The same again: size:{terrain.width}x{terrain.height} kind:{drawing.kind}{without} seed:{seed}"
        )
    lines = "\n".join(map_lines(terrain, report.statistics))
    picture = Picture("map.png", report.picture.data, report.picture.alt)
    actions = (EDIT, ANOTHER) if drawing is not None else (EDIT,)
    return Document("\n".join(head), _COLOUR, [Page("The map", lambda: lines, picture)], actions)


def map_lines(terrain: Terrain, figures: MapStatistics) -> Iterator[str]:
    """Tell what a map is like."""
    tiles = terrain.width * terrain.height
    most = max(figures.counts)
    rows = []
    for value, count in enumerate(figures.counts, start=LOWEST):
        bar = "█" * round(_BAR * count / most)
        rows.append(f"TV {value} {count:>4} {percent(count / tiles):>7} {bar}".rstrip())
    yield code_block("\n".join(rows))
    yield f"Mean TV {figures.mean:.2f}; TV {MOUNTAIN} can't be entered without Mountaineering."
    share = percent(figures.land / tiles)
    yield f"The largest land has {counted(figures.land, 'tile')} ({share}), {figures.longest} steps across."
    if figures.regions > 1:
        yield f"-# {counted(figures.regions, 'piece')} of land, cut off from each other by mountains"


def map_told(terrain: Terrain) -> str:
    """Sum a map's file up."""
    counts = [sum(row.count(str(value)) for row in terrain.rows) for value in range(LOWEST, MOUNTAIN + 1)]
    shares = ", ".join(f"{count} of TV {value}" for value, count in enumerate(counts, start=LOWEST) if count)
    return f"{terrain.width} x {terrain.height} tiles: {shares}"
