"""Which steps of a journal still count."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from sim.core.journal import Kind


class Row(Protocol):
    """What of a journal's row tells whether it still counts."""

    @property
    def n(self) -> int:
        """Its number, from 1."""
        ...

    @property
    def kind(self) -> Kind:
        """What it tells."""
        ...

    @property
    def back_to(self) -> int | None:
        """For an undo, the version that the battle returns to."""
        ...


R = TypeVar("R", bound=Row)


def standing(entries: Sequence[R]) -> tuple[R, ...]:
    """Return the steps that still count, in order: those that no later row took back."""
    last = [0]  # after each version, the row of the last step that counts
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


def _last(entry: Row, before: int) -> int:
    return entry.n if entry.kind is Kind.STEP else before
