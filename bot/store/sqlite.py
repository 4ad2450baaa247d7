"""SQLite: a file with one connection that writes, and some that only read."""

import asyncio
import os
import sqlite3
import threading
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite

from bot.store import DiskFullError, StoreError, remains
from bot.store import connecting as c
from bot.store.copies import StoppedError, copy
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
from bot.store.files import Instance, acquire, is_full
from bot.store.migrate import Contents, Schema, Update

T = TypeVar("T")

READERS = 3
"""How many may read at the same time; one of them may be long about it."""

_AGAIN_SECONDS = 0.05
_REST_SECONDS = 0.05
"""How long others have the file to themselves after each time that nobody had."""

_FLAG = "erased"
"""A table that exists as long as files may have remains of what was deleted."""

_CLOSED = "The database is closed."


class SqliteDatabase(Database):
    """A file, or a database in memory.

    One connection writes, for one caller at a time. Others only read what is committed, beside it; a database in memory
    is read over the one that writes, in turns.
    """

    columns_sql = (
        "SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c"  # noqa: S608  # a constant
        f" WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!' AND m.name <> '{_FLAG}'"
    )
    references_sql = (
        """SELECT m.name, f."from", f."table", coalesce(f."to", 'id')"""
        " FROM sqlite_master AS m, pragma_foreign_key_list(m.name) AS f WHERE m.type = 'table'"
    )

    def __init__(
        self,
        conn: aiosqlite.Connection,
        updates: Sequence[Update],
        check: c.Check | None,
        path: Path | None = None,
        instance: Instance | None = None,
    ) -> None:
        self.path = path
        self.updates = updates
        self.availability = Availability()
        self._conn = conn
        self._check = check
        self._instance = instance
        self._idle: list[aiosqlite.Connection] = []
        self._reading = asyncio.Semaphore(READERS)
        self._lock = asyncio.Lock()
        self._writer: asyncio.Task[Any] | None = None
        self._closed = False
        self._copying = asyncio.Lock()
        self._is_closing = False
        self._has_remains = bool(updates)  # versions before kept no flag
        self._is_rewritten = False
        self._erasing = self._erasures = 0
        self._cleaning = asyncio.Lock()

    @classmethod
    async def open(cls, path: Path | str, schemas: Sequence[Schema]) -> "SqliteDatabase":
        """Open a file or ":memory:"; see `open_database`."""
        if str(path) == c.MEMORY:
            return cls(*await c.connect(path, None, schemas))
        file = Path(path)
        c.expect_place(file)
        instance = await acquire(file)
        try:
            db = cls(*await c.connect(path, file, schemas), file, instance)
        except BaseException:
            instance.close()
            raise
        try:
            await db._open_readers(file)
            flag = await db.fetch_all("SELECT 1 FROM sqlite_master WHERE name = ?", [_FLAG])
            db._has_remains |= bool(flag)  # as above
        except BaseException:
            await db.close()
            raise
        return db

    async def write(self, body: Body[T]) -> T:
        """Run `body` in a transaction of its own; see the base class."""
        async with self._turn(writing=True) as conn:
            return await to_its_end(self._transaction(conn, body))

    @asynccontextmanager
    async def erasing(self) -> AsyncIterator[None]:
        """Leave nothing of what the block's writes delete anywhere in the files.

        SQLite overwrites deleted rows, but not the copies of them that are left in pages which were split before, nor
        the old pages in its log. Those are overwritten afterwards, some at a time. During a copy or a check that is
        done at its end; while another program has the file open, `scrub` does it later.
        """
        if self._instance is None:
            yield
            return
        self._erasing += 1
        self._has_remains = True
        try:
            await self.execute(f"CREATE TABLE IF NOT EXISTS {_FLAG} (id INTEGER PRIMARY KEY) STRICT")
            yield
        finally:
            self._erasing -= 1
            self._erasures += 1
            self._is_rewritten = False
        await self._clean()

    async def scrub(self) -> None:
        """Remove what an erasure couldn't remove; does nothing where there is nothing.

        Where another program has the file open, such as Litestream, all of it is written anew, and everybody waits.
        """
        if await self._clean() or self._erasing or self._copying.locked():
            return
        erasures = self._erasures
        async with self._turn() as conn:
            is_gone = await to_its_end(self._rewrite(conn))
        if is_gone:
            await self._note_clean(erasures)

    async def fetch_all(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        """Return every row of a query, of committed data only."""
        # One call, not execute and fetch: a caller cancelled in between would leave the query open.
        if self._instance is None or not sql.lstrip().startswith(("SELECT", "WITH")):
            async with self._turn() as conn:
                return list(await conn.execute_fetchall(sql, parameters))
        self._expect_outside()
        async with self._reading:
            if self._closed:
                raise StoreError(_CLOSED)
            conn = self._idle.pop()
            try:
                return list(await conn.execute_fetchall(sql, parameters))
            finally:
                self._idle.append(conn)

    async def checked(self) -> None:
        """Wait for the check of a large file that was begun when it was opened; StoreError if it is damaged."""
        if self._check is not None:
            async with self._copying:
                await self._check.over()
            await self.scrub()

    async def answers(self) -> bool:
        """Return whether the database can be read, as far as it was checked."""
        return not (self._check is not None and self._check.has_found_damage) and await super().answers()

    async def counters(self, conn: Connection) -> Mapping[str, int]:
        """Return the highest number given so far in each table with AUTOINCREMENT."""
        return dict(map(tuple, await conn.fetch_all("SELECT name, seq FROM sqlite_sequence")))

    async def count_on(self, conn: Connection, counters: Mapping[str, int]) -> None:
        """Let tables with AUTOINCREMENT give higher numbers than those."""
        # An insertion has made an entry of the highest number among the rows.
        made = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'"
        for table in sorted(set(counters) & {row["name"] for row in await conn.fetch_all(made)}):
            await conn.execute("DELETE FROM sqlite_sequence WHERE name = ? AND seq < ?", [table, counters[table]])
            await conn.execute(
                "INSERT INTO sqlite_sequence (name, seq) SELECT ?1, ?2"
                " WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)",
                [table, counters[table]],
            )

    async def copy_to(self, file: Path) -> Contents:
        """Copy what is committed to a new file; see the base class."""
        async with self._copying:
            async with self._turn() as conn, conn.execute("PRAGMA user_version") as cursor:
                source = cursor.connection
            cancelled = threading.Event()
            work = asyncio.create_task(
                asyncio.to_thread(copy, source, file, lambda: cancelled.is_set() or self._is_closing)
            )
            try:
                found = await asyncio.shield(work)
            except StoppedError:
                raise StoreError(_CLOSED) from None
            finally:
                cancelled.set()
                await to_its_end(asyncio.wait({work}))
        await self._clean()
        return found

    async def close(self) -> None:
        """Close the connection after the current transaction; does nothing the second time."""
        await to_its_end(self._close())

    @asynccontextmanager
    async def _turn(self, *, writing: bool = False) -> AsyncIterator[aiosqlite.Connection]:
        self._expect_outside()
        async with self._lock:
            if self._closed:
                raise StoreError(_CLOSED)
            with self.availability.watched(writing=writing):
                try:
                    yield self._conn
                except sqlite3.Error as error:
                    if is_full(error):
                        raise DiskFullError(
                            f"The database {self.path or c.MEMORY} {c.what_is_wrong(error)}."
                        ) from error
                    raise

    def _expect_outside(self) -> None:
        if self._writer is not None and self._writer is asyncio.current_task():
            raise RuntimeError("inside a transaction only its own connection may be used")

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

    async def _open_readers(self, file: Path) -> None:
        self._idle += await asyncio.gather(*(c.connect_reader(file) for _ in range(READERS)))

    async def _close_all(self) -> None:
        readers, self._idle = self._idle, []
        await asyncio.gather(*(reader.close() for reader in readers))
        await self._conn.close()

    async def _clean(self) -> bool:
        """Overwrite what erasures have left until now; return whether that was possible."""
        async with self._cleaning:
            erasures = self._erasures
            if self._has_remains and self.path is not None and self._instance is not None:
                if not await self._cleaned(self.path, self._instance.file):
                    return False
                await self._note_clean(erasures)
        return True

    async def _note_clean(self, erasures: int) -> None:
        if not self._erasing and self._erasures == erasures:  # else they'll come to it themselves
            self._has_remains = False
            await self.execute(f"DROP TABLE IF EXISTS {_FLAG}")

    async def _cleaned(self, path: Path, file: int) -> bool:
        """Overwrite remains in all pages; return whether that was possible.

        Others write meanwhile, and SQLite may move a page's contents to another number, one that was looked at before.
        So until the end the log is restarted nowhere else: all pages that are in it are looked at again.
        """
        if not remains.can_be_cleaned(file):
            return False
        page = 1
        try:
            async with self._turn() as conn:
                await c.checkpoint_after(conn, 0)
            while page:
                if self._is_closing:
                    raise StoreError(_CLOSED)
                found, page = await asyncio.to_thread(remains.find, file, page)
                if found or not page:
                    if not await self._overwritten(path, file, found):
                        return False
                    await asyncio.to_thread(os.fdatasync, file)
                    await asyncio.sleep(_REST_SECONDS if page else 0)
        finally:
            if not self._closed:
                async with self._turn() as conn:
                    await c.checkpoint_after(conn, c.LOG_PAGES)
        return True

    async def _overwritten(self, path: Path, file: int, found: Sequence[int]) -> bool:
        """Overwrite the remains in some pages, with the file closed; return whether nobody else has it open."""
        log = path.with_name(f"{path.name}-wal")
        pages = set(found)
        while True:
            async with self._turn() as conn:
                if self._copying.locked():
                    return False
                pages.update(await asyncio.to_thread(lambda: list(remains.in_log(log, remains.size_of(file)))))
                await c.log_emptied(conn)  # most of it, while others read
                if len(self._idle) == READERS:
                    return await to_its_end(self._overwrite(path, file, sorted(pages)))
            await asyncio.sleep(_AGAIN_SECONDS)  # nobody waits for a reader who takes long

    async def _overwrite(self, path: Path, file: int, pages: Sequence[int]) -> bool:
        async with self._no_readers():  # there are none just now
            if not await c.log_emptied(self._conn):
                return False
            await self._close_all()
            try:
                return await asyncio.to_thread(remains.overwrite, file, pages)
            finally:
                self._conn = await c.reconnect(path)
                await c.checkpoint_after(self._conn, 0)
                await self._open_readers(path)

    @asynccontextmanager
    async def _no_readers(self) -> AsyncIterator[None]:
        for _ in range(READERS):
            await self._reading.acquire()
        try:
            yield
        finally:
            for _ in range(READERS):
                self._reading.release()

    async def _rewrite(self, conn: aiosqlite.Connection) -> bool:
        self._is_rewritten = self._is_rewritten or await c.rewritten(conn)
        return self._is_rewritten and await c.log_emptied(conn)

    async def _close(self) -> None:
        self._is_closing = True
        if self._check is not None:
            await self._check.stop()
        async with self._cleaning, self._copying, self._lock:
            if not self._closed:
                self._closed = True
                try:
                    async with self._no_readers():  # later ones are told that it is closed
                        await self._close_all()
                finally:
                    if self._instance is not None:
                        self._instance.close()


class _Writing(Connection):
    """The connection inside a transaction."""

    def __init__(self, conn: aiosqlite.Connection) -> None:
        self._conn = conn

    async def execute(self, sql: str, parameters: Parameters = ()) -> int:
        with refusals_named(sqlite3.IntegrityError):
            return (await self._conn.execute(sql, parameters)).rowcount

    async def execute_many(self, sql: str, rows: Iterable[Parameters]) -> None:
        with refusals_named(sqlite3.IntegrityError):
            await self._conn.executemany(sql, rows)

    async def fetch_all(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        with refusals_named(sqlite3.IntegrityError):
            return list(await self._conn.execute_fetchall(sql, parameters))

    async def stream(self, sql: str) -> AsyncIterator[Row]:
        async with self._conn.execute(sql) as cursor:
            async for row in cursor:
                yield row
