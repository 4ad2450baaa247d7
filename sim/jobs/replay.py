"""Jobs that check a journal and replay it, as a whole or in parts, each from a checkpoint to the next.

A state that was kept with a row is as good as one replayed: its hash is in the row, which a replay has to come to.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from sim.core.battle import AnySystem, Outcome
from sim.core.canonical_json import canonical, text_digest
from sim.core.errors import RuleError
from sim.core.journal import Entry, HeadRow, JournalRow, Kind
from sim.core.replay import Mismatch, MismatchKind, begin, check_chain, check_head, replay
from sim.jobs.discovery import system

MAX_ROWS = 1_000
"""Rows of the longest chunk."""

MAX_TEXT = 4 << 20
"""Characters of actions and events in a chunk of more than one row."""

MAX_SECONDS = 4.0
"""A replay ends after rows that may have taken this long, by the estimates of the rules: most take a tenth of that."""

_MAX_COST = 1.0
_SECONDS_PER_ROW = 5e-3  # a rough upper bound: most rows are one round


@dataclass(frozen=True, slots=True)
class _Chunk:
    """Consecutive rows of a journal; `before`: the row before these, None for the first ones."""

    head: HeadRow
    rows: tuple[JournalRow, ...]
    seed: bytes = field(repr=False)
    before: JournalRow | None

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The rows, read."""
        return tuple(row.parse() for row in self.rows)

    @property
    def system(self) -> str:
        """The system of the battle."""
        return self.head.system

    def cost(self) -> float:
        """Return a rough estimate of the seconds; the real cost of rows isn't known in advance."""
        return min(_MAX_COST, 0.01 + _SECONDS_PER_ROW * len(self.rows))


@dataclass(frozen=True, slots=True)
class CheckChain(_Chunk):
    """Check the head and the hash chain, no rules."""

    @classmethod
    def following(cls, head: HeadRow, rows: Sequence[JournalRow], seed: bytes, start: int) -> Self:
        """Make the job for the rows of a journal behind the first `start`, as many as a chunk may have."""
        return cls(head, _take(rows, start, MAX_ROWS), seed, rows[start - 1] if start else None)

    def run(self) -> Mismatch | None:
        """Return the first mismatch, None if there is none."""
        head = self.head.parse()
        chain = check_chain(head, self.entries, self.before)
        return chain or check_head(system(head.system), head, self.seed)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The progress of a replay: `version`, the number of `steps` so far, the `outcome`.

    `states`: JSON texts by version, the current one and those that later rows return to.
    """

    version: int
    steps: int
    states: dict[int, str] = field(repr=False)
    outcome: Outcome | None

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

    `keep`: versions that later rows return to.
    """

    start: Checkpoint | None = None
    keep: frozenset[int] = frozenset()

    @classmethod
    def following(
        cls, head: HeadRow, rows: Sequence[JournalRow], seed: bytes, start: Checkpoint | None, limit: int = MAX_ROWS
    ) -> Self:
        """Make the job for at most `limit` rows after a checkpoint, fewer if a chunk can't have that many."""
        first = 0 if start is None else start.version
        taken = _take(rows, first, limit)
        keep = _returns(rows[first + len(taken) :])
        return cls(head, taken, seed, rows[first - 1] if first else None, start, keep)

    def run(self) -> Checkpoint | Mismatch:
        """Return the checkpoint after the rows, or the first mismatch."""
        rules = system(self.head.system)
        states: dict[int, Any] = {}
        mismatch = self._begin(rules, states)
        if mismatch is not None:
            return mismatch
        version, steps = (0, 0) if self.start is None else (self.start.version, self.start.steps)
        mismatch = replay(rules, self.seed, self._affordable(rules, states), states, steps)
        if mismatch is not None:
            return mismatch
        done = max(states) - version
        version += done
        steps += sum(row.kind is Kind.STEP for row in self.rows[:done])
        keep = {version, *(self.keep | _returns(self.rows[done:])) & states.keys()}
        kept = {number: states[number] for number in keep}
        texts = {number: canonical(rules.states.write(state)) for number, state in kept.items()}
        return Checkpoint(version, steps, texts, rules.outcome(states[version]))

    def _begin(self, rules: AnySystem, states: dict[int, Any]) -> Mismatch | None:
        """Add the states that there are before the rows."""
        if self.start is None or self.before is None:
            return begin(rules, self.head.parse(), states)
        if text_digest(self.start.state) != self.before.state_hash:
            number = self.before.n
            sentence = f"The state that was kept with row {number} is not the one that the row leads to."
            return Mismatch(number, MismatchKind.STATE, sentence)
        states |= {number: rules.states.read(json.loads(text)) for number, text in self.start.states.items()}
        return None

    def _affordable(self, rules: AnySystem, states: Mapping[int, Any]) -> Iterator[Entry]:
        """Yield rows until they may have taken `MAX_SECONDS`, but at least one; `states` grows meanwhile."""
        seconds = 0.0
        for entry in self.entries:
            seconds += _SECONDS_PER_ROW + _cost(rules, states[entry.n - 1], entry)
            if seconds > MAX_SECONDS and entry.n > self.rows[0].n:
                return
            yield entry


def _returns(rows: Sequence[JournalRow]) -> frozenset[int]:
    """Return the versions that rows go back to."""
    return frozenset(row.back_to for row in rows if row.back_to is not None)


def _cost(rules: AnySystem, state: object, entry: Entry) -> float:
    """Return about how long a row takes; nothing for one that is against the rules, which is found soon."""
    try:
        return 0.0 if entry.action is None else rules.cost(state, rules.actions.read(entry.action))
    except RuleError:
        return 0.0


def _take(rows: Sequence[JournalRow], start: int, limit: int) -> tuple[JournalRow, ...]:
    """Return at most `limit` rows from `start` on, fewer if they are long."""
    end, room = start, MAX_TEXT
    while end < min(len(rows), start + limit) and (end == start or room > 0):
        room -= len(rows[end].action_json) + len(rows[end].events_json)
        end += 1
    return tuple(rows[start:end])
