"""The steps of a journal that no later row took back."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from sim.core.errors import RuleError
from sim.core.journal import Kind


class Row(Protocol):
    """The fields of a journal's row that decide which steps are active."""

    @property
    def n(self) -> int:
        """Its number, from 1."""
        ...

    @property
    def kind(self) -> Kind:
        """Step, undo or end."""
        ...

    @property
    def back_to(self) -> int | None:
        """For an undo, the version that the battle returns to."""
        ...


R = TypeVar("R", bound=Row)


def active_steps(entries: Sequence[R]) -> tuple[R, ...]:
    """Return the steps that no later row took back, in order."""
    last = [0]  # after each version, the row of the last active step
    before = [0]  # and the row of the one before it, where the row is a step
    for entry in entries:
        before.append(last[-1])
        last.append(last[entry.back_to] if entry.back_to is not None else _last(entry, last[-1]))
    found = []
    at = last[-1]
    while at:
        found.append(entries[at - 1])
        at = before[at]
    return tuple(reversed(found))


def version_before(entries: Sequence[Row]) -> int:
    """Return the version that undoing the last active step leads to; RuleError if there is none to undo."""
    steps = active_steps(entries)
    if not steps:
        raise RuleError("There is no step to take back.")
    return steps[-2].n if len(steps) > 1 else 0


def _last(entry: Row, before: int) -> int:
    return entry.n if entry.kind is Kind.STEP else before
