"""Journals of any game and their dice in the terminal: `verify`, `luck`, `coach`, `dice`; loaded when one is called."""

import argparse
import json
import re
from collections.abc import Collection
from pathlib import Path

from sim.core import RuleError
from sim.core.beacon import MAX_ROUND, QUICKNET, beacon_key
from sim.core.console import add_json, outcome_line, read_file, whole_number
from sim.core.dice import SeededDice
from sim.core.journal import MAX_ROWS, MAX_SEED_BYTES
from sim.core.journal_file import MAX_TEXT, read
from sim.core.replay import MIN_DIGITS, check_names, read_hash, verify
from sim.core.seal import read_seal, seal_lines
from sim.core.staged_job import answer
from sim.jobs import system
from sim.jobs.luck import CoachBattle, coach_of, luck_lines


def _add_journal(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="battle.jsonl", help="the journal, as a battle's end gives it")


def luck(parser: argparse.ArgumentParser) -> None:
    """Tell the luck of each seat."""
    _add_journal(parser)
    arguments = parser.parse_args()
    print(*luck_lines(read(read_file(arguments.file, MAX_TEXT))), sep="\n")


def coach(parser: argparse.ArgumentParser) -> None:
    """Tell what each roll and each choice was worth."""
    _add_journal(parser)
    parser.add_argument("--aim", metavar="AIM", help="what counts, such as chance or ipc (default: the chance to win)")
    parser.add_argument("--seat", metavar="SEAT", help="whose view, such as defender (default: the first seat)")
    add_json(parser)
    arguments = parser.parse_args()
    journal = read(read_file(arguments.file, MAX_TEXT))
    rules = system(journal.head.system)
    job = CoachBattle.of(journal, arguments.aim)
    if (mismatch := verify(rules, journal).mismatch) is not None:
        raise RuleError(mismatch.sentence)
    report = answer(job)
    if arguments.seat is not None:
        if arguments.seat not in (sides := coach_of(journal.head.system).sides):
            raise RuleError(f"The coach speaks to: {', '.join(sides)}.")
        report = report.seen_by(arguments.seat)
    if arguments.json:
        rows = [row.model_dump() | {"share": row.share} for row in report.rows]
        print(json.dumps(report.model_dump() | {"rows": rows}))
        return
    print(*report.sentences(you=False), sep="\n")
    print(f"{report.seat}: {report.standing(report.start)} at the start, {report.standing(report.result)} at the end")
    print(f"luck {report.signed(report.luck)}, decisions {report.signed(report.decisions)}")
    for row in report.rows:
        print(f"row {row.row}, {row.moment}: {row.sentence}: {report.signed(row.share)}")


def roll_dice(parser: argparse.ArgumentParser) -> None:
    """Print the rolls of a step."""
    parser.add_argument("--seed", required=True, metavar="HEX", help="the revealed seed")
    parser.add_argument("--row", metavar="HEX", help="the hash of the row that names the round, as the seal has it")
    parser.add_argument("--round", type=whole_number(1, MAX_ROUND), metavar="R", help="the round of drand's quicknet")
    parser.add_argument("--signature", metavar="HEX", help="the signature of that round")
    parser.add_argument("--step", required=True, type=whole_number(1, MAX_ROWS), metavar="N", help="the step, from 1")
    parser.add_argument("--sides", type=whole_number(1, 1 << 32), default=6, metavar="N", help="of a die (default: 6)")
    parser.add_argument("--count", type=whole_number(1, 1000), default=20, metavar="N", help="of rolls (default: 20)")
    arguments = parser.parse_args()
    key = _read_hex(arguments.seed, "The seed", range(0, 2 * MAX_SEED_BYTES + 1, 2))
    given = {"--row": arguments.row, "--round": arguments.round, "--signature": arguments.signature}
    if any(value is not None for value in given.values()):
        if missing := [option for option, value in given.items() if value is None]:
            raise RuleError(f"Dice of a sealed battle also need {' and '.join(missing)}.")
        if flaw := QUICKNET.flaw(arguments.round, arguments.signature):
            raise RuleError(flaw)
        _read_hex(arguments.row, "The row's hash", (64,))
        key = beacon_key(arguments.row, key, arguments.signature)
    dice = SeededDice(key, arguments.step)
    print(*(dice.roll(arguments.sides) for _ in range(arguments.count)))


def _read_hex(text: str, what: str, lengths: Collection[int]) -> bytes:
    """Return the bytes of hexadecimal digits, as many as one of `lengths`; RuleError for any other text."""
    if len(text) not in lengths or re.fullmatch("[0-9a-f]*", text) is None:
        most = f"{max(lengths)} digits" if len(lengths) == 1 else f"an even number of digits, {max(lengths)} at most"
        raise RuleError(f"{what} has {most} from 0 to 9 and a to f.")
    return bytes.fromhex(text)


def verify_battle(parser: argparse.ArgumentParser) -> int:
    """Do every row again; the status is 1 where the journal doesn't match."""
    _add_journal(parser)
    parser.add_argument(
        "--hash",
        metavar="HEX",
        help=f"the final fingerprint as the battle's panel shows it, or its first {MIN_DIGITS} digits or more",
    )
    parser.add_argument("--seal", metavar="HASH@ID", help="the 64 digits of the seal, and the id of its message")
    arguments = parser.parse_args()
    noted = None if arguments.hash is None else read_hash(arguments.hash)
    posted = None if arguments.seal is None else read_seal(arguments.seal)
    journal = read(read_file(arguments.file, MAX_TEXT))
    report = verify(system(journal.head.system), journal, noted, posted)
    mismatch = report.mismatch or check_names(journal.entries)
    if mismatch is not None:
        print(mismatch.sentence)
        return 1
    print("match", "undecided" if report.outcome is None else outcome_line(report.outcome), sep="\n")
    if noted is not None:
        print("the final fingerprint is the one that was noted")
    for line in seal_lines(journal.head, journal.entries, posted):
        print(line)
    return 0
