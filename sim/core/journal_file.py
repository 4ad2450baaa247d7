"""A journal as a file: one line of JSON for the head, one for each row, one that closes it with the revealed seed."""

import json
from collections.abc import Iterator
from typing import Annotated, Any, TypeVar

from pydantic import Field, ValidationError

from sim.core.battle import Outcome
from sim.core.canonical_json import canonical, read_strict
from sim.core.errors import RuleError
from sim.core.journal import MAX_ROWS, MAX_SEED_BYTES, Count, Entry, Head, Journal
from sim.core.values import Frozen

MAX_TEXT = 64 << 20
"""Characters of the longest file that is read."""

MAX_LINE = 4 << 20
"""Characters of its longest line."""

M = TypeVar("M", bound=Frozen)


class JournalFileError(RuleError):
    """A file that is no journal; `line` is where, from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(line, message)
        self.line = line
        self.message = message

    def __str__(self) -> str:
        return f"Line {self.line}: {self.message}"


class Closing(Frozen):
    """The last line: how many rows there are, the seed in hexadecimal once it is revealed, how the battle ended."""

    rows: Count
    seed: Annotated[str, Field(pattern=r"^([0-9a-f]{2})*$", max_length=2 * MAX_SEED_BYTES)] | None
    outcome: Outcome | None


def dump(journal: Journal) -> str:
    """Return the file, ending in a line feed; it is ASCII only."""
    return "".join(dump_lines(journal))


def dump_lines(journal: Journal) -> Iterator[str]:
    """Yield the lines of the file, each with its line feed: the head, a line for each row, the end."""
    yield _line("head", dict(journal.head))
    for entry in journal.entries:
        yield _line("row", dict(entry))
    seed = None if journal.seed is None else journal.seed.hex()
    closing = Closing(rows=len(journal.entries), seed=seed, outcome=journal.outcome)
    yield _line("closing", closing.model_dump(mode="json"))


def _line(name: str, part: dict[str, Any]) -> str:
    return f"{canonical({name: part})}\n"


def read(data: bytes) -> Journal:
    """Read the bytes of a file that `dump` wrote; JournalFileError as `load`, RuleError for what is no ASCII."""
    try:
        return load(data.decode("ascii"))
    except UnicodeDecodeError as error:
        raise RuleError(f"This is no journal: byte {error.start + 1} is not ASCII.") from None


def load(text: str) -> Journal:
    """Read a file that `dump` wrote; JournalFileError, naming the line, for everything else.

    What it says is not checked here: `sim.core.replay.verify` does that.
    """
    if len(text) > MAX_TEXT:
        raise JournalFileError(1, f"the file has more than {MAX_TEXT:,} characters.")
    lines = text.removesuffix("\n").split("\n")
    if len(lines) < 2:  # noqa: PLR2004 - the head and the closing line
        raise JournalFileError(1, "a journal has at least two lines, its head and its end.")
    if len(lines) > MAX_ROWS + 2:
        raise JournalFileError(MAX_ROWS + 3, f"a journal has at most {MAX_ROWS:,} rows.")
    head = _part(1, lines[0], "head", Head)
    entries = tuple(_part(number, line, "row", Entry) for number, line in enumerate(lines[1:-1], start=2))
    closing = _part(len(lines), lines[-1], "closing", Closing)
    if closing.rows != len(entries):
        raise JournalFileError(len(lines), f"it tells of {closing.rows} rows, but there are {len(entries)}.")
    seed = None if closing.seed is None else bytes.fromhex(closing.seed)
    return Journal(head, entries, seed, closing.outcome)


def _part(number: int, line: str, name: str, model: type[M]) -> M:
    """Read `{name: ...}` on one line."""
    if len(line) > MAX_LINE:
        raise JournalFileError(number, f"it has more than {MAX_LINE:,} characters.")
    try:
        data = read_strict(line)
        # Some numbers read as what JSON can't write, such as 1e999, and some texts as half a character.
        canonical(data)
    except (ValueError, RecursionError) as error:
        detail = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise JournalFileError(number, f"it is no JSON ({detail}).") from None
    if not isinstance(data, dict) or list(data) != [name]:
        raise JournalFileError(number, f"the {name} of a journal was expected here.")
    try:
        return model.model_validate(data[name])
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, (name, *first["loc"])))
        raise JournalFileError(number, f"{place}: {first['msg']}.") from None
    except RecursionError:
        raise JournalFileError(number, "it is nested too deeply.") from None
