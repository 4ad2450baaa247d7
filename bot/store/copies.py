"""Copies of a database: how one is made, how it takes the database's place, how long it is kept and who may read it.

A copy is whole, checked and safely on the disk before it gets its name.
"""

import asyncio
import contextlib
import itertools
import os
import re
import shutil
import sqlite3
import stat
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from bot.store import DiskFullError, StoreError
from bot.store.files import UNFINISHED, acquire, is_full, put_in_place, sync_folder
from bot.store.migrate import Contents, Schema, contents, reading
from bot.store.remains import overwrite_all

STEP_PAGES = 64
"""How much is copied while others wait: a quarter of a megabyte, under a millisecond."""

SYNC_STEPS = 128
"""After how many steps what was copied is brought to the disk: at once, all of it would keep the disk from players."""

PAUSE_SECONDS = 0.002
"""How long the connection is left to others after each step."""

_COPY = r"\.(before-(.+-)?[0-9]{4}(\.part)?|replaced-[0-9]{8}T[0-9]{6}Z(-wal)?|restoring\.part)"
_BESIDE = r"-(wal|shm|journal)|\.(lock|sock)"
BACKUP = r"-[0-9]{8}T[0-9]{6}Z\.db"
"""What follows a database's name in that of a backup which the bot has made by itself."""

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class StoppedError(Exception):
    """A copy was told to stop before its end."""


def copy(source: sqlite3.Connection, file: Path, is_stopped: Callable[[], bool] = lambda: False) -> Contents:
    """Copy what is committed to a new file, step by step, and check the copy.

    Another thread may read and write over the same connection meanwhile: SQLite brings what is copied already up to
    date. Blocks for seconds with a large database.

    Raises `StoreError` if `file` exists, can't be written or turns out damaged, and `StoppedError`; no file is left.
    """
    with _unfinished(file) as part, part.open("rb") as written:
        steps = itertools.count(1)

        def pause(*_: int) -> None:
            if is_stopped():
                raise StoppedError
            if next(steps) % SYNC_STEPS == 0:
                os.fdatasync(written.fileno())
            time.sleep(PAUSE_SECONDS)

        with contextlib.closing(sqlite3.connect(part, isolation_level=None)) as target:
            # Nothing of the copy counts before its end, and the last step must not wait for the disk: players would.
            target.execute("PRAGMA synchronous = OFF")
            target.execute("PRAGMA journal_mode = OFF")
            source.backup(target, pages=STEP_PAGES, progress=pause, sleep=PAUSE_SECONDS)
            target.execute("PRAGMA journal_mode = DELETE")  # else it could not be opened where nothing may be written
        overwrite_all(part)  # what was deleted meanwhile
        with reading(part, file) as target:
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
    with await acquire(database):
        yield


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
            _forget(part)
    except (OSError, sqlite3.Error) as error:
        if is_full(error):
            raise DiskFullError(f"The copy {file} can't be written: its disk is full.") from error
        reason = error.strerror if isinstance(error, OSError) else error
        raise StoreError(f"The copy {file} can't be written ({reason}).") from error


async def restore(backup: Path, database: Path, schemas: Sequence[Schema]) -> tuple[Contents, Path | None]:
    """Put a copy of `backup` in the place of `database`; `backup` itself stays as it is.

    Return what was restored, and where the database from before is; None if there was none.

    Raises `StoreError`, with nothing changed, if a bot uses the database, or if the backup is no whole database of
    Fracas or a newer one than `schemas` know.
    """
    database = await asyncio.to_thread(database.resolve)  # the file, not a symbolic link to it
    with await acquire(database):
        return await asyncio.to_thread(_restore, backup, database, schemas)


def _restore(backup: Path, database: Path, schemas: Sequence[Schema]) -> tuple[Contents, Path | None]:
    part = _beside(database, f".restoring{UNFINISHED}")
    try:
        if database.samefile(backup):
            raise StoreError(f"{backup} is the database itself.")
        found = _copied(backup, part)
        found.expect_not_newer(backup, schemas)
        # To whom the old one belongs: root restores it, and the bot is another user.
        owner = (database if database.stat().st_size else database.parent).stat()
        if os.geteuid() == 0:
            os.chown(part, owner.st_uid, owner.st_gid)
        kept = _put_aside(database)
        put_in_place(part, database)
    except OSError as error:
        raise StoreError(f"{backup} can't be restored to {database} ({error.strerror}).") from error
    finally:
        with contextlib.suppress(OSError):
            _forget(part)
            if database.stat().st_size == 0:  # made for its lock
                database.unlink()
    return found, kept


def _copied(backup: Path, part: Path) -> Contents:
    """Copy a backup, and its log if there is one, to one checked file."""
    _forget(part)
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    shutil.copyfile(backup, part)
    with contextlib.suppress(FileNotFoundError):
        shutil.copyfile(_beside(backup, "-wal"), _beside(part, "-wal"))
    with reading(part, backup) as conn:
        found = contents(conn, backup)
        conn.execute("PRAGMA journal_mode = DELETE")
        return found


def _put_aside(database: Path) -> Path | None:
    """Rename the database and its log; a log left alone would be taken for that of the next database."""
    if database.stat().st_size == 0:
        return None
    kept = _beside(database, f".replaced-{datetime.now(UTC):%Y%m%dT%H%M%SZ}")
    if kept.exists():
        raise StoreError(f"{kept} exists already; try again.")
    for end in ("-wal", ""):
        with contextlib.suppress(FileNotFoundError):
            _beside(database, end).rename(_beside(kept, end))
            os.utime(_beside(kept, end))  # the days until it is deleted count from now
    _beside(database, "-shm").unlink(missing_ok=True)
    sync_folder(database.parent)
    return kept


def _forget(file: Path) -> None:
    for end in ("", "-wal", "-shm", "-journal"):
        _beside(file, end).unlink(missing_ok=True)


def _beside(file: Path, end: str) -> Path:
    return file.with_name(f"{file.name}{end}")


def forget_copies(database: Path | None, before: float) -> int:
    """Delete a database's copies that are as old as `before`, in Unix seconds, and unfinished ones; return how many.

    They hold what has been deleted since. A database in memory, None, has none.
    """
    copies = [] if database is None else named(database.parent, re.escape(database.name) + _COPY)
    old = [copy for copy in copies if copy.suffix == UNFINISHED or copy.stat().st_mtime <= before]
    for copy in old:
        copy.unlink()
    return len(old)


def open_to_others(database: Path, backups: Path | None) -> list[Path]:
    """Return which files of a database other users may read or write: itself, what is beside it, copies, backups.

    All of them hold what players stored, and the seeds of open battles.
    """
    real = database.resolve()
    found = named(real.parent, rf"{re.escape(real.name)}({_BESIDE}|{_COPY})?")
    if backups is not None:
        found += named(backups, rf"{re.escape(database.stem)}{BACKUP}(\.part)?")
    return sorted(file for file in found if _is_open(file))


def close_to_others(files: Sequence[Path]) -> list[Path]:
    """Take these files from other users; return those that belong to somebody else, and stay as they are."""
    for file in files:
        with contextlib.suppress(OSError):  # it is returned
            file.chmod(file.stat().st_mode & stat.S_IRWXU)
    return [file for file in files if _is_open(file)]


def named(folder: Path, name: str) -> list[Path]:
    """Return the files in a folder whose names have a form."""
    with contextlib.suppress(OSError):  # there is no such folder yet, or it can't be seen
        return [file for file in folder.iterdir() if re.fullmatch(name, file.name)]
    return []


def _is_open(file: Path) -> bool:
    with contextlib.suppress(OSError):  # it has just gone
        mode = file.lstat().st_mode
        return (stat.S_ISREG(mode) or stat.S_ISSOCK(mode)) and bool(mode & _OTHERS)
    return False
