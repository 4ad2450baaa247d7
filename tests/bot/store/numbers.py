"""A database with one table of one column, for what holds of every database."""

import pytest

from bot.store.database import Connection, Database
from bot.store.migrate import Migration

only_sqlite = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
"""For what is SQLite's own: its files, its plans, its errors."""

TABLE = (Migration(1, "numbers", "CREATE TABLE numbers (number INTEGER PRIMARY KEY) STRICT;"),)


async def insert(conn: Connection, number: int) -> None:
    await conn.execute("INSERT INTO numbers VALUES (?)", [number])


async def kept(db: Database) -> set[int]:
    return {row["number"] for row in await db.fetch_all("SELECT number FROM numbers")}
