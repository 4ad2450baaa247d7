"""Jobs that go through a battle's whole journal: back to an earlier state, and the check of everything."""

from collections.abc import Sequence
from typing import Self

from pydantic import BaseModel, ConfigDict, JsonValue

from sim.core.active_steps import standing
from sim.core.battle import Outcome
from sim.core.dice import SeededDice
from sim.core.errors import RuleError
from sim.core.journal import Entry, Kind
from sim.core.journal_file import Record, dump, load
from sim.core.replay import check
from sim.jobs.registry import system

_SECONDS_PER_ROW = 5e-3  # a rough upper figure: most rows are a round each


def version_before(entries: Sequence[Entry]) -> int:
    """Return the version that taking the last step back leads to; RuleError when there is none to take back."""
    steps = standing(entries)
    if not steps:
        raise RuleError("There is no step to take back.")
    return steps[-2].version if len(steps) > 1 else 0


class _OfRecord(BaseModel):
    """A job over a journal as `sim.core.journal_file` writes it, the seed in it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    record: str

    @classmethod
    def of(cls, record: Record) -> Self:
        """Make the job."""
        return cls(record=dump(record.head, record.entries, record.seed, record.outcome))

    @classmethod
    def of_lines(cls, lines: Sequence[str]) -> Self:
        """Make the job from the lines of the journal's file."""
        return cls(record="".join(lines))

    def cost(self) -> float:
        """Return a rough upper figure for its seconds."""
        return min(4.0, 0.01 + _SECONDS_PER_ROW * self.record.count("\n"))


class Rewind(_OfRecord):
    """Go through a journal, whose seed is in it, and return the state after its last row, as JSON."""

    def run(self) -> JsonValue:
        """Return the state; RuleError for a journal that can't be gone through."""
        record = load(self.record)
        if record.seed is None:
            raise RuleError("The seed is needed to go back.")
        rules = system(record.head.system)
        states = [rules.begin(rules.setups.read(record.head.setup))]
        steps = 0
        for entry in record.entries:
            after = states[-1]
            if entry.back_to is not None:
                after = states[entry.back_to]
            elif entry.kind is Kind.STEP:
                steps += 1
                dice = SeededDice(record.seed, steps)
                after = rules.apply(states[-1], rules.actions.read(entry.action), entry.seat, dice).state
            states.append(after)
        return rules.states.write(states[-1])


class Verified(BaseModel):
    """What came of a check: a match when `sentence` is None, else the first difference, in `row` where it is in one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    row: int | None = None
    sentence: str | None = None
    outcome: Outcome | None = None

    @property
    def match(self) -> bool:
        """Whether everything is as it should be."""
        return self.sentence is None


class Verify(_OfRecord):
    """Do a whole journal again and compare: what `python -m sim verify` does."""

    def run(self) -> Verified:
        """Return a match or the first difference."""
        record = load(self.record)
        verdict = check(system(record.head.system), record)
        if verdict.difference is None:
            return Verified(outcome=verdict.outcome)
        return Verified(row=verdict.difference.row, sentence=verdict.difference.sentence, outcome=verdict.outcome)
