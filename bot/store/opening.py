"""Opens the database that a setting names."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from bot.config import Server
from bot.store.database import Database
from bot.store.errors import StoreError
from bot.store.inspection import Contents
from bot.store.migrate import Migration, bundled
from bot.store.sqlite import SqliteDatabase

if TYPE_CHECKING:
    from bot.store.postgres.database import PostgresDatabase


async def open_database(
    place: Path | str | Server,
    migrations: Sequence[Migration] | None = None,
    games: Mapping[str, Sequence[Migration]] = MappingProxyType({}),
) -> Database:
    """Open or create the database and migrate it to the current schema.

    `place`: a file, ":memory:" or a server. `migrations` are the package's own unless given, `games` those of games by
    name.

    Raises `StoreError` when it can't be opened and written, is damaged, is no database or another program's, is a file
    that is open already, comes from a newer version, or can't be migrated. No connection is left open then.
    """
    migrations = bundled() if migrations is None else migrations
    if not isinstance(place, Server):
        return await SqliteDatabase.open(place, migrations, games)
    return await _postgres().open(place.url, str(place), migrations, games)


async def look_at(server: Server) -> tuple[str, Contents]:
    """Return the version of PostgreSQL, and what is in the database, without changing it; StoreError."""
    return await _postgres().look_at(server.url, str(server))


def _postgres() -> "type[PostgresDatabase]":
    try:
        from bot.store.postgres.database import PostgresDatabase  # noqa: PLC0415  # asyncpg is in an extra
    except ImportError:
        raise StoreError("PostgreSQL needs the extra postgres: pip install 'fracas[postgres]'.") from None
    return PostgresDatabase
