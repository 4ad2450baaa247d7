"""Opens SQLite's files: one connection that writes, and some that only read; and when the log goes into the file."""

import asyncio
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import aiosqlite

from bot.store import StoreError
from bot.store.database import to_its_end
from bot.store.migrate import Schema, Update, is_current, migrate

MEMORY = ":memory:"
BUSY_MS = 5000
CHECK_SECONDS = 3.0
"""How long the start waits for the check of a file; 600 MB took as long where it was measured."""

_AGAIN_SECONDS = 0.02

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


def expect_place(file: Path) -> None:
    """Raise StoreError with the reason where SQLite only says "unable to open database file"."""
    if "\0" in str(file):
        raise StoreError("The name of a database can't hold a zero character.")
    if file.is_dir():
        raise StoreError(f"The database {file} is a directory.")
    if not file.parent.is_dir():
        raise StoreError(f"The database {file} can't be made: the directory {file.parent} does not exist.")


def what_is_wrong(error: sqlite3.Error | UnicodeDecodeError) -> str:
    """Return what an error of SQLite says of the database, as the end of a sentence that begins with its name."""
    if isinstance(error, UnicodeDecodeError):  # the message itself quotes damaged bytes
        return _WHAT_IS_WRONG[sqlite3.SQLITE_CORRUPT]
    code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE
    return _WHAT_IS_WRONG.get(code, f"can't be used ({error})")


def _text(stored: bytes) -> str:
    """Read a text; bytes that were damaged stay in it as surrogates, so that a check finds them and no query fails."""
    return stored.decode("utf-8", "surrogateescape")


async def connect(
    path: Path | str, file: Path | None, schemas: Sequence[Schema]
) -> "tuple[aiosqlite.Connection, Sequence[Update], Check | None]":
    """Open, check and migrate a database; `file` is None for one in memory.

    Return the connection that writes, what was migrated, and the check if it still goes on: where nothing is migrated,
    one of more than `CHECK_SECONDS` does, beside the first answers.
    """
    with _named(path):
        conn, check = await _connected(path), None
        try:
            check = await _checked(conn, file, schemas)
            return conn, await _set_up(conn, file, schemas), check
        except BaseException:
            if check is not None:
                await check.stop()
            await to_its_end(conn.close())
            raise


async def reconnect(file: Path) -> aiosqlite.Connection:
    """Open a file again that was checked and migrated."""
    with _named(file):
        return await _connected(file, "foreign_keys = ON")


async def connect_reader(file: Path) -> aiosqlite.Connection:
    """Open a file for reading alone, beside the connection that writes.

    Before 3.51.3, SQLite can lose a commit while another connection restarts the log: a commit or checkpoint in one
    meets a checkpoint in the other (https://www.sqlite.org/wal.html#walresetbug). A reader does neither, and it is
    closed before the writer, because the last connection that closes makes a checkpoint.
    """
    with _named(file):
        return await _connected(file, "query_only = ON")


class Check:
    """The check of a whole file, over a connection of its own, while others read and write."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._conn: aiosqlite.Connection | None = None
        self._task = asyncio.create_task(self._run())

    @property
    def has_found_damage(self) -> bool:
        """Whether it is over and the file is damaged."""
        return self._task.done() and self._task.exception() is not None

    async def over(self, seconds: float | None = None) -> bool:
        """Wait for its end; return whether that came within `seconds`. Raises StoreError for a damaged file."""
        done, _ = await asyncio.wait({self._task}, timeout=seconds)
        if done:
            await self._task
        return bool(done)

    async def stop(self) -> None:
        """End it, whatever it would find."""
        while not self._task.done():
            if self._conn is not None:
                await self._conn.interrupt()
            await asyncio.wait({self._task}, timeout=_AGAIN_SECONDS)
        self._task.exception()  # somebody has looked

    async def _run(self) -> None:
        conn = self._conn = await connect_reader(self._file)
        try:
            with _named(self._file):
                await _expect_undamaged(conn, self._file)
        finally:
            self._conn = None
            await to_its_end(conn.close())


@contextmanager
def _named(path: Path | str) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise StoreError(f"The database {path} {what_is_wrong(error)}.") from error


async def _connected(path: Path | str, *settings: str) -> aiosqlite.Connection:
    # `copy_to` uses it from a thread of its own; SQLite lets one thread at a time in.
    conn = await aiosqlite.connect(path, isolation_level=None, check_same_thread=False)
    conn.row_factory, conn.text_factory = sqlite3.Row, _text
    try:
        # secure_delete: deleted data doesn't linger in free pages.
        for setting in (f"busy_timeout = {BUSY_MS:d}", "synchronous = FULL", "secure_delete = ON", *settings):
            await conn.execute(f"PRAGMA {setting}")
    except BaseException:
        await to_its_end(conn.close())
        raise
    return conn


async def _set_up(conn: aiosqlite.Connection, file: Path | None, schemas: Sequence[Schema]) -> list[Update]:
    await conn.execute("PRAGMA foreign_keys = OFF")
    # Write the version unchanged and roll back: BEGIN IMMEDIATE alone succeeds on a read-only file.
    (row,) = await conn.execute_fetchall("PRAGMA user_version")
    await conn.execute("BEGIN IMMEDIATE")
    await conn.execute(f"PRAGMA user_version = {int(row[0]):d}")
    await conn.rollback()
    updates = await migrate(conn, file, schemas)
    await conn.execute("PRAGMA foreign_keys = ON")
    if (mode := await _journal_mode(conn, " = WAL")) != ("wal" if file else "memory"):
        raise StoreError(f"The database {file} can't keep a write-ahead log here (its journal is {mode}).")
    return updates


async def _checked(conn: aiosqlite.Connection, file: Path | None, schemas: Sequence[Schema]) -> Check | None:
    """Raise StoreError for a damaged file; return the check if it takes long and nobody need wait for it."""
    may_wait = file is not None and await is_current(conn, schemas) and await _journal_mode(conn) == "wal"
    if file is None or not may_wait:
        await _expect_undamaged(conn, file)
        return None
    check = Check(file)
    try:
        return None if await check.over(CHECK_SECONDS) else check
    except BaseException:
        await check.stop()
        raise


async def _journal_mode(conn: aiosqlite.Connection, wanted: str = "") -> str:
    (row,) = await conn.execute_fetchall(f"PRAGMA journal_mode{wanted}")
    return str(row[0])


async def _expect_undamaged(conn: aiosqlite.Connection, file: Path | None) -> None:
    """Read the whole file; 200 MB take about a second."""
    if [row[0] for row in await conn.execute_fetchall("PRAGMA integrity_check(1)")] != ["ok"]:
        raise StoreError(f"The database {file} {_WHAT_IS_WRONG[sqlite3.SQLITE_CORRUPT]}.")


LOG_PAGES = 1000
"""SQLite's own number."""


async def checkpoint_after(conn: aiosqlite.Connection, pages: int) -> None:
    """Let SQLite move the log's pages into the file once it has as many; 0 stands for never."""
    await conn.execute_fetchall(f"PRAGMA wal_autocheckpoint = {pages:d}")


async def rewritten(conn: aiosqlite.Connection) -> bool:
    """Write the whole database anew, into its log; return whether that was possible. 200 MB take a second."""
    return await _at_once(conn, "VACUUM") is not None


async def log_emptied(conn: aiosqlite.Connection) -> bool:
    """Empty the log; return whether that was possible. Litestream reads it for as long as it runs."""
    checkpoint = await _at_once(conn, "PRAGMA wal_checkpoint(TRUNCATE)")
    return checkpoint is not None and [row["busy"] for row in checkpoint] == [0]


async def _at_once(conn: aiosqlite.Connection, sql: str) -> Iterable[sqlite3.Row] | None:
    """Run a statement; None without room, or if another program is in the way: every query would wait for it, too."""
    await conn.execute_fetchall("PRAGMA busy_timeout = 0")
    try:
        return await conn.execute_fetchall(sql)
    except sqlite3.OperationalError:
        return None
    finally:
        await conn.execute_fetchall(f"PRAGMA busy_timeout = {BUSY_MS:d}")
