"""An answer as files: the seed's transcript, tables for spreadsheets, reports for programs."""

import csv
import io
from collections.abc import Iterator
from fractions import Fraction

from typing_extensions import override

from sim.axis_allies.army import Army
from sim.axis_allies.average import AverageReport, Round
from sim.axis_allies.calc import CalcRequest
from sim.axis_allies.odds.reports import OddsReport
from sim.axis_allies.transcript import transcript
from sim.axis_allies.units import Unit
from sim.core.numbers import decimal_text
from sim.core.outcomes import Side
from sim.core.request import Request

_PLACES = 6
"""Decimals in the table: as fine as the threshold at which a unit leaves the army."""

_END = "end"
"""Stands in the column `round` of the last row, which holds what is left."""


class CalcFilesRequest(Request):
    """The job of writing an answer's files."""

    calc: CalcRequest

    @override
    def cost(self) -> float:
        return self.calc.cost() + self.calc.average.cost()

    def run(self) -> dict[str, bytes]:
        """Return the files by name, all UTF-8.

        The average battle is `battle.txt`, `battle.csv` and `battle.json`; the odds, where there are any, `odds.csv`
        (the likeliest ends) and `odds.json` (the report).
        """
        report = self.calc.average.run()
        texts = {
            "battle.txt": transcript(report),
            "battle.csv": table(report),
            "battle.json": report.model_dump_json(indent=1) + "\n",
        }
        if self.calc.odds is not None:
            odds = self.calc.odds.run()
            texts |= {"odds.csv": ends_table(odds), "odds.json": odds.model_dump_json(indent=1) + "\n"}
        return {name: text.encode() for name, text in texts.items()}


def ends_table(report: OddsReport) -> str:
    """Return the likeliest ends as CSV, the likeliest first.

    Columns: `chance`, `winner` (empty for nobody), `ending`, and what is left of each unit that was there at the start,
    battleships' extra lives beside them.
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


def table(report: AverageReport) -> str:
    """Return the battle as CSV, one row a round, and a last row `end` with what is left.

    Columns: `round`; for each side its units as the round begins and its battleships' extra lives (units that were
    there at the start only); its hits by kind (surprise and general, each effective and ineffective); its losses in the
    round as units and as IPC. At most 6 decimals.
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
                *_standing(report.army(side), round_.army(side)),
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
        if unit.lives:
            yield f"{side}_{_column(unit)}_lives"
    yield from (f"{side}_{kind}" for kind in ("surprise_hits", "surprise_ineffective", "hits", "ineffective"))
    yield from (f"{side}_{_column(unit)}_lost" for unit in units)
    yield f"{side}_ipc_lost"


def _standing(start: Army, now: Army) -> Iterator[Fraction]:
    for group in start.groups:
        yield now.count(group.unit)
        if group.unit.lives:
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
    for cell in _standing(report.army(side), report.left(side)):
        yield decimal_text(cell, _PLACES)
    # Nothing is fired or lost after the end.
    yield from [""] * (4 + len(report.army(side).groups) + 1)
