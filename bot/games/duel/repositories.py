"""The tables of duels: players' characters, and reworded messages."""

import json
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import aiosqlite
from pydantic import JsonValue

from bot.store.database import Database, Parameters
from sim.core.canonical_json import canonical
from sim.core.errors import RuleError
from sim.core.names import name_key

MAX_CHARACTERS = 20
"""Maximum number of characters per user."""

MAX_SHEET = 4000
"""Maximum length of a sheet as JSON."""


@dataclass(frozen=True, slots=True)
class Character:
    """A stored character; `sheet` is a `Critter` as JSON, `created_at` in Unix seconds."""

    id: int
    owner_id: int
    name: str
    sheet: JsonValue
    created_at: int


class CharacterRepository:
    """Players' characters."""

    def __init__(self, db: Database, clock: Callable[[], float] = time.time) -> None:
        self._db = db
        self._clock = clock

    async def add(self, owner_id: int, name: str, sheet: JsonValue) -> Character:
        """Add a character; RuleError if the owner has one of that name, or the maximum number."""
        text = canonical(sheet)
        if len(text) > MAX_SHEET:
            raise RuleError("This character's sheet is too long.")
        now = int(self._clock())

        async def insert(conn: aiosqlite.Connection) -> Character:
            await _expect_room(conn, owner_id, name)
            inserted = await conn.execute(
                "INSERT INTO characters (owner_id, name, name_key, sheet, created_at) VALUES (?, ?, ?, ?, ?)",
                [owner_id, name, name_key(name), text, now],
            )
            return Character(inserted.lastrowid or 0, owner_id, name, sheet, now)

        return await self._db.write(insert)

    async def own(self, owner_id: int) -> list[Character]:
        """Return a user's characters, newest first."""
        rows = await self._db.fetch_all("SELECT * FROM characters WHERE owner_id = ? ORDER BY id DESC", [owner_id])
        return [_character_of(row) for row in rows]

    async def delete(self, owner_id: int, character_id: int) -> bool:
        """Delete a user's character; return whether there was one."""
        which = [character_id, owner_id]
        return await self._delete("DELETE FROM characters WHERE id = ? AND owner_id = ?", which) > 0

    async def forget_owner(self, owner_id: int) -> int:
        """Delete a person's characters and return how many there were."""
        return await self._delete("DELETE FROM characters WHERE owner_id = ?", [owner_id])

    async def about_person(self, owner_id: int) -> list[JsonValue]:
        """Return a person's characters as JSON data, the newest first."""
        return [
            {"name": character.name, "sheet": character.sheet, "created_at": character.created_at}
            for character in await self.own(owner_id)
        ]

    async def _delete(self, sql: str, parameters: Parameters) -> int:
        async def delete(conn: aiosqlite.Connection) -> int:
            return (await conn.execute(sql, parameters)).rowcount

        return await self._db.write(delete)


async def _expect_room(conn: aiosqlite.Connection, owner_id: int, name: str) -> None:
    rows = list(await conn.execute_fetchall("SELECT name_key FROM characters WHERE owner_id = ?", [owner_id]))
    if any(row["name_key"] == name_key(name) for row in rows):
        raise RuleError("You have a character of this name already; /duel dismiss lets one go.")
    if len(rows) >= MAX_CHARACTERS:
        raise RuleError(f"You have {MAX_CHARACTERS} characters, which is the most; /duel dismiss lets one go.")


def _character_of(row: sqlite3.Row) -> Character:
    return Character(row["id"], row["owner_id"], row["name"], json.loads(row["sheet"]), row["created_at"])


class DuelMessageRepository:
    """Reworded messages of a server, or of a user if `guild_id` is None."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def get(self, guild_id: int | None, user_id: int) -> dict[str, list[str]]:
        """Return the texts of each reworded message by its name."""
        column, scope_id = _scope(guild_id, user_id)
        rows = await self._db.fetch_all(f"SELECT message, texts FROM duel_words WHERE {column} = ?", [scope_id])  # noqa: S608  # one of two constant columns
        return {row["message"]: json.loads(row["texts"]) for row in rows}

    async def put(self, guild_id: int | None, user_id: int, words: Mapping[str, Sequence[str]]) -> None:
        """Replace all reworded messages with these."""
        column, scope_id = _scope(guild_id, user_id)

        async def write(conn: aiosqlite.Connection) -> None:
            await conn.execute(f"DELETE FROM duel_words WHERE {column} = ?", [scope_id])  # noqa: S608  # as above
            await conn.executemany(
                f"INSERT INTO duel_words ({column}, message, texts) VALUES (?, ?, ?)",  # noqa: S608  # as above
                [(scope_id, message, json.dumps(list(texts), ensure_ascii=False)) for message, texts in words.items()],
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


def _scope(guild_id: int | None, user_id: int) -> tuple[str, int]:
    return ("user_id", user_id) if guild_id is None else ("guild_id", guild_id)
