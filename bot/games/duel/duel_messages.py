"""The messages of duels that a server replaced, or a person for direct messages."""

import json
from collections.abc import Mapping, Sequence

import aiosqlite

from bot.store.database import Database
from bot.store.personal_data import PersonalTable

DUEL_WORDS = PersonalTable(
    table="duel_words",
    user_column="user_id",
    guild_column="guild_id",
    label=("message", "messages"),
    kept="of duels, reworded by you; until you reset them",
    deleted=("message of duels", "messages of duels"),
    key="words",
    exported={"message": "message", "texts": "json(texts)"},
)


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


def _place(guild_id: int | None, user_id: int) -> tuple[str, int]:
    return ("user_id", user_id) if guild_id is None else ("guild_id", guild_id)
