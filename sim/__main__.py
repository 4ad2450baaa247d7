"""The rules in a terminal: `python -m sim SYSTEM …` prints what a player would read."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from sim import __version__
from sim.core.console import Systems, error_lines, outcome_line, read_file
from sim.core.errors import RuleError
from sim.core.game_rules import GameError
from sim.core.journal_file import MAX_TEXT, read
from sim.core.replay import MIN_DIGITS, check_names, read_hash, verify
from sim.jobs.discovery import expect_one, games, load_module, system
from sim.jobs.kernel_cache import use_kernel_cache
from sim.jobs.luck import luck_lines

INPUT_ERROR = 2
"""Exit status for input that can't be used, as argparse has it."""


def main(argv: Sequence[str] | None = None, prog: str = "python -m sim") -> int:
    """Run one command and return its exit status: 0, or 2 with a message on stderr for wrong input.

    `prog` is what the help calls the program. `verify` returns 1 for a journal that doesn't match.
    """
    try:
        use_kernel_cache()
        arguments = _parser(prog).parse_args(argv)
    except GameError as error:
        print(error, file=sys.stderr)
        return INPUT_ERROR
    command: Callable[[argparse.Namespace], int | None] = arguments.command
    try:
        status = command(arguments) or 0
        sys.stdout.flush()
    except BrokenPipeError:
        # Who reads, such as `head`, has seen enough; what is flushed at the end must find somewhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except RuleError as error:
        print(*error_lines(error), sep="\n", file=sys.stderr)
        return INPUT_ERROR
    else:
        return status


def _parser(prog: str) -> argparse.ArgumentParser:
    """Return the parser with every game's commands; GameError for two of the same name."""
    parser = argparse.ArgumentParser(prog=prog, description="Fracas's rules without Discord.")
    parser.add_argument("--version", action="version", version=f"Fracas {__version__}")
    systems = parser.add_subparsers(required=True, metavar="SYSTEM")
    owners: dict[str, object] = {}
    consoles = [(game, load_module(game, game.rules.console).add_commands) for game in games() if game.rules.console]
    for owner, add_commands in (*consoles, ("fracas (built in)", _add_own)):
        trial = argparse.ArgumentParser().add_subparsers()
        add_commands(trial)
        for name in trial.choices:
            expect_one(owners.setdefault(name, owner), owner, f"a command {name} of the terminal")
        add_commands(systems)
    return parser


def _add_own(systems: Systems) -> None:
    _add_verify(systems)
    parser = systems.add_parser("luck", help="tell the luck of a battle's dice, from its journal")
    parser.add_argument("file", type=Path, metavar="battle.jsonl", help="the journal, as a battle's end gives it")
    parser.set_defaults(command=_luck)


def _add_verify(systems: Systems) -> None:
    parser = systems.add_parser("verify", help="check a battle's journal: every row is done again")
    parser.add_argument("file", type=Path, metavar="battle.jsonl", help="the journal, as a battle's end gives it")
    parser.add_argument(
        "--hash",
        metavar="HEX",
        help=f"the last row's hash as the battle's panel shows it, or its first {MIN_DIGITS} digits or more",
    )
    parser.set_defaults(command=_verify)


def _luck(arguments: argparse.Namespace) -> None:
    for line in luck_lines(read(read_file(arguments.file, MAX_TEXT))):
        print(line)


def _verify(arguments: argparse.Namespace) -> int:
    noted = None if arguments.hash is None else read_hash(arguments.hash)
    journal = read(read_file(arguments.file, MAX_TEXT))
    report = verify(system(journal.head.system), journal, noted)
    mismatch = report.mismatch or check_names(journal.entries)
    if mismatch is not None:
        print(mismatch.sentence)
        return 1
    print("match", "undecided" if report.outcome is None else outcome_line(report.outcome), sep="\n")
    if noted is not None:
        print("the last row's hash is the one that was noted")
    return 0


if __name__ == "__main__":
    sys.exit(main())
