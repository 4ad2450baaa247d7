"""The odds of Axis & Allies in a terminal: `aa-odds`."""

import argparse
import json
import sys
from collections.abc import Iterator
from typing import Any

from sim.axis_allies.arguments import add_question, add_terms, question_of, withdrawal
from sim.axis_allies.odds_report import OddsReport
from sim.axis_allies.parse import parse_wave
from sim.axis_allies.question import Question
from sim.axis_allies.requests import OddsRequest
from sim.axis_allies.wave_report import WaveReport
from sim.axis_allies.wave_request import WaveRequest
from sim.core.console import add_json, add_seed


def add_odds(odds: argparse.ArgumentParser) -> None:
    """Add the arguments of `aa-odds`."""
    add_question(odds)
    add_terms(odds)
    odds.add_argument("--counter", metavar="ARMY", help="who attacks those that took the territory")
    add_seed(odds, "for armies that have to be simulated")
    add_json(odds)
    odds.set_defaults(command=_aa_odds)


def _aa_odds(arguments: argparse.Namespace) -> None:
    question = question_of(arguments)
    counter = None if arguments.counter is None else parse_wave(arguments.counter, question.edition)
    question = question.with_options(stop_after=arguments.stop_after, withdrawal=withdrawal(arguments), counter=counter)
    fields: dict[str, Any] = question.fields
    report: OddsReport | WaveReport
    if question.one_battle:
        report = OddsRequest(**fields, seed=arguments.seed).run(course=arguments.json)
    else:
        report = WaveRequest(**fields, then=question.waves[1:], counter=question.counter).run()
    if arguments.json:
        print(report.model_dump_json(indent=1))
    else:
        print(*(f"{name} {json.dumps(value)}" for name, value in _figures(report)), sep="\n")
    print(*_remarks(question, report), sep="\n", file=sys.stderr)


def _figures(report: OddsReport | WaveReport) -> Iterator[tuple[str, object]]:
    """Yield the main figures by name."""
    yield from ((name, getattr(report, name)) for name in ("p_attacker", "p_defender", "p_tie", "p_none", "p_takes"))
    if isinstance(report, WaveReport):
        if report.p_holds is not None:
            yield "p_holds", report.p_holds
        yield from ((f"p_wave{number}", wave.p_wins) for number, wave in enumerate(report.waves, 1))
    yield "exp_rounds", report.exp_rounds
    if isinstance(report, OddsReport):
        yield "att_left", report.att_left
    else:
        yield from ((f"att_left_wave{number}", wave.left) for number, wave in enumerate(report.waves, 1))
    yield from ((name, getattr(report, name)) for name in ("def_left", "att_ipc_lost", "def_ipc_lost"))


def _remarks(question: Question, report: OddsReport | WaveReport) -> Iterator[str]:
    yield f"Edition: {question.book.title}."
    yield from report.order_words()
    if isinstance(report, OddsReport) and report.simulation is not None:
        fought = f"{report.simulation.battles:,} battles, seed {report.simulation.seed}"
        yield f"Note: too large for exact odds; simulated, {fought}."
    yield from (f"Note: {note}." for note in report.notes)
