"""Requests to undo a step, which the other players have to accept."""

from dataclasses import dataclass

from bot.store.battles.transactions import apply_once, expect_open, mark_unpublished
from bot.store.database import Connection, Repository
from bot.store.errors import StaleError


@dataclass(frozen=True, slots=True)
class UndoRequest:
    """A request to undo the step that led to `version`; `created_at` is in Unix seconds."""

    battle_id: int
    version: int
    user_id: int
    created_at: int


class UndoRequestRepository(Repository):
    """At most one request for each battle, void once the battle moves on; `clock` returns Unix seconds."""

    async def ask(
        self, battle_id: int, expected_version: int, user_id: int, interaction_id: int | None = None
    ) -> UndoRequest:
        """Store a request and return it; an earlier one for this version, by any user, stays.

        Raises `AlreadyAppliedError`, `BattleGoneError`, `BattleOverError`, `StaleError`.
        """
        now = int(self._clock())

        async def body(conn: Connection) -> UndoRequest:
            await apply_once(conn, interaction_id, now)
            version = await expect_open(conn, battle_id)
            if version != expected_version:
                raise StaleError(battle_id, version)
            inserted = await conn.execute(
                "INSERT INTO undo_requests (battle_id, version, user_id, created_at) VALUES (?, ?, ?, ?)"
                " ON CONFLICT DO NOTHING",
                [battle_id, version, user_id, now],
            )
            if inserted:
                await mark_unpublished(conn, battle_id)
            (row,) = await conn.fetch_all("SELECT * FROM undo_requests WHERE battle_id = ?", [battle_id])
            return UndoRequest(*row)

        return await self._db.write(body)

    async def pending(self, battle_id: int) -> UndoRequest | None:
        """Return a battle's current request, or None."""
        row = await self._db.fetch_one("SELECT * FROM undo_requests WHERE battle_id = ?", [battle_id])
        return None if row is None else UndoRequest(*row)

    async def withdraw(self, battle_id: int) -> bool:
        """Delete the request and return whether there was one."""

        async def body(conn: Connection) -> bool:
            dropped = await conn.execute("DELETE FROM undo_requests WHERE battle_id = ?", [battle_id])
            if dropped:
                await mark_unpublished(conn, battle_id)
            return dropped > 0

        return await self._db.write(body)
