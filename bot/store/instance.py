"""One bot per database: a file lock, which the kernel releases however the process ends."""

import asyncio
import contextlib
import fcntl
import os
from pathlib import Path

from bot.store.errors import StoreError

PATIENCE_SECONDS = 1.0  # a bot that is just stopping, before its successor, needs some milliseconds
_AGAIN_SECONDS = 0.05


class Instance:
    """The exclusive right to a database: a lock on the empty file `<database>.lock` beside it.

    An orderly shutdown deletes the file. A file that a killed bot left is harmless: only the lock counts.
    """

    def __init__(self, database: Path) -> None:
        self._database = database
        self._lock: int | None = None

    async def acquire(self) -> None:
        """Take the lock; wait at most a second for another bot to stop.

        Raises `StoreError` if another bot, even in this process, uses the database, or if the lock file can't be
        created.
        """
        if self._lock is not None:
            raise RuntimeError("the lock is already taken")
        loop = asyncio.get_running_loop()
        deadline = loop.time() + PATIENCE_SECONDS
        while (lock := self._take()) is None:
            if loop.time() >= deadline:
                raise StoreError(f"The database {self._database} is in use by another Fracas.")
            await asyncio.sleep(_AGAIN_SECONDS)
        self._lock = lock

    def release(self) -> None:
        """Release the lock, if it is held."""
        if self._lock is not None:
            # While still locked, so that nobody else's file is deleted.
            with contextlib.suppress(OSError):
                self._file.unlink()
            os.close(self._lock)
            self._lock = None

    @property
    def _file(self) -> Path:
        real = self._database.resolve()  # through symbolic links
        return real.with_name(f"{real.name}.lock")

    def _take(self) -> int | None:
        """Return the locked file, or None if another bot holds it."""
        try:
            # Not inherited by programs that are started: the lock lives no longer than this process.
            lock = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            what = "written to" if self._database.exists() else "opened"
            raise StoreError(
                f"The database {self._database} can't be {what}; it and its directory must be open to reading and"
                " writing."
            ) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if self._is_in_place(lock):
                return lock
        except BlockingIOError:
            pass
        except OSError as error:
            os.close(lock)
            raise StoreError(f"The database {self._database} can't be locked here ({error.strerror}).") from error
        os.close(lock)
        return None

    def _is_in_place(self, lock: int) -> bool:
        """Return whether the locked file still has its name: the previous holder may have deleted it."""
        try:
            return os.path.samestat(os.fstat(lock), self._file.stat())
        except FileNotFoundError:
            return False
