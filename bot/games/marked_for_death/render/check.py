"""A roster as it would fight, on pages."""

from functools import partial

from bot.answers.document import Document, Page, room
from bot.answers.lines import split_lines
from bot.ui.text import counted, plain
from sim.marked_for_death.run import CheckReport
from sim.marked_for_death.stats import Card

_GREEN, _AMBER = 0x2F9E44, 0xF08C00
_MOST_LINE = 300
_MOST_TOLD_WARNINGS = 5


def check_book(name: str, report: CheckReport) -> Document:
    """Return the warnings and every fighter's line; `name` is the file's or the saved roster's."""
    fighters = counted(len(report.cards), "fighter")
    warnings = counted(len(report.warnings), "warning") if report.warnings else "nothing to warn of"
    headline = f"### {'⚠️' if report.warnings else '✅'} {plain(name)}: {fighters}, {warnings}"
    pages = []
    for title, lines in (
        ("Fighters", [card_line(card) for card in report.cards]),
        ("Warnings", [f"⚠️ {plain(warning, _MOST_LINE)}" for warning in report.warnings]),
    ):
        parts = split_lines(lines, room(headline))
        pages += [Page(f"{title} from {start + 1}", partial("\n".join, part)) for start, part in parts]
    return Document(headline, _AMBER if report.warnings else _GREEN, pages)


def summary(report: CheckReport) -> str:
    """Sum a roster up in a few lines, for a saved one."""
    lines = [f"{counted(len(report.cards), 'fighter')}, {sum(max(0, card.hp) for card in report.cards):,} HP"]
    lines += [f"⚠️ {plain(warning, _MOST_LINE)}" for warning in report.warnings[:_MOST_TOLD_WARNINGS]]
    if (more := len(report.warnings) - _MOST_TOLD_WARNINGS) > 0:
        lines.append(f"-# … and {counted(more, 'more warning')}")
    return "\n".join(lines)


def card_line(card: Card) -> str:
    """Return a fighter's line as markdown, its name in bold."""
    name, _, rest = card.line().partition(": ")
    sits = " 🪑 sits out" if card.hp <= 0 else ""
    return f"**{plain(name)}**: {plain(rest, _MOST_LINE)}{sits}"
