"""One bot at a database: a lock of the operating system, which the kernel lifts however the process ends."""

import asyncio
import fcntl
import os
from pathlib import Path

from bot.store.errors import StoreError

PATIENCE_SECONDS = 1.0  # a bot that is just stopping, before its successor, needs some milliseconds
_AGAIN_SECONDS = 0.05


class Instance:
    """The right to be the only bot at a database, kept as a lock on the file `<database>.lock` beside it.

    The file stays where it is, empty: whoever deleted it would let two bots lock two files of one name.
    """

    def __init__(self, database: Path) -> None:
        self._database = database
        self._lock: int | None = None

    async def acquire(self) -> None:
        """Take the lock; wait a second at most for another bot to stop.

        Raises `StoreError` when another bot keeps the database, this very process included, and when the lock
        file can't be made.
        """
        if self._lock is not None:
            raise RuntimeError("the lock is already taken")
        lock = self._open()
        try:
            await self._take(lock)
        except BaseException:
            os.close(lock)
            raise
        self._lock = lock

    def release(self) -> None:
        """Give the lock back; does nothing when it isn't held."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _open(self) -> int:
        real = self._database.resolve()  # whatever links lead to it
        try:
            # Not inherited by programs that are started: the lock lives no longer than this process.
            return os.open(real.with_name(f"{real.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise StoreError(
                f"The database {self._database} can't be opened; it and its directory must be open to reading and"
                f" writing (its lock file: {error.strerror})."
            ) from error

    async def _take(self, lock: int) -> None:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + PATIENCE_SECONDS
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if loop.time() >= deadline:
                    raise StoreError(f"The database {self._database} is in use by another Fracas.") from None
            except OSError as error:
                raise StoreError(f"The database {self._database} can't be locked here ({error.strerror}).") from error
            else:
                return
            await asyncio.sleep(_AGAIN_SECONDS)
