"""Wars of AIs on pages."""

from collections.abc import Iterator

from bot.answers.document import EDIT, Action, Document, Page
from bot.games.mad_killer_agents.render.signs import AI
from bot.ui.layout import Picture
from bot.ui.text import code_block, counted
from sim.core.numbers import percent
from sim.mad_killer_agents.requests import Picture as Film
from sim.mad_killer_agents.simulate import SimulateReport, Standing

AGAIN = Action("again", "Once more", "🎲")

_COLOUR = 0x4C6EF5
MOST_FILM_BYTES = 8 * 1024 * 1024
"""A longer film is in the files alone, where Discord takes it."""


def simulate_book(report: SimulateReport, seed: int, film: Film | None) -> Document:
    """Return the pages; `film`: how the one game went, None for several."""
    chart = report.chart
    picture = None if chart is None else Picture("scores.png", chart.data, chart.alt)
    text = "\n".join(_lines(report, seed))
    pages = [Page("Results", lambda: text, picture)]
    if film is not None and len(film.data) <= MOST_FILM_BYTES:
        pages.insert(0, Page("The war", lambda: f"-# {film.alt}", Picture("war.gif", film.data, film.alt)))
        pages.reverse()
    return Document(_headline(report), _COLOUR, pages, (EDIT, AGAIN))


def _headline(report: SimulateReport) -> str:
    best = max(report.standings, key=lambda result: (result.wins, result.shared))
    name = report.names[report.standings.index(best)]
    if report.games == 1:
        ending = f"the {name} wins" if best.wins else "the victory is shared" if best.shared else "nobody is left"
        return f"### {AI} {ending.capitalize()} after {counted(round(report.rounds), 'round')}"
    return f"### {AI} The {name} wins {best.wins:,} of {counted(report.games, 'game')}"


def _lines(report: SimulateReport, seed: int) -> Iterator[str]:
    rows = [f"{'':<13}{'won':>4}{'shr':>4}{'score':>7}"]
    rows += [
        f"{name:<13}{result.wins:>4}{result.shared:>4}{result.mean_score:>7.0f}"
        for name, result in zip(report.names, report.standings, strict=True)
    ]
    yield code_block("\n".join(rows))
    if report.games > 1:
        for name, result in zip(report.names, report.standings, strict=True):
            yield f"**{name}** {_chance(result)}"
    if report.games == 1:
        yield next(iter(report.endings)).capitalize()
    else:
        ends = ", ".join(f"{count:,} x {ending}" for ending, count in report.endings.items())
        yield f"{report.rounds:.1f} rounds on average; {ends}"
    yield f"-# 🎲 Seed {seed}"


def _chance(result: Standing) -> str:
    low, high = result.interval
    return f"wins {percent(result.chance)} (95 %: {100 * low:.0f} to {100 * high:.0f})"
