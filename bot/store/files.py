"""Files that get their name when they are whole."""

import errno
import os
import sqlite3
from pathlib import Path

UNFINISHED = ".part"
"""What a file's name ends in before."""


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
