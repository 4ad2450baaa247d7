"""The journal of a battle: every row in order, each sealed by a hash over itself and the one before; and rows in words.

Rows are never changed or taken away: an undo is one more row. Chance can't be re-rolled: the dice of a step come from
the battle's seed and from how many steps were ever taken, undone ones too. The hash of the seed stands in the head, so
that nobody can choose another one later. Who acted is kept beside the seal, not under it: a person can be forgotten and
the battle still be checked.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass, fields, replace
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, GetPydanticSchema, JsonValue, TypeAdapter
from pydantic_core.core_schema import no_info_after_validator_function

from sim.core import RuleError
from sim.core.battle import Outcome, Seat
from sim.core.beacon import beacon_key, signature_of
from sim.core.numbers import quantity
from sim.core.values import Ending, Frozen, canonical, digest, text_digest

MAX_ROWS = 10_000
"""The longest journal."""

MAX_SEED_BYTES = 64

Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
"""A SHA-256 in lower-case hexadecimal."""

Count = Annotated[int, Field(ge=0, le=MAX_ROWS, strict=True)]


class Kind(StrEnum):
    """The kind of a row."""

    STEP = "step"
    """An action was applied."""
    UNDO = "undo"
    """The battle went back to how it stood at an earlier version."""
    END = "end"
    """The battle was closed, decided or not; no row follows, and the seed may be shown."""
    CLOCK = "clock"
    """The clock was set, stopped, extended, or ran out. Changes no state; an undo doesn't take it back."""
    SEATS = "seats"
    """A referee changed who sits where, or who may join. Changes no state; an undo doesn't take it back."""
    ROUND = "round"
    """A coming round of the beacon was named. Changes no state; an undo doesn't take it back."""
    BEACON = "beacon"
    """That round's signature came; only now there are dice. Changes no state; an undo doesn't take it back."""


TABLE = frozenset({Kind.CLOCK, Kind.SEATS})
"""The kinds of rows about the clock and the seats."""

SEALING = frozenset({Kind.ROUND, Kind.BEACON})
"""The kinds of rows about where the dice come from."""

NOTES = TABLE | SEALING
"""The kinds of rows that aren't about the game: the state stays as it was, and no dice are rolled."""


class Branch(Frozen):
    """Where a battle that goes on from another one begins: with that battle's `state` after its row `row`.

    `hash`: of that row, of the head for row 0. It seals the state's digest, so who has the other journal can compare.
    """

    hash: Hash
    row: Count
    state: JsonValue

    @property
    def sentence(self) -> str:
        """What to compare with the other battle."""
        place = f"row {self.row}" if self.row else "the beginning"
        return f"What if? It goes on from {place} of another battle, with dice of its own; the hash there: {self.hash}"


def _text_of(kind: object) -> GetPydanticSchema:
    """Have a field keep a file's value, of that kind, as canonical text."""

    def written(value: Any) -> str:  # noqa: ANN401  # of that kind
        return canonical(dict(value) if isinstance(value, Branch) else value)

    return GetPydanticSchema(lambda _, handler: no_info_after_validator_function(written, handler(kind)))


def _never_null(kind: object) -> GetPydanticSchema:
    """Have a field that may be left out, but not be null, in a file."""
    return GetPydanticSchema(lambda _, handler: handler(kind))


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a journal, fixed when the battle opens. `HEADS` reads one from a file.

    `rules`: the edition of the system's rules. `seed_hash`: shown to the players before the first step. `chain`: of the
    beacon that has a part in the dice, in form 2 (`format`); form 1 has none. `branch`: where it begins, if that isn't
    as the setup says. Setup and branch are canonical texts: only workers parse large ones.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    system: Annotated[str, Field(min_length=1, max_length=40)]
    rules: Annotated[int, Field(ge=1, strict=True)]
    setup_json: Annotated[str, Field(alias="setup"), _text_of(JsonValue)]
    seed_hash: Hash
    chain: Annotated[str | None, _never_null(Hash)] = None
    branch_json: Annotated[str | None, Field(alias="branch"), _text_of(Branch)] = None
    format: InitVar[Annotated[int | None, _never_null(Literal[1, 2])]] = None

    def __post_init__(self, format: int | None) -> None:  # noqa: A002  # as files call it
        if format is not None and (format == 1) is not (self.chain is None):
            raise ValueError("the head of form 2, and no other, names a chain")

    @property
    def setup(self) -> JsonValue:
        """The setup; parsed at each call."""
        setup: JsonValue = json.loads(self.setup_json)
        return setup

    @property
    def branch(self) -> Branch | None:
        """Where the battle begins; parsed at each call, ValueError for what can't be one."""
        return None if self.branch_json is None else Branch.model_validate(json.loads(self.branch_json))

    @property
    def text(self) -> str:
        """Its text in a file."""
        plain = {"format": 1 if self.chain is None else 2, "system": self.system, "rules": self.rules}
        plain |= {"seed_hash": self.seed_hash} | ({} if self.chain is None else {"chain": self.chain})
        branch = {} if self.branch_json is None else {"branch": self.branch_json}
        return _object(plain, setup=self.setup_json, **branch)

    @property
    def hash(self) -> str:
        """What the first row is chained to."""
        return text_digest(self.text)


HEADS: TypeAdapter[Head] = TypeAdapter(
    Annotated[Head, BeforeValidator(lambda head: {"format": 1} | head if isinstance(head, dict) else head)]
)


@dataclass(frozen=True, slots=True)
class JournalRow:
    """One row. `ROWS` reads one from a file; ValueError for values that don't go together.

    `n`: its number, from 1. `seat`: in which part it was done. `version`: the battle's version after the row, one more
    than before. `state_hash`: `digest` of the state after the row. `previous`: the hash of the row before, of the head
    for the first. `hash`: seals all of these but the actor. `actor`: an opaque name for who did it, not sealed, None
    when forgotten or nobody. `action`: of a step or a note; else None. `events`: what happened in a step. Both are JSON
    texts, for workers to parse. `back_to`: for an undo, the version whose state the battle returns to (0: as it began).
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    n: Annotated[int, Field(ge=1, le=MAX_ROWS, strict=True)]
    kind: Kind
    seat: Annotated[Seat, Field(min_length=1, max_length=40)]
    version: Count
    state_hash: Hash
    previous: Hash
    hash: Hash
    actor: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    action_json: Annotated[str, Field(alias="action"), _text_of(JsonValue)] = "null"
    events_json: Annotated[str, Field(alias="events"), _text_of(tuple[JsonValue, ...])] = "[]"
    back_to: Count | None = None

    def __post_init__(self) -> None:
        if (self.back_to is not None) is not (self.kind is Kind.UNDO):
            raise ValueError("an undo, and nothing else, names the version that it goes back to")
        if self.kind is not Kind.STEP and self.events_json != "[]":
            raise ValueError("only a step has events")
        if self.kind not in {Kind.STEP, *NOTES} and self.action_json != "null":
            raise ValueError("only a step or a note has an action")

    @property
    def action(self) -> JsonValue:
        """What was done; parsed at each call."""
        action: JsonValue = json.loads(self.action_json)
        return action

    @property
    def events(self) -> list[JsonValue]:
        """What happened; parsed at each call."""
        events: list[JsonValue] = json.loads(self.events_json)
        return events

    @property
    def values(self) -> dict[str, JsonValue]:
        """The row as a file has it; parsed at each call."""
        return {name: getattr(self, name) for name in _PLAIN} | {"action": self.action, "events": self.events}

    def seal(self) -> str:
        """Return the hash that the row must have."""
        plain = {name: getattr(self, name) for name in _PLAIN if name not in _UNSEALED}
        return text_digest(_object(plain, action=self.action_json, events=self.events_json))

    def is_sealed(self) -> bool:
        """Return whether `hash` seals the row; the first version sealed the canonical texts and stored others."""
        if self.hash == self.seal():
            return True
        return self.hash == digest({name: value for name, value in self.values.items() if name not in _UNSEALED})


_PLAIN = {field.name for field in fields(JournalRow)} - {"action_json", "events_json"}
"""The fields of a row that aren't JSON texts."""
_UNSEALED = {"actor", "hash"}

ROWS: TypeAdapter[JournalRow] = TypeAdapter(JournalRow)


@dataclass(frozen=True, slots=True)
class Journal:
    """A whole journal. `seed` is None while it is secret, `outcome` None while nothing is decided."""

    head: Head
    entries: tuple[JournalRow, ...]
    seed: bytes | None
    outcome: Outcome | None

    @property
    def key(self) -> bytes | None:
        """What keys its dice, as `dice_key`; None while the seed is secret, too."""
        return None if self.seed is None else dice_key(self.head, self.entries, self.seed)


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The first thing that is wrong, in a sentence; `row` is None where it is not in one row."""

    row: int | None
    sentence: str


def seal_row(
    previous: str,
    n: int,
    *,
    kind: Kind = Kind.STEP,
    seat: Seat,
    state_hash: str,
    action_json: str = "null",
    events_json: str = "[]",
    actor: str | None = None,
    back_to: int | None = None,
) -> JournalRow:
    """Return row number `n`, chained to the hash of the row before (`previous`) and sealed; texts are canonical."""
    row = JournalRow(n, kind, seat, n, state_hash, previous, "", actor, action_json, events_json, back_to)
    return replace(row, hash=row.seal())


def seal(
    head: Head,
    before: Sequence[JournalRow] | JournalRow | None,
    *,
    state: JsonValue,
    action: JsonValue = None,
    events: Sequence[JsonValue] = (),
    **row: Any,  # noqa: ANN401 - the rest as `seal_row` has it
) -> JournalRow:
    """Return the next row, chained and sealed.

    `before`: the rows so far, or only the last one; None or nothing for the first. `state`: the state after the row, as
    JSON. ValueError for what can't be a row.
    """
    last = (before[-1] if before else None) if isinstance(before, Sequence) else before
    previous, number = (head.hash, 1) if last is None else (last.hash, last.n + 1)
    row |= {"state_hash": digest(state), "action_json": canonical(action), "events_json": canonical(list(events))}
    return ROWS.validate_python(seal_row(previous, number, **row).values)


def _object(plain: Mapping[str, Any], **texts: str) -> str:
    """Return the canonical text of an object of plain fields, and of others that are canonical texts."""
    written = {name: canonical(value) for name, value in plain.items()} | texts
    return "{" + ",".join(f'"{name}":{written[name]}' for name in sorted(written)) + "}"


def seed_hash(seed: bytes) -> str:
    """Return the hash of a seed that is shown when the battle opens."""
    return hashlib.sha256(seed).hexdigest()


def dice_key(head: Head, entries: Iterable[JournalRow], seed: bytes) -> bytes | None:
    """Return what keys the dice of a battle's steps; None for form 2 while rows of the beacon are missing.

    In form 1 that is the seed. In form 2 it follows from the row that names the round, whose hash covers the head and
    all rows before, from the seed and from the round's signature.
    """
    if head.chain is None:
        return seed
    rows = {row.kind: row for row in entries if row.kind in SEALING}
    if len(rows) < len(SEALING):
        return None
    signature = signature_of(rows[Kind.BEACON].action)
    return None if signature is None else beacon_key(rows[Kind.ROUND].hash, seed, signature)


def active_numbers(rows: Iterable[tuple[Kind, int | None]]) -> list[int]:
    """Return the numbers of the steps that no later row took back, in order; `rows`: the kind and `back_to` of each."""
    stands: list[Any] = [()]  # by version: the number of the last active step, and the stand before it
    for number, (kind, back_to) in enumerate(rows, start=1):
        stand = stands[-1 if back_to is None else back_to]
        stands.append((number, stand) if kind is Kind.STEP else stand)
    found: list[int] = []
    stand = stands[-1]
    while stand:
        number, stand = stand
        found.append(number)
    return found[::-1]


def active_steps(entries: Sequence[JournalRow]) -> tuple[JournalRow, ...]:
    """Return the steps that no later row took back, in order."""
    return tuple(entries[number - 1] for number in active_numbers((row.kind, row.back_to) for row in entries))


def version_before(entries: Sequence[JournalRow]) -> int:
    """Return the version that undoing the last active step leads to; RuleError if there is none to undo."""
    steps = active_steps(entries)
    if not steps:
        raise RuleError("There is no step to take back.")
    return steps[-2].n if len(steps) > 1 else 0


def seat_name(seat: Seat) -> str:
    """Return a seat's name for players: "member 2"."""
    return seat.replace("-", " ")


def seat_phrase(seat: Seat) -> str:
    """Return a seat's name in a sentence: "the attacker", but "member 2"."""
    name = seat_name(seat)
    return name if name[-1:].isdigit() else f"the {name}"


_TABLE: Mapping[str, str] = {
    "set": "The clock is set.",
    "pause": "The clock is stopped.",
    "go-on": "The clock is running again.",
    "extend": "This turn lasts longer.",
    "ask": "Time is up: the referee is asked.",
    "away": "A player is away, so Fracas plays for them.",
    "replace": "Another player took over {}.",
    "remove": "The referee takes {} out of the battle.",
    "hand-over": "The battle has another referee.",
    "close": "Joining is closed.",
    "open": "Joining is open again.",
}
"""What was done to the clock or the seats, by the word in the row's action; {} is the seat."""


def table_line(done: str, seat: Seat) -> str:
    """Return a sentence about the clock or the seats, without names of people."""
    return _TABLE.get(done, "Something about the table has changed.").format(seat_phrase(seat))


def row_line(entry: JournalRow) -> str:
    """Return what is said of a row that is no step."""
    if entry.kind is Kind.UNDO:
        return f"{seat_phrase(entry.seat).capitalize()} takes back what came after step {entry.back_to}."
    if entry.kind is Kind.END:
        return "The battle is closed."
    action = done if isinstance(done := entry.action, dict) else {}
    if entry.kind is Kind.ROUND:
        return f"The dice wait for round {action.get('round')} of the beacon."
    if entry.kind is Kind.BEACON:
        return "The beacon's round has come: the dice are fixed."
    return table_line(str(action.get("do")), str(action.get("seat", entry.seat)))


def ending_sentence(outcome: Outcome | None) -> str:
    """Return who won and why the battle ended; None for one that was never decided."""
    if outcome is None:
        return "The battle was never decided."
    winner, when = ("nobody", "after") if outcome.winner is None else (seat_name(outcome.winner), "in")
    rounds = f" {when} {quantity(outcome.rounds, 'round')}" if outcome.rounds else ""
    why = "" if outcome.ending is Ending.ANNIHILATION else f": {outcome.why}"
    return f"{winner.capitalize()} wins{rounds}{why}."
