"""The answer to `/aacalc` about several attackers one after another, or a counterattack."""

from collections.abc import Iterator

from bot.answers.document import EDIT, Document, Page
from bot.games.axis_allies.render import COLOURS, ICONS, Asked, note_lines, order_lines, side_line, wave_line
from bot.games.axis_allies.render.calc import ends_headline, likeliest_side
from bot.ui.layout import Picture
from sim.axis_allies.odds_report import left_words
from sim.axis_allies.reports import WaveOdds, WaveReport
from sim.core.numbers import rounded_percent
from sim.core.values import Side

_LEAST_SPREAD = 0.05


def wave_document(report: WaveReport, card: Picture, asked: Asked) -> Document:
    """Return the answer's pages."""
    return Document(
        headline="\n".join(_headline(report, asked)),
        colour=COLOURS[likeliest_side(report)],
        pages=[Page("Chances", lambda: "\n".join(_lines(report)), card), asked.share_page()],
        actions=[EDIT],
    )


def _headline(report: WaveReport, asked: Asked) -> Iterator[str]:
    title, *others = ends_headline(report, asked)
    yield title if report.p_holds is None else f"### 🏴 Taken and held {_percent(report, report.p_holds)} of the time"
    yield from others
    several = len(report.waves) > 1
    for number, each in enumerate(report.waves, 1):
        yield wave_line(each.wave, title=f"Wave {number}" if several else None)
    yield side_line(Side.DEFENDER, report.defender)
    if report.counter is not None:
        yield wave_line(report.counter, Side.DEFENDER, "Counterattack")
    yield from asked.option_lines()
    yield from note_lines([*report.notes, *asked.saved_notes])


def _lines(report: WaveReport) -> Iterator[str]:
    if report.p_holds is not None:
        back = max(0.0, report.p_takes - report.p_holds)
        held = f"held {_percent(report, report.p_holds)}, taken back {_percent(report, back)}"
        yield f"🏴 Taken {_percent(report, report.p_takes)}: {held}"
    if len(report.waves) > 1:
        for number, each in enumerate(report.waves, 1):
            yield f"{ICONS[Side.ATTACKER]} Wave {number} {_wave_text(report, each)}"
    elif left := left_words(report.waves[0].left):
        yield f"{ICONS[Side.ATTACKER]} On average {left} left"
    if left := left_words(report.def_left):
        yield f"{ICONS[Side.DEFENDER]} On average {left} left"
    losses = (
        (Side.ATTACKER, report.att_ipc, report.att_ipc_lost, report.att_ipc_lost_sd),
        (Side.DEFENDER, int(report.defender.ipc), report.def_ipc_lost, report.def_ipc_lost_sd),
    )
    for side, ipc, lost, spread in losses:
        if lost > 0:
            varies = f" ± {spread:,.1f}" if spread >= _LEAST_SPREAD else ""
            yield f"{ICONS[side]} {ipc:,} IPC, loses {lost:,.1f}{varies}"
    if swing := report.def_ipc_lost - report.att_ipc_lost:
        yield f"⚖️ Swing {swing:+,.1f} IPC for the attacker"
    yield from order_lines(report.order_words())
    yield "-# Exact odds"


def _wave_text(report: WaveReport, each: WaveOdds) -> str:
    parts = [f"wins {_percent(report, each.p_wins)}"]
    if each.p_fights < 1:
        parts.append(f"has to fight {_percent(report, each.p_fights)}")
    if each.ipc_lost > 0:
        parts.append(f"loses {each.ipc_lost:,.1f} IPC")
    if left := left_words(each.left):
        parts.append(f"{left} left on average")
    return " · ".join(parts)


def _percent(report: WaveReport, chance: float) -> str:
    return rounded_percent(chance, exact=report.every_chance or chance <= 0)
