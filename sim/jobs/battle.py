"""Jobs for battles of any system: draw, begin, advance, tell; check a journal and replay it, as a whole or in parts.

A part goes from a checkpoint to the next. A state that was kept with a row is as good as one replayed: its hash is in
the row, which a replay has to come to.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Annotated, Any, Self

from pydantic import Field, JsonValue
from typing_extensions import override

from sim.core import RuleError
from sim.core.battle import AnySystem, Outcome, Seat
from sim.core.beacon import beacon
from sim.core.challenge import drawings_of
from sim.core.dice import SeededDice
from sim.core.journal import SEALING, Head, JournalRow, Kind, Mismatch, dice_key
from sim.core.journal_file import read
from sim.core.luck import Throw
from sim.core.replay import begin, check_chain, check_head, check_names, replay, throws_in, verify
from sim.core.seal import PostedSeal, check_seal, seal_lines
from sim.core.values import Frozen, Request, canonical, text_digest
from sim.jobs import system
from sim.workers.queue import CostError, PoolLimits

_SECONDS = 0.05
_SECONDS_A_CHARACTER = 1e-6  # measured: read, applied and written, the state takes a third of it


class BeginResult(Frozen):
    """The setup and first state as canonical JSON; `outcome` is None unless the battle is already over."""

    setup_json: str
    state_json: str
    outcome: Outcome | None = None


class Begin(Request):
    """Begin a battle from a setup as JSON, or as `branch_json` says; RuleError for an invalid one."""

    max_seconds = _SECONDS
    character_seconds = _SECONDS_A_CHARACTER
    system: str
    setup_json: str
    branch_json: str | None = None

    def run(self) -> BeginResult:
        """Return the first state."""
        rules = system(self.system)
        setup = rules.setups.read_json(self.setup_json)
        state = rules.begin(setup)
        if self.branch_json is not None:
            state = rules.states.read(json.loads(self.branch_json)["state"])
        return BeginResult(
            setup_json=canonical(rules.setups.write(setup)),
            state_json=canonical(rules.states.write(state)),
            outcome=rules.outcome(state),
        )


class DrawChallenge(Request):
    """Draw a challenge of a system; the same seed always draws the same."""

    system: str
    seed: Annotated[bytes, Field(repr=False)]

    @override
    def cost(self) -> float:
        seconds: float = self._rules().challenge.seconds
        return seconds

    def run(self) -> str:
        """Return its setup, or its questions, as canonical JSON."""
        rules = self._rules()
        return canonical(drawings_of(rules).write(rules.challenge.draw(SeededDice(self.seed))))

    def _rules(self) -> AnySystem:
        """Return the rules; RuleError if they have no challenges."""
        rules = system(self.system)
        if rules.challenge is None:
            raise RuleError("This game has no challenges.")
        return rules


class StepResult(Frozen):
    """The result of an action as canonical JSON, and the state's `digest`; `outcome` is None while the battle goes on.

    The bot stores these texts as they are: parsing large ones would block its event loop.
    """

    action_json: str
    events_json: str
    state_json: str
    state_hash: str
    outcome: Outcome | None = None


class Narrate(Request):
    """Write the log of steps of a battle: `steps` has the events of each, as JSON."""

    system: str
    steps: tuple[tuple[JsonValue, ...], ...]

    @override
    def cost(self) -> float:
        return 0.02 + 2e-5 * sum(map(len, self.steps))  # measured with events that take a dozen lines

    def run(self) -> tuple[tuple[str, ...], ...]:
        """Return the log's lines of each step."""
        rules = system(self.system)
        return tuple(tuple(rules.lines(rules.events.read_all(events))) for events in self.steps)


class Advance(Request):
    """Apply an action as JSON to a state as JSON, with the dice of step number `step`; `key` is the battle's.

    The rules' own figure of its cost needs the state, which only a worker reads.
    """

    max_seconds = _SECONDS
    character_seconds = _SECONDS_A_CHARACTER
    system: str
    state_json: str
    action_json: str
    seat: Seat
    key: bytes
    step: int

    def run(self) -> StepResult:
        """Return what the action leads to; IllegalActionError when it isn't allowed, CostError when it is too much."""
        rules = system(self.system)
        state, action = rules.states.read_json(self.state_json), rules.actions.read_json(self.action_json)
        cost, limit = rules.cost(state, action), PoolLimits().cost_seconds
        if not cost <= limit:
            raise CostError(cost, limit)
        step = rules.apply(state, action, self.seat, SeededDice(self.key, self.step))
        state_json = canonical(rules.states.write(step.state))
        return StepResult(
            action_json=canonical(rules.actions.write(action)),
            events_json=canonical([rules.events.write(event) for event in step.events]),
            state_json=state_json,
            state_hash=text_digest(state_json),
            outcome=rules.outcome(step.state),
        )


MAX_ROWS = 1_000
"""Rows of the longest chunk."""

MAX_TEXT = 4 << 20
"""Characters of actions and events in a chunk of more than one row."""

MAX_SECONDS = 4.0
"""A replay ends after rows that may have taken this long, by the estimates of the rules: most take a tenth of that."""

_SECONDS_PER_ROW = 5e-3  # a rough upper bound: most rows are one round


@dataclass(frozen=True, slots=True)
class _Chunk:
    """Consecutive rows of a journal; `before`: the row before these, None for the first ones."""

    head: Head
    rows: tuple[JournalRow, ...]
    seed: bytes = field(repr=False)
    before: JournalRow | None

    @property
    def system(self) -> str:
        """The system of the battle."""
        return self.head.system

    def cost(self) -> float:
        """Return a rough estimate of the seconds; the real cost of rows isn't known in advance."""
        return min(1.0, 0.01 + _SECONDS_PER_ROW * len(self.rows))


@dataclass(frozen=True, slots=True)
class CheckChain(_Chunk):
    """Check the head and the hash chain, no rules."""

    @classmethod
    def following(cls, head: Head, rows: Sequence[JournalRow], seed: bytes, start: int) -> Self:
        """Make the job for the rows of a journal behind the first `start`, as many as a chunk may have."""
        return cls(head, _take(rows, start, MAX_ROWS), seed, rows[start - 1] if start else None)

    def run(self) -> Mismatch | None:
        """Return the first mismatch, None if there is none."""
        chain = check_chain(self.head, self.rows, self.before)
        return chain or check_head(system(self.system), self.head, self.seed)


@dataclass(frozen=True, slots=True)
class CheckSeal:
    """Check the rows about the beacon; `rows`: of these kinds, and the first step."""

    head: Head
    rows: tuple[JournalRow, ...]
    posted: PostedSeal | None

    @classmethod
    def of(cls, head: Head, rows: Sequence[JournalRow], posted: PostedSeal | None) -> Self:
        """Make the job for a whole journal."""
        first = next((row.n for row in rows if row.kind is Kind.STEP), 0)
        return cls(head, tuple(row for row in rows if row.kind in SEALING or row.n == first), posted)

    def cost(self) -> float:
        """Return a rough estimate of the seconds, most of them for loading a library."""
        return 0.1

    def run(self) -> tuple[Mismatch | None, list[str]]:
        """Return the first mismatch, None if there is none; and what the seal shows, in sentences."""
        mismatch = check_seal(self.head, self.rows, self.posted)
        return mismatch, [] if mismatch else seal_lines(self.head, self.rows, self.posted)


class FileReport(Frozen):
    """The check of a file: the system of its battle, its rows, the first mismatch, what its seal shows."""

    system: str
    rows: int
    mismatch: str | None
    seal: tuple[str, ...]
    last_hash: str


class CheckFile(Request):
    """Check a journal as `sim verify` does, from the bytes of its file; it costs what most of this size take."""

    max_seconds = 0.2
    character_seconds = 1e-5
    data: bytes

    def run(self) -> FileReport:
        """Replay it; RuleError for what is no journal, or is of a game that there isn't."""
        journal = read(self.data)
        head, entries = journal.head, journal.entries
        mismatch = verify(system(head.system), journal).mismatch or check_names(entries)
        seal = () if mismatch is not None else tuple(seal_lines(head, entries))
        last = entries[-1].hash if entries else head.hash
        sentence = None if mismatch is None else mismatch.sentence
        return FileReport(system=head.system, rows=len(entries), mismatch=sentence, seal=seal, last_hash=last)


class CheckSignature(Request):
    """Check the signature of a round of the beacon that has a chain."""

    max_seconds = 0.1

    chain: str
    round: int
    signature: str

    def run(self) -> str | None:
        """Return why it isn't the round's, as a sentence; None if it is."""
        return beacon(self.chain).flaw(self.round, self.signature)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The progress of a replay: `version`, the number of `steps` so far, the `outcome`.

    `states`: JSON texts by version, the current one and those that later rows return to. `thrown`: all dice so far with
    their rows, if they are asked for.
    """

    version: int
    steps: int
    states: dict[int, str] = field(repr=False)
    outcome: Outcome | None
    thrown: tuple[tuple[int, Throw], ...] = field(default=(), repr=False)

    @property
    def state(self) -> str:
        """The current state as a JSON text."""
        return self.states[self.version]


def starts(rows: Sequence[JournalRow], states: Mapping[int, str]) -> list[Checkpoint | None]:
    """Return where the parts of a replay start: at the beginning, and where a state was kept.

    `states`: JSON texts by version. Not where a later row goes back to a version before it: that one's state is not
    known there.
    """
    steps = sum(row.kind is Kind.STEP for row in rows)
    earliest = len(rows)
    found: list[Checkpoint | None] = []
    for row in reversed(rows):
        if row.n <= earliest and row.n < len(rows) and row.n in states:
            found.append(Checkpoint(row.n, steps, {row.n: states[row.n]}, None))
        steps -= row.kind is Kind.STEP
        earliest = min(earliest, row.n if row.back_to is None else row.back_to)
    return [None, *reversed(found)]


@dataclass(frozen=True, slots=True)
class ReplayChunk(_Chunk):
    """Replay rows from a checkpoint on, None for the beginning, all of them or as many as a job may take.

    `key`: of the dice. `keep`: versions that later rows return to. `dice`: collect what was thrown, too.
    """

    key: bytes = field(repr=False, default=b"")
    start: Checkpoint | None = None
    keep: frozenset[int] = frozenset()
    dice: bool = False

    @classmethod
    def following(
        cls,
        head: Head,
        rows: Sequence[JournalRow],
        seed: bytes,
        start: Checkpoint | None,
        limit: int = MAX_ROWS,
        *,
        dice: bool = False,
    ) -> Self:
        """Make the job for at most `limit` rows after a checkpoint, fewer if a chunk can't have that many."""
        first = 0 if start is None else start.version
        taken = _take(rows, first, limit)
        keep = _returns(rows[first + len(taken) :])
        key = dice_key(head, rows, seed) or seed  # without one there are no steps
        return cls(head, taken, seed, rows[first - 1] if first else None, key, start, keep, dice)

    def run(self) -> Checkpoint | Mismatch:
        """Return the checkpoint after the rows, or the first mismatch."""
        rules = system(self.head.system)
        states: dict[int, Any] = {}
        mismatch = self._begin(rules, states)
        if mismatch is not None:
            return mismatch
        start = self.start or Checkpoint(0, 0, {}, None)
        mismatch = replay(rules, self.key, self._affordable(rules, states), states, start.steps)
        if mismatch is not None:
            return mismatch
        version = max(states)
        done = version - start.version
        steps = start.steps + sum(row.kind is Kind.STEP for row in self.rows[:done])
        thrown = start.thrown
        if self.dice:
            thrown += tuple(throws_in(rules, self.rows[:done], states))
        keep = {version, *(self.keep | _returns(self.rows[done:])) & states.keys()}
        kept = {number: states[number] for number in keep}
        texts = {number: canonical(rules.states.write(state)) for number, state in kept.items()}
        return Checkpoint(version, steps, texts, rules.outcome(states[version]), thrown)

    def _begin(self, rules: AnySystem, states: dict[int, Any]) -> Mismatch | None:
        """Add the states that there are before the rows."""
        if self.start is None or self.before is None:
            return begin(rules, self.head, states)
        if text_digest(self.start.state) != self.before.state_hash:
            number = self.before.n
            sentence = f"The state that was kept with row {number} is not the one that the row leads to."
            return Mismatch(number, sentence)
        states |= {number: rules.states.read(json.loads(text)) for number, text in self.start.states.items()}
        return None

    def _affordable(self, rules: AnySystem, states: Mapping[int, Any]) -> Iterator[JournalRow]:
        """Yield rows until they may have taken `MAX_SECONDS`, but at least one; `states` grows meanwhile."""
        seconds = 0.0
        for entry in self.rows:
            seconds += _SECONDS_PER_ROW
            with suppress(RuleError):  # a row that is against the rules is found soon
                if (action := entry.action) is not None:
                    seconds += rules.cost(states[entry.n - 1], rules.actions.read(action))
            if seconds > MAX_SECONDS and entry.n > self.rows[0].n:
                return
            yield entry


def _returns(rows: Sequence[JournalRow]) -> frozenset[int]:
    """Return the versions that rows go back to."""
    return frozenset(row.back_to for row in rows if row.back_to is not None)


def _take(rows: Sequence[JournalRow], start: int, limit: int) -> tuple[JournalRow, ...]:
    """Return at most `limit` rows from `start` on, fewer if they are long."""
    end, room = start, MAX_TEXT
    while end < min(len(rows), start + limit) and (end == start or room > 0):
        room -= len(rows[end].action_json) + len(rows[end].events_json)
        end += 1
    return tuple(rows[start:end])
