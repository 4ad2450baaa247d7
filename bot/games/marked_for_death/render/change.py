"""What a changed roster changes, to be confirmed."""

from collections.abc import Sequence
from functools import partial

from bot.answers.document import EDIT_ACTION, Action, Document, Page
from bot.games.marked_for_death.render.signs import COLOURS, ICONS
from bot.ui.text import counted, plain
from sim.marked_for_death.change import ChangeReport
from sim.marked_for_death.roster import Camp

APPLY = Action("apply", "Use this roster", "✅")
_AGAIN = Action(EDIT_ACTION, "Choose another file", "📄")
_A_PAGE = 15
_MOST_LINE = 220


def change_book(number: int, camp: Camp, report: ChangeReport, *, stale: bool) -> Document:
    """Return the differences as pages; `stale`: the battle has gone on since, so that it can't be confirmed."""
    headline = f"### #{number} {ICONS[camp]} {camp.capitalize()}: {_count(report.changes)}"
    lines = [f"- {plain(line, _MOST_LINE)}" for line in report.changes]
    lines += [f"⚠️ {plain(line, _MOST_LINE)}" for line in report.warnings]
    if stale:
        lines.insert(0, "⏳ The battle has gone on since this was worked out; please choose the file again.")
    parts = [lines[start : start + _A_PAGE] for start in range(0, len(lines), _A_PAGE)] or [["Nothing is different."]]
    pages = [Page(f"Changes, page {at + 1}", partial("\n".join, part)) for at, part in enumerate(parts)]
    actions = (APPLY, _AGAIN) if report.changes and not stale else (_AGAIN,)
    return Document(headline, COLOURS[camp], pages, actions)


def _count(changes: Sequence[str]) -> str:
    return counted(len(changes), "fighter changes", "fighters change") if changes else "nothing changes"
