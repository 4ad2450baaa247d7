"""What players sent to commands lately, for autocomplete."""

import aiosqlite

from bot.store.database import Database

KEPT_TEXTS = 20


class RecentTextRepository:
    """The last 20 distinct texts of each player for each kind of command, such as "aa"."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def remember(self, user_id: int, kind: str, text: str) -> None:
        """Put `text` first among the player's texts, and drop the ones past the twentieth."""

        async def put_first(conn: aiosqlite.Connection) -> None:
            await conn.execute(
                "DELETE FROM recent_texts WHERE user_id = ? AND kind = ? AND text = ?", [user_id, kind, text]
            )
            await conn.execute("INSERT INTO recent_texts (user_id, kind, text) VALUES (?, ?, ?)", [user_id, kind, text])
            await conn.execute(
                "DELETE FROM recent_texts WHERE sequence IN (SELECT sequence FROM recent_texts"
                " WHERE user_id = ? AND kind = ? ORDER BY sequence DESC LIMIT -1 OFFSET ?)",
                [user_id, kind, KEPT_TEXTS],
            )

        await self._db.write(put_first)

    async def list(self, user_id: int, kind: str) -> list[str]:
        """Return the player's texts, newest first, at most 20."""
        rows = await self._db.fetch_all(
            "SELECT text FROM recent_texts WHERE user_id = ? AND kind = ? ORDER BY sequence DESC", [user_id, kind]
        )
        return [row["text"] for row in rows]
