"""Marked for Death in a terminal: `mfd`, `mfd-check`, `mfd-odds`."""

import argparse
import json
from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path

from sim.core import RuleError
from sim.core.console import add_json, add_seed, print_notes, read_file, whole_number, write_file
from sim.core.numbers import about_rounds
from sim.csv import MAX_BYTES
from sim.marked_for_death.battle import MAX_ROUNDS
from sim.marked_for_death.odds import OddsRequest
from sim.marked_for_death.odds.sampling import MAX_BATTLES
from sim.marked_for_death.reports import OddsReport, ReadReport, RunReport
from sim.marked_for_death.requests import MAX_LIVE_SEED, CheckRequest, ReadRequest, RunRequest, battle_files
from sim.marked_for_death.roster import Camp

_FIELDS = (
    *("Name", "HP", "ToHit", "ToDefend", "AOE", "TotalXP", "OffenseDice", "DefenseDice"),
    *("BodyguardFor", "LinkedTo"),
)
"""What the fields of a fighter's card are called in JSON, in their order."""


def _add_sides(parser: argparse.ArgumentParser, least_rounds: int, rounds_help: str) -> None:
    for camp in Camp:
        file = f"{camp.capitalize()}.csv"
        what = f"their roster, a CSV file (default: {file})"
        parser.add_argument(f"--{camp}", type=Path, default=Path(file), metavar="FILE", help=what)
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


def _files(arguments: argparse.Namespace) -> dict[str, bytes]:
    return {camp.value: read_file(getattr(arguments, camp), MAX_BYTES) for camp in Camp}


def mfd(parser: argparse.ArgumentParser) -> None:
    """Fight a battle of two rosters, and write its log and both final rosters."""
    _add_sides(parser, 0, "stop undecided after N rounds; 0 only shows and writes both sides")
    add_seed(parser, "decides the dice")
    parser.add_argument(
        "--live",
        type=_revealed_seed,
        metavar="HEX",
        help="the seed that a battle in a channel revealed: its dice again",
    )
    parser.add_argument(
        "--out",
        default=".",
        metavar="DIR",
        help="where to write the log and both final rosters, in place of those that are there; - for nowhere"
        " (default: here)",
    )
    arguments = parser.parse_args()
    request = RunRequest(
        **_files(arguments),
        max_rounds=arguments.max_rounds,
        seed=arguments.seed,
        live=arguments.live,
    )
    report = request.run()
    print(*report.log(), sep="\n")
    _print_warnings(report)
    if report.stopped is not None:
        print_notes(report.stopped)
    if arguments.out != "-":
        folder = Path(arguments.out)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RuleError(f"{folder.name} can't be made: {error.strerror}.") from None
        for name, data in battle_files(report).items():
            # The mark is for spreadsheets, which open the files of a channel; other programs trip over it.
            write_file(folder / name, data.removeprefix(BOM_UTF8))


def check(parser: argparse.ArgumentParser) -> None:
    """Show a roster's fighters, and what is odd about them."""
    parser.add_argument("file", type=Path, metavar="FILE", help="the roster, a CSV file")
    add_json(parser)
    arguments = parser.parse_args()
    report = CheckRequest(source=read_file(arguments.file, MAX_BYTES)).run()
    if arguments.json:
        fighters = [dict(zip(_FIELDS, card.model_dump().values(), strict=True)) for card in report.cards]
        written = {"fighters": fighters, "warnings": report.warnings}
        print(json.dumps(written, indent=1, ensure_ascii=False, default="{:f}".format))
    else:
        print(*(card.line() for card in report.cards), sep="\n")
    print_notes(*report.warnings)


def odds(parser: argparse.ArgumentParser) -> None:
    """Tell how a battle of two rosters ends, and who survives."""
    _add_sides(parser, 1, "stop undecided after N rounds")
    parser.add_argument(
        "--battles",
        type=whole_number(1, MAX_BATTLES),
        metavar="N",
        help="simulate at most N battles (default: until every chance is known to half a point)",
    )
    add_seed(parser, "for battles that have to be simulated")
    add_json(parser)
    arguments = parser.parse_args()
    sides = ReadRequest(**_files(arguments)).run()
    report = OddsRequest(
        heroes=sides.heroes.roster,
        villains=sides.villains.roster,
        max_rounds=arguments.max_rounds,
        battles=arguments.battles,
        seed=arguments.seed,
    ).run()
    print(report.model_dump_json(indent=1) if arguments.json else "\n".join(_sentences(report)))
    _print_warnings(sides)
    if report.simulation is not None:
        print_notes(f"simulated, {report.simulation.battles:,} battles, seed {report.simulation.seed}.")


def _sentences(report: OddsReport) -> Iterator[str]:
    """Yield how the battle ends, how long it takes, and who survives, as players read it."""
    yield f"{report.headline()}."
    chances = [f"{end} {report.percent(chance)}" for end, chance in report.ends.items()]
    yield f"{', '.join(filter(None, (*chances, about_rounds(report.mean_rounds)))).capitalize()}."
    for fighter in report.fighters:
        yield f"{fighter.name} survives {report.percent(fighter.p_survives)} of the time."


def _print_warnings(sides: RunReport | ReadReport) -> None:
    for camp in Camp:
        print_notes(*(f"{camp.capitalize()}: {warning}" for warning in sides.side(camp).warnings))
