"""A long journal gone through in several jobs: each takes up where the one before stopped."""

from collections.abc import Sequence
from typing import Self

from pydantic import BaseModel, ConfigDict, JsonValue

from sim.core.battle import Outcome
from sim.core.dice import SeededDice
from sim.core.errors import RuleError
from sim.core.journal import Entry, Head, Kind
from sim.core.journal_file import Record, read_row
from sim.core.replay import Difference, check_chain, check_head, redone
from sim.jobs.history import Verified
from sim.jobs.registry import system

_SECONDS_PER_ROW = 5e-3
_MOST_SECONDS = 4.0  # a job that may take longer is not even started


class _Job(BaseModel):
    """Base: frozen, no unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    head: Head
    rows: tuple[str, ...]
    seed: bytes

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The rows; where whoever asks has no time to read them, they are lines of a file."""
        return tuple(read_row(number, line) for number, line in enumerate(self.rows, start=2))

    def cost(self) -> float:
        """Return a rough figure for its seconds; what rows take in truth, nobody knows before."""
        return min(_MOST_SECONDS, 0.01 + _SECONDS_PER_ROW * len(self.rows))


class Seals(_Job):
    """Check the head and the seals of a whole journal, its rows as lines of a file; the rules aren't asked."""

    def run(self) -> Verified:
        """Return a match or the first difference."""
        difference = check_chain(self.head, self.entries) or check_head(system(self.head.system), self.head, self.seed)
        return Verified() if difference is None else _told(difference)


class Stop(BaseModel):
    """Where a journal has been gone through up to: `version` and the number of `steps` so far.

    `states`: as JSON by version, the one of now and those that later rows go back to. `outcome`: of the one of now.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int
    steps: int
    states: dict[int, JsonValue]
    outcome: Outcome | None = None

    @property
    def state(self) -> JsonValue:
        """How the battle stands there."""
        return self.states[self.version]


class Stretch(_Job):
    """Do some rows of a journal again and compare, from `start` on, None for the beginning.

    `keep`: versions that rows behind this stretch go back to.
    """

    start: Stop | None = None
    keep: frozenset[int] = frozenset()

    @classmethod
    def of(cls, record: Record, lines: Sequence[str], start: Stop | None, rows: int) -> Self:
        """Make the job for the next rows of a record, whose `lines` are these; RuleError while its seed is secret."""
        if record.seed is None:
            raise RuleError("The seed is needed to do a battle again.")
        first = 0 if start is None else start.version
        end = first + rows
        keep = frozenset(entry.back_to for entry in record.entries[end:] if entry.back_to is not None)
        return cls(head=record.head, rows=tuple(lines[first:end]), seed=record.seed, start=start, keep=keep - {end})

    def run(self) -> Stop | Verified:
        """Return where it stops, or the first difference."""
        rules = system(self.head.system)
        if self.start is None:
            states = {0: rules.begin(rules.setups.read(self.head.setup))}
            steps = version = 0
        else:
            states = {number: rules.states.read(state) for number, state in self.start.states.items()}
            steps, version = self.start.steps, self.start.version
        for entry in self.entries:
            steps += entry.kind is Kind.STEP
            after = redone(rules, states, entry, SeededDice(self.seed, steps))
            if isinstance(after, Difference):
                return _told(after)
            version = entry.version
            states[version] = after
        kept = {number: rules.states.write(states[number]) for number in (self.keep & states.keys()) | {version}}
        return Stop(version=version, steps=steps, states=kept, outcome=rules.outcome(states[version]))


def compared(stop: Stop, record: Record) -> Verified:
    """Return what a check comes to that found nothing wrong on the way to its end."""
    if stop.outcome == record.outcome:
        return Verified(outcome=stop.outcome)
    return Verified(sentence="The journal tells of another outcome than its rows lead to.", outcome=stop.outcome)


def rows_left(record: Record, stop: Stop | None) -> int:
    """Return how many rows are still to be gone through."""
    return len(record.entries) - (0 if stop is None else stop.version)


def _told(difference: Difference) -> Verified:
    return Verified(row=difference.row, sentence=difference.sentence)
