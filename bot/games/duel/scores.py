"""What people gained in battles that are over: for lists of the best."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

import aiosqlite

from bot.store.database import Database
from bot.store.personal_data import PersonalTable
from bot.store.personal_tables import AS_TEXT

MOST_KEPT = 100
"""Scores of a server, or of a person in direct messages, in one system."""

# A server's, or where it has none, a person's own of direct messages; the best first.
_BEST = (
    "FROM scores WHERE system = ?1 AND CASE WHEN ?2 IS NULL THEN guild_id IS NULL AND user_id = ?3"
    " ELSE guild_id = ?2 END ORDER BY points DESC, id"
)
_LIST = f"SELECT * {_BEST} LIMIT ?4"
_DROP = f"DELETE FROM scores WHERE id IN (SELECT id {_BEST} LIMIT -1 OFFSET ?4)"  # noqa: S608  # our own words alone


@dataclass(frozen=True, slots=True)
class ScoreEntry:
    """What somebody gained: `points`, and in a few words (`told`) how."""

    user_id: int
    name: str
    points: int
    told: str


@dataclass(frozen=True, slots=True)
class Score(ScoreEntry):
    """A gain as it is kept; `created_at` in Unix seconds."""

    created_at: int


SCORES = PersonalTable(
    table="scores",
    user_column="user_id",
    guild_column="guild_id",
    label=("score", "scores"),
    kept="in lists of the best; as long as they are among these",
    exported={
        "system": "system",
        "guild_id": AS_TEXT,
        "name": "name",
        "points": "points",
        "told": "told",
        "created_at": "created_at",
    },
    order="id",
)


class ScoreRepository:
    """The lists of the best. They are written where battles are: in the transaction of the last step."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def best(self, system: str, guild_id: int | None, user_id: int, most: int) -> list[Score]:
        """Return at most `most` scores of a server, or without one of a person, the best first."""
        rows = await self._db.fetch_all(_LIST, [system, guild_id, user_id, most])
        return [_score_of(row) for row in rows]


async def write_gains(conn: aiosqlite.Connection, battle_id: int, gains: Sequence[ScoreEntry], now: int) -> None:
    """Write what was gained in a battle, inside the transaction that closes it; the worst ones make room."""
    for gain in gains:
        await conn.execute(
            "INSERT INTO scores (system, guild_id, user_id, name, points, told, created_at)"
            " SELECT system, guild_id, ?, ?, ?, ?, ? FROM battles WHERE id = ?",
            [gain.user_id, gain.name, gain.points, gain.told, now, battle_id],
        )
        (row,) = await conn.execute_fetchall("SELECT system, guild_id FROM battles WHERE id = ?", [battle_id])
        await conn.execute(_DROP, [row["system"], row["guild_id"], gain.user_id, MOST_KEPT])


def _score_of(row: sqlite3.Row) -> Score:
    return Score(row["user_id"], row["name"], row["points"], row["told"], row["created_at"])
