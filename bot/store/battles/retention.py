"""How long battles are kept, and what is known of a person."""

import json
import time
from collections.abc import Callable

import aiosqlite
from pydantic import JsonValue

from bot.store.battles.battle import Battle, closing_row, fetch_battles, read_battle, read_battles
from bot.store.battles.transactions import Commit, mark_unpublished, write_rows
from bot.store.database import Database

DAY = 24 * 60 * 60
KEPT_SECONDS = 90 * DAY
IDLE_SECONDS = 30 * DAY
HOUSE_SEAT = "house"
"""In whose name the bot closes a battle that nobody goes on with."""

_INVOLVED = (
    "WHERE starter_id = ?1 OR id IN (SELECT battle_id FROM seats WHERE user_id = ?1)"
    " OR id IN (SELECT battle_id FROM journal WHERE actor = ?2)"
    " OR id IN (SELECT battle_id FROM undo_requests WHERE user_id = ?1) ORDER BY id"
)


class Retention:
    """Closes and forgets battles; `clock` tells Unix seconds."""

    def __init__(self, db: Database, clock: Callable[[], float] = time.time) -> None:
        self._db = db
        self._clock = clock

    async def idle_since(self, seconds: int = IDLE_SECONDS, system: str | None = None) -> list[Battle]:
        """Return the open battles, of one system or all, to which nobody has done anything for `seconds`."""
        which = "WHERE status = 'open' AND updated_at < ?1 AND (?2 IS NULL OR system = ?2) ORDER BY id"
        return await fetch_battles(self._db, which, [self._before(seconds), system])

    async def close_idle(self, seconds: int = IDLE_SECONDS) -> list[Battle]:
        """Close the idle battles by a row of the house, and return them as they stand now, their seeds revealed."""
        closed = []
        for battle in await self.idle_since(seconds):  # a transaction each: players elsewhere don't wait for all
            closed += await self._close_if_idle(battle.id, self._before(seconds))
        return closed

    async def forget_finished_older_than(self, seconds: int = KEPT_SECONDS) -> int:
        """Delete the battles that were closed more than `seconds` ago and return how many there were."""
        return await self._delete("DELETE FROM battles WHERE status <> 'open' AND updated_at < ?", seconds)

    async def forget_interactions_older_than(self, seconds: int = DAY) -> int:
        """Forget which interactions were applied; Discord delivers none again after its token's 15 minutes."""
        return await self._delete("DELETE FROM applied_interactions WHERE applied_at < ?", seconds)

    async def forget_person(self, user_id: int) -> list[Battle]:
        """Take a person out of every battle and return these; they are marked as to be shown without them.

        Their seats become free. Journals stay verifiable: who acted is not under the seal.
        """

        async def forget(conn: aiosqlite.Connection) -> list[Battle]:
            found = await read_battles(conn, _INVOLVED, [user_id, str(user_id)])
            await conn.execute("UPDATE battles SET starter_id = NULL WHERE starter_id = ?", [user_id])
            await conn.execute("UPDATE seats SET user_id = NULL WHERE user_id = ?", [user_id])
            await conn.execute("UPDATE journal SET actor = NULL WHERE actor = ?", [str(user_id)])
            await conn.execute("DELETE FROM undo_requests WHERE user_id = ?", [user_id])
            for battle in found:
                await mark_unpublished(conn, battle.id)
            # By their ids: nothing leads from the person to them any more.
            ids = json.dumps([battle.id for battle in found])
            return await read_battles(conn, "WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id", [ids])

        return await self._db.write(forget)

    async def about_person(self, user_id: int) -> list[JsonValue]:
        """Return what is kept of a person as JSON data: each battle they had to do with, and what they did there."""
        acts = await self._db.fetch_all(
            "SELECT battle_id, n, kind, seat, action, created_at FROM journal WHERE actor = ? ORDER BY battle_id, n",
            [str(user_id)],
        )
        undo_requests = await self._db.fetch_all("SELECT * FROM undo_requests WHERE user_id = ?", [user_id])
        return [
            {
                "battle": battle.id,
                "number": battle.number,
                "channel_id": str(battle.channel_id),
                "guild_id": None if battle.guild_id is None else str(battle.guild_id),
                "system": battle.system,
                "status": battle.status,
                "created_at": battle.created_at,
                "started": battle.starter_id == user_id,
                "seats": list(battle.seats_of(user_id)),
                "asked_to_undo": next((row["version"] for row in undo_requests if row["battle_id"] == battle.id), None),
                "acts": [
                    {
                        "n": row["n"],
                        "kind": row["kind"],
                        "seat": row["seat"],
                        "action": json.loads(row["action"]),
                        "at": row["created_at"],
                    }
                    for row in acts
                    if row["battle_id"] == battle.id
                ],
            }
            for battle in await fetch_battles(self._db, _INVOLVED, [user_id, str(user_id)])
        ]

    def _before(self, seconds: int) -> int:
        return int(self._clock()) - seconds

    async def _close_if_idle(self, battle_id: int, before: int) -> list[Battle]:
        now = int(self._clock())

        async def close(conn: aiosqlite.Connection) -> list[Battle]:
            # Looked at again: somebody may have done something since.
            which = "WHERE id = ? AND status = 'open' AND updated_at < ?"
            closed = []
            for battle in await read_battles(conn, which, [battle_id, before]):
                row = closing_row(battle, HOUSE_SEAT)
                await write_rows(conn, battle_id, battle.version, Commit([row], battle.state_json, battle.outcome), now)
                closed.append(await read_battle(conn, battle_id))
            return closed

        return await self._db.write(close)

    async def _delete(self, sql: str, seconds: int) -> int:
        before = self._before(seconds)

        async def delete(conn: aiosqlite.Connection) -> int:
            return (await conn.execute(sql, [before])).rowcount

        return await self._db.write(delete)
