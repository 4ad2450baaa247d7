"""Whom a battle waits for."""

from dataclasses import dataclass

from sim.core.battle import Seat


@dataclass(frozen=True, slots=True)
class Awaited:
    """A turn: the seats that it waits for, none for anybody's.

    `turn` names it within its battle and no other; it stays the same while the turn lasts. `where`: which turn it is,
    for players, such as "round 3".
    """

    turn: str
    seats: tuple[Seat, ...]
    where: str
