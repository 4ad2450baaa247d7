"""What is kept about a person beside the battles: the texts they sent and the calculations they asked for."""

import json

from pydantic import JsonValue

from bot.store.database import Database


class PersonalData:
    """Reads everything of one person's, for them to see."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def recent_texts(self, user_id: int) -> list[JsonValue]:
        """Return the texts offered again, the newest first."""
        rows = await self._db.fetch_all(
            "SELECT kind, text FROM recent_texts WHERE user_id = ? ORDER BY sequence DESC", [user_id]
        )
        return [{"kind": row["kind"], "text": row["text"]} for row in rows]

    async def calculations(self, user_id: int) -> list[JsonValue]:
        """Return the calculations, the oldest first; times are Unix seconds."""
        rows = await self._db.fetch_all(
            "SELECT kind, guild_id, request, created_at FROM calculations WHERE asker_id = ? ORDER BY created_at, id",
            [user_id],
        )
        return [
            {
                "kind": row["kind"],
                "guild_id": None if row["guild_id"] is None else str(row["guild_id"]),
                "request": json.loads(row["request"]),
                "created_at": row["created_at"],
            }
            for row in rows
        ]
