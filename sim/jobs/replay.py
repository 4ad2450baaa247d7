"""Jobs that check a journal and replay it, as a whole or from checkpoint to checkpoint."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from sim.core.battle import Outcome
from sim.core.canonical_json import canonical
from sim.core.journal import Entry, HeadRow, JournalRow, Kind
from sim.core.luck import Throw
from sim.core.replay import Mismatch, begin, check_chain, check_head, replay, throws_in
from sim.jobs.discovery import system

MAX_ROWS = 1_000
"""Rows of the longest chunk."""

MAX_TEXT = 4 << 20
"""Characters of actions and events in a chunk of more than one row."""

_SECONDS_PER_ROW = 5e-3  # a rough upper bound: most rows are one round
_MAX_SECONDS = 4.0  # below the limit over which a job isn't started


@dataclass(frozen=True, slots=True)
class _Chunk:
    """Consecutive rows of a journal."""

    head: HeadRow
    rows: tuple[JournalRow, ...]
    seed: bytes = field(repr=False)

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
        return min(_MAX_SECONDS, 0.01 + _SECONDS_PER_ROW * len(self.rows))


@dataclass(frozen=True, slots=True)
class CheckChain(_Chunk):
    """Check the head and the hash chain, no rules; `before`: the row before these, None for the first ones."""

    before: JournalRow | None = None

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


@dataclass(frozen=True, slots=True)
class ReplayChunk(_Chunk):
    """Replay rows from a checkpoint on, None for the beginning; `keep`: versions that later rows return to.

    `dice`: collect what was thrown, too.
    """

    start: Checkpoint | None = None
    keep: frozenset[int] = frozenset()
    dice: bool = False

    @classmethod
    def following(
        cls,
        head: HeadRow,
        rows: Sequence[JournalRow],
        seed: bytes,
        start: Checkpoint | None,
        limit: int,
        *,
        dice: bool = False,
    ) -> Self:
        """Make the job for at most `limit` rows after a checkpoint, fewer if a chunk can't have that many."""
        first = 0 if start is None else start.version
        taken = _take(rows, first, limit)
        end = first + len(taken)
        keep = frozenset(row.back_to for row in rows[end:] if row.back_to is not None)
        return cls(head, taken, seed, start, keep - {end}, dice)

    def run(self) -> Checkpoint | Mismatch:
        """Return the checkpoint after the rows, or the first mismatch."""
        rules = system(self.head.system)
        states: dict[int, Any] = {}
        version = steps = 0
        thrown: tuple[tuple[int, Throw], ...] = ()
        mismatch = None
        if self.start is None:
            mismatch = begin(rules, self.head.parse(), states)
        else:
            version, steps, thrown = self.start.version, self.start.steps, self.start.thrown
            states |= {number: rules.states.read(json.loads(text)) for number, text in self.start.states.items()}
        entries = self.entries
        mismatch = mismatch or replay(rules, self.seed, entries, states, steps)
        if mismatch is not None:
            return mismatch
        if self.dice:
            thrown += tuple(throws_in(rules, entries, states))
        version += len(self.rows)
        steps += sum(row.kind is Kind.STEP for row in self.rows)
        kept = {number: states[number] for number in {version, *self.keep & states.keys()}}
        texts = {number: canonical(rules.states.write(state)) for number, state in kept.items()}
        return Checkpoint(version, steps, texts, rules.outcome(states[version]), thrown)


def _take(rows: Sequence[JournalRow], start: int, limit: int) -> tuple[JournalRow, ...]:
    """Return at most `limit` rows from `start` on, fewer if they are long."""
    end, room = start, MAX_TEXT
    while end < min(len(rows), start + limit) and (end == start or room > 0):
        room -= len(rows[end].action_json) + len(rows[end].events_json)
        end += 1
    return tuple(rows[start:end])
