"""Characters that players rolled and keep, to fight again and again."""

import json
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass

import aiosqlite
from pydantic import JsonValue

from bot.store.database import Database, Parameters
from bot.store.personal_data import PersonalTable
from sim.core.canonical_json import canonical
from sim.core.errors import RuleError
from sim.core.names import name_key

MOST_CHARACTERS = 20
"""Characters of one person."""

MOST_SHEET = 4000
"""Characters of a sheet as JSON; far more than any has."""


@dataclass(frozen=True, slots=True)
class Character:
    """A kept character; `sheet` is the system's value as JSON, `created_at` in Unix seconds."""

    id: int
    owner_id: int
    name: str
    sheet: JsonValue
    created_at: int


CHARACTERS = PersonalTable(
    table="characters",
    user_column="owner_id",
    label=("character", "characters"),
    kept="of duels; until you dismiss them",
    exported={"name": "name", "sheet": "json(sheet)", "created_at": "created_at"},
    order="id DESC",
)


class CharacterRepository:
    """The kept characters; `clock` tells Unix seconds."""

    def __init__(self, db: Database, clock: Callable[[], float] = time.time) -> None:
        self._db = db
        self._clock = clock

    async def add(self, owner_id: int, name: str, sheet: JsonValue) -> Character:
        """Keep a character; RuleError where one of that name is kept, or as many as there may be."""
        text = canonical(sheet)
        if len(text) > MOST_SHEET:
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
        """Return a person's characters, the newest first."""
        rows = await self._db.fetch_all("SELECT * FROM characters WHERE owner_id = ? ORDER BY id DESC", [owner_id])
        return [_character_of(row) for row in rows]

    async def delete(self, owner_id: int, character_id: int) -> bool:
        """Delete a person's character and return whether there was one."""
        which = [character_id, owner_id]
        return await self._delete("DELETE FROM characters WHERE id = ? AND owner_id = ?", which) > 0

    async def _delete(self, sql: str, parameters: Parameters) -> int:
        async def delete(conn: aiosqlite.Connection) -> int:
            return (await conn.execute(sql, parameters)).rowcount

        return await self._db.write(delete)


async def _expect_room(conn: aiosqlite.Connection, owner_id: int, name: str) -> None:
    rows = list(await conn.execute_fetchall("SELECT name_key FROM characters WHERE owner_id = ?", [owner_id]))
    if any(row["name_key"] == name_key(name) for row in rows):
        raise RuleError("You have a character of this name already; /duel dismiss lets one go.")
    if len(rows) >= MOST_CHARACTERS:
        raise RuleError(f"You have {MOST_CHARACTERS} characters, which is the most; /duel dismiss lets one go.")


def _character_of(row: sqlite3.Row) -> Character:
    return Character(row["id"], row["owner_id"], row["name"], json.loads(row["sheet"]), row["created_at"])
