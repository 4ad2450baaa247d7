"""Plays a battle in memory, and replays one: each row is computed anew and compared with the journal."""

import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from sim.core import RuleError
from sim.core import journal as j
from sim.core.battle import AnySystem, Outcome, Seat
from sim.core.dice import SeededDice
from sim.core.luck import Throw, ThrowsDice
from sim.core.seal import PostedSeal, check_seal
from sim.core.values import canonical, digest


class Session:
    """A battle of `system`, begun from `setup`, with dice from `seed`; RuleError for an invalid setup or branch.

    `chain`: of the beacon that has a part in the dice; then the notes about it come before the first step. `branch`:
    where it begins, if that isn't as the setup says.
    """

    def __init__(
        self, system: AnySystem, setup: object, seed: bytes, chain: str | None = None, branch: j.Branch | None = None
    ) -> None:
        self.system = system
        self.seed = seed
        setup_json = canonical(system.setups.write(setup))
        branch_json = None if branch is None else canonical(dict(branch))
        self.head = j.Head(system.name, system.rules, setup_json, j.seed_hash(seed), chain, branch_json)
        self.entries: list[j.JournalRow] = []
        self._states: list[Any] = [system.begin(setup) if branch is None else system.states.read(branch.state)]

    @property
    def state(self) -> Any:  # noqa: ANN401 - whatever the system's states are
        """The current state."""
        return self._states[-1]

    @property
    def outcome(self) -> Outcome | None:
        """Why the battle ended; None while it goes on."""
        return self.system.outcome(self.state)

    def act(self, action: object, seat: Seat, actor: str | None = None) -> list[str]:
        """Apply an action and return its log; IllegalActionError, and nothing changes, when it isn't allowed."""
        self._expect_open()
        key = j.dice_key(self.head, self.entries, self.seed)
        if key is None:
            raise RuleError("The dice wait for the beacon.")
        # Every step ever written counts, undone ones too, so no undo rolls the same dice, or better ones, again.
        number = 1 + sum(entry.kind is j.Kind.STEP for entry in self.entries)
        step = self.system.apply(self.state, action, seat, SeededDice(key, number))
        events = [self.system.events.write(event) for event in step.events]
        self._write(step.state, seat=seat, actor=actor, action=self.system.actions.write(action), events=events)
        return self.system.lines(step.events)

    def undo(self, back_to: int, seat: Seat, actor: str | None = None) -> None:
        """Return to the state of an earlier version; RuleError if there is none."""
        self._expect_open()
        if not 0 <= back_to <= len(self.entries):
            raise RuleError(f"There is no version {back_to} to go back to.")
        self._write(self._states[back_to], kind=j.Kind.UNDO, seat=seat, actor=actor, back_to=back_to)

    def note(self, kind: j.Kind, action: JsonValue, seat: Seat, actor: str | None = None) -> None:
        """Note something that isn't about the game; ValueError for a kind of rows that is."""
        self._expect_open()
        if kind not in j.NOTES:
            raise ValueError(f"{kind} is no row about the clock, the seats or the beacon")
        self._write(self.state, kind=kind, seat=seat, actor=actor, action=action)

    def end(self, seat: Seat, actor: str | None = None) -> None:
        """Close the battle, decided or not."""
        self._expect_open()
        self._write(self.state, kind=j.Kind.END, seat=seat, actor=actor)

    def journal(self) -> j.Journal:
        """Return the journal; the seed is in it once the battle is closed."""
        closed = bool(self.entries) and self.entries[-1].kind is j.Kind.END
        return j.Journal(self.head, tuple(self.entries), self.seed if closed else None, self.outcome)

    def _expect_open(self) -> None:
        if self.entries and self.entries[-1].kind is j.Kind.END:
            raise RuleError("The battle is closed.")

    def _write(self, state: object, **row: Any) -> None:  # noqa: ANN401 - what a row has, as in `seal`
        self.entries.append(j.seal(self.head, self.entries, state=self.system.states.write(state), **row))
        self._states.append(state)


MIN_DIGITS = 12
"""The fewest digits of a hash that are compared."""


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """The result of a check; `outcome` is that of the replayed battle, `seal` what its seal shows, in sentences."""

    mismatch: j.Mismatch | None = None
    outcome: Outcome | None = None
    seal: tuple[str, ...] = ()

    @property
    def match(self) -> bool:
        """Whether everything matches."""
        return self.mismatch is None


def verify(
    system: AnySystem, journal: j.Journal, noted: str | None = None, posted: PostedSeal | None = None
) -> VerifyReport:
    """Check a whole journal; see `verifying`."""
    rows = verifying(system, journal, noted, posted)
    while True:
        try:
            next(rows)
        except StopIteration as end:
            report: VerifyReport = end.value
            return report


def verifying(
    system: AnySystem, journal: j.Journal, noted: str | None = None, posted: PostedSeal | None = None
) -> Generator[tuple[j.JournalRow, Any], None, VerifyReport]:
    """Check a whole journal: its hash chain and its head first, then every row by the rules and the dice.

    Yields each row that matches with the state after it, and returns the report. A journal whose seed is still secret
    can't match: only its chain is checked. `noted`: as `check_last_hash` has it, `posted`: as `check_seal`.
    """
    head, entries, seed = journal.head, journal.entries, journal.seed
    if seed is None:
        sentence = "The rows are unbroken, but the seed is not revealed yet: the dice can't be checked."
        return VerifyReport(check_chain(head, entries) or j.Mismatch(None, sentence))
    states: dict[int, Any] = {}
    mismatch = check_chain(head, entries) or check_head(system, head, seed) or check_seal(head, entries, posted)
    mismatch = mismatch or begin(system, head, states)
    if mismatch is not None:
        return VerifyReport(mismatch)
    key = journal.key or seed  # without one there are no steps
    kept = {entry.back_to for entry in entries}
    steps = 0
    for entry in entries:
        mismatch = replay(system, key, [entry], states, steps)
        if mismatch is not None:
            return VerifyReport(mismatch)
        steps += entry.kind is j.Kind.STEP
        if entry.n - 1 not in kept:
            del states[entry.n - 1]
        yield entry, states[entry.n]
    mismatch = check_end(entries, closed=True) or check_last_hash(head.hash, entries, noted)
    if mismatch is not None:
        return VerifyReport(mismatch)
    return compare_outcomes(system.outcome(states[len(entries)]), journal.outcome)


def check_chain(head: j.Head, entries: Iterable[j.JournalRow], before: j.JournalRow | None = None) -> j.Mismatch | None:
    """Return the first flaw in the order, the chain and the hashes of rows; None if there is none.

    `before`: the row before them, None where they are the first ones. This needs no seed and knows no rules: it shows
    that no row was changed, added or taken away after it was sealed.
    """
    for number, entry in enumerate(entries, start=1 if before is None else before.n + 1):
        for flaw in _flaws(head, number, entry, before):
            return j.Mismatch(number, f"Row {number} {flaw}")
        before = entry
    return None


def _flaws(head: j.Head, number: int, entry: j.JournalRow, before: j.JournalRow | None) -> Iterator[str]:
    if entry.n != number:
        yield f"bears the number {entry.n}."
    if entry.version != number:
        yield f"leads to version {entry.version}, not to {number}."
    if before is not None and before.kind is j.Kind.END:
        yield "comes after the end of the battle."
    if entry.back_to is not None and entry.back_to >= number:
        yield f"goes back to version {entry.back_to}, which didn't exist yet."
    if entry.previous != (head.hash if before is None else before.hash):
        place = "the head" if before is None else f"row {number - 1}"
        yield f"doesn't follow {place}: the chain is broken there."
    if not entry.is_sealed():
        yield "was changed: its hash doesn't fit."


def check_end(entries: Sequence[j.JournalRow], *, closed: bool) -> j.Mismatch | None:
    """Return what is wrong with the end: a seed is revealed behind the row that closes the battle, never before."""
    if closed is (bool(entries) and entries[-1].kind is j.Kind.END):
        return None
    if closed:
        return j.Mismatch(None, "The seed is revealed, but no row closes the battle: its last rows are missing.")
    return j.Mismatch(None, f"Row {entries[-1].n} closes the battle, but it still goes on.")


def read_hash(text: str) -> str:
    """Return a hash as somebody noted it, or its first digits (`MIN_DIGITS` or more); RuleError for anything else."""
    digits = text.strip().strip("`…").lower()
    if not re.fullmatch(rf"[0-9a-f]{{{MIN_DIGITS},64}}", digits):
        raise RuleError(f"A hash has 64 digits from 0 to 9 and a to f; give all of them, or the first {MIN_DIGITS}.")
    return digits


def check_last_hash(head_hash: str, entries: Sequence[j.JournalRow], noted: str | None) -> j.Mismatch | None:
    """Compare the last row's hash, the head's if there is none, with a `noted` one (see `read_hash`); None matches.

    Only this tells a journal from another one that is as good, such as one of a battle that ended earlier.
    """
    last = entries[-1].hash if entries else head_hash
    if noted is None or last.startswith(noted):
        return None
    return j.Mismatch(None, f"The final fingerprint is {last}, not the one that was noted.")


def check_names(entries: Iterable[j.JournalRow]) -> j.Mismatch | None:
    """Return the first row of a battle's file that names who acted: it was changed, as files name nobody."""
    row = next((entry.n for entry in entries if entry.actor is not None), None)
    sentence = f"Row {row} names who acted. No hash seals names, so a battle's file has none: it was changed."
    return None if row is None else j.Mismatch(row, sentence)


def check_head(system: AnySystem, head: j.Head, seed: bytes) -> j.Mismatch | None:
    """Return what is wrong with the head: another system or edition, a seed that doesn't fit; None if nothing is."""
    if head.system != system.name:
        return j.Mismatch(None, f"The battle is one of {head.system}, not of {system.name}.")
    if head.rules != system.rules:
        sentence = f"The battle was fought by edition {head.rules} of the rules; this is edition {system.rules}."
        return j.Mismatch(None, sentence)
    if head.seed_hash != j.seed_hash(seed):
        return j.Mismatch(None, "The seed is not the one whose hash was shown when the battle opened.")
    return None


def begin(system: AnySystem, head: j.Head, states: dict[int, Any]) -> j.Mismatch | None:
    """Add the state before the first row to `states`, as version 0; return why it can't be, None if it can."""
    try:
        states[0] = system.begin(system.setups.read(head.setup))
        if (branch := head.branch) is not None:
            states[0] = system.states.read(branch.state)
    except RuleError as error:
        return j.Mismatch(None, f"The battle can't have begun like this: {error}")
    return None


def replay(
    system: AnySystem, key: bytes, entries: Iterable[j.JournalRow], states: dict[int, Any], steps: int = 0
) -> j.Mismatch | None:
    """Replay rows and add the state after each to `states`, by version; return the first mismatch, None if all match.

    `states`: those that the rows follow from, the one before the first row and those that an undo goes back to.
    `key`: of the dice. `steps`: the number of steps before these rows.
    """
    for entry in entries:
        after, events = states[entry.n - 1 if entry.back_to is None else entry.back_to], []
        if entry.kind is j.Kind.STEP:
            steps += 1
            try:
                step = system.apply(after, system.actions.read(entry.action), entry.seat, SeededDice(key, steps))
            except RuleError as error:
                return j.Mismatch(entry.n, f"Row {entry.n} is against the rules: {error}")
            after, events = step.state, [system.events.write(event) for event in step.events]
        if canonical(events) != canonical(entry.events):
            return j.Mismatch(entry.n, f"Row {entry.n} has other events than the dice lead to.")
        if entry.state_hash != digest(system.states.write(after)):
            return j.Mismatch(entry.n, f"Row {entry.n} leads to another state than the journal's.")
        states[entry.n] = after
    return None


def throws_in(
    system: AnySystem, entries: Iterable[j.JournalRow], states: Mapping[int, Any]
) -> Iterator[tuple[int, Throw]]:
    """Yield the dice of replayed rows with the rows' numbers; `states`: by version. None where rules tell of none."""
    if isinstance(system, ThrowsDice):
        for entry in entries:
            if entry.kind is j.Kind.STEP:
                events = system.events.read_all(entry.events)
                yield from ((entry.n, throw) for throw in system.throws(states[entry.n - 1], events))


def compare_outcomes(replayed: Outcome | None, recorded: Outcome | None) -> VerifyReport:
    """Return the report of a battle whose rows all match."""
    if replayed == recorded:
        return VerifyReport(None, replayed)
    sentence = "The journal's outcome isn't the one that its rows lead to."
    return VerifyReport(j.Mismatch(None, sentence), replayed)
