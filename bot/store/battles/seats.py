"""Sitting down and getting up, inside the transaction of whoever calls; each tells whether anything changed."""

from collections.abc import Sequence
from dataclasses import dataclass

import aiosqlite

from bot.store.errors import SeatTakenError
from sim.core.battle import Seat


@dataclass(frozen=True, slots=True)
class SeatChange:
    """Somebody comes to a seat that need not have been there before, or the seat goes.

    `here`: whether the seat is there afterwards; `user_id`: who has it then, None for somebody who was forgotten.
    """

    seat: Seat
    user_id: int | None = None
    here: bool = True


async def change_seats(conn: aiosqlite.Connection, battle_id: int, seat_changes: Sequence[SeatChange]) -> None:
    """Make the changes one after the other; a new seat comes last in the order."""
    for change in seat_changes:
        await conn.execute("DELETE FROM seats WHERE battle_id = ? AND seat = ?", [battle_id, change.seat])
        if change.here:
            await conn.execute(
                "INSERT INTO seats (battle_id, position, seat, user_id, is_bot)"
                " SELECT ?1, COALESCE(max(position) + 1, 0), ?2, ?3, 0 FROM seats WHERE battle_id = ?1",
                [battle_id, change.seat, change.user_id],
            )


async def sit_down(conn: aiosqlite.Connection, *, battle_id: int, seat: Seat, user_id: int) -> bool:
    """Give a free seat to a person; SeatTakenError, and KeyError for a seat that the battle doesn't have."""
    rows = list(
        await conn.execute_fetchall(
            "SELECT user_id, is_bot FROM seats WHERE battle_id = ? AND seat = ?", [battle_id, seat]
        )
    )
    if not rows:
        raise KeyError(seat)
    holder = rows[0]["user_id"]
    if holder == user_id:
        return False
    if holder is not None or rows[0]["is_bot"]:
        raise SeatTakenError(seat, holder)
    await conn.execute("UPDATE seats SET user_id = ? WHERE battle_id = ? AND seat = ?", [user_id, battle_id, seat])
    return True
