"""Puts a backup in the place of the database, which is kept."""

import asyncio
import contextlib
import os
import shutil
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bot.store.copies import replaced_name, restoring_name
from bot.store.errors import StoreError
from bot.store.files import put_in_place, sync_folder
from bot.store.inspection import Contents, contents
from bot.store.instance import Instance
from bot.store.migrate import Migration


@dataclass(frozen=True, slots=True)
class Restored:
    """What was restored, and where the database from before is; None if there was none."""

    contents: Contents
    kept: Path | None


async def restore(
    backup: Path, database: Path, migrations: Sequence[Migration], games: Mapping[str, Sequence[Migration]]
) -> Restored:
    """Put a copy of `backup` in the place of `database`; what is there is renamed. `backup` itself stays as it is.

    Raises `StoreError`, with nothing changed, if a bot uses the database, or if the backup is no whole database of
    Fracas or a newer one than `migrations` and those of `games` know.
    """
    database = await asyncio.to_thread(database.resolve)  # the file, not a symbolic link to it
    instance = Instance(database)
    await instance.acquire()
    try:
        return await asyncio.to_thread(_restore, backup, database, migrations, games)
    finally:
        instance.release()


def _restore(
    backup: Path, database: Path, migrations: Sequence[Migration], games: Mapping[str, Sequence[Migration]]
) -> Restored:
    part = restoring_name(database)
    try:
        if database.samefile(backup):
            raise StoreError(f"{backup} is the database itself.")
        found = _copied(backup, part)
        found.expect_not_newer(backup, migrations, games)
        _hand_over(part, database)
        kept = _put_aside(database)
        put_in_place(part, database)
    except OSError as error:
        raise StoreError(f"{backup} can't be restored to {database} ({error.strerror}).") from error
    finally:
        with contextlib.suppress(OSError):
            _forget(part)
            if database.stat().st_size == 0:  # made for its lock
                database.unlink()
    return Restored(found, kept)


def _copied(backup: Path, part: Path) -> Contents:
    """Copy a backup, and its log if there is one, to one checked file."""
    _forget(part)
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    shutil.copyfile(backup, part)
    with contextlib.suppress(FileNotFoundError):
        shutil.copyfile(_beside(backup, "-wal"), _beside(part, "-wal"))
    try:
        with contextlib.closing(sqlite3.connect(part, isolation_level=None)) as conn:
            found = contents(conn, backup)
            conn.execute("PRAGMA journal_mode = DELETE")
            return found
    except sqlite3.Error as error:
        raise StoreError(f"{backup} is no database, or is damaged ({error}).") from error


def _hand_over(part: Path, database: Path) -> None:
    """Let the new database belong to whom the old one does: root restores it, and the bot is another user."""
    owner = (database if database.stat().st_size else database.parent).stat()
    if os.geteuid() == 0:
        os.chown(part, owner.st_uid, owner.st_gid)


def _put_aside(database: Path) -> Path | None:
    """Rename the database and its log; a log left alone would be taken for that of the next database."""
    if database.stat().st_size == 0:
        return None
    now = datetime.now(UTC)
    kept = replaced_name(database, now)
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
