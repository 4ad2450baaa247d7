"""SQLite: a file with one connection, which is its only way to write."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite

from bot.store.availability import Availability
from bot.store.copying import StoppedError, copy
from bot.store.database import Body, Connection, Database, Parameters, Reference, Row, to_its_end
from bot.store.errors import ConstraintError, DiskFullError, StoreError
from bot.store.files import is_full
from bot.store.inspection import Contents
from bot.store.instance import Instance
from bot.store.migrate import Migration, Update, migrate

T = TypeVar("T")

MEMORY = ":memory:"
BUSY_MS = 5000

_PRIMARY_CODE = 0xFF  # SQLite's extended result codes hold the primary one in their low byte
_RESTORE = ': restore a backup (.docs/operate.md, "Back up and restore")'
_WHAT_IS_WRONG = {
    sqlite3.SQLITE_NOTADB: f"is not a database, or is damaged{_RESTORE}",
    sqlite3.SQLITE_CORRUPT: f"is damaged{_RESTORE}",
    sqlite3.SQLITE_READONLY: "can't be written to; it and its directory must be open to reading and writing",
    sqlite3.SQLITE_CANTOPEN: "can't be opened; it and its directory must be open to reading and writing",
    sqlite3.SQLITE_BUSY: "is in use by another program",
    sqlite3.SQLITE_FULL: "has no room left on its disk",
}


class SqliteDatabase(Database):
    """A file, or a database in memory.

    There is one connection, used by one caller at a time, so that nobody reads what may be rolled back.
    """

    def __init__(
        self,
        conn: aiosqlite.Connection,
        updates: Sequence[Update] = (),
        path: Path | None = None,
        instance: Instance | None = None,
    ) -> None:
        self.path = path
        """The file; None for a database in memory."""
        self.updates = updates
        """What was migrated when it was opened."""
        self.availability = Availability()
        self._conn = conn
        self._instance = instance
        self._has_remains = True  # of an erasure before the start, in whose midst the process may have ended
        self._log_has_remains = False
        self._lock = asyncio.Lock()
        self._writer: asyncio.Task[Any] | None = None
        self._closed = False
        self._copying = asyncio.Lock()
        self._is_closing = False

    @classmethod
    async def open(
        cls,
        path: Path | str,
        migrations: Sequence[Migration],
        games: Mapping[str, Sequence[Migration]],
    ) -> "SqliteDatabase":
        """Open a file or ":memory:"; see `open_database`."""
        if str(path) == MEMORY:
            return cls(*await _connect(path, None, migrations, games))
        file = Path(path)
        _expect_place(file)
        instance = Instance(file)
        await instance.acquire()
        try:
            return cls(*await _connect(path, file, migrations, games), file, instance)
        except BaseException:
            instance.release()
            raise

    async def write(self, body: Body[T]) -> T:
        """Run `body` in a transaction of its own and return what it returns.

        The transaction is committed when `body` returns and rolled back when it raises. Once begun it runs to
        its end: a caller that is cancelled meanwhile gets its `CancelledError` only afterwards. A caller
        cancelled while it waits for its turn has written nothing. `body` uses the connection it is given and
        nothing else of this class, and does nothing slow: everyone waits for it.

        Raises what `body` raises, `sqlite3.Error`, `DiskFullError`, and `StoreError` when the database is closed.
        """
        async with self._turn(writing=True) as conn:
            return await to_its_end(self._transaction(conn, body))

    async def erase(self, body: Body[T]) -> T:
        """Delete like `write`, and leave nothing of what was deleted anywhere in the files.

        SQLite overwrites deleted rows, but not the copies of them that are left in pages which were split before, nor
        the old pages in its log. Where another program is reading, or there is no room, `scrub` does that later.
        """
        async with self._turn(writing=True) as conn:
            return await to_its_end(self._erasure(conn, body))

    async def scrub(self) -> None:
        """Remove what an erasure couldn't remove at once; does nothing where there is nothing."""
        async with self._turn() as conn:
            await to_its_end(self._scrub(conn))

    async def fetch_all(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        """Return every row of a query, of committed data only."""
        async with self._turn() as conn:
            # One call, not execute and fetch: a caller cancelled in between would leave the query open.
            return list(await conn.execute_fetchall(sql, parameters))

    async def tables(self) -> Mapping[str, frozenset[str]]:
        """Return the columns of each table."""
        rows = await self.fetch_all(
            'SELECT m.name AS "table", c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c'
            " WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!'"
        )
        return {table: frozenset(row["name"] for row in rows if row["table"] == table) for table, _ in rows}

    async def references(self) -> list[Reference]:
        """Return every reference from one table to another."""
        rows = await self.fetch_all(
            """SELECT m.name, f."from", f."table", coalesce(f."to", 'id')"""
            " FROM sqlite_master AS m, pragma_foreign_key_list(m.name) AS f WHERE m.type = 'table'"
        )
        return [Reference(*row) for row in rows]

    async def counters(self, conn: Connection) -> Mapping[str, int]:
        """Return the highest number given so far in each table with AUTOINCREMENT."""
        return dict(map(tuple, await conn.fetch_all("SELECT name, seq FROM sqlite_sequence")))

    async def count_on(self, conn: Connection, counters: Mapping[str, int]) -> None:
        """Let tables with AUTOINCREMENT give higher numbers than those."""
        # An insertion has made an entry of the highest number among the rows.
        for table in sorted(set(counters) & await self._counted(conn)):
            await conn.execute("DELETE FROM sqlite_sequence WHERE name = ? AND seq < ?", [table, counters[table]])
            await conn.execute(
                "INSERT INTO sqlite_sequence (name, seq) SELECT ?1, ?2"
                " WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)",
                [table, counters[table]],
            )

    @staticmethod
    async def _counted(conn: Connection) -> set[str]:
        made = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'"
        return {row["name"] for row in await conn.fetch_all(made)}

    @asynccontextmanager
    async def alone(self, name: str, *, wait: bool) -> AsyncIterator[bool]:  # noqa: ARG002  # no other process has the file
        """Yield True: no other process can have the file open."""
        yield True

    async def copy_to(self, file: Path) -> Contents:
        """Copy what is committed to a new file and check the copy, while others read and write; return what it holds.

        Cancelling ends it. Raises `StoreError` if `file` exists, can't be written or turns out damaged, and when the
        database is closed; then there is no file.
        """
        async with self._copying:
            async with self._turn() as conn, conn.execute("PRAGMA user_version") as cursor:
                source = cursor.connection
            cancelled = threading.Event()
            work = asyncio.create_task(
                asyncio.to_thread(copy, source, file, lambda: cancelled.is_set() or self._is_closing)
            )
            try:
                return await asyncio.shield(work)
            except StoppedError:
                raise StoreError("The database is closed.") from None
            finally:
                cancelled.set()
                await to_its_end(asyncio.wait({work}))

    async def close(self) -> None:
        """Close the connection after the current transaction; does nothing the second time."""
        await to_its_end(self._close())

    @asynccontextmanager
    async def _turn(self, *, writing: bool = False) -> AsyncIterator[aiosqlite.Connection]:
        if self._writer is not None and self._writer is asyncio.current_task():
            raise RuntimeError("inside a transaction only its own connection may be used")
        async with self._lock:
            if self._closed:
                raise StoreError("The database is closed.")
            with self.availability.watched(writing=writing):
                try:
                    yield self._conn
                except sqlite3.Error as error:
                    if is_full(error):
                        raise DiskFullError(
                            f"The database {self.path or MEMORY} {_WHAT_IS_WRONG[sqlite3.SQLITE_FULL]}."
                        ) from error
                    raise

    async def _transaction(self, conn: aiosqlite.Connection, body: Body[T]) -> T:
        self._writer = asyncio.current_task()
        try:
            await conn.execute("BEGIN IMMEDIATE")
            result = await body(_Writing(conn))
            await conn.commit()
        except BaseException:
            await conn.rollback()  # does nothing where no transaction is open
            raise
        finally:
            self._writer = None
        return result

    async def _erasure(self, conn: aiosqlite.Connection, body: Body[T]) -> T:
        before = conn.total_changes
        result = await self._transaction(conn, body)
        self._has_remains |= conn.total_changes > before
        await self._scrub(conn)
        return result

    async def _scrub(self, conn: aiosqlite.Connection) -> None:
        if self._has_remains and await _rewritten(conn):
            self._has_remains, self._log_has_remains = False, True
        if self._log_has_remains:
            self._log_has_remains = not await _log_emptied(conn)

    async def _close(self) -> None:
        self._is_closing = True
        async with self._copying, self._lock:
            if not self._closed:
                self._closed = True
                try:
                    await self._conn.close()
                finally:
                    if self._instance is not None:
                        self._instance.release()


class _Writing(Connection):
    """The connection inside a transaction."""

    def __init__(self, conn: aiosqlite.Connection) -> None:
        self._conn = conn

    async def execute(self, sql: str, parameters: Parameters = ()) -> int:
        try:
            return (await self._conn.execute(sql, parameters)).rowcount
        except sqlite3.IntegrityError as error:
            raise ConstraintError(str(error)) from error

    async def execute_many(self, sql: str, rows: Iterable[Parameters]) -> None:
        try:
            await self._conn.executemany(sql, rows)
        except sqlite3.IntegrityError as error:
            raise ConstraintError(str(error)) from error

    async def fetch_all(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        try:
            return list(await self._conn.execute_fetchall(sql, parameters))
        except sqlite3.IntegrityError as error:
            raise ConstraintError(str(error)) from error

    async def stream(self, sql: str) -> AsyncIterator[Row]:
        async with self._conn.execute(sql) as cursor:
            async for row in cursor:
                yield row


async def _rewritten(conn: aiosqlite.Connection) -> bool:
    """Write the whole database anew, into its log; return whether that was possible. 200 MB take a second."""
    async with _no_patience(conn):
        try:
            await conn.execute("VACUUM")
        except sqlite3.OperationalError:  # no room, or another program writes
            return False
    return True


async def _log_emptied(conn: aiosqlite.Connection) -> bool:
    """Empty the log; return whether that was possible. Litestream reads it for as long as it runs."""
    async with _no_patience(conn):
        try:
            (checkpoint,) = await conn.execute_fetchall("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.OperationalError:
            return False
    return int(checkpoint["busy"]) == 0


@asynccontextmanager
async def _no_patience(conn: aiosqlite.Connection) -> AsyncIterator[None]:
    """Let nothing wait for other programs: every query would wait, too."""
    await conn.execute_fetchall("PRAGMA busy_timeout = 0")
    try:
        yield
    finally:
        await conn.execute_fetchall(f"PRAGMA busy_timeout = {BUSY_MS:d}")


def _expect_place(file: Path) -> None:
    """Raise StoreError with the reason where SQLite only says "unable to open database file"."""
    if "\0" in str(file):
        raise StoreError("The name of a database can't hold a zero character.")
    if file.is_dir():
        raise StoreError(f"The database {file} is a directory.")
    if not file.parent.is_dir():
        raise StoreError(f"The database {file} can't be made: the directory {file.parent} does not exist.")


def _what_is_wrong(error: sqlite3.Error | UnicodeDecodeError) -> str:
    if isinstance(error, UnicodeDecodeError):  # the message itself quotes damaged bytes
        return _WHAT_IS_WRONG[sqlite3.SQLITE_CORRUPT]
    code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE
    return _WHAT_IS_WRONG.get(code, f"can't be used ({error})")


def _text(stored: bytes) -> str:
    """Read a text; bytes that were damaged stay in it as surrogates, so that a check finds them and no query fails."""
    return stored.decode("utf-8", "surrogateescape")


async def _connect(
    path: Path | str,
    file: Path | None,
    migrations: Sequence[Migration],
    games: Mapping[str, Sequence[Migration]],
) -> tuple[aiosqlite.Connection, list[Update]]:
    try:
        # `copy_to` uses it from a thread of its own; SQLite lets one thread at a time in.
        conn = await aiosqlite.connect(path, isolation_level=None, check_same_thread=False)
        try:
            updates = await _set_up(conn, file, migrations, games)
        except BaseException:
            await to_its_end(conn.close())
            raise
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise StoreError(f"The database {path} {_what_is_wrong(error)}.") from error
    return conn, updates


async def _set_up(
    conn: aiosqlite.Connection,
    file: Path | None,
    migrations: Sequence[Migration],
    games: Mapping[str, Sequence[Migration]],
) -> list[Update]:
    conn.row_factory = sqlite3.Row
    conn.text_factory = _text
    await conn.execute(f"PRAGMA busy_timeout = {BUSY_MS:d}")
    await conn.execute("PRAGMA synchronous = FULL")
    await conn.execute("PRAGMA secure_delete = ON")  # deleted data doesn't linger in free pages
    await conn.execute("PRAGMA foreign_keys = OFF")
    await _expect_undamaged(conn, file)
    await _expect_writable(conn)
    updates = await migrate(conn, file, migrations, games)
    await conn.execute("PRAGMA foreign_keys = ON")
    (row,) = await conn.execute_fetchall("PRAGMA journal_mode = WAL")
    if row[0] != ("wal" if file else "memory"):
        raise StoreError(f"The database {file} can't keep a write-ahead log here (its journal is {row[0]}).")
    return updates


async def _expect_undamaged(conn: aiosqlite.Connection, file: Path | None) -> None:
    """Read the whole file; 200 MB take about a second."""
    if [row[0] for row in await conn.execute_fetchall("PRAGMA integrity_check(1)")] != ["ok"]:
        raise StoreError(f"The database {file} {_WHAT_IS_WRONG[sqlite3.SQLITE_CORRUPT]}.")


async def _expect_writable(conn: aiosqlite.Connection) -> None:
    """Write the version unchanged and roll back: BEGIN IMMEDIATE alone succeeds on a read-only file."""
    (row,) = await conn.execute_fetchall("PRAGMA user_version")
    await conn.execute("BEGIN IMMEDIATE")
    await conn.execute(f"PRAGMA user_version = {int(row[0]):d}")
    await conn.rollback()
