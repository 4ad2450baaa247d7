"""Locks between processes: advisory locks of PostgreSQL, which end with the connection of who holds them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import asyncpg

from bot.store.availability import Availability
from bot.store.database import to_its_end
from bot.store.postgres.connecting import UNREACHABLE, connect, dropped_if_lost, losses_named

FIRST_PAUSE_SECONDS, LAST_PAUSE_SECONDS = 0.01, 0.25
"""How long a lock that another process holds is left alone: twice as long after each attempt."""

_KEY = "hashtextextended('fracas:' || $1, 0)"


class Locks:
    """All locks of this process on the database at `url`, which people read as `place`, over one connection."""

    def __init__(self, url: str, place: str, availability: Availability) -> None:
        self._availability = availability
        self._url = url
        self._place = place
        self._conn: asyncpg.Connection[Any] | None = None
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def hold(self, name: str, *, wait: bool) -> AsyncIterator[bool]:
        """Hold a lock, or yield False where another process has it and `wait` is False; UnavailableError."""
        pause = FIRST_PAUSE_SECONDS
        held: list[asyncpg.Connection[Any]] = []
        try:
            await to_its_end(self._take(name, held))
            while wait and not held:  # another process gives no sign
                await asyncio.sleep(pause)
                pause = min(2 * pause, LAST_PAUSE_SECONDS)
                await to_its_end(self._take(name, held))
            yield bool(held)
        finally:
            for conn in held:
                await to_its_end(self._give_back(name, conn))

    async def close(self) -> None:
        """Let go of everything."""
        async with self._turn:
            if self._conn is not None:
                await self._conn.close()

    async def _take(self, name: str, held: "list[asyncpg.Connection[Any]]") -> None:
        async with self._turn:
            with self._availability.watched(), losses_named(self._place):
                if self._conn is None or self._conn.is_closed():
                    self._conn = await connect(self._url, self._place)
                with dropped_if_lost(self._conn):
                    if await self._conn.fetchval(f"SELECT pg_try_advisory_lock({_KEY})", name):
                        held.append(self._conn)

    async def _give_back(self, name: str, conn: "asyncpg.Connection[Any]") -> None:
        async with self._turn:
            if conn.is_closed():
                return  # and the server has let go of it
            with suppress(*UNREACHABLE), dropped_if_lost(conn):
                await conn.fetchval(f"SELECT pg_advisory_unlock({_KEY})", name)
