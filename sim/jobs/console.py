"""The check of any battle's journal in a terminal: `verify`."""

import argparse
from pathlib import Path

from sim.core.console import Systems, ended, read_file
from sim.core.errors import RuleError
from sim.core.journal_file import MAX_TEXT, load
from sim.core.replay import verify
from sim.jobs.registry import system


def add_commands(systems: Systems) -> None:
    """Add `verify`."""
    parser = systems.add_parser("verify", help="check a battle's journal: every row is done again")
    parser.add_argument("file", type=Path, metavar="battle.jsonl", help="the journal, as a battle's end gives it")
    parser.set_defaults(command=_verify)


def _verify(arguments: argparse.Namespace) -> int:
    try:
        text = read_file(arguments.file, MAX_TEXT).decode("ascii")
    except UnicodeDecodeError as error:
        raise RuleError(f"This is no journal: byte {error.start + 1} is not ASCII.") from None
    journal = load(text)
    report = verify(system(journal.head.system), journal)
    if report.mismatch is not None:
        print(report.mismatch.sentence)
        return 1
    print("match", "undecided" if report.outcome is None else ended(report.outcome), sep="\n")
    return 0
