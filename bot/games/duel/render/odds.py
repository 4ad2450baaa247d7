"""The odds of a duel on pages."""

from collections.abc import Iterator, Sequence
from functools import partial

from bot.answers.document import Action, Document, Page
from bot.games.duel.render.sheet import line
from bot.games.duel.render.signs import ALIVE, COLOURS, ICONS, STALEMATE
from bot.ui.layout import Picture
from bot.ui.limits import MAX_CHOICE
from bot.ui.text import code_block, counted, plain
from sim.core.caret import WIDTH
from sim.core.numbers import ROUNDING, percent, percent_range, rounded_percent
from sim.duel.battle import GROUP_1, GROUP_2
from sim.duel.critter import Critter
from sim.duel.odds import DuelOdds, SideOdds
from sim.duel.typed import names_of

_MOST_NAMES = 60
_MOST_LISTED = 20
_ROWS_A_PAGE = 25
_BAR = 14
_GROUPS = (GROUP_1, GROUP_2)


def odds_book(
    report: DuelOdds, groups: Sequence[Sequence[Critter]], chart: bytes, actions: Sequence[Action] = ()
) -> Document:
    """Return the odds of two groups, the first one's first."""
    names = [_called(group) for group in groups]
    pages = [
        Page("Chances", lambda: "\n".join(_first_page(report, names)), Picture("odds.png", chart, _alt(report, names)))
    ]
    pages += _tables("Rounds", "-# it ends in round …", list(_round_rows(report)))
    for name, side in zip(names, (report.first, report.second), strict=True):
        what = "hit points left" if side.hp_left else "left of them"
        pages += _tables(f"{name}: {what}", f"-# {plain(name)}: {what}", list(_left_rows(side)))
    pages.append(Page("Who fights", lambda: "\n".join(_fighters(groups))))
    return Document("\n".join(_headline(report, names)), COLOURS[_GROUPS[_likeliest(report)]], pages, actions)


def _called(group: Sequence[Critter]) -> str:
    names = ", ".join(names_of(tuple(group)))
    if len(names) <= _MOST_NAMES:
        return names
    return f"{group[0].name} and {len(group) - 1:,} more"


def _likeliest(report: DuelOdds) -> int:
    return 0 if report.p_win_first >= report.p_win_second else 1


def _headline(report: DuelOdds, names: Sequence[str]) -> Iterator[str]:
    best = _likeliest(report)
    chances = (report.p_win_first, report.p_win_second)
    yield f"### {ICONS[_GROUPS[best]]} {plain(names[best])}: {_percent(report, chances[best])}"
    yield " · ".join(
        f"{ICONS[seat]} {plain(name)} {_percent(report, chance)}"
        for seat, name, chance in zip(_GROUPS, names, chances, strict=True)
    )
    if report.p_never > 0:
        yield f"{STALEMATE} nobody can win any more {_percent(report, report.p_never)}"
    yield f"{report.mean_rounds:.2f} rounds on average"
    if (simulation := report.simulation) is None:
        yield "-# Exact, not simulated"
        return
    yield (
        f"-# 🎲 {simulation.battles:,} simulated battles (seed {simulation.seed}): {ICONS[GROUP_1]} "
        f"{percent_range(simulation.intervals['p_win_first'])} with 95 % confidence"
    )


def _percent(report: DuelOdds, chance: float) -> str:
    return rounded_percent(chance, exact=report.method == "exact")


def _first_page(report: DuelOdds, names: Sequence[str]) -> Iterator[str]:
    for seat, name, side in zip(_GROUPS, names, (report.first, report.second), strict=True):
        yield f"{ICONS[seat]} **{plain(name)}** {ALIVE} {side.mean_hp_left:.2f} HP left on average"
    if report.simulation is not None:
        yield "**With 95 % confidence**"
        labels = {"p_win_first": f"{ICONS[GROUP_1]} wins", "p_win_second": f"{ICONS[GROUP_2]} wins"}
        for key, what in labels.items():
            yield f"{what} {percent_range(report.simulation.intervals[key])}"
        for key, what in (
            ("mean_rounds", "rounds"),
            ("first.mean_hp_left", f"HP left of {ICONS[GROUP_1]}"),
            ("second.mean_hp_left", f"HP left of {ICONS[GROUP_2]}"),
        ):
            low, high = report.simulation.intervals[key]
            yield f"{what} {low:.2f} to {high:.2f}"
    if report.p_given_up > 0:
        yield f"-# {percent(report.p_given_up)} of the battles went on for too long and were given up."


def _round_rows(report: DuelOdds) -> Iterator[tuple[str, float]]:
    for number, chance in enumerate(report.rounds, start=1):
        yield str(number), chance
    if report.rounds_beyond > ROUNDING:
        yield "more", report.rounds_beyond


def _left_rows(side: SideOdds) -> Iterator[tuple[str, float]]:
    for left, chance in enumerate(side.hp_left or side.survivors):
        yield str(left), chance


def _tables(title: str, head: str, rows: Sequence[tuple[str, float]]) -> Iterator[Page]:
    """Yield pages of a table of chances with bars; no line is wider than a phone."""
    most = max((chance for _, chance in rows), default=0) or 1.0
    for start in range(0, len(rows), _ROWS_A_PAGE):
        part = rows[start : start + _ROWS_A_PAGE]
        lines = [_row(name, chance, most) for name, chance in part]
        name = title if len(rows) <= _ROWS_A_PAGE else f"{title}, from {part[0][0]}"
        yield Page(name[:MAX_CHOICE], partial("\n".join, [head, code_block("\n".join(lines))]))


def _row(name: str, chance: float, most: float) -> str:
    figure = percent(chance).replace("\N{NO-BREAK SPACE}", "")
    return f"{name:>4} {figure:>6} {'█' * round(_BAR * chance / most)}"[:WIDTH]


def _fighters(groups: Sequence[Sequence[Critter]]) -> Iterator[str]:
    for seat, group in zip(_GROUPS, groups, strict=True):
        yield f"{ICONS[seat]} {counted(len(group), 'fighter')}"
        yield from (f"- {line(critter)}" for critter in group[:_MOST_LISTED])
        if len(group) > _MOST_LISTED:
            yield f"-# … and {len(group) - _MOST_LISTED:,} more"


def _alt(report: DuelOdds, names: Sequence[str]) -> str:
    first, second = (_percent(report, chance) for chance in (report.p_win_first, report.p_win_second))
    what = "hit points" if report.first.hp_left else "fighters"
    return f"Chances: {names[0]} {first}, {names[1]} {second}. Bars show how many {what} each side has left"
