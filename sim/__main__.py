"""The rules in a terminal: `python -m sim SYSTEM …` prints what a player would read."""

import argparse
import sys
from collections.abc import Callable, Sequence

from sim import __version__
from sim.axis_allies.average import MAX_ROUNDS, AverageRequest
from sim.axis_allies.parse import parse_army
from sim.axis_allies.transcript import transcript
from sim.core.errors import RuleError, TextError
from sim.core.excerpt import point_at

INPUT_ERROR = 2
"""Exit status for input that can't be used, as argparse has it."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0, or 2 with a message on stderr for wrong input."""
    arguments = _parser().parse_args(argv)
    command: Callable[[argparse.Namespace], None] = arguments.command
    try:
        command(arguments)
    except TextError as error:
        for problem in error.problems:
            print(*point_at(error.text, problem.span), problem.sentence(), sep="\n", file=sys.stderr)
        return INPUT_ERROR
    except RuleError as error:
        print(error, file=sys.stderr)
        return INPUT_ERROR
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m sim", description="Fracas's rules without Discord.")
    parser.add_argument("--version", action="version", version=f"Fracas {__version__}")
    systems = parser.add_subparsers(required=True, metavar="SYSTEM")
    aa = systems.add_parser("aa", help="Axis & Allies 1941: the average battle")
    aa.add_argument("-a", "--attacker", required=True, metavar="ARMY", help='such as "6 tanks, 2 inf"')
    aa.add_argument("-d", "--defender", required=True, metavar="ARMY", help='such as "10 inf"')
    aa.add_argument("-r", "--show-rounds", action="store_true", help="print every round, not only the result")
    aa.add_argument("--casualties", choices=["score"], default="score", help="how losses are chosen (default: score)")
    aa.add_argument("--stop-after", type=_round_count, metavar="N", help="stop undecided after N rounds")
    aa.add_argument("--json", action="store_true", help="print the report as JSON")
    aa.set_defaults(command=_aa)
    return parser


def _round_count(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 1 <= int(text[:9]) <= MAX_ROUNDS):
        raise argparse.ArgumentTypeError(f"a whole number from 1 to {MAX_ROUNDS} is needed, not {text!r}")
    return int(text)


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
    for note in report.notes:  # beside the transcript, not in it: its text is the seed program's
        print(f"Note: {note}.", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
