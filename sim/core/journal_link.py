"""A closed battle as the fragment of a link: what was done, without what follows from it by the rules."""

import base64
import zlib

from pydantic import JsonValue

from sim.core.battle import AnySystem
from sim.core.canonical_json import canonical, read_strict
from sim.core.errors import RuleError
from sim.core.journal import NOTES, Head, Journal, Kind, seed_hash
from sim.core.replay import check_head
from sim.core.session import Session
from sim.core.values import Frozen

MAX_TEXT = 1 << 20
"""Characters of the longest text in a fragment."""

_RAW_DEFLATE = -15


class LinkError(RuleError):
    """A fragment that holds no battle, or none that follows from its rules."""


class Linked(Frozen):
    """What a fragment holds. A row: the seat, and for a step the action, for an undo the version it goes back to.

    A row about the clock or the seats has its kind behind that.
    """

    system: str
    rules: int
    setup: JsonValue
    seed: str
    last: str
    rows: tuple[tuple[str, JsonValue, Kind] | tuple[str, JsonValue] | tuple[str], ...]


def fragment(journal: Journal) -> str:
    """Return what stands behind `#j=` in a link to a closed battle; ValueError while its seed is secret.

    The fragment is URL-safe base64 of raw deflate of JSON.
    """
    if journal.seed is None:
        raise ValueError("the seed is secret until the battle is closed")
    head, rows = journal.head, list[JsonValue]()
    for entry in journal.entries:
        match entry.kind:
            case Kind.STEP:
                rows.append([entry.seat, entry.action])
            case Kind.UNDO:
                rows.append([entry.seat, entry.back_to])
            case Kind.END:
                rows.append([entry.seat])
            case Kind.CLOCK | Kind.SEATS:
                rows.append([entry.seat, entry.action, entry.kind])
    last = journal.entries[-1].hash
    text = canonical([head.system, head.rules, head.setup, journal.seed.hex(), last, rows])
    packer = zlib.compressobj(9, zlib.DEFLATED, _RAW_DEFLATE)
    packed = packer.compress(text.encode("ascii")) + packer.flush()
    return base64.urlsafe_b64encode(packed).rstrip(b"=").decode("ascii")


def unpack(text: str) -> Linked:
    """Return what the JSON in a fragment holds; LinkError for anything else."""
    try:
        values = read_strict(text[: MAX_TEXT + 1])  # no whole JSON if it is longer
        return Linked.model_validate(dict(zip(Linked.model_fields, values, strict=True)))
    except (ValueError, TypeError, RecursionError):
        raise LinkError("This link holds no battle; perhaps a part of it is missing.") from None


def restore(system: AnySystem, linked: Linked) -> Journal:
    """Return the journal of a fragment by playing it again; LinkError where the rules don't allow that.

    Whether its last hash is that of the fragment is for `verify` to say.
    """
    try:
        seed = bytes.fromhex(linked.seed)
        head = Head(system=linked.system, rules=linked.rules, setup=linked.setup, seed_hash=seed_hash(seed))
        mismatch = check_head(system, head, seed)
        if mismatch is not None:
            raise LinkError(mismatch.sentence)
        session = Session(system, system.setups.read(linked.setup), seed)
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
                case [action, kind]:
                    session.note(_table(kind), action, seat)
        except (RuleError, ValueError) as error:
            raise LinkError(f"Row {number} is against the rules: {error}") from None
    return session.journal()


def _table(kind: JsonValue) -> Kind:
    """Return the kind of a row about the table; ValueError for any other kind."""
    if kind not in NOTES:
        raise ValueError(f"{kind} is no row about the clock or the seats")
    return Kind(kind)
