"""The files of a database: the locks by which one bot has them, and how a new file gets its name when it is whole."""

import asyncio
import contextlib
import errno
import fcntl
import os
import sqlite3
import struct
from pathlib import Path

from bot.store import StoreError

UNFINISHED = ".part"
"""What a file's name ends in before it is whole."""

PATIENCE_SECONDS = 1.0  # a bot that is just stopping, before its successor, needs some milliseconds
_AGAIN_SECONDS = 0.05

# One byte far beyond the end of any database and beyond the bytes that SQLite locks. Unlike `flock`, such a lock never
# meets SQLite's own on a network file system; unlike SQLite's own, it isn't lost when some other descriptor of the file
# is closed.
_OWN_BYTE = struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, 1 << 62, 1, 0)

_here: set[tuple[int, int]] = set()
"""The databases that this process has locked: to open and close one again would drop SQLite's own locks on it."""


class Instance(contextlib.ExitStack):
    """The exclusive right to a database: a lock on its name and one on the file itself.

    SQLite's log goes by the name, so the empty file `<database>.lock` beside it is locked. A file may have several
    names (hard links), so the file is locked, too. An orderly shutdown deletes the lock file. A file that a killed bot
    left is harmless: only the lock counts. When it is closed, no connection may be open any more.
    """

    file = -1
    """The database's file, open for as long as the right is held."""


async def acquire(database: Path) -> Instance:
    """Take the right to a database, made empty if there is none; wait at most a second for another bot to stop.

    Raises `StoreError` if another bot, even in this process, uses the database, or if it can't be locked.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + PATIENCE_SECONDS
    while (taken := _take(database)) is None:
        if loop.time() >= deadline:
            raise StoreError(f"The database {database} is in use by another Fracas.")
        await asyncio.sleep(_AGAIN_SECONDS)
    return taken


def _take(database: Path) -> Instance | None:
    """Take both locks or none; None if another bot holds one."""
    real = database.resolve()  # through symbolic links
    beside = real.with_name(f"{real.name}.lock")
    with Instance() as taking:
        if (lock := _lock(beside, database)) is None:
            return None
        taking.callback(os.close, lock)
        taking.callback(_delete, beside)  # while still locked, so that nobody else's file is deleted
        if database.exists() and _inode(database.stat()) in _here:
            return None
        if (file := _lock(database, database)) is None:
            return None
        taking.callback(os.close, file)
        inode = _inode(os.fstat(file))
        _here.add(inode)
        taking.callback(_here.discard, inode)
        taken = taking.pop_all()
        taken.file = file
        return taken


def _lock(file: Path, database: Path) -> int | None:
    """Open a file and lock it; None if another bot holds it, or has taken it away meanwhile."""
    try:
        # Not inherited by programs that are started: the lock lives no longer than this process.
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        what = "written to" if database.exists() else "opened"
        raise StoreError(
            f"The database {database} can't be {what}; it and its directory must be open to reading and writing."
        ) from error
    try:
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _OWN_BYTE)
        if os.path.samestat(os.fstat(descriptor), file.stat()):
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    except OSError as error:
        os.close(descriptor)
        raise StoreError(f"The database {database} can't be locked here ({error.strerror}).") from error
    os.close(descriptor)
    return None


def _delete(file: Path) -> None:
    with contextlib.suppress(OSError):
        file.unlink()


def _inode(file: os.stat_result) -> tuple[int, int]:
    return file.st_dev, file.st_ino


def is_full(error: OSError | sqlite3.Error) -> bool:
    """Return whether an error says that a disk, or what may be used of it, is full."""
    if isinstance(error, OSError):
        return error.errno in {errno.ENOSPC, errno.EDQUOT}
    return getattr(error, "sqlite_errorcode", 0) in {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE}


def put_in_place(part: Path, file: Path) -> None:
    """Give a finished file its name, safely on the disk."""
    with part.open("rb+") as written:
        os.fsync(written.fileno())
    part.replace(file)
    sync_folder(file.parent)


def sync_folder(folder: Path) -> None:
    """Write the names in a folder to the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
