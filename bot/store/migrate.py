"""Migrates a database to the current schema: numbered SQL files, each in one transaction with its version.

The bot's own version is `PRAGMA user_version`: the number of the last migration, 0 in a new database. Each game
that is installed numbers its own migrations; their versions are in the table `game_schema`. A built-in game's tables
belong to the bot's own schema, and their migrations stand with the game.
"""

import asyncio
import contextlib
import os
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import aiosqlite

from bot.store import StoreError
from bot.store.files import UNFINISHED, put_in_place

APPLICATION_ID = int.from_bytes(b"Frcs", "big")  # kept in the file, so that no other program's is migrated

_GAME_SCHEMA = "CREATE TABLE IF NOT EXISTS game_schema (game TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT"
_FILE_NAME = re.compile(r"([0-9]{4})_([a-z0-9_]+)\.sql")
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
# Inside a transaction these end it, fail, or silently do nothing.
_FORBIDDEN = frozenset({"ATTACH", "BEGIN", "COMMIT", "DETACH", "END", "PRAGMA", "RELEASE", "ROLLBACK", "VACUUM"})


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema: its number (from 1, without gaps), its name and its SQL."""

    number: int
    name: str
    sql: str

    def __str__(self) -> str:
        return f"{self.number:04}_{self.name}"


@dataclass(frozen=True, slots=True)
class Schema:
    """Migrations with one numbering: the bot's own, or those of `game`."""

    migrations: Sequence[Migration]
    game: str | None = None

    def __post_init__(self) -> None:
        """Raise ValueError unless they are numbered from 1 without gaps."""
        if [migration.number for migration in self.migrations] != list(range(1, len(self.migrations) + 1)):
            raise ValueError("migrations are numbered from 1 without gaps")

    @property
    def of_game(self) -> str:
        """The game as the end of a phrase; "" for the bot's own."""
        return "" if self.game is None else f" of the game {self.game}"

    def expect_not_newer(self, version: int, path: object) -> None:
        """Raise StoreError for the version of a database that a newer Fracas, or a newer game, has written."""
        if version > len(self.migrations):
            raise StoreError(
                f"The database {path} was written by a newer version{self.of_game or ' of Fracas'}"
                f" (its schema is {version}, this version knows {len(self.migrations)})."
            )

    async def version(self, conn: aiosqlite.Connection) -> int:
        """Return the number of the last migration applied."""
        if self.game is None:
            return max(await _number(conn, "PRAGMA user_version"), 0)
        if not await _number(conn, "SELECT count(*) FROM sqlite_master WHERE name = 'game_schema'"):
            return 0
        return await _number(conn, "SELECT coalesce(max(version), 0) FROM game_schema WHERE game = ?", self.game)

    async def note(self, conn: aiosqlite.Connection, number: int) -> None:
        """Store the number of a migration, inside its transaction."""
        if self.game is None:
            await conn.execute(f"PRAGMA user_version = {number:d}")
        else:
            await conn.execute(_GAME_SCHEMA)
            await conn.execute("INSERT OR REPLACE INTO game_schema (game, version) VALUES (?, ?)", [self.game, number])


@dataclass(frozen=True, slots=True)
class Update:
    """What was done to a schema: from which version to which, and where the copy from before is."""

    game: str | None
    before: int
    now: int
    copy: Path | None


def bundled(package: str = "bot.store", folder: str = "migrations") -> tuple[Migration, ...]:
    """Return the migrations in a package's folder, in order.

    Raises `ValueError` for a file whose name is not `NNNN_name.sql`.
    """
    found = []
    for file in resources.files(package).joinpath(folder).iterdir():
        match = _FILE_NAME.fullmatch(file.name)
        if match is None:
            raise ValueError(f"{file.name} is not named like a migration")
        found.append(Migration(int(match[1]), match[2], file.read_text(encoding="utf-8")))
    return tuple(sorted(found, key=lambda migration: migration.number))


def statements(sql: str) -> Iterator[str]:
    """Split SQL into its statements; semicolons in strings, comments and triggers end none.

    Raises `ValueError` for an unfinished statement and for one that would meddle with the transaction.
    """
    start = 0
    for end in (match.end() for match in re.finditer(";", sql)):
        statement = sql[start:end]
        if sqlite3.complete_statement(statement):
            verb = _COMMENT.sub(" ", statement).split(None, 1)[0].rstrip(";").upper()
            if verb in _FORBIDDEN:
                raise ValueError(f"a migration can't {verb}")
            yield statement.strip()
            start = end
    if _COMMENT.sub(" ", sql[start:]).strip():
        raise ValueError("the last statement is not finished")


async def migrate(conn: aiosqlite.Connection, path: Path | None, schemas: Sequence[Schema]) -> list[Update]:
    """Apply the pending migrations of each schema.

    A copy named `<file>.before-NNNN`, for a game `<file>.before-<game>-NNNN`, is made first and kept. `path` is the
    database's file, None for one in memory. `conn` must be outside a transaction, with foreign keys off (a table that
    others point to can't be rebuilt otherwise); they are checked after every step. Returns what was brought up to date;
    nothing for a new database.

    Raises `StoreError` for a database of a newer version or of another program, and for a migration that
    fails: then the database stands at the version before it.
    """
    ours = await _number(conn, "PRAGMA application_id") == APPLICATION_ID
    if not ours and await _number(conn, "SELECT count(*) FROM sqlite_master"):
        raise StoreError(f"The database {path} belongs to another program.")
    versions = [await schema.version(conn) for schema in schemas]
    for schema, version in zip(schemas, versions, strict=True):
        schema.expect_not_newer(version, path)
    updates = []
    for schema, version in zip(schemas, versions, strict=True):
        steps = schema.migrations[version:]
        if steps and ours:
            copy = None
            if path is not None:
                game = "" if schema.game is None else f"{schema.game}-"
                copy = path.with_name(f"{path.name}.before-{game}{steps[0].number:04}")
                await _back_up(conn, path, copy)
            updates.append(Update(schema.game, steps[0].number - 1, steps[-1].number, copy))
        for migration in steps:
            await _apply(conn, schema, migration, path)
    return updates


async def is_current(conn: aiosqlite.Connection, schemas: Sequence[Schema]) -> bool:
    """Return whether a database can be read so far, and nothing is to be migrated."""
    try:
        versions = [await schema.version(conn) == len(schema.migrations) for schema in schemas]
    except (sqlite3.Error, UnicodeDecodeError):  # what is wrong with it, its check says
        return False
    return all(versions)


async def _number(conn: aiosqlite.Connection, sql: str, *parameters: str) -> int:
    (row,) = await conn.execute_fetchall(sql, parameters)
    return int(row[0])


async def _apply(conn: aiosqlite.Connection, schema: Schema, migration: Migration, path: Path | None) -> None:
    try:
        await conn.execute("BEGIN IMMEDIATE")
        for statement in statements(migration.sql):  # one by one: executescript would commit first
            await conn.execute(statement)
        await _expect_no_loose_ends(conn)
        await conn.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")
        await schema.note(conn, migration.number)
        await conn.commit()
    except (sqlite3.Error, ValueError) as error:
        await conn.rollback()
        raise StoreError(
            f"The database {path} stays at version {migration.number - 1}{schema.of_game}:"
            f" migration {migration} failed ({error})."
        ) from error


async def _expect_no_loose_ends(conn: aiosqlite.Connection) -> None:
    if list(await conn.execute_fetchall("PRAGMA foreign_key_check")):
        raise ValueError("it leaves rows that point to nothing")


async def _back_up(conn: aiosqlite.Connection, path: Path, copy: Path) -> None:
    """Copy the database; a copy that an earlier, failed attempt left is replaced by the newer one."""
    part = copy.with_name(f"{copy.name}{UNFINISHED}")
    try:
        await asyncio.to_thread(part.unlink, missing_ok=True)
        await conn.execute("VACUUM INTO ?", [os.fspath(part)])
        await asyncio.to_thread(put_in_place, part, copy)
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"The database {path} could not be copied to {copy} before its migration: {error}.") from error
    finally:
        await asyncio.to_thread(part.unlink, missing_ok=True)


@dataclass(frozen=True, slots=True)
class Contents:
    """The versions of the schemas in a database: the bot's own, and those of games by name."""

    version: int
    games: Mapping[str, int]

    def is_older_than(self, schemas: Sequence[Schema]) -> bool:
        """Return whether the bot's own schema, the first of `schemas`, has migrations that are still to be applied."""
        return self.version < len(schemas[0].migrations)

    def expect_not_newer(self, place: object, schemas: Sequence[Schema]) -> None:
        """Raise StoreError if this Fracas, or a game of its, is too old for the database at `place`."""
        for schema in schemas:
            version = self.version if schema.game is None else self.games.get(schema.game, 0)
            schema.expect_not_newer(version, place)


@contextlib.contextmanager
def reading(file: Path, name: Path | None = None) -> Iterator[sqlite3.Connection]:
    """Open a database that nobody uses now; StoreError, with its `name`, for a file that can't be read."""
    try:
        with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as conn:
            yield conn
    except (sqlite3.Error, UnicodeDecodeError) as error:  # a message may quote damaged bytes
        raise StoreError(f"{name or file} is no database, or is damaged ({error}).") from error


def inspect(file: Path) -> Contents:
    """Look through all of a database that nobody uses now; 200 MB take about a second.

    Raises `StoreError` if it is no database of Fracas, or damaged.
    """
    with reading(file) as conn:
        return contents(conn, file)


def contents(conn: sqlite3.Connection, file: Path) -> Contents:
    """Do the same over a connection; sqlite3.Error where it can't be read."""
    (found,) = conn.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        raise StoreError(f"{file} is damaged ({' '.join(str(found).split())}).")
    if conn.execute("PRAGMA application_id").fetchone() != (APPLICATION_ID,):
        raise StoreError(f"{file} is no database of Fracas.")
    (version,) = conn.execute("PRAGMA user_version").fetchone()
    has_games = conn.execute("SELECT 1 FROM sqlite_master WHERE name = 'game_schema'").fetchone()
    games = conn.execute("SELECT game, version FROM game_schema").fetchall() if has_games else []
    return Contents(version, dict(games))
