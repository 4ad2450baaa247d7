"""Brings a database on PostgreSQL to the current schema: the migrations of SQLite, translated, under the same numbers.

A process that starts while another one migrates waits for it. Everything is one transaction. The versions stand in
`game_schema`: the bot's own with an empty name.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import asyncpg

from bot.store.errors import StoreError
from bot.store.migrate import Migration, Schema, Update, expect_numbered, schemas_of, statements
from bot.store.postgres.dialect import FUNCTIONS, schema

VERSIONS = "game_schema"

_ALONE = "SELECT pg_advisory_xact_lock(hashtextextended('fracas:migration', 0))"
_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"


async def migrate(
    conn: "asyncpg.Connection[Any]",
    place: str,
    migrations: Sequence[Migration],
    games: Mapping[str, Sequence[Migration]],
) -> list[Update]:
    """Apply what is pending and return what was brought up to date; nothing for a new database.

    Raises `StoreError` for a database of a newer version or of another program, and for a migration that fails: then
    nothing was changed.
    """
    schemas = schemas_of(migrations, games)
    for each in schemas:
        expect_numbered(each.migrations)
    async with conn.transaction():
        await conn.execute(_ALONE)
        versions = await versions_in(conn, place)
        await conn.execute(f"CREATE TABLE IF NOT EXISTS {VERSIONS} (game TEXT PRIMARY KEY, version BIGINT NOT NULL)")
        for function in FUNCTIONS:
            await conn.execute(function)
        for each in schemas:
            each.expect_not_newer(versions.get(each.game or "", 0), place)
        updates = [await _brought_up(conn, place, each, versions.get(each.game or "", 0)) for each in schemas]
    return [update for update in updates if update is not None and versions]


async def versions_in(conn: "asyncpg.Connection[Any]", place: str) -> dict[str, int]:
    """Return the versions of the schemas, nothing for an empty database; StoreError for another program's."""
    tables = {row["tablename"] for row in await conn.fetch(_TABLES)}
    if VERSIONS in tables:
        return dict(map(tuple, await conn.fetch(f"SELECT game, version FROM {VERSIONS}")))  # noqa: S608  # a constant
    if tables:
        raise StoreError(f"The database {place} belongs to another program.")
    return {}


async def _brought_up(conn: "asyncpg.Connection[Any]", place: str, of: Schema, version: int) -> Update | None:
    for migration in of.migrations[version:]:
        try:
            for statement in statements(migration.sql):
                for translated in schema(statement):
                    await conn.execute(translated)
        except (asyncpg.PostgresError, ValueError) as error:
            raise StoreError(
                f"The database {place} stays at version {version}{of.of_game}: migration {migration} failed ({error})."
            ) from error
    last = len(of.migrations)
    if last == version:
        return None
    await conn.execute(
        f"INSERT INTO {VERSIONS} (game, version) VALUES ($1, $2) ON CONFLICT (game) DO UPDATE SET version = $2",  # noqa: S608  # a constant
        of.game or "",
        last,
    )
    return Update(of.game, version, last, None)
