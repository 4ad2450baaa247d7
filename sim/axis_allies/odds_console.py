"""Axis & Allies in a terminal: odds, when to retreat, what to buy, battles with dice, and the puzzles in them."""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from pydantic import Field

from sim.axis_allies import spending
from sim.axis_allies.advice_reports import RetreatReport, swing_text
from sim.axis_allies.army import Army
from sim.axis_allies.battle import Action, Fire, Retreat, RunOut, Setup
from sim.axis_allies.battle.puzzles import FindPuzzles
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.console import ROUND_COUNT, add_question, add_terms, counts_of, question_of, withdrawal
from sim.axis_allies.editions import edition_named
from sim.axis_allies.odds_report import OddsReport, found_words, left_words
from sim.axis_allies.parse import parse_wave
from sim.axis_allies.parse.options import parse_casualties
from sim.axis_allies.question import Question
from sim.axis_allies.reports import WaveReport
from sim.axis_allies.requests import MAX_OUTCOMES, MAX_TERRITORY, OddsRequest, RetreatRequest
from sim.axis_allies.waves import WaveRequest, wave_words
from sim.core import RuleError
from sim.core.battle import ANYONE, REFEREE, Codec
from sim.core.console import add_json, add_seed, outcome_line, read_file, read_json, whole_number, write_file
from sim.core.dice import seed_bytes
from sim.core.journal import active_steps
from sim.core.journal_file import MAX_TEXT, dump, read
from sim.core.numbers import about_rounds, percent
from sim.core.replay import Session, verify
from sim.core.values import Frozen, Side


def odds(parser: argparse.ArgumentParser) -> None:
    """Tell the odds of a battle, or of several waves and a counterattack."""
    add_question(parser)
    add_terms(parser)
    parser.add_argument("--counter", metavar="ARMY", help="who attacks those that took the territory")
    add_seed(parser, "for armies that have to be simulated")
    add_json(parser)
    arguments = parser.parse_args()
    question = _ending(arguments)
    counter = None if arguments.counter is None else parse_wave(arguments.counter, question.edition)
    question = question.with_options(counter=counter)
    report: OddsReport | WaveReport
    if question.one_battle:
        fields = question.fields | ({"outcomes": MAX_OUTCOMES} if arguments.json else {})
        report = OddsRequest(**fields, seed=arguments.seed).run(course=arguments.json)
    else:
        report = WaveRequest(question=question).run()
    if arguments.json:
        told = report.model_dump(mode="json")
        if isinstance(report, WaveReport):  # by the names of a single battle: what is left of all waves, their chances
            told["att_left"] = left = Counter[str]()
            for number, wave in enumerate(report.waves, 1):
                left.update(wave.left)
                told[f"p_wave{number}"] = wave.p_wins
        print(json.dumps(told, indent=1))
    else:
        print(*_sentences(report), sep="\n")
    print(*_notes(question, report), sep="\n", file=sys.stderr)


def _ending(arguments: argparse.Namespace) -> Question:
    """Return the question with when it ends, by `add_terms`."""
    return question_of(arguments).with_options(stop_after=arguments.stop_after, withdrawal=withdrawal(arguments))


def _sentences(report: OddsReport | WaveReport) -> Iterator[str]:
    """Yield how it ends, and what is lost and left, as players read it."""
    if isinstance(report, WaveReport):
        yield from wave_words(report)
        return
    yield f"{''.join(report.headline())}."
    takes = f"takes {report.takes_percent}" if report.takes_less else ""
    yield f"{', '.join(filter(None, (report.chances_text().capitalize(), takes, about_rounds(report.exp_rounds))))}."
    for side, left in zip(Side, (report.att_left, report.def_left), strict=True):
        odds = report.odds(side)
        lost = f"{odds.ipc_start:,} IPC, loses {odds.ipc_lost:,.1f}"
        yield f"{side.capitalize()}: {lost}; {left_words(left) or 'nothing'} left on average."


def _notes(question: Question, report: OddsReport | WaveReport | RetreatReport) -> Iterator[str]:
    yield f"Edition: {question.book.title}."
    yield from report.order_words()
    if isinstance(report, OddsReport) and report.simulation is not None:
        fought = f"{report.simulation.battles:,} battles, seed {report.simulation.seed}"
        yield f"Note: too large for exact odds; simulated, {fought}."
    yield from (f"Note: {note}." for note in report.notes)


def retreat(parser: argparse.ArgumentParser) -> None:
    """Advise whether to attack, and after each round whether to go on."""
    add_question(parser)
    add_terms(parser)
    worth = "what the territory is worth to the attacker, in IPC (default: 0)"
    parser.add_argument("--territory", type=whole_number(0, MAX_TERRITORY), default=0, metavar="N", help=worth)
    add_json(parser)
    arguments = parser.parse_args()
    question = _ending(arguments)
    report = RetreatRequest.of(question, arguments.territory).run()
    if arguments.json:
        print(report.model_dump_json(indent=1))
    else:
        print(f"{report.words()}. {report.worth_words()}.")
        for each in report.rounds:
            when = f"After round {each.number}, {percent(each.p_on)} still on" if each.number else "Before the battle"
            swings = f"to the end {swing_text(each.swing_fight_on)}, by the best plan {swing_text(each.swing_best)}"
            print(f"{when}: {each.advice}; net IPC to come {swings}.")
    print(*_notes(question, report), sep="\n", file=sys.stderr)


class _FrontText(Frozen):
    battle: str
    value: spending.Value


class _PlanesText(Frozen):
    unit: str
    count: spending.PlaneCount = 1
    fronts: Annotated[tuple[int, ...], Field(min_length=1)]


class _SpendText(Frozen):
    """What a file of `aa-spend` holds; fronts are counted from 0."""

    edition: str | None = None
    budget: spending.Budget
    aim: spending.Aim = spending.Aim.TERRITORY
    units: tuple[str, ...] = ()
    planes: tuple[_PlanesText, ...] = ()
    casualties: str | None = None
    fronts: Annotated[tuple[_FrontText, ...], Field(min_length=1, max_length=spending.MAX_FRONTS)]

    def request(self) -> spending.SpendRequest:
        """Read the texts; RuleError that names the front."""
        edition = None if self.edition is None else edition_named(self.edition).name
        casualties = None if self.casualties is None else parse_casualties(self.casualties)
        fronts = []
        for number, front in enumerate(self.fronts, 1):
            fronts.append(spending.read_front(front.battle, front.value, number, edition, casualties))
            edition = edition or fronts[0].edition
        known = fronts[0].edition
        planes = ((unit, each) for each in self.planes for unit in spending.read_units([each.unit], known))
        return spending.SpendRequest(
            budget=self.budget,
            fronts=tuple(fronts),
            units=spending.read_units(self.units, known),
            planes=tuple(spending.Planes(unit=unit, count=each.count, fronts=each.fronts) for unit, each in planes),
            aim=self.aim,
        )


def spend(parser: argparse.ArgumentParser) -> None:
    """Tell what to buy for the fronts that a file names."""
    parser.add_argument("file", type=Path, metavar="FILE.json", help="budget, fronts, units to buy, planes")
    add_json(parser)
    arguments = parser.parse_args()
    report = Codec[_SpendText](_SpendText).read(read_json(arguments.file)).request().run()
    if arguments.json:
        print(json.dumps(_plan_figures(report.best) | {"next": [*map(_plan_figures, report.others)]}, indent=1))
    else:
        print(*spending.plan_words(report), *(f"Next: {plan.words()}." for plan in report.others), sep="\n")


def _plan_figures(plan: spending.SpendPlan) -> dict[str, object]:
    """Return a plan as JSON: a row for each front, also one that is left alone."""
    rows = [
        {name: counts_of(value) if isinstance(value, Army) else value for name, value in each}
        for each in plan.purchases
    ]
    return {"worth": plan.worth, "ipc": plan.ipc, "purchases": rows}


def battle(parser: argparse.ArgumentParser) -> None:
    """Fight a battle with dice, to the end or to a retreat."""
    add_question(parser)
    parser.add_argument("--retreat-after", type=ROUND_COUNT, metavar="N", help="the attacker retreats after N rounds")
    parser.add_argument(
        "--seat",
        choices=[*map(str, Side), ANYONE],
        help="fight in the fog, and print only what this seat sees until the end",
    )
    add_seed(parser, "decides the dice")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the journal, for verify")
    arguments = parser.parse_args()
    setup = Setup.of(question_of(arguments), dict.fromkeys(Side), fog=arguments.seat is not None)
    _, found = setup.battle.resolved()
    setup = setup.with_found(found)
    if arguments.seat is None:
        print(*(f"{words}\n" for words in found_words(found)), sep="", end="", file=sys.stderr)
    rules = DiceBattle()
    session = Session(rules, setup, seed_bytes(arguments.seed))
    while session.outcome is None:
        action: Action = RunOut() if arguments.retreat_after is None and arguments.seat is None else Fire()
        if arguments.retreat_after is not None and session.state.round >= arguments.retreat_after:
            action = Retreat()
        lines = session.act(action, Side.ATTACKER)
        if arguments.seat is not None:
            events = rules.events.read_all(session.entries[-1].events)
            lines = rules.lines(rules.visible_events(session.state, events, arguments.seat))
        print(*lines, sep="\n")
    session.end(REFEREE)
    if not session.state.round:
        print(outcome_line(session.outcome))
    if arguments.out is not None:
        write_file(arguments.out, dump(session.journal()).encode("ascii"))


def puzzles(parser: argparse.ArgumentParser) -> None:
    """Print the puzzles in the journals of battles."""
    parser.add_argument("files", nargs="+", type=Path, metavar="JOURNAL", help="journals of battles, as files")
    add_seed(parser, "for the choices that are offered")
    arguments = parser.parse_args()
    for file in arguments.files:
        journal, rules = read(read_file(file, MAX_TEXT)), DiceBattle()
        if journal.head.system != rules.name:
            raise RuleError(f"{file}: this is no battle of Axis & Allies.")
        if (mismatch := verify(rules, journal).mismatch) is not None:
            raise RuleError(f"{file}: {mismatch.sentence}")
        steps = [(entry.n, entry.events_json) for entry in active_steps(journal.entries)]
        found = FindPuzzles(steps, seed_bytes(arguments.seed)).run()
        for row, puzzle in found:
            print(f"{file}, row {row}: {puzzle.question}", puzzle.note, sep="\n")
            for option in puzzle.options:
                print(f"  {option.worth:6.1f}  {option.text}")
        if not found:
            print(f"{file}: no puzzle")
