"""What is kept about a person beside the battles: texts they sent, calculations they asked for, their files."""

import json

from pydantic import JsonValue

from bot.store.database import Database


class PersonalDataRepository:
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
        """Return the calculations, the oldest first; times are Unix seconds.

        Those of others that name the person, such as a challenge, are among them, but not what else is in them.
        """
        rows = await self._db.fetch_all(
            "SELECT kind, guild_id, iif(asker_id = ?1, request, 'null') AS request, created_at,"
            " (SELECT json_group_array(sha256) FROM calculation_uploads"
            " WHERE calculation_id = id AND asker_id = ?1) AS uploads FROM calculations"
            " WHERE asker_id = ?1 OR instr(request, CAST(?1 AS TEXT)) > 0 ORDER BY created_at, id",
            [user_id],
        )
        return [
            {
                "kind": row["kind"],
                "guild_id": None if row["guild_id"] is None else str(row["guild_id"]),
                "request": json.loads(row["request"]),
                "uploads": json.loads(row["uploads"]),
                "created_at": row["created_at"],
            }
            for row in rows
        ]

    async def uploads(self, user_id: int) -> dict[str, bytes]:
        """Return the contents that the person's calculations and rosters name, by SHA-256; 8 MiB at most."""
        rows = await self._db.fetch_all(
            "SELECT sha256, data FROM uploads WHERE sha256 IN"
            " (SELECT sha256 FROM calculations JOIN calculation_uploads ON calculation_id = id WHERE asker_id = ?1"
            " UNION SELECT sha256 FROM rosters JOIN roster_versions ON roster_id = id WHERE owner_id = ?1)"
            " ORDER BY sha256",
            [user_id],
        )
        return {row["sha256"]: row["data"] for row in rows}
