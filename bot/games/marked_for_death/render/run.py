"""A whole battle of rosters as pages: who won, who stands, who fell by whose hand, then round by round."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from bot.answers.document import Action, Document, Page, room
from bot.answers.lines import lazy_pages, split_lines
from bot.games.marked_for_death.render.battle import ending_title
from bot.games.marked_for_death.render.signs import COLOURS, FALLEN, ICONS
from bot.ui.text import counted, listed, plain
from sim.marked_for_death.roster import Camp
from sim.marked_for_death.run import Downfall, RunReport

AGAIN = Action("again", "Other dice", "🎲")

_MOST_LINE = 300
_MOST_BY = 4
_MOST_NAMED = 12  # survivors in a line


def run_book(report: RunReport) -> Document:
    """Return the battle's pages; those of the log are written when they are turned to, for there may be thousands."""
    headline = "\n".join(_headline(report))
    width = room(headline)
    parts = split_lines(list(_summary(report)), width)
    pages = _numbered("Summary", [partial("\n".join, part) for _, part in parts])
    for title, lines in _chapters(report):
        pages += _numbered(title, [page for _, _, page in lazy_pages(lines, _log_line, _MOST_LINE, width)])
    return Document(headline, COLOURS[report.winner], pages, (AGAIN,), long=True)


def _numbered(title: str, parts: Sequence[Callable[[], str]]) -> list[Page]:
    """Return the pages of a chapter."""
    if len(parts) == 1:
        return [Page(title, parts[0])]
    return [Page(f"{title}, {number} of {len(parts)}", part) for number, part in enumerate(parts, start=1)]


def _headline(report: RunReport) -> Iterator[str]:
    yield f"### {_capital(ending_title(report.ending, report.winner, len(report.rounds)))}"
    for camp in Camp:
        side = report.side(camp)
        fighting = len(side.cards) - len(side.sat_out)
        yield f"{ICONS[camp]} **{camp.capitalize()}**: {len(side.survivors)} of {fighting} stand"
    if report.stopped is not None:
        yield f"⏹️ {report.stopped}"
    yield f"-# 🎲 Seed {report.seed}"


def _capital(text: str) -> str:
    """Capitalise the first letter behind the sign."""
    sign, _, rest = text.partition(" ")
    return f"{sign} {rest[:1].upper()}{rest[1:]}"


def _chapters(report: RunReport) -> Iterator[tuple[str, Sequence[str]]]:
    yield "At the start", report.opening[1:]
    for number, lines in enumerate(report.rounds, start=1):
        yield f"Round {number}", lines


def _log_line(line: str) -> str:
    """Return a line of the log; what is indented there is an item here."""
    text = plain(line.strip(), _MOST_LINE)
    return f"- {text}" if line.startswith(" ") else f"**{text}**"


def _summary(report: RunReport) -> Iterator[str]:
    for camp in Camp:
        side = report.side(camp)
        if side.survivors:
            survivors = [f"{plain(name)} ({hp} HP)" for name, hp in side.survivors]
            for start in range(0, len(survivors), _MOST_NAMED):  # all of them, however many
                yield f"{ICONS[camp]} ❤️ {' · '.join(survivors[start : start + _MOST_NAMED])}"
        if side.sat_out:
            yield f"-# {ICONS[camp]} Sat out with 0 HP or less: {listed(side.sat_out, markdown=plain)}"
    if report.fallen:
        yield f"{FALLEN} **{counted(len(report.fallen), 'fell', 'fell')}, in this order**"
        yield from map(_downfall, report.fallen)
    for camp in Camp:
        yield from (f"⚠️ {camp.capitalize()}: {plain(warning, _MOST_LINE)}" for warning in report.side(camp).warnings)


def _downfall(fall: Downfall) -> str:
    if fall.linked_to is not None:
        why = f"linked to {plain(fall.linked_to)}"
    else:
        why = f"by {listed(fall.by, _MOST_BY, markdown=plain)}"
    return f"{ICONS[fall.camp]} **{plain(fall.name)}** in round {fall.round}, {why}"
