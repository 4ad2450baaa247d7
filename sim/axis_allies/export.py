"""Files of an answer: the transcript of .docs/rules/axis_allies.md, "The average battle", and CSV tables."""

import csv
import io
from collections.abc import Iterator
from fractions import Fraction

from sim.axis_allies.army import Army, army_text
from sim.axis_allies.odds_report import EndName, OddsReport
from sim.axis_allies.reports import AverageReport, Round
from sim.axis_allies.units import Unit
from sim.core.numbers import decimal_text
from sim.core.values import Ending, Side

_PLACES = 6
"""Decimals in the table: as fine as the count at which a unit is gone."""

_END = "end"
"""Value of the column `round` in the last row, which has what is left."""

_NO_WINNER: dict[EndName, str] = {
    "retreat": "The attacker retreated!",
    "not taken": "No land unit is left to take the territory!",
}
"""Ends without a winner that the source lacks."""

_TITLES = {Side.ATTACKER: "Attacker", Side.DEFENDER: "Defender"}


def transcript(report: AverageReport, *, rounds: bool = True) -> str:
    """Return the text of the average battle, with its rounds or only the result, ending in a line break."""
    blocks = [f"{block}\n\n\n" for block in map(_round_text, report.rounds)] if rounds else []
    return "".join(blocks) + f"Completed simulation in {len(report.rounds)} rounds.\n{result_text(report)}\n"


def result_text(report: AverageReport) -> str:
    """Return the line that says who won and what is left."""
    if report.winner is not None:
        takes = report.must_take and report.winner is Side.ATTACKER
        won = "takes the territory" if takes else "won"
        return f"The {report.winner} {won}, with {army_text(report.left(report.winner))} left."
    if report.ending is Ending.MUTUAL:
        return "The battle was a tie! Both teams lost all their troops!"
    left = [f"the {side} was left with {army_text(report.left(side))}" for side in Side if report.left(side)]
    why = _NO_WINNER.get(report.end, "No one won the battle!")
    return f"{why} {', and '.join(left).capitalize()}."


def hits_text(effective: Fraction, ineffective: Fraction) -> str:
    """Return hits as text: `0.333`, plus ` (0.111 ineffective)` unless that rounds to zero."""
    lost = decimal_text(ineffective)
    return decimal_text(effective) + (f" ({lost} ineffective)" if lost != "0" else "")


def _round_text(round_: Round) -> str:
    title = f"====== Round {round_.number} ======"
    return "\n".join([title, *_round_lines(round_), "=" * len(title)])


def _round_lines(round_: Round) -> Iterator[str]:
    for side in Side:
        yield f"{_TITLES[side]}: {army_text(round_.army(side))}"
    for surprise in (True, False):
        for side in Side:
            volley = round_.volley(side, surprise=surprise)
            if volley is not None:
                kind = "Surprise Hits" if surprise else "Hits"
                yield f"{_TITLES[side]} {kind}: {hits_text(volley.effective, volley.ineffective)}"


def outcomes_table(report: OddsReport) -> str:
    """Return the likeliest results as CSV, likeliest first.

    Columns: `chance`, `winner` (empty for nobody), `ending`, and what is left of each side's units and of its
    battleships' lives.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    units = {side: [unit.unit for unit in report.odds(side).units] for side in Side}
    writer.writerow(["chance", "winner", "ending", *(f"{side}_{unit}" for side in Side for unit in units[side])])
    for end in report.outcomes:
        left = {Side.ATTACKER: end.attacker, Side.DEFENDER: end.defender}
        counts = [left[side].get(unit, 0) for side in Side for unit in units[side]]
        writer.writerow([repr(end.p), end.winner or "", end.ending, *counts])
    return out.getvalue()


def battle_table(report: AverageReport) -> str:
    """Return the battle as CSV: a row for each round, and a last row `end` with what is left.

    Columns: `round`; for each side its units as the round begins and its battleships' lives; its hits by kind
    (surprise and general, each effective and ineffective); its losses in the round, in units and in IPC. At most 6
    decimals.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(["round", *(name for side in Side for name in _side_columns(report, side))])
    after = [*report.rounds[1:], None]
    for round_, following in zip(report.rounds, after, strict=True):
        cells = [
            cell
            for side in Side
            for cell in (
                *_unit_counts(report.army(side), round_.army(side)),
                *_hits(round_, side),
                *_losses(
                    report.army(side), round_.army(side), following.army(side) if following else report.left(side)
                ),
            )
        ]
        writer.writerow([round_.number, *(decimal_text(cell, _PLACES) for cell in cells)])
    writer.writerow([_END, *(cell for side in Side for cell in _last_cells(report, side))])
    return out.getvalue()


def _column(unit: Unit) -> str:
    return unit.value.replace(" ", "_")


def _side_columns(report: AverageReport, side: Side) -> Iterator[str]:
    units = [group.unit for group in report.army(side).groups]
    for unit in units:
        yield f"{side}_{_column(unit)}"
        if report.army(side).book.lives(unit):
            yield f"{side}_{_column(unit)}_lives"
    yield from (f"{side}_{kind}" for kind in ("surprise_hits", "surprise_ineffective", "hits", "ineffective"))
    yield from (f"{side}_{_column(unit)}_lost" for unit in units)
    yield f"{side}_ipc_lost"


def _unit_counts(start: Army, now: Army) -> Iterator[Fraction]:
    for group in start.groups:
        yield now.count(group.unit)
        if start.book.lives(group.unit):
            yield next((here.lives for here in now.groups if here.unit is group.unit), Fraction(0))


def _hits(round_: Round, side: Side) -> Iterator[Fraction]:
    for surprise in (True, False):
        volley = round_.volley(side, surprise=surprise)
        yield Fraction(0) if volley is None else volley.effective
        yield Fraction(0) if volley is None else volley.ineffective


def _losses(start: Army, before: Army, after: Army) -> Iterator[Fraction]:
    yield from (before.count(group.unit) - after.count(group.unit) for group in start.groups)
    yield before.ipc - after.ipc


def _last_cells(report: AverageReport, side: Side) -> Iterator[str]:
    for cell in _unit_counts(report.army(side), report.left(side)):
        yield decimal_text(cell, _PLACES)
    # No shots and no losses after the end.
    yield from [""] * (4 + len(report.army(side).groups) + 1)
