"""A database with one table of one column, for what holds of every database."""

import aiosqlite

from bot.store.database import Database
from bot.store.migrate import Migration

TABLE = (Migration(1, "numbers", "CREATE TABLE numbers (number INTEGER PRIMARY KEY) STRICT;"),)


async def insert(conn: aiosqlite.Connection, number: int) -> None:
    await conn.execute("INSERT INTO numbers VALUES (?)", [number])


async def kept(db: Database) -> set[int]:
    return {row["number"] for row in await db.fetch_all("SELECT number FROM numbers")}
