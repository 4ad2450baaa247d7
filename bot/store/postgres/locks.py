"""Locks between processes: advisory locks of PostgreSQL, which end with the connection of who holds them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

PAUSE_SECONDS = 0.02
"""How long a lock that another process holds is left alone."""

_KEY = "hashtextextended('fracas:' || current_database() || ':' || $1, 0)"


class Locks:
    """All locks of this process, over one connection of their own; `connect` opens it."""

    def __init__(self, connect: Callable[[], Awaitable["asyncpg.Connection[Any]"]]) -> None:
        self._connect = connect
        self._conn: asyncpg.Connection[Any] | None = None
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def hold(self, name: str, *, wait: bool) -> AsyncIterator[bool]:
        """Hold a lock, or yield False where another process has it and `wait` is False."""
        while (conn := await self._taken(name)) is None and wait:  # noqa: ASYNC110  # another process gives no sign
            await asyncio.sleep(PAUSE_SECONDS)
        try:
            yield conn is not None
        finally:
            if conn is not None:
                await asyncio.shield(self._give_back(conn, name))

    async def _taken(self, name: str) -> "asyncpg.Connection[Any] | None":
        async with self._turn:
            if self._conn is None or self._conn.is_closed():
                self._conn = await self._connect()
            conn = self._conn
            return conn if await conn.fetchval(f"SELECT pg_try_advisory_lock({_KEY})", name) else None

    async def _give_back(self, conn: "asyncpg.Connection[Any]", name: str) -> None:
        async with self._turn:
            if not conn.is_closed():  # else the server has let go of it
                await conn.fetchval(f"SELECT pg_advisory_unlock({_KEY})", name)

    async def close(self) -> None:
        """Let go of everything."""
        async with self._turn:
            if self._conn is not None:
                await self._conn.close()
