"""Opens the database that a setting names."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from bot.config import Server
from bot.store.database import Database
from bot.store.errors import StoreError
from bot.store.migrate import Migration, bundled
from bot.store.sqlite import SqliteDatabase


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
    try:
        from bot.store.postgres.database import PostgresDatabase  # noqa: PLC0415  # asyncpg is in an extra
    except ImportError:
        raise StoreError("PostgreSQL needs the extra postgres: pip install 'fracas[postgres]'.") from None
    return await PostgresDatabase.open(place.url, str(place), migrations, games)
