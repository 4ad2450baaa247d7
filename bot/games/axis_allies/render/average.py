"""The average battle as pages: its rounds, then who hit whom."""

from collections.abc import Callable, Iterator

from bot.answers.document import Page, room
from bot.games.axis_allies.render.signs import ICONS, NOBODY, TIE
from bot.ui.text import counted
from sim.axis_allies.army import Army, shown_army
from sim.axis_allies.average import AverageReport, Round, Volley
from sim.axis_allies.transcript import hits_text
from sim.core.numbers import decimal_text
from sim.core.outcomes import Ending, Side

_COUNT_ROOM = 11  # "1000000", "333333.333": the longest count with the blank behind it
_LIVES_ROOM = 30
_HITS_ROOM = 200
_HIT_LINE_ROOM = 70


def round_leaves(report: AverageReport, rounds: int, headline: str) -> list[Page]:
    """Return the rounds, `rounds` to a page where they fit under the headline."""
    return _leaves(report, min(rounds, room(headline) // _round_room(report)), _round_lines, "{}")


def breakdown_leaves(report: AverageReport, rounds: int, headline: str) -> list[Page]:
    """Return who hit whom and how much, `rounds` to a page where they fit."""
    size = min(rounds, room(headline) // _breakdown_room(report))
    return _leaves(report, size, _breakdown_lines, "Who hit whom: {}")


def _leaves(report: AverageReport, size: int, lines: Callable[[Round], Iterator[str]], title: str) -> list[Page]:
    """Part the rounds into pages of equal size, by what the longest round could take: none needs writing before."""

    def leaf(start: int) -> Page:
        part = report.rounds[start : start + max(1, size)]
        numbers = f"{part[0].number}–{part[-1].number}" if len(part) > 1 else f"{part[0].number}"
        name = f"{'Rounds' if len(part) > 1 else 'Round'} {numbers}"
        return Page(title.format(name), lambda: "\n".join("\n".join(lines(round_)) for round_ in part))

    return [leaf(start) for start in range(0, len(report.rounds), max(1, size))]


def _army_room(army: Army) -> int:
    """Return the units that the army's line can take at most in any round: counts change, names don't."""
    return sum(
        _COUNT_ROOM + len(group.unit.stats.plural) + 2 + _LIVES_ROOM * bool(group.unit.lives) for group in army.groups
    )


def _round_room(report: AverageReport) -> int:
    return sum(_army_room(report.army(side)) for side in Side) + _HITS_ROOM


def _breakdown_room(report: AverageReport) -> int:
    kinds = sum(len(report.army(side).groups) for side in Side)
    # In one volley the targets fall one after the other: each type fired adds a line, and so does each target that
    # falls in the middle of a type's hits; ineffective hits add one a type.
    return 2 * kinds * _HIT_LINE_ROOM + _HITS_ROOM


def headline(report: AverageReport) -> Iterator[str]:
    """Say who wins and what is left, in two lines."""
    rounds = counted(len(report.rounds), "round")
    if report.winner is not None:
        yield f"### {ICONS[report.winner]} The {report.winner} wins"
    elif report.ending is Ending.MUTUAL:
        yield f"### {TIE} A tie"
    else:
        yield f"### {NOBODY} Nobody wins"
    yield f"{result(report)} after {rounds}"


def result(report: AverageReport) -> str:
    """Return what is left, as the beginning of a sentence."""
    if report.winner is not None:
        return f"**{shown_army(report.left(report.winner))}** left"
    if report.ending is Ending.MUTUAL:
        return "Nobody left"
    return " against ".join(f"{ICONS[side]} **{shown_army(report.left(side))}**" for side in Side) + " left"


def armies(report: AverageReport) -> Iterator[str]:
    """Tell both armies, their prices, and what is lost on average."""
    for side in Side:
        army = report.army(side)
        yield f"{ICONS[side]} **{side.capitalize()}** {shown_army(army)}"
        yield f"-# {decimal_text(army.ipc)} IPC, lost {decimal_text(report.ipc_lost(side))}"


def _round_lines(round_: Round) -> Iterator[str]:
    yield f"**Round {round_.number}**"
    for side in Side:
        yield f"{ICONS[side]} {shown_army(round_.army(side))}"
    for surprise in (True, False):
        hits = [
            f"{ICONS[side]} {hits_text(volley.effective, volley.ineffective)}"
            for side in Side
            if (volley := round_.volley(side, surprise=surprise)) is not None
        ]
        if hits:
            yield f"{'Surprise hits' if surprise else 'Hits'}: {' · '.join(hits)}"


def _breakdown_lines(round_: Round) -> Iterator[str]:
    yield f"**Round {round_.number}: who hit whom**"
    lines = [line for volley in round_.volleys for line in _volley_lines(volley)]
    yield from lines or ["Nobody hit anybody."]


def _volley_lines(volley: Volley) -> Iterator[str]:
    how = " by surprise" if volley.surprise else ""
    for hit in volley.hits:
        target = "no legal target" if hit.on is None else hit.on.stats.plural
        yield f"{ICONS[volley.side]} {hit.by.stats.plural}{how} → {target}: {decimal_text(hit.amount)}"
