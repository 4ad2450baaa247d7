"""PostgreSQL: a server for several processes.

Every transaction is SERIALIZABLE: it reads and writes as if it were alone, and where two of them, of whatever process,
would contradict each other, one is rolled back and run again. So what holds for one writer holds for many.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeVar

import asyncpg

from bot.scale.dialect import migrate, query, types_of, versions_in
from bot.store import ConstraintError, DatabaseLostError, DiskFullError, StoreError
from bot.store.database import (
    Availability,
    Body,
    Connection,
    Database,
    Parameters,
    Row,
    refusals_named,
    to_its_end,
)
from bot.store.migrate import Contents, Schema, Update

T = TypeVar("T")

UNREACHABLE = (
    *(OSError, TimeoutError, asyncpg.InterfaceError, asyncpg.InternalClientError, asyncpg.PostgresConnectionError),
    *(asyncpg.OperatorInterventionError, asyncpg.InsufficientResourcesError),
    asyncpg.IdleInTransactionSessionTimeoutError,
)
SETTINGS = {
    "application_name": "fracas",
    # What a process, or its machine, held when it stopped is free again soon.
    "idle_in_transaction_session_timeout": "30s",
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
    "synchronize_seqscans": "off",  # a copy reads rows in the order in which they came
}
_OPTIONS: Final[Mapping[str, Any]] = {"timeout": 10.0, "command_timeout": 60.0, "server_settings": SETTINGS}
MIN_VERSION = 16
MAX_CONNECTIONS = 8
MAX_ATTEMPTS = 50
LONGEST_PAUSE_SECONDS = 0.05

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

FIRST_PAUSE_SECONDS, LAST_PAUSE_SECONDS = 0.01, 0.25
"""How long a lock that another process holds is left alone: twice as long after each attempt."""

_KEY = "hashtextextended('fracas:' || $1, 0)"


async def connect(url: str, place: str) -> "asyncpg.Connection[Any]":
    """Open a connection of its own to the database at `url`, which people read as `place`; StoreError."""
    try:
        return await asyncpg.connect(url, **_OPTIONS)
    except asyncpg.ClientConfigurationError:
        raise StoreError(f"The database {place} has no address of the form postgresql://user@host/name.") from None
    except (*UNREACHABLE, asyncpg.PostgresError) as error:
        kind = DatabaseLostError if isinstance(error, UNREACHABLE) else StoreError
        raise kind(f"The database {place} can't be reached ({reason(error)}).") from None


@contextmanager
def losses_named(place: str) -> Iterator[None]:
    """Raise UnavailableError where the server can't be used any more; an OSError would be taken for Discord's."""
    try:
        yield
    except asyncpg.DiskFullError as error:
        raise DiskFullError(f"The database {place} has no room left on its disk ({reason(error)}).") from error
    except UNREACHABLE as error:
        raise lost(place, error) from error


def lost(place: str, error: BaseException, *, may_be_done: bool = False) -> DatabaseLostError:
    """Return what is raised instead of an error that is one of `UNREACHABLE`."""
    return DatabaseLostError(f"The database {place} can't be reached now ({reason(error)}).", may_be_done=may_be_done)


@contextmanager
def dropped_if_lost(conn: "asyncpg.Connection[Any]") -> Iterator[None]:
    """Close a connection that breaks in the block; asyncpg leaves some of them open, and nothing works over them."""
    try:
        yield
    except UNREACHABLE:
        conn.terminate()
        raise


def reason(error: BaseException) -> str:
    """Return what an error says, on one line."""
    return " ".join(str(error).split()) or type(error).__name__


class Locks:
    """All locks of this process on the database at `url`, which people read as `place`, over one connection."""

    def __init__(self, url: str, place: str, availability: Availability) -> None:
        self._availability = availability
        self._url = url
        self._place = place
        self._conn: asyncpg.Connection[Any] | None = None
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def hold(self, name: str, *, wait: bool) -> AsyncIterator[bool]:
        """Hold a lock, or yield False where another process has it and `wait` is False; UnavailableError."""
        pause = FIRST_PAUSE_SECONDS
        held: list[asyncpg.Connection[Any]] = []
        try:
            await to_its_end(self._take(name, held))
            while wait and not held:  # another process gives no sign
                await asyncio.sleep(pause)
                pause = min(2 * pause, LAST_PAUSE_SECONDS)
                await to_its_end(self._take(name, held))
            yield bool(held)
        finally:
            for conn in held:
                await to_its_end(self._give_back(name, conn))

    async def close(self) -> None:
        """Let go of everything."""
        async with self._turn:
            if self._conn is not None:
                await self._conn.close()

    async def _take(self, name: str, held: "list[asyncpg.Connection[Any]]") -> None:
        async with self._turn:
            with self._availability.watched(), losses_named(self._place):
                if self._conn is None or self._conn.is_closed():
                    self._conn = await connect(self._url, self._place)
                with dropped_if_lost(self._conn):
                    if await self._conn.fetchval(f"SELECT pg_try_advisory_lock({_KEY})", name):
                        held.append(self._conn)

    async def _give_back(self, name: str, conn: "asyncpg.Connection[Any]") -> None:
        async with self._turn:
            if conn.is_closed():
                return  # and the server has let go of it
            with suppress(*UNREACHABLE), dropped_if_lost(conn):
                await conn.fetchval(f"SELECT pg_advisory_unlock({_KEY})", name)


class PostgresDatabase(Database):
    """A database on a server, over a few connections."""

    is_shared = True
    columns_sql = _COLUMNS
    references_sql = _REFERENCES

    def __init__(self, url: str, place: str, pool: "asyncpg.Pool[Any]", updates: Sequence[Update]) -> None:
        self.updates = updates
        self.availability = Availability()
        self._place = place
        self._pool = pool
        self._held = Locks(url, place, self.availability)
        self._closed = False
        self._writers: set[asyncio.Task[Any] | None] = set()

    @classmethod
    async def open(cls, url: str, place: str, schemas: Sequence[Schema]) -> "PostgresDatabase":
        """Open the database at `url`; `place` is what people read of it. See `open_database`."""
        async with _looking(url, place) as conn:
            updates = await migrate(conn, place, schemas)
        pool = await asyncpg.create_pool(
            url,
            min_size=0,  # or asyncpg logs an error with its trace for every attempt to get it back
            max_size=MAX_CONNECTIONS,
            **_OPTIONS,
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

    async def fetch_all(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        """Return every row of a query, of committed data only."""

        async def fetch(conn: "asyncpg.Connection[Any]") -> list[Row]:
            with dropped_if_lost(conn):
                return await _Writing(conn).fetch_all(sql, parameters)

        return await self._done(fetch)

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

    def alone_of_all(self, name: str, *, wait: bool) -> AbstractAsyncContextManager[bool]:
        """Keep other processes out; see the base class."""
        return self._held.hold(name, wait=wait)

    async def copy_to(self, file: Path) -> Contents:
        """Refuse: a server's copies are made with its own tools."""
        raise StoreError(f"{file} can't be made: copies of a database on PostgreSQL are made with pg_dump.")

    async def close(self) -> None:
        """Close the connections after the current transactions; does nothing the second time."""
        if not self._closed:
            self._closed = True
            await to_its_end(self._close())

    async def _close(self) -> None:
        await self._held.close()
        await self._pool.close()

    async def _done(self, work: Callable[["asyncpg.Connection[Any]"], Awaitable[T]], *, writing: bool = False) -> T:
        """Do `work` over a connection, and once more over another one if that breaks; it may not be committed then."""
        if asyncio.current_task() in self._writers:
            raise RuntimeError("inside a transaction only its own connection may be used")
        if self._closed:
            raise StoreError("The database is closed.")
        with self.availability.watched(writing=writing), losses_named(self._place):
            async with self._connection() as conn:
                try:
                    return await work(conn)
                except UNREACHABLE as error:
                    if isinstance(error, TimeoutError | asyncpg.DiskFullError):
                        raise  # it would be so again
            async with self._connection() as conn:
                return await work(conn)

    @asynccontextmanager
    async def _connection(self) -> "AsyncIterator[asyncpg.Connection[Any]]":
        conn = await self._pool.acquire()
        try:
            yield conn
        finally:
            with suppress(*UNREACHABLE):  # one that broke just now; it says nothing of the work done over it
                await self._pool.release(conn)

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
                except (asyncpg.SerializationError, asyncpg.DeadlockDetectedError):
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


async def _leave_as_it_is(_conn: object) -> None:
    """Do nothing with a connection that comes back: nothing of a caller's stays in it."""


class _Writing(Connection):
    """A connection, inside a transaction or for one query."""

    def __init__(self, conn: "asyncpg.Connection[Any]") -> None:
        self._conn = conn

    async def execute(self, sql: str, parameters: Parameters = ()) -> int:
        with refusals_named(asyncpg.IntegrityConstraintViolationError):
            status = await self._conn.execute(query(sql, types_of(parameters)), *_values(parameters))
        count = status.rpartition(" ")[2]
        return int(count) if count.isdecimal() else 0

    async def execute_many(self, sql: str, rows: Iterable[Parameters]) -> None:
        rows = list(rows)
        if not rows:
            return
        types = tuple(next(filter(None, column), "") for column in zip(*map(types_of, rows), strict=True))
        with refusals_named(asyncpg.IntegrityConstraintViolationError):
            await self._conn.executemany(query(sql, types), [_values(row) for row in rows])

    async def fetch_all(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        with refusals_named(asyncpg.IntegrityConstraintViolationError):
            return list(await self._conn.fetch(query(sql, types_of(parameters)), *_values(parameters)))

    async def stream(self, sql: str) -> AsyncIterator[Row]:
        async for row in self._conn.cursor(query(sql, ())):
            yield row


def _values(parameters: Parameters) -> list[object]:
    return [_value(parameter) for parameter in parameters]


def _value(parameter: object) -> object:
    if isinstance(parameter, bool):
        return int(parameter)
    if isinstance(parameter, str) and "\0" in parameter:  # the one character that PostgreSQL can't keep
        return parameter.replace("\0", "\N{REPLACEMENT CHARACTER}")
    return parameter
