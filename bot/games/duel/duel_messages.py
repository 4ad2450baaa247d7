"""The messages of duels that a server replaced, or a person for direct messages."""

import json
from collections.abc import Mapping, Sequence

import aiosqlite
from pydantic import JsonValue

from bot.store.database import Database


class DuelMessageRepository:
    """Replaced messages: of a server, or where `guild_id` is None of a person."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def get(self, guild_id: int | None, user_id: int) -> dict[str, list[str]]:
        """Return the texts of every message that was replaced, by its name."""
        column, place = _place(guild_id, user_id)
        rows = await self._db.fetch_all(f"SELECT message, texts FROM duel_words WHERE {column} = ?", [place])  # noqa: S608  # one of two columns of ours
        return {row["message"]: json.loads(row["texts"]) for row in rows}

    async def put(self, guild_id: int | None, user_id: int, words: Mapping[str, Sequence[str]]) -> None:
        """Keep these messages and no others; with none, all are as the rules have them."""
        column, place = _place(guild_id, user_id)

        async def write(conn: aiosqlite.Connection) -> None:
            await conn.execute(f"DELETE FROM duel_words WHERE {column} = ?", [place])  # noqa: S608  # likewise
            await conn.executemany(
                f"INSERT INTO duel_words ({column}, message, texts) VALUES (?, ?, ?)",  # noqa: S608  # likewise
                [(place, message, json.dumps(list(texts), ensure_ascii=False)) for message, texts in words.items()],
            )

        await self._db.write(write)

    async def forget_person(self, user_id: int) -> int:
        """Delete a person's own messages and return how many there were; a server's name nobody."""

        async def delete(conn: aiosqlite.Connection) -> int:
            return (await conn.execute("DELETE FROM duel_words WHERE user_id = ?", [user_id])).rowcount

        return await self._db.write(delete)

    async def about_person(self, user_id: int) -> list[JsonValue]:
        """Return a person's own messages as JSON data."""
        return [
            {"message": message, "texts": list(texts)} for message, texts in (await self.get(None, user_id)).items()
        ]


def _place(guild_id: int | None, user_id: int) -> tuple[str, int]:
    return ("user_id", user_id) if guild_id is None else ("guild_id", guild_id)
