"""What a database file holds, told without changing it."""

import contextlib
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.store.errors import StoreError
from bot.store.migrate import APPLICATION_ID, Migration, schemas_of


@dataclass(frozen=True, slots=True)
class Contents:
    """The versions of the schemas in a database: the bot's own, and those of games by name."""

    version: int
    games: Mapping[str, int]

    def expect_not_newer(
        self, place: object, migrations: Sequence[Migration], games: Mapping[str, Sequence[Migration]]
    ) -> None:
        """Raise StoreError if this Fracas, or a game of its, is too old for the database at `place`."""
        for schema in schemas_of(migrations, games):
            version = self.version if schema.game is None else self.games.get(schema.game, 0)
            schema.expect_not_newer(version, place)


def inspect(file: Path) -> Contents:
    """Look through all of a database that nobody uses now; 200 MB take about a second.

    Raises `StoreError` if it is no database of Fracas, or damaged.
    """
    try:
        with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as conn:
            return contents(conn, file)
    except (sqlite3.Error, UnicodeDecodeError) as error:  # a message may quote damaged bytes
        raise StoreError(f"{file} is no database, or is damaged ({error}).") from error


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
