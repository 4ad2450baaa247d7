"""The copies of the database from before its migrations, and what a backup has replaced."""

import asyncio
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from bot.store.files import UNFINISHED

DAY = 24 * 60 * 60
KEPT_DAYS = 7

_COPY = r"\.(before-(.+-)?[0-9]{4}(\.part)?|replaced-[0-9]{8}T[0-9]{6}Z(-wal)?|restoring\.part)"


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
