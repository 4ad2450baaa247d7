"""Marked for Death in a terminal: `mfd`, `mfd-check`, `mfd-odds`."""

import argparse
import json
from pathlib import Path

from sim.core.console import add_json, add_seed, print_notes, read_file, whole_number, write_file
from sim.core.errors import RuleError
from sim.core.table import MAX_BYTES
from sim.marked_for_death.battle.values import MAX_ROUNDS
from sim.marked_for_death.full_battle import battle_files
from sim.marked_for_death.reports import CheckReport, OddsReport, ReadReport, RunReport
from sim.marked_for_death.requests import MAX_BATTLES, MAX_LIVE_SEED, CheckRequest, OddsRequest, ReadRequest, RunRequest

_MAIN_FIGURES = ("p_heroes", "p_villains", "p_both_fall", "p_undecided", "mean_rounds")


def add_mfd(mfd: argparse.ArgumentParser) -> None:
    """Add the arguments of `mfd`."""
    _add_sides(mfd, 0, "stop undecided after N rounds; 0 only shows and writes both sides")
    add_seed(mfd, "decides the dice")
    mfd.add_argument(
        "--live",
        type=_revealed_seed,
        metavar="HEX",
        help="the seed that a battle in a channel revealed: its dice again",
    )
    mfd.add_argument("--out", type=Path, metavar="DIR", help="write the log and both final rosters there")
    mfd.set_defaults(command=_mfd)


def add_check(check: argparse.ArgumentParser) -> None:
    """Add the arguments of `mfd-check`."""
    check.add_argument("file", type=Path, metavar="FILE", help="the roster, a CSV file")
    add_json(check)
    check.set_defaults(command=_check)


def add_odds(odds: argparse.ArgumentParser) -> None:
    """Add the arguments of `mfd-odds`."""
    _add_sides(odds, 1, "stop undecided after N rounds")
    odds.add_argument(
        "--battles",
        type=whole_number(1, MAX_BATTLES),
        metavar="N",
        help="simulate at most N battles (default: until every chance is known to half a point)",
    )
    add_seed(odds, "for battles that have to be simulated")
    add_json(odds)
    odds.set_defaults(command=_odds)


def _add_sides(parser: argparse.ArgumentParser, least_rounds: int, rounds_help: str) -> None:
    parser.add_argument("--heroes", type=Path, required=True, metavar="FILE", help="their roster, a CSV file")
    parser.add_argument("--villains", type=Path, required=True, metavar="FILE", help="theirs")
    rounds = whole_number(least_rounds, MAX_ROUNDS)
    parser.add_argument("-m", "--max-rounds", type=rounds, metavar="N", help=rounds_help)


def _revealed_seed(text: str) -> bytes:
    try:
        seed = bytes.fromhex(text)
    except ValueError:
        seed = b""
    if not 1 <= len(seed) <= MAX_LIVE_SEED:
        raise argparse.ArgumentTypeError("a seed of a battle is hexadecimal")
    return seed


def _mfd(arguments: argparse.Namespace) -> None:
    request = RunRequest(
        heroes=read_file(arguments.heroes, MAX_BYTES),
        villains=read_file(arguments.villains, MAX_BYTES),
        max_rounds=arguments.max_rounds,
        seed=arguments.seed,
        live=arguments.live,
    )
    report = request.run()
    print(*report.log(), sep="\n")
    _print_warnings(report)
    if report.stopped is not None:
        print_notes(report.stopped)
    if arguments.out is not None:
        _make_folder(arguments.out)
        for name, data in battle_files(report).items():
            write_file(arguments.out / name, data)


def _check(arguments: argparse.Namespace) -> None:
    report = CheckRequest(source=read_file(arguments.file, MAX_BYTES)).run()
    if arguments.json:
        print(_as_json(report))
    else:
        print(*(card.line() for card in report.cards), sep="\n")
    print_notes(*report.warnings)


def _odds(arguments: argparse.Namespace) -> None:
    sides = ReadRequest(
        heroes=read_file(arguments.heroes, MAX_BYTES), villains=read_file(arguments.villains, MAX_BYTES)
    ).run()
    report = OddsRequest(
        heroes=sides.heroes.roster,
        villains=sides.villains.roster,
        max_rounds=arguments.max_rounds,
        battles=arguments.battles,
        seed=arguments.seed,
    ).run()
    print(report.model_dump_json(indent=1) if arguments.json else _main_figures(report))
    _print_warnings(sides)
    if report.simulation is not None:
        print_notes(f"simulated, {report.simulation.battles:,} battles, seed {report.simulation.seed}.")


def _main_figures(report: OddsReport) -> str:
    """Return the main figures, one `name value` a line, values as JSON."""
    return "\n".join(f"{name} {json.dumps(getattr(report, name))}" for name in _MAIN_FIGURES)


def _as_json(report: CheckReport) -> str:
    fighters = [
        {
            "Name": card.name,
            "HP": card.hp,
            "ToHit": f"{card.to_hit:f}",
            "ToDefend": f"{card.to_defend:f}",
            "AOE": card.aoe,
            "TotalXP": card.total_xp,
            "OffenseDice": card.offense_dice,
            "DefenseDice": card.defense_dice,
            "BodyguardFor": card.guards,
            "LinkedTo": card.linked_to,
        }
        for card in report.cards
    ]
    return json.dumps({"fighters": fighters, "warnings": report.warnings}, indent=1, ensure_ascii=False)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RuleError(f"{folder.name} can't be made: {error.strerror}.") from None


def _print_warnings(sides: RunReport | ReadReport) -> None:
    print_notes(*(f"Heroes: {warning}" for warning in sides.heroes.warnings))
    print_notes(*(f"Villains: {warning}" for warning in sides.villains.warnings))
