"""The answer of `/aacalc`: the odds where units are whole, and the average battle."""

from collections.abc import Iterator

from bot.answers.document import EDIT, Action, Document
from bot.games.axis_allies.render import average, odds
from bot.games.axis_allies.render.signs import COLOURS, ICONS, notes
from bot.ui.text import counted
from sim.axis_allies.calc import CalcReport
from sim.core.numbers import decimal_text, percent
from sim.core.outcomes import Side

LONG_LOG = 3
"""Pages of rounds after which the files come along unasked."""

SMART = Action("smart", "Smart losses", "🧠")
SWAP = Action("swap", "Swap sides", "🔄")


def calc_book(report: CalcReport, rounds: int) -> Document:
    """Lay the answer out, `rounds` rounds of the average battle to a page."""
    headline = "\n".join(_headline(report))
    log = average.round_leaves(report.average, rounds, headline)
    first = [] if report.odds is None or report.chart is None else odds.pages(report.odds, report.chart)
    likely = report.average.winner if report.odds is None else odds.likeliest_side(report.odds)
    return Document(
        headline=headline,
        colour=COLOURS[likely],
        pages=[*first, *log, *average.breakdown_leaves(report.average, rounds, headline)],
        actions=[*([SMART] if report.smart else []), SWAP, EDIT],
        long=len(log) > LONG_LOG,
    )


def _headline(report: CalcReport) -> Iterator[str]:
    fought = report.average
    if report.odds is None:
        yield from average.headline(fought)
        yield from average.armies(fought)
        yield "-# 🎲 Whole units get exact odds, too."
    else:
        yield from odds.headline(report.odds)
        lost = " · ".join(f"{ICONS[side]} {decimal_text(fought.ipc_lost(side))}" for side in Side)
        rounds = counted(len(fought.rounds), "round")
        yield f"-# Average dice: {average.result(fought)} after {rounds}, IPC lost {lost}"
    if report.smart is not None:
        chances = zip(Side, (report.smart.p_attacker, report.smart.p_defender), strict=True)
        smart_odds = " · ".join(f"{ICONS[side]} {percent(chance)}" for side, chance in chances)
        yield f"-# 🧠 With smart casualties on both sides: {smart_odds}"
    yield from notes(fought.notes)
