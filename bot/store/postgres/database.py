"""PostgreSQL: a server for several processes.

Every transaction is SERIALIZABLE: it reads and writes as if it were alone, and where two of them, of whatever process,
would contradict each other, one is rolled back and run again. So what holds for one writer holds for many.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

import asyncpg

from bot.store.availability import Availability
from bot.store.database import Body, Connection, Database, Parameters, Reference, Row, to_its_end
from bot.store.errors import ConstraintError, StoreError
from bot.store.inspection import Contents
from bot.store.migrate import Migration, Update
from bot.store.postgres.connecting import (
    COMMAND_SECONDS,
    CONNECT_SECONDS,
    SETTINGS,
    UNREACHABLE,
    connect,
    dropped_if_lost,
    losses_named,
    lost,
    reason,
)
from bot.store.postgres.dialect import query, types_of
from bot.store.postgres.locks import Locks
from bot.store.postgres.migrations import migrate, versions_in

T = TypeVar("T")

COPIES = "copies of a database on PostgreSQL are made with pg_dump"
MIN_VERSION = 16
MAX_CONNECTIONS = 8
MAX_ATTEMPTS = 50
LONGEST_PAUSE_SECONDS = 0.05

_CONFLICTS = (asyncpg.SerializationError, asyncpg.DeadlockDetectedError)
_COLUMNS = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()"
_REFERENCES = """
    SELECT c.conrelid::regclass::text, a.attname, c.confrelid::regclass::text, b.attname FROM pg_constraint AS c
    JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
    JOIN pg_attribute AS b ON b.attrelid = c.confrelid AND b.attnum = c.confkey[1]
    WHERE c.contype = 'f' AND c.connamespace = current_schema()::regnamespace
"""
_COUNTED = """
    SELECT table_name, column_name, pg_get_serial_sequence(table_name, column_name) AS sequence
    FROM information_schema.columns WHERE table_schema = current_schema() AND is_identity = 'YES'
"""


class PostgresDatabase(Database):
    """A database on a server, over a few connections."""

    is_shared = True

    def __init__(self, url: str, place: str, pool: "asyncpg.Pool[Any]", updates: Sequence[Update]) -> None:
        self.updates = updates
        self.availability = Availability()
        self._place = place
        self._pool = pool
        self._locks = Locks(url, place, self.availability)
        self._closed = False
        self._writers: set[asyncio.Task[Any] | None] = set()

    @classmethod
    async def open(
        cls, url: str, place: str, migrations: Sequence[Migration], games: Mapping[str, Sequence[Migration]]
    ) -> "PostgresDatabase":
        """Open the database at `url`; `place` is what people read of it. See `open_database`."""
        async with _looking(url, place) as conn:
            updates = await migrate(conn, place, migrations, games)
        pool = await asyncpg.create_pool(
            url,
            min_size=0,  # or asyncpg logs an error with its trace for every attempt to get it back
            max_size=MAX_CONNECTIONS,
            timeout=CONNECT_SECONDS,
            command_timeout=COMMAND_SECONDS,
            server_settings=SETTINGS,
            reset=_leave_as_it_is,
        )
        return cls(url, place, pool, updates)

    @classmethod
    async def look_at(cls, url: str, place: str) -> tuple[str, Contents]:
        """Return the server's version, and what is in the database, without changing it; see `look_at`."""
        async with _looking(url, place) as conn:
            versions = await versions_in(conn, place)
            return await conn.fetchval("SHOW server_version"), Contents(versions.pop("", 0), versions)

    async def write(self, body: Body[T]) -> T:
        """Run `body` in a transaction of its own; see the base class."""
        return await self._done(lambda conn: to_its_end(self._transaction(conn, body)), writing=True)

    def erasing(self) -> AbstractAsyncContextManager[None]:
        """Do nothing: PostgreSQL overwrites what was deleted when it vacuums."""
        return nullcontext()

    async def scrub(self) -> None:
        """Do nothing: PostgreSQL vacuums by itself."""

    async def fetch_all(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        """Return every row of a query, of committed data only."""
        return await self._done(lambda conn: _fetched(conn, sql, parameters))

    async def tables(self) -> Mapping[str, frozenset[str]]:
        """Return the columns of each table."""
        rows = await self.fetch_all(_COLUMNS)
        return {table: frozenset(column for other, column in rows if other == table) for table, _ in rows}

    async def references(self) -> list[Reference]:
        """Return every reference from one table to another."""
        return [Reference(*row) for row in await self.fetch_all(_REFERENCES)]

    async def counters(self, conn: Connection) -> Mapping[str, int]:
        """Return the highest number given so far in each table with an identity."""
        found = {}
        for table, _, sequence in await conn.fetch_all(_COUNTED):
            for row in await conn.fetch_all(f"SELECT last_value FROM {sequence} WHERE is_called"):  # noqa: S608  # the schema's own words
                found[table] = int(row["last_value"])
        return found

    async def count_on(self, conn: Connection, counters: Mapping[str, int]) -> None:
        """Let tables with an identity give higher numbers than those, and than those in their rows."""
        for table, column, sequence in await conn.fetch_all(_COUNTED):
            (row,) = await conn.fetch_all(f"SELECT coalesce(max({column}), 0) FROM {table}")  # noqa: S608  # as above
            if last := max(row[0], counters.get(table, 0)):
                await conn.fetch_all("SELECT setval(?::regclass, ?)", [sequence, last])

    def alone(self, name: str, *, wait: bool) -> AbstractAsyncContextManager[bool]:
        """Do the work with this name in one process at a time; see the base class."""
        return self._locks.hold(name, wait=wait)

    async def copy_to(self, file: Path) -> Contents:
        """Refuse: a server's copies are made with its own tools."""
        raise StoreError(f"{file} can't be made: {COPIES}.")

    async def close(self) -> None:
        """Close the connections after the current transactions; does nothing the second time."""
        if not self._closed:
            self._closed = True
            await to_its_end(self._close())

    async def _close(self) -> None:
        await self._locks.close()
        await self._pool.close()

    async def _done(self, work: Callable[["asyncpg.Connection[Any]"], Awaitable[T]], *, writing: bool = False) -> T:
        """Do `work` over a connection, and once more over another one if that breaks; it may not be committed then."""
        if asyncio.current_task() in self._writers:
            raise RuntimeError("inside a transaction only its own connection may be used")
        if self._closed:
            raise StoreError("The database is closed.")
        with self.availability.watched(writing=writing), losses_named(self._place):
            async with self._pool.acquire() as conn:
                try:
                    return await work(conn)
                except UNREACHABLE as error:
                    if isinstance(error, TimeoutError | asyncpg.DiskFullError):
                        raise  # it would be so again
            async with self._pool.acquire() as conn:
                return await work(conn)

    async def _transaction(self, conn: "asyncpg.Connection[Any]", body: Body[T]) -> T:
        self._writers.add(asyncio.current_task())
        try:
            for attempt in range(MAX_ATTEMPTS):
                may_be_done = False
                try:
                    with dropped_if_lost(conn):
                        async with conn.transaction(isolation="serializable"):
                            result = await body(_Writing(conn))
                            may_be_done = True  # when COMMIT is sent
                        return result
                except UNREACHABLE as error:
                    if may_be_done:
                        raise lost(self._place, error, may_be_done=True) from error
                    raise
                except _CONFLICTS:
                    if attempt == MAX_ATTEMPTS - 1:
                        raise
                except ConstraintError:
                    if attempt:  # the first time, another process may have just written what this one found missing
                        raise
                await asyncio.sleep(min(LONGEST_PAUSE_SECONDS, 0.001 * attempt))
            raise AssertionError
        finally:
            self._writers.discard(asyncio.current_task())


@asynccontextmanager
async def _looking(url: str, place: str) -> AsyncIterator["asyncpg.Connection[Any]"]:
    """Open a connection for the block, to a server that can be used; StoreError."""
    conn = await connect(url, place)
    try:
        if conn.get_server_version().major < MIN_VERSION:
            raise StoreError(f"The database {place} needs PostgreSQL {MIN_VERSION} or newer.")
        if await conn.fetchval("SHOW server_encoding") != "UTF8":
            raise StoreError(f"The database {place} must have the encoding UTF8.")
        yield conn
    except (*UNREACHABLE, asyncpg.PostgresError) as error:
        raise StoreError(f"The database {place} can't be used ({reason(error)}).") from error
    finally:
        await to_its_end(conn.close())


async def _fetched(conn: "asyncpg.Connection[Any]", sql: str, parameters: Parameters) -> list[Row]:
    with dropped_if_lost(conn):
        return await _Writing(conn).fetch_all(sql, parameters)


async def _leave_as_it_is(_conn: object) -> None:
    """Do nothing with a connection that comes back: nothing of a caller's stays in it."""


class _Writing(Connection):
    """A connection, inside a transaction or for one query."""

    def __init__(self, conn: "asyncpg.Connection[Any]") -> None:
        self._conn = conn

    async def execute(self, sql: str, parameters: Parameters = ()) -> int:
        with _refusals_named():
            status = await self._conn.execute(query(sql, types_of(parameters)), *_values(parameters))
        count = status.rpartition(" ")[2]
        return int(count) if count.isdecimal() else 0

    async def execute_many(self, sql: str, rows: Iterable[Parameters]) -> None:
        rows = list(rows)
        if not rows:
            return
        types = tuple(next(filter(None, column), "") for column in zip(*map(types_of, rows), strict=True))
        with _refusals_named():
            await self._conn.executemany(query(sql, types), [_values(row) for row in rows])

    async def fetch_all(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        with _refusals_named():
            return list(await self._conn.fetch(query(sql, types_of(parameters)), *_values(parameters)))

    async def stream(self, sql: str) -> AsyncIterator[Row]:
        async for row in self._conn.cursor(query(sql, ())):
            yield row


@contextmanager
def _refusals_named() -> Iterator[None]:
    try:
        yield
    except asyncpg.IntegrityConstraintViolationError as error:
        raise ConstraintError(str(error)) from error


def _values(parameters: Parameters) -> list[object]:
    return [_value(parameter) for parameter in parameters]


def _value(parameter: object) -> object:
    if isinstance(parameter, bool):
        return int(parameter)
    if isinstance(parameter, str) and "\0" in parameter:  # the one character that PostgreSQL can't keep
        return parameter.replace("\0", "\N{REPLACEMENT CHARACTER}")
    return parameter
