"""Seats that come and go: people join a battle, each in a seat of their own, and may leave it again."""

from abc import abstractmethod
from collections.abc import Collection, Iterable
from typing import Any, Literal, TypeVar

from sim.core.battle import ANYONE, LegalAction, Seat
from sim.core.values import Frozen

T = TypeVar("T")

JOIN: LegalAction[Any] = LegalAction("join", "Join", (ANYONE,), None)
"""Joining, offered as long as there is a free seat; the game's own action has the details."""


class Leave(Frozen):
    """Leave: the player whose seat acts."""

    do: Literal["leave"] = "leave"


class SeatEvent(Frozen):
    """Base of the events in which somebody joins or leaves."""

    @abstractmethod
    def seat_change(self) -> tuple[Seat, bool] | None:
        """Return the seat that is taken (True) or there no more (False); None if the seats stay as they were."""


def first_free(seats: Iterable[T], taken: Collection[T]) -> T | None:
    """Return the first seat, or its number, that nobody has; None if there is none."""
    return next((seat for seat in seats if seat not in taken), None)
