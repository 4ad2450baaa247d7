"""Axis & Allies with dice in a terminal: `aa-odds`, `aa-battle`."""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sim.axis_allies.arguments import (
    ROUND_COUNT,
    add_armies,
    add_losses,
    add_must_take,
    add_terms,
    losses,
    texts_of_losses,
    withdrawal,
)
from sim.axis_allies.army import MAX_COUNT
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.battle.values import Fire, Retreat, RunOut, Setup
from sim.axis_allies.editions import DEFAULT, EDITIONS, edition_named
from sim.axis_allies.odds_report import OddsReport, found_words
from sim.axis_allies.parse import EXAMPLE, TECHNOLOGY_EXAMPLE, parse_question, parse_technology, parse_wave
from sim.axis_allies.question import Question
from sim.axis_allies.requests import OddsRequest
from sim.axis_allies.wave_report import WaveReport
from sim.axis_allies.wave_request import WaveRequest
from sim.core.battle import ANYONE, REFEREE
from sim.core.console import add_json, add_seed, outcome_line, whole_number, write_file
from sim.core.dice import seed_bytes
from sim.core.errors import RuleError
from sim.core.journal_file import dump
from sim.core.session import Session
from sim.core.values import Side


def _add_question(parser: argparse.ArgumentParser) -> None:
    """Add a battle of any edition, as one text or as armies and options."""
    parser.add_argument(
        "battle",
        nargs="?",
        metavar="BATTLE",
        help=f'the whole question as one text, such as "{EXAMPLE}" or a line that somebody shared; or -a and -d',
    )
    parser.add_argument("--battle", dest="text", metavar="BATTLE", help="the same")
    add_armies(parser)
    names = ", ".join(EDITIONS)
    parser.add_argument("--edition", metavar="NAME", help=f"{names} (default: the text's, or {DEFAULT})")
    parser.add_argument("--tech", metavar="TECHNOLOGIES", help=f'such as "{TECHNOLOGY_EXAMPLE}"')
    parser.add_argument(
        "--landing",
        type=whole_number(0, MAX_COUNT),
        metavar="N",
        help="land units that come by sea, which limit how many ships bombard (default: all)",
    )
    parser.add_argument("--low-luck", action="store_true", help="six points of value are a sure hit")
    add_losses(parser)
    add_must_take(parser)


def add_odds(odds: argparse.ArgumentParser) -> None:
    """Add the arguments of `aa-odds`."""
    _add_question(odds)
    add_terms(odds)
    odds.add_argument("--counter", metavar="ARMY", help="who attacks those that took the territory")
    add_seed(odds, "for armies that have to be simulated")
    add_json(odds)
    odds.set_defaults(command=_aa_odds)


def add_battle(battle: argparse.ArgumentParser) -> None:
    """Add the arguments of `aa-battle`."""
    _add_question(battle)
    battle.add_argument("--retreat-after", type=ROUND_COUNT, metavar="N", help="the attacker retreats after N rounds")
    battle.add_argument(
        "--seat",
        choices=[*map(str, Side), ANYONE],
        help="fight in the fog, and print only what this seat sees until the end",
    )
    add_seed(battle, "decides the dice")
    battle.add_argument("--out", type=Path, metavar="FILE", help="write the journal, for verify")
    battle.set_defaults(command=_aa_battle)


def _question(arguments: argparse.Namespace) -> Question:
    """Read the question from its text, or from both armies, and the options."""
    texts = [text for text in (arguments.battle, arguments.text) if text is not None]
    sides = [text for text in (arguments.attacker, arguments.defender) if text is not None]
    if (len(texts), len(sides)) not in {(1, 0), (0, 2)}:
        raise RuleError(f'Give the battle as one text, such as "{EXAMPLE}", or both armies with -a and -d.')
    text = texts[0] if texts else " vs ".join(sides)
    chosen = None if arguments.edition is None else edition_named(arguments.edition).name
    question = parse_question(text, edition=chosen)
    technologies = {} if arguments.tech is None else parse_technology(arguments.tech, question.edition)
    named: dict[str, Any] = {f"{side}_technology": names or None for side, names in technologies.items()}
    return question.with_options(
        **losses(texts_of_losses(arguments)),
        **named,
        landing=arguments.landing,
        must_take=arguments.must_take or None,
        low_luck=arguments.low_luck or None,
    )


def _aa_odds(arguments: argparse.Namespace) -> None:
    question = _question(arguments)
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


def _aa_battle(arguments: argparse.Namespace) -> None:
    setup = Setup.of(_question(arguments), dict.fromkeys(Side), fog=arguments.seat is not None)
    _, found = setup.battle.resolved()
    setup = setup.with_orders(found)
    if arguments.seat is None:
        print(*(f"{words}\n" for words in found_words(found)), sep="", end="", file=sys.stderr)
    rules = DiceBattle()
    session = Session(rules, setup, seed_bytes(arguments.seed))
    while session.outcome is None:
        if arguments.retreat_after is not None and session.state.round >= arguments.retreat_after:
            lines = session.act(Retreat(), Side.ATTACKER)
        elif arguments.retreat_after is None and arguments.seat is None:
            lines = session.act(RunOut(), Side.ATTACKER)
        else:
            lines = session.act(Fire(), Side.ATTACKER)
        if arguments.seat is not None:
            events = tuple(map(rules.events.read, session.entries[-1].events))
            lines = rules.lines(rules.visible_events(session.state, events, arguments.seat))
        print(*lines, sep="\n")
    session.end(REFEREE)
    if not session.state.round:
        print(outcome_line(session.outcome))
    if arguments.out is not None:
        write_file(arguments.out, dump(session.journal()).encode("ascii"))
