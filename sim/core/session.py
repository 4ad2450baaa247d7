"""A battle played in memory, with its journal: for consoles and tests."""

from typing import Any

from pydantic import JsonValue

from sim.core.battle import AnySystem, Outcome, Seat
from sim.core.dice import SeededDice
from sim.core.errors import RuleError
from sim.core.journal import Entry, Head, Journal, Kind, next_step, seal, seed_hash


class Session:
    """A battle of `system`, begun from `setup`, with dice from `seed`; RuleError for an invalid setup."""

    def __init__(self, system: AnySystem, setup: object, seed: bytes) -> None:
        self.system = system
        self.seed = seed
        self.head = Head(
            system=system.name, rules=system.rules, setup=system.setups.write(setup), seed_hash=seed_hash(seed)
        )
        self.entries: list[Entry] = []
        self._states: list[Any] = [system.begin(setup)]

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
        dice = SeededDice(self.seed, next_step(self.entries))
        step = self.system.apply(self.state, action, seat, dice)
        events = [self.system.events.write(event) for event in step.events]
        self._write(step.state, seat=seat, actor=actor, action=self.system.actions.write(action), events=events)
        return self.system.lines(step.events)

    def undo(self, back_to: int, seat: Seat, actor: str | None = None) -> None:
        """Return to the state of an earlier version; RuleError if there is none."""
        self._expect_open()
        if not 0 <= back_to <= len(self.entries):
            raise RuleError(f"There is no version {back_to} to go back to.")
        self._write(self._states[back_to], kind=Kind.UNDO, seat=seat, actor=actor, back_to=back_to)

    def note(self, kind: Kind, action: JsonValue, seat: Seat, actor: str | None = None) -> None:
        """Note something about the table, not the game."""
        self._expect_open()
        self._write(self.state, kind=kind, seat=seat, actor=actor, action=action)

    def end(self, seat: Seat, actor: str | None = None) -> None:
        """Close the battle, decided or not."""
        self._expect_open()
        self._write(self.state, kind=Kind.END, seat=seat, actor=actor)

    def journal(self) -> Journal:
        """Return the journal; the seed is in it once the battle is closed."""
        closed = bool(self.entries) and self.entries[-1].kind is Kind.END
        return Journal(self.head, tuple(self.entries), self.seed if closed else None, self.outcome)

    def _expect_open(self) -> None:
        if self.entries and self.entries[-1].kind is Kind.END:
            raise RuleError("The battle is closed.")

    def _write(self, state: object, **row: Any) -> None:  # noqa: ANN401 - what a row has, as in `seal`
        self.entries.append(seal(self.head, self.entries, state=self.system.states.write(state), **row))
        self._states.append(state)
