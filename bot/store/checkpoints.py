"""When SQLite's log goes into the file, and how the file is written anew."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiosqlite

from bot.store.connecting import BUSY_MS

LOG_PAGES = 1000
"""SQLite's own number."""


async def checkpoint_after(conn: aiosqlite.Connection, pages: int) -> None:
    """Let SQLite move the log's pages into the file once it has as many; 0 stands for never."""
    await conn.execute_fetchall(f"PRAGMA wal_autocheckpoint = {pages:d}")


async def rewritten(conn: aiosqlite.Connection) -> bool:
    """Write the whole database anew, into its log; return whether that was possible. 200 MB take a second."""
    async with _no_patience(conn):
        try:
            await conn.execute("VACUUM")
        except sqlite3.OperationalError:  # no room, or another program writes
            return False
    return True


async def log_emptied(conn: aiosqlite.Connection) -> bool:
    """Empty the log; return whether that was possible. Litestream reads it for as long as it runs."""
    async with _no_patience(conn):
        try:
            (checkpoint,) = await conn.execute_fetchall("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.OperationalError:
            return False
    return int(checkpoint["busy"]) == 0


@asynccontextmanager
async def _no_patience(conn: aiosqlite.Connection) -> AsyncIterator[None]:
    """Let nothing wait for other programs: every query would wait, too."""
    await conn.execute_fetchall("PRAGMA busy_timeout = 0")
    try:
        yield
    finally:
        await conn.execute_fetchall(f"PRAGMA busy_timeout = {BUSY_MS:d}")
