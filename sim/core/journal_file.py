"""A journal as a file, and a closed battle as the fragment of a link.

The file: one line of JSON for the head, one for each row, one that closes it with the revealed seed. The fragment: what
was done, without what follows from it by the rules.
"""

import base64
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, TypeVar

from pydantic import Field, JsonValue, TypeAdapter, ValidationError

from sim.core import RuleError
from sim.core import journal as j
from sim.core.battle import AnySystem, Outcome
from sim.core.replay import Session, check_head
from sim.core.values import Frozen, canonical, first_flaw, read_strict

MAX_TEXT = 64 << 20
"""Characters of the longest file that is read."""

MAX_LINE = 4 << 20
"""Characters of its longest line."""

P = TypeVar("P")


@dataclass(eq=False, repr=False)
class JournalFileError(RuleError):
    """A file that is no journal; `line` is where, from 1."""

    line: int
    message: str

    def __str__(self) -> str:
        return f"Line {self.line}: {self.message}"


class Closing(Frozen):
    """The last line: how many rows there are, the seed in hexadecimal once it is revealed, how the battle ended."""

    rows: j.Count
    seed: Annotated[str, Field(pattern=r"^([0-9a-f]{2})*$", max_length=2 * j.MAX_SEED_BYTES)] | None
    outcome: Outcome | None


_CLOSINGS = TypeAdapter(Closing)


def dump(journal: j.Journal) -> str:
    """Return the file, ending in a line feed; it is ASCII only."""
    return "".join(dump_lines(journal))


def dump_lines(journal: j.Journal) -> Iterator[str]:
    """Yield the lines of the file, each with its line feed: the head, a line for each row, the end."""
    seed = None if journal.seed is None else journal.seed.hex()
    closing = Closing(rows=len(journal.entries), seed=seed, outcome=journal.outcome)
    yield f'{{"head":{journal.head.text}}}\n'
    yield from (f"{canonical({'row': row.values})}\n" for row in journal.entries)
    yield f"{canonical({'closing': closing.model_dump(mode='json')})}\n"


def read(data: bytes) -> j.Journal:
    """Read the bytes of a file that `dump` wrote; JournalFileError as `load`, RuleError for what is no ASCII."""
    try:
        return load(data.decode("ascii"))
    except UnicodeDecodeError as error:
        raise RuleError(f"This isn't a journal: byte {error.start + 1} is not ASCII.") from None


def load(text: str) -> j.Journal:
    """Read a file that `dump` wrote; JournalFileError, naming the line, for everything else.

    What it says is not checked here: `sim.core.replay.verify` does that.
    """
    if len(text) > MAX_TEXT:
        raise JournalFileError(1, f"the file has more than {MAX_TEXT:,} characters.")
    lines = text.removesuffix("\n").split("\n")
    if len(lines) < 2:  # noqa: PLR2004 - the head and the closing line
        raise JournalFileError(1, "a journal has at least two lines, its head and its end.")
    if len(lines) > j.MAX_ROWS + 2:
        raise JournalFileError(j.MAX_ROWS + 3, f"a journal has at most {j.MAX_ROWS:,} rows.")
    head = _part(1, lines[0], "head", j.HEADS)
    entries = tuple(_part(number, line, "row", j.ROWS) for number, line in enumerate(lines[1:-1], start=2))
    closing = _part(len(lines), lines[-1], "closing", _CLOSINGS)
    if closing.rows != len(entries):
        raise JournalFileError(len(lines), f"it tells of {closing.rows} rows, but there are {len(entries)}.")
    seed = None if closing.seed is None else bytes.fromhex(closing.seed)
    return j.Journal(head, entries, seed, closing.outcome)


def _part(number: int, line: str, name: str, parts: TypeAdapter[P]) -> P:
    """Read `{name: ...}` on one line."""
    if len(line) > MAX_LINE:
        raise JournalFileError(number, f"it has more than {MAX_LINE:,} characters.")
    try:
        data = read_strict(line)
        # Some numbers read as what JSON can't write, such as 1e999, and some texts as half a character.
        canonical(data)
    except (ValueError, RecursionError) as error:
        detail = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise JournalFileError(number, f"it isn't JSON ({detail}).") from None
    if not isinstance(data, dict) or list(data) != [name]:
        raise JournalFileError(number, f"the {name} of a journal was expected here.")
    try:
        return parts.validate_python(data[name])
    except ValidationError as error:
        raise JournalFileError(number, first_flaw(error, name)) from None
    except RecursionError:
        raise JournalFileError(number, "it is nested too deeply.") from None


MAX_LINK = 1 << 20
"""Characters of the longest text in a fragment."""

_FORM_1 = 6  # values that a link to a whole battle of form 1 has


class LinkError(RuleError):
    """A fragment that holds no battle, or none that follows from its rules."""


class Linked(Frozen):
    """What a fragment holds. A row: the seat, and for a step the action, for an undo the version it goes back to.

    A row about the clock, the seats or the beacon has its kind behind that. `chain`: the beacon's, in form 2, else
    None. `branch`: where the battle begins, of one that goes on from another.
    """

    system: Annotated[str, Field(min_length=1, max_length=40)]
    rules: Annotated[int, Field(ge=1)]
    setup: JsonValue
    seed: str
    last: str
    rows: tuple[tuple[str, JsonValue, j.Kind] | tuple[str, JsonValue] | tuple[str], ...]
    chain: j.Hash | None = None
    branch: j.Branch | None = None


def fragment(journal: j.Journal) -> str:
    """Return what stands behind `#j=` in a link to a closed battle; ValueError while its seed is secret.

    The fragment is URL-safe base64 of raw deflate of JSON.
    """
    if journal.seed is None:
        raise ValueError("the seed is secret until the battle is closed")
    head, rows = journal.head, list[JsonValue]()
    for entry in journal.entries:
        match entry.kind:
            case j.Kind.STEP:
                rows.append([entry.seat, entry.action])
            case j.Kind.UNDO:
                rows.append([entry.seat, entry.back_to])
            case j.Kind.END:
                rows.append([entry.seat])
            case _:
                rows.append([entry.seat, entry.action, entry.kind])
    last = journal.entries[-1].hash
    more: list[JsonValue] = [] if head.chain is None and head.branch_json is None else [head.chain]
    more += [] if head.branch_json is None else [json.loads(head.branch_json)]
    text = canonical([head.system, head.rules, head.setup, journal.seed.hex(), last, rows, *more])
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    packed = packer.compress(text.encode("ascii")) + packer.flush()
    return base64.urlsafe_b64encode(packed).rstrip(b"=").decode("ascii")


def unpack(text: str) -> Linked:
    """Return what the JSON in a fragment holds; LinkError for anything else."""
    try:
        values = read_strict(text[: MAX_LINK + 1])  # no whole JSON if it is longer
        names = [*Linked.model_fields][: max(_FORM_1, len(values))]
        return Linked.model_validate(dict(zip(names, values, strict=len(values) > _FORM_1)))
    except (ValueError, TypeError, RecursionError):
        raise LinkError("This link holds no battle; perhaps a part of it is missing.") from None


def restore(system: AnySystem, linked: Linked) -> j.Journal:
    """Return the journal of a fragment by playing it again; LinkError where the rules don't allow that.

    Whether its last hash is that of the fragment is for `verify` to say.
    """
    try:
        seed = bytes.fromhex(linked.seed)
        head = j.Head(linked.system, linked.rules, canonical(linked.setup), j.seed_hash(seed), linked.chain)
        mismatch = check_head(system, head, seed)
        if mismatch is not None:
            raise LinkError(mismatch.sentence)
        session = Session(system, system.setups.read(linked.setup), seed, linked.chain, linked.branch)
    except ValueError:
        raise LinkError("This link holds no battle; perhaps a part of it is missing.") from None
    for number, row in enumerate(linked.rows, start=1):
        seat, *rest = row
        try:
            match rest:
                case []:
                    session.end(seat)
                case [int(back_to)]:
                    session.undo(back_to, seat)
                case [action]:
                    session.act(system.actions.read(action), seat)
                case [action, j.Kind() as kind]:
                    session.note(kind, action, seat)
        except (RuleError, ValueError) as error:
            raise LinkError(f"Row {number} is against the rules: {error}") from None
    return session.journal()
