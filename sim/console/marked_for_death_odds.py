"""The odds of Marked for Death in a terminal: `mfd-odds`."""

import argparse
import json
import sys
from pathlib import Path

from sim.console.parts import Systems, add_json, add_seed, read_file, whole_number
from sim.core.table import MAX_BYTES
from sim.marked_for_death.battle import MAX_ROUNDS
from sim.marked_for_death.odds import OddsReport, OddsRequest
from sim.marked_for_death.odds.request import MAX_BATTLES
from sim.marked_for_death.parse import read_roster
from sim.marked_for_death.roster import Roster

_HEADLINES = ("p_heroes", "p_villains", "p_both_fall", "p_undecided", "mean_rounds")


def add_commands(systems: Systems) -> None:
    """Add `mfd-odds`."""
    odds = systems.add_parser("mfd-odds", help="Marked for Death: the odds of a battle of two rosters")
    odds.add_argument("--heroes", required=True, type=Path, metavar="FILE", help="a roster's CSV")
    odds.add_argument("--villains", required=True, type=Path, metavar="FILE", help="the other side's")
    odds.add_argument(
        "-m", "--max-rounds", type=whole_number(1, MAX_ROUNDS), metavar="N", help="stop undecided after N rounds"
    )
    odds.add_argument(
        "--battles",
        type=whole_number(1, MAX_BATTLES),
        metavar="N",
        help="simulate at most N battles (default: until every chance is known to half a point)",
    )
    add_seed(odds, "for battles that have to be simulated")
    add_json(odds)
    odds.set_defaults(command=_mfd_odds)


def _mfd_odds(arguments: argparse.Namespace) -> None:
    report = OddsRequest(
        heroes=_roster(arguments.heroes),
        villains=_roster(arguments.villains),
        max_rounds=arguments.max_rounds,
        battles=arguments.battles,
        seed=arguments.seed,
    ).run()
    print(report.model_dump_json(indent=1) if arguments.json else _headlines(report))
    if report.simulation is not None:
        print(
            f"Note: simulated, {report.simulation.battles:,} battles, seed {report.simulation.seed}.", file=sys.stderr
        )


def _headlines(report: OddsReport) -> str:
    """Return the main figures, `name value` a line, each value as JSON."""
    return "\n".join(f"{name} {json.dumps(getattr(report, name))}" for name in _HEADLINES)


def _roster(path: Path) -> Roster:
    checked = read_roster(read_file(path, MAX_BYTES))
    for warning in checked.warnings:
        print(f"Note: {path.name}: {warning}", file=sys.stderr)
    return checked.roster
