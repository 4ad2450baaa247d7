"""Backups by themselves: every so often a checked copy of the database in a folder; the last ones are kept."""

import asyncio
import logging
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bot.config import KEPT_BACKUPS
from bot.logging_setup import event
from bot.store import StoreError
from bot.store.copies import BACKUP, named
from bot.store.database import Database
from bot.store.files import UNFINISHED

RETRY_SECONDS = 600.0
"""The pause after a backup that failed."""

_HOUR = 3600
_STAMP = "%Y%m%dT%H%M%SZ"  # sorts by time
_log = logging.getLogger("fracas.backups")


async def back_up(db: Database, file: Path) -> str:
    """Copy a database to a new file, log it and return the file; StoreError if that can't be done."""
    began = time.monotonic()
    await db.copy_to(file)
    size = (await asyncio.to_thread(file.stat)).st_size
    event(_log, "backed_up", file=str(file), bytes=size, seconds=round(time.monotonic() - began, 1))
    return str(file)


@dataclass(eq=False)
class Backups:
    """The backups of a database in `folder`, one every `hours`.

    A file is named after the database and its time in UTC: `fracas-20261122T081500Z.db`. `clock` returns Unix seconds.
    `made` is called with the time of the newest backup whenever it is looked at.
    """

    db: Database
    folder: Path
    hours: float
    clock: Callable[[], float] = time.time
    made: Callable[[float], None] = lambda _at: None

    @property
    def _name(self) -> str:
        return "fracas" if self.db.path is None else self.db.path.stem

    async def run(self) -> None:
        """Make a backup whenever one is due; ends only by being cancelled."""
        while True:
            await asyncio.sleep(await asyncio.to_thread(self.seconds_left))
            if not await self.make():
                await asyncio.sleep(min(RETRY_SECONDS, self.hours * _HOUR))

    def seconds_left(self) -> float:
        """Return how long the newest backup is good for; 0 if there is none, or it can't be seen."""
        if (newest := max(self._files(), default=None)) is None:
            return 0.0
        stamp = newest.stem.removeprefix(f"{self._name}-")
        made = datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC).timestamp()
        self.made(made)
        seconds = self.hours * _HOUR
        return min(max(0.0, made + seconds - self.clock()), seconds)

    def _files(self, end: str = "") -> list[Path]:
        return named(self.folder, re.escape(self._name) + BACKUP + re.escape(end))

    async def make(self) -> bool:
        """Make a backup and delete the oldest beyond those that are kept; return whether that worked."""
        now = datetime.fromtimestamp(self.clock(), UTC)
        file = self.folder / f"{self._name}-{now.strftime(_STAMP)}.db"
        try:
            await asyncio.to_thread(self.folder.mkdir, 0o700, exist_ok=True)
            await back_up(self.db, file)
            await asyncio.to_thread(self._tidy)
        except (StoreError, OSError) as error:
            event(_log, "backup_failed", level=logging.ERROR, file=str(file), reason=str(error))
            return False
        return True

    def _tidy(self) -> None:
        # What a killed bot left half done goes, too.
        for file in [*sorted(self._files())[:-KEPT_BACKUPS], *self._files(UNFINISHED)]:
            file.unlink()
