"""Journals of any game in the terminal: `verify`, `luck`. Loaded when one of these is called."""

import argparse
from pathlib import Path

from sim.core.console import outcome_line, read_file
from sim.core.journal_file import MAX_TEXT, read
from sim.core.replay import MIN_DIGITS, check_names, read_hash, verify
from sim.jobs.discovery import system
from sim.jobs.luck import luck_lines


def add_luck(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `luck`."""
    _add_journal(parser)
    parser.set_defaults(command=_luck)


def add_verify(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `verify`."""
    _add_journal(parser)
    parser.add_argument(
        "--hash",
        metavar="HEX",
        help=f"the last row's hash as the battle's panel shows it, or its first {MIN_DIGITS} digits or more",
    )
    parser.set_defaults(command=_verify)


def _add_journal(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="battle.jsonl", help="the journal, as a battle's end gives it")


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
