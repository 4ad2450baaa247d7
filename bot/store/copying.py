"""Copies of a database: whole, checked, and safely on the disk before they get their name."""

import asyncio
import contextlib
import os
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

from bot.store.errors import DiskFullError, StoreError
from bot.store.files import UNFINISHED, is_full, put_in_place
from bot.store.inspection import Contents, contents
from bot.store.instance import Instance
from bot.store.remains import overwrite_all

STEP_PAGES = 64
"""How much is copied while others wait: a quarter of a megabyte, under a millisecond."""

PAUSE_SECONDS = 0.002
"""How long the connection is left to others after each step."""


class StoppedError(Exception):
    """A copy was told to stop before its end."""


def copy(source: sqlite3.Connection, file: Path, is_stopped: Callable[[], bool] = lambda: False) -> Contents:
    """Copy what is committed to a new file, step by step, and check the copy.

    Another thread may read and write over the same connection meanwhile: SQLite brings what is copied already up to
    date. Blocks for seconds with a large database.

    Raises `StoreError` if `file` exists, can't be written or turns out damaged, and `StoppedError`; no file is left.
    """

    def pause(*_: int) -> None:
        if is_stopped():
            raise StoppedError
        time.sleep(PAUSE_SECONDS)

    with _unfinished(file) as part:
        with contextlib.closing(sqlite3.connect(part, isolation_level=None)) as target:
            # Nothing of the copy counts before its end, and the last step must not wait for the disk: players would.
            target.execute("PRAGMA synchronous = OFF")
            target.execute("PRAGMA journal_mode = OFF")
            source.backup(target, pages=STEP_PAGES, progress=pause, sleep=PAUSE_SECONDS)
            target.execute("PRAGMA journal_mode = DELETE")  # else it could not be opened where nothing may be written
        overwrite_all(part)  # what was deleted meanwhile
        with contextlib.closing(sqlite3.connect(part, isolation_level=None)) as target:
            return contents(target, file)


async def copy_unused(database: Path, file: Path) -> Contents:
    """Copy a database that no bot uses, without migrating it.

    Raises `StoreError` if a bot uses it, and what `copy` raises.
    """
    async with unused(database):
        return await asyncio.to_thread(_copy_file, database, file)


@contextlib.asynccontextmanager
async def unused(database: Path) -> AsyncIterator[None]:
    """Keep every bot from a database; `StoreError` if one uses it, or if there is no such file."""
    if not await asyncio.to_thread(database.is_file):
        raise StoreError(f"There is no database {database}.")
    instance = Instance(database)
    await instance.acquire()
    try:
        yield
    finally:
        instance.release()


def _copy_file(database: Path, file: Path) -> Contents:
    try:
        with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as source:
            return copy(source, file)
    except sqlite3.Error as error:
        raise StoreError(f"The database {database} can't be read ({error}).") from error


@contextlib.contextmanager
def _unfinished(file: Path) -> Iterator[Path]:
    """Give the name under which a copy is written; only a whole copy becomes `file`."""
    part = file.with_name(f"{file.name}{UNFINISHED}")
    try:
        if file.exists():
            raise StoreError(f"{file} exists already; give the copy another name.")
        part.unlink(missing_ok=True)
        # It holds what players stored and the seeds of open battles.
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        try:
            yield part
            put_in_place(part, file)
        finally:
            for end in ("", "-wal", "-shm"):
                part.with_name(part.name + end).unlink(missing_ok=True)
    except (OSError, sqlite3.Error) as error:
        if is_full(error):
            raise DiskFullError(f"The copy {file} can't be written: its disk is full.") from error
        reason = error.strerror if isinstance(error, OSError) else error
        raise StoreError(f"The copy {file} can't be written ({reason}).") from error
