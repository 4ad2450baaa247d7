"""Helpers for the terminal commands: numbers, seeds, files, outcomes."""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

from pydantic import JsonValue

from sim.core import RuleError
from sim.core.battle import Outcome
from sim.core.dice import MAX_SEED
from sim.core.values import read_strict

MAX_JSON = 1 << 20
"""Bytes of the largest JSON file."""


def whole_number(low: int, high: int) -> Callable[[str], int]:
    """Return a reader of whole numbers from `low` (0 or more) to `high`, in plain digits."""

    def read(text: str) -> int:
        digits = text.lstrip("0")[: len(str(high)) + 1] or "0"  # enough digits to see that the number is too large
        if not (text.isascii() and text.isdecimal() and low <= int(digits) <= high):
            raise argparse.ArgumentTypeError(f"a whole number from {low} to {high} is needed, not {text!r}")
        return int(digits)

    return read


def add_seed(parser: argparse.ArgumentParser, what: str) -> None:
    """Add `--seed`; `what` describes its use."""
    parser.add_argument("--seed", type=whole_number(0, MAX_SEED), default=0, metavar="N", help=f"{what} (default: 0)")


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add `--json`."""
    parser.add_argument("--json", action="store_true", help="print the whole report as JSON")


def read_file(path: Path, limit: int) -> bytes:
    """Return a file's content, at most `limit` + 1 bytes; RuleError if it can't be read."""
    try:
        with path.open("rb") as file:
            return file.read(limit + 1)
    except OSError as error:
        raise RuleError(f"{(path.name or str(path))[:100]} can't be read: {error.strerror}.") from None


def read_json(path: Path, most: int = MAX_JSON) -> JsonValue:
    """Return what a JSON file of at most `most` bytes holds; RuleError, naming the place, when it can't be read."""
    data = read_file(path, most)
    if len(data) > most:
        raise RuleError(f"{path.name} has more than {most >> 20} MiB.")
    try:
        found: JsonValue = read_strict(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise RuleError(f"{path.name} is no UTF-8 text: byte {error.start + 1} is the first that can't be.") from None
    except json.JSONDecodeError as error:
        raise RuleError(f"{path.name} is no JSON: {error.msg} (line {error.lineno}, column {error.colno}).") from None
    except RecursionError:
        raise RuleError(f"{path.name} can't be read: it is nested too deeply.") from None
    except ValueError as error:
        why = "a number in it has too many digits" if "digits" in str(error) else error
        raise RuleError(f"{path.name} can't be read: {why}.") from None
    return found


def write_file(path: Path, data: bytes) -> None:
    """Write a file; RuleError when it can't be written."""
    try:
        path.write_bytes(data)
    except OSError as error:
        raise RuleError(f"{path.name} can't be written: {error.strerror}.") from None


def print_notes(*notes: str) -> None:
    """Print notes to a result on stderr."""
    for note in notes:
        print(f"Note: {note}", file=sys.stderr)


def outcome_line(outcome: Outcome) -> str:
    """Return a battle's outcome as a line."""
    won = "nobody wins" if outcome.winner is None else f"the {outcome.winner} wins"
    return f"{won}: {outcome.why} (after {outcome.rounds} {'round' if outcome.rounds == 1 else 'rounds'})"
