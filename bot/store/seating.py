"""Sitting down and getting up, inside the transaction of whoever calls; each tells whether anything changed."""

import aiosqlite

from bot.store.errors import SeatTakenError
from sim.core.battle import Seat


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


async def get_up(conn: aiosqlite.Connection, *, battle_id: int, seat: Seat, user_id: int) -> bool:
    """Free a seat when that person has it."""
    freed = await conn.execute(
        "UPDATE seats SET user_id = NULL WHERE battle_id = ? AND seat = ? AND user_id = ?", [battle_id, seat, user_id]
    )
    return freed.rowcount > 0
