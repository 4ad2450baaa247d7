"""Axis & Allies 1941 in a terminal: `aa`, `aa-odds`, `aa-battle`."""

import argparse
import json
import sys
from pathlib import Path

from sim.axis_allies.army import MAX_COUNT
from sim.axis_allies.average import MAX_ROUNDS
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.battle.values import Fire, Retreat, RunOut, Setup
from sim.axis_allies.casualties import Casualties
from sim.axis_allies.export import transcript
from sim.axis_allies.odds_report import OddsReport
from sim.axis_allies.parse import parse_army, parse_casualties
from sim.axis_allies.requests import AverageRequest, OddsRequest
from sim.core.battle import ANYONE, REFEREE
from sim.core.console import Systems, add_json, add_seed, outcome_line, whole_number, write_file
from sim.core.dice import seed_bytes
from sim.core.journal_file import dump
from sim.core.session import Session
from sim.core.values import Side

_ROUND_COUNT = whole_number(1, MAX_ROUNDS)
_UNIT_COUNT = whole_number(1, MAX_COUNT)


def add_commands(systems: Systems) -> None:
    """Add the commands of Axis & Allies."""
    aa = systems.add_parser("aa", help="Axis & Allies 1941: the average battle")
    aa.add_argument("-a", "--attacker", required=True, metavar="ARMY", help='such as "6 tanks, 2 inf"')
    aa.add_argument("-d", "--defender", required=True, metavar="ARMY", help='such as "10 inf"')
    aa.add_argument("-r", "--show-rounds", action="store_true", help="print every round, not only the result")
    aa.add_argument("--casualties", choices=["score"], default="score", help="how losses are chosen (default: score)")
    aa.add_argument("--stop-after", type=_ROUND_COUNT, metavar="N", help="stop undecided after N rounds")
    add_json(aa)
    aa.set_defaults(command=_aa)
    _add_odds(systems.add_parser("aa-odds", help="Axis & Allies 1941: the exact odds"))
    _add_battle(systems.add_parser("aa-battle", help="Axis & Allies 1941: a battle with dice, every die shown"))


def _add_odds(odds: argparse.ArgumentParser) -> None:
    _add_sides(odds)
    odds.add_argument("--stop-after", type=_ROUND_COUNT, metavar="N", help="stop undecided after N rounds")
    odds.add_argument("--retreat-below", type=_UNIT_COUNT, metavar="N", help="retreat with fewer than N attackers")
    odds.add_argument("--must-take", action="store_true", help="the attacker needs a land unit left to win")
    add_seed(odds, "for armies that have to be simulated")
    add_json(odds)
    odds.set_defaults(command=_aa_odds)


def _add_sides(parser: argparse.ArgumentParser) -> None:
    methods = 'score, lives-first, smart, or an order such as "order: inf, tank, bb-life"'
    parser.add_argument("-a", "--attacker", required=True, metavar="ARMY", help='such as "6 tanks, 2 inf"')
    parser.add_argument("-d", "--defender", required=True, metavar="ARMY", help='such as "10 inf"')
    parser.add_argument("--casualties", default="score", metavar="METHOD", help=f"{methods} (default: score)")
    parser.add_argument("--attacker-casualties", metavar="METHOD", help="the same for the attacker alone")
    parser.add_argument("--defender-casualties", metavar="METHOD", help="the same for the defender alone")


def _add_battle(battle: argparse.ArgumentParser) -> None:
    _add_sides(battle)
    battle.add_argument("--retreat-after", type=_ROUND_COUNT, metavar="N", help="the attacker retreats after N rounds")
    battle.add_argument(
        "--seat",
        choices=[*map(str, Side), ANYONE],
        help="fight in the fog, and print only what this seat sees until the end",
    )
    add_seed(battle, "decides the dice")
    battle.add_argument("--out", type=Path, metavar="FILE", help="write the journal, for verify")
    battle.set_defaults(command=_aa_battle)


def _aa(arguments: argparse.Namespace) -> None:
    request = AverageRequest(
        attacker=parse_army(arguments.attacker),
        defender=parse_army(arguments.defender),
        casualties=arguments.casualties,
        stop_after=arguments.stop_after,
    )
    report = request.run()
    if arguments.json:
        print(report.model_dump_json(indent=1))
        return
    print(transcript(report, rounds=arguments.show_rounds), end="")
    for note in report.notes:  # not in the transcript: that is the seed program's text
        print(f"Note: {note}.", file=sys.stderr)


_HEADLINES = (
    *("p_attacker", "p_defender", "p_tie", "p_none", "exp_rounds"),
    *("att_left", "def_left", "att_ipc_lost", "def_ipc_lost"),
)


def _aa_odds(arguments: argparse.Namespace) -> None:
    request = OddsRequest(
        attacker=parse_army(arguments.attacker),
        defender=parse_army(arguments.defender),
        **_casualties(arguments),
        stop_after=arguments.stop_after,
        retreat_below=arguments.retreat_below,
        must_take=arguments.must_take,
        seed=arguments.seed,
    )
    report = request.run()
    print(report.model_dump_json(indent=1) if arguments.json else _headlines(report))
    if report.simulation is not None:
        print(
            f"Note: too large for exact odds; simulated, {report.simulation.battles:,} battles, "
            f"seed {report.simulation.seed}.",
            file=sys.stderr,
        )
    for note in report.notes:
        print(f"Note: {note}.", file=sys.stderr)


def _casualties(arguments: argparse.Namespace) -> dict[str, Casualties]:
    """Return the given casualty methods by option."""
    return {
        name: parse_casualties(text)
        for name in ("casualties", "attacker_casualties", "defender_casualties")
        if (text := getattr(arguments, name)) is not None
    }


def _headlines(report: OddsReport) -> str:
    """Return the main figures as lines of `name value`, each value as JSON."""
    return "\n".join(f"{name} {json.dumps(getattr(report, name))}" for name in _HEADLINES)


def _aa_battle(arguments: argparse.Namespace) -> None:
    casualties = _casualties(arguments)
    setup = Setup(
        attacker=parse_army(arguments.attacker),
        defender=parse_army(arguments.defender),
        attacker_losses=casualties.get("attacker_casualties", casualties["casualties"]),
        defender_losses=casualties.get("defender_casualties", casualties["casualties"]),
        fog=arguments.seat is not None,
    )
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
