"""Checking a battle: every row is done again from the revealed seed, and compared."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sim.core.battle import AnySystem, Outcome
from sim.core.canonical_json import canonical, digest
from sim.core.dice import SeededDice
from sim.core.errors import RuleError
from sim.core.journal import Entry, Head, Kind, seed_hash
from sim.core.journal_file import Record


class What(StrEnum):
    """In what a journal differs from what it should be."""

    SYSTEM = "system"
    RULES = "rules"
    SETUP = "setup"
    SEED = "seed"
    ORDER = "order"
    CHAIN = "chain"
    HASH = "hash"
    ACTION = "action"
    EVENTS = "events"
    STATE = "state"
    OUTCOME = "outcome"


@dataclass(frozen=True, slots=True)
class Difference:
    """The first thing that is wrong: in which row (None: not in one), what, and a sentence that says so."""

    row: int | None
    what: What
    sentence: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a check: a match when there is no difference; `outcome` is that of the replayed battle."""

    difference: Difference | None = None
    outcome: Outcome | None = None

    @property
    def match(self) -> bool:
        """Whether everything is as it should be."""
        return self.difference is None


def check(system: AnySystem, record: Record) -> Verdict:
    """Check a whole record: `replay`, and the outcome that it tells.

    A record whose seed is still secret can't match: only its chain is checked.
    """
    if record.seed is None:
        broken = check_chain(record.head, record.entries)
        said = "The rows are unbroken, but the seed is not revealed yet: the dice can't be checked."
        return Verdict(broken or Difference(None, What.SEED, said))
    verdict = replay(system, record.head, record.entries, record.seed)
    if verdict.match and verdict.outcome != record.outcome:
        said = "The journal tells of another outcome than its rows lead to."
        return Verdict(Difference(None, What.OUTCOME, said), verdict.outcome)
    return verdict


def replay(system: AnySystem, head: Head, entries: Sequence[Entry], seed: bytes) -> Verdict:
    """Do every row again; the verdict names the first difference.

    The seals are checked first, from the first row to the last, then the rows against the rules and the dice.
    """
    difference = check_chain(head, entries) or check_head(system, head, seed)
    if difference is not None:
        return Verdict(difference)
    try:
        state = system.begin(system.setups.read(head.setup))
    except RuleError as error:
        return Verdict(Difference(None, What.SETUP, f"The battle can't have begun like this: {error}"))
    states = [state]
    steps = 0
    for entry in entries:
        steps += entry.kind is Kind.STEP
        after = redone(system, states, entry, SeededDice(seed, steps))
        if isinstance(after, Difference):
            return Verdict(after)
        states.append(after)
    return Verdict(None, system.outcome(states[-1]))


def check_chain(head: Head, entries: Sequence[Entry]) -> Difference | None:
    """Return what is wrong with the order, the chain and the seals of the rows, None for nothing.

    This needs no seed and knows no rules: it shows that no row was changed, added or taken away after it was sealed.
    """
    return next(_flaws(head, entries), None)


def _flaws(head: Head, entries: Sequence[Entry]) -> Iterator[Difference]:
    previous = head.hash
    for number, entry in enumerate(entries, start=1):
        if entry.n != number:
            yield Difference(number, What.ORDER, f"Row {number} bears the number {entry.n}.")
        if entry.version != number:
            yield Difference(number, What.ORDER, f"Row {number} leads to version {entry.version}, not to {number}.")
        if number > 1 and entries[number - 2].kind is Kind.END:
            yield Difference(number, What.ORDER, f"Row {number} stands behind the end of the battle.")
        if entry.back_to is not None and entry.back_to >= number:
            sentence = f"Row {number} goes back to version {entry.back_to}, which there was not yet."
            yield Difference(number, What.ORDER, sentence)
        if entry.previous != previous:
            before = "the head" if number == 1 else f"row {number - 1}"
            yield Difference(number, What.CHAIN, f"Row {number} doesn't follow {before}: the chain is broken there.")
        if entry.hash != entry.seal():
            yield Difference(number, What.HASH, f"Row {number} was changed: its hash doesn't fit.")
        previous = entry.hash


def check_head(system: AnySystem, head: Head, seed: bytes) -> Difference | None:
    """Return what is wrong with the head: another system or edition, a seed that doesn't fit; None for nothing."""
    if head.system != system.name:
        return Difference(None, What.SYSTEM, f"The battle is one of {head.system}, not of {system.name}.")
    if head.rules != system.rules:
        sentence = f"The battle was fought by edition {head.rules} of the rules; this is edition {system.rules}."
        return Difference(None, What.RULES, sentence)
    if head.seed_hash != seed_hash(seed):
        return Difference(None, What.SEED, "The seed is not the one whose hash was shown when the battle opened.")
    return None


def redone(system: AnySystem, states: Sequence[Any] | Mapping[int, Any], entry: Entry, dice: SeededDice) -> Any:  # noqa: ANN401 - a state
    """Return the state after a row, or the difference.

    `states`: by version, those that the row follows from: the one before it and, of an undo, the one gone back to.
    """
    after, events = states[entry.n - 1], []
    if entry.back_to is not None:
        after = states[entry.back_to]
    elif entry.kind is Kind.STEP:
        try:
            step = system.apply(after, system.actions.read(entry.action), entry.seat, dice)
        except RuleError as error:
            return Difference(entry.n, What.ACTION, f"Row {entry.n} is against the rules: {error}")
        after, events = step.state, [system.events.write(event) for event in step.events]
    if canonical(events) != canonical(list(entry.events)):
        return Difference(entry.n, What.EVENTS, f"Row {entry.n} tells of other events than the dice lead to.")
    if entry.state_hash != digest(system.states.write(after)):
        return Difference(entry.n, What.STATE, f"Row {entry.n} leads to another state than the journal has it.")
    return after
