"""The copies of the database from before its migrations, and what a backup has replaced; who may read all of these."""

import asyncio
import contextlib
import re
import stat
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from bot.store.files import UNFINISHED

DAY = 24 * 60 * 60
KEPT_DAYS = 7

_COPY = r"\.(before-(.+-)?[0-9]{4}(\.part)?|replaced-[0-9]{8}T[0-9]{6}Z(-wal)?|restoring\.part)"
_BESIDE = r"-(wal|shm|journal)|\.(lock|sock)"
_BACKUP = r"-[0-9]{8}T[0-9]{6}Z\.db(\.part)?"
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def replaced_name(database: Path, now: datetime) -> Path:
    """Return what a database is called after a backup has taken its place."""
    return database.with_name(f"{database.name}.replaced-{now.astimezone(UTC):%Y%m%dT%H%M%SZ}")


def restoring_name(database: Path) -> Path:
    """Return what the next database is called before it takes its place."""
    return database.with_name(f"{database.name}.restoring{UNFINISHED}")


class MigrationCopies:
    """The copies of a database; they hold what has been deleted since, so they are kept for `days` only.

    `database`: None for one in memory, which has none. `clock` returns Unix seconds.
    """

    def __init__(self, database: Path | None, days: int = KEPT_DAYS, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self.days = days
        self._clock = clock

    async def forget_old(self) -> int:
        """Delete the copies that are `days` old, and what is left of unfinished ones; return how many were deleted."""
        return await asyncio.to_thread(self._forget)

    def _forget(self) -> int:
        if self._database is None:
            return 0
        name, before = re.escape(self._database.name), self._clock() - self.days * DAY
        copies = [file for file in self._database.parent.iterdir() if re.fullmatch(name + _COPY, file.name)]
        old = [copy for copy in copies if copy.suffix == UNFINISHED or copy.stat().st_mtime <= before]
        for copy in old:
            copy.unlink()
        return len(old)


def open_to_others(database: Path, backups: Path | None) -> list[Path]:
    """Return which files of a database other users may read or write: itself, what is beside it, copies, backups.

    All of them hold what players stored, and the seeds of open battles.
    """
    real = database.resolve()
    found = _named(real.parent, rf"{re.escape(real.name)}({_BESIDE}|{_COPY})?")
    if backups is not None:
        found += _named(backups, re.escape(database.stem) + _BACKUP)
    return sorted(file for file in found if _is_open(file))


def close_to_others(files: Sequence[Path]) -> list[Path]:
    """Take these files from other users; return those that belong to somebody else, and stay as they are."""
    for file in files:
        with contextlib.suppress(OSError):  # it is returned
            file.chmod(file.stat().st_mode & stat.S_IRWXU)
    return [file for file in files if _is_open(file)]


def _named(folder: Path, name: str) -> list[Path]:
    with contextlib.suppress(OSError):  # there is no such folder yet, or it can't be seen
        return [file for file in folder.iterdir() if re.fullmatch(name, file.name)]
    return []


def _is_open(file: Path) -> bool:
    with contextlib.suppress(OSError):  # it has just gone
        mode = file.lstat().st_mode
        return (stat.S_ISREG(mode) or stat.S_ISSOCK(mode)) and bool(mode & _OTHERS)
    return False
