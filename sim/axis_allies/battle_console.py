"""A battle of Axis & Allies with dice in a terminal: `aa-battle`."""

import argparse
import sys
from pathlib import Path

from sim.axis_allies.arguments import ROUND_COUNT, add_question, question_of
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.battle.values import Fire, Retreat, RunOut, Setup
from sim.axis_allies.odds_report import found_words
from sim.core.battle import ANYONE, REFEREE
from sim.core.console import add_seed, outcome_line, write_file
from sim.core.dice import seed_bytes
from sim.core.journal_file import dump
from sim.core.session import Session
from sim.core.values import Side


def add_battle(battle: argparse.ArgumentParser) -> None:
    """Add the arguments of `aa-battle`."""
    add_question(battle)
    battle.add_argument("--retreat-after", type=ROUND_COUNT, metavar="N", help="the attacker retreats after N rounds")
    battle.add_argument(
        "--seat",
        choices=[*map(str, Side), ANYONE],
        help="fight in the fog, and print only what this seat sees until the end",
    )
    add_seed(battle, "decides the dice")
    battle.add_argument("--out", type=Path, metavar="FILE", help="write the journal, for verify")
    battle.set_defaults(command=_aa_battle)


def _aa_battle(arguments: argparse.Namespace) -> None:
    setup = Setup.of(question_of(arguments), dict.fromkeys(Side), fog=arguments.seat is not None)
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
