"""Databases for tests: with all of our tables, or with one table of one column for what holds of every database."""

from collections.abc import Sequence
from operator import attrgetter
from pathlib import Path

import pytest

from bot import resources
from bot.config import Server
from bot.store.database import Connection, Database
from bot.store.migrate import Migration, Schema, bundled

only_sqlite = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
"""For what is SQLite's own: its files, its plans, its errors."""

_OF_GAMES = [bundled("bot.games", f"{game}/migrations") for game in ("axis_allies", "boss_fight", "duel")]

HOUSE = (Schema(sorted(sum(_OF_GAMES, bundled()), key=attrgetter("number"))),)
"""The bot's own tables and those of its games, as `Games.discover().schemas` has them; a process is quicker so."""

TABLE = (Schema((Migration(1, "numbers", "CREATE TABLE numbers (number INTEGER PRIMARY KEY) STRICT;"),)),)


async def open_database(place: Path | str | Server, schemas: Sequence[Schema] = HOUSE) -> Database:
    """Open a database; see `bot.resources`."""
    return await resources.open_database(place, schemas)


async def insert(conn: Connection, number: int) -> None:
    await conn.execute("INSERT INTO numbers VALUES (?)", [number])


async def kept(db: Database) -> set[int]:
    return {row["number"] for row in await db.fetch_all("SELECT number FROM numbers")}
