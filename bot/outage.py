"""Outages: of Discord, with the pauses between the attempts to reach it; of the database; what the log says of them."""

import asyncio
import logging
import time

import aiohttp
import discord

from bot.logging_setup import event
from bot.store.errors import DiskFullError, UnavailableError

MAX_PAUSE_SECONDS = 60.0
"""The longest pause between two attempts."""

UNREACHED = (OSError, aiohttp.ClientError, TimeoutError, discord.HTTPException, discord.ConnectionClosed)
"""What an attempt to sign in, or to connect, ends in."""

_TOO_MANY_REQUESTS, _SERVER_ERROR = 429, 500
_log = logging.getLogger("fracas.connection")
_database_log = logging.getLogger("fracas.database")


class Outage:
    """What keeps one shard, or with None signing in, from Discord; `failures` counts the attempts since it began."""

    def __init__(self, shard: int | None = None) -> None:
        self.failures = 0
        self._shard = shard
        self._away_since: float | None = None

    def begins(self) -> None:
        """Note that what was there is gone."""
        if self._away_since is None:
            self._away_since = time.monotonic()

    async def pause(self, error: Exception) -> None:
        """Wait after a failed attempt, longer each time."""
        self.begins()
        pause = min(MAX_PAUSE_SECONDS, 2.0**self.failures)
        self.failures += 1
        event(
            _log,
            "discord_unreachable",
            level=logging.WARNING,
            shard=self._shard,
            attempt=self.failures,
            away=self._away(),
            pause=pause,
            error=repr(error),
        )
        await asyncio.sleep(pause)

    def ends(self) -> None:
        """Note that Discord is reached again."""
        if self.failures:
            event(_log, "discord_reached", shard=self._shard, away=self._away())
        self.failures = 0
        self._away_since = None

    def _away(self) -> int:
        return 0 if self._away_since is None else round(time.monotonic() - self._away_since)


def log_database(trouble: UnavailableError, away: int | None) -> None:
    """Log once that the database can't be used, with None, or that it can again, `away` seconds later."""
    if isinstance(trouble, DiskFullError):
        if away is None:
            event(_database_log, "disk_full", level=logging.ERROR, reason=str(trouble))
        else:
            event(_database_log, "disk_has_room", away=away)
    elif away is None:
        event(_database_log, "database_lost", level=logging.WARNING, reason=str(trouble))
    else:
        event(_database_log, "database_reached", away=away)


def may_pass(error: BaseException | None) -> bool:
    """Return whether the same request may be answered another time."""
    if not isinstance(error, discord.HTTPException):
        return True
    return error.status >= _SERVER_ERROR or error.status == _TOO_MANY_REQUESTS
