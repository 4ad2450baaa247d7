"""What people achieved against bosses in a server: their best score and their most damage, boss by boss."""

from collections.abc import Sequence
from dataclasses import dataclass

import aiosqlite

from bot.store.database import Database
from bot.store.personal_data import PersonalTable
from bot.store.personal_tables import AS_TEXT
from sim.core.names import name_key

MOST_LISTED = 10
"""Places of one list."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure as it is shown, and as near to it as sorting needs."""

    text: str
    rank: float


@dataclass(frozen=True, slots=True)
class RecordEntry:
    """What somebody did in a fight that is over: the best score of an exchange, and all damage to the boss."""

    user_id: int
    score: Figure
    damage: Figure


@dataclass(frozen=True, slots=True)
class Record:
    """The best that somebody did against a boss whose health was multiplied by `times`, in so many fights."""

    boss: str
    times: int
    user_id: int
    score: str
    damage: str
    fights: int


BOSS_RECORDS = PersonalTable(
    table="boss_records",
    user_column="user_id",
    guild_column="guild_id",
    label=("record", "records"),
    kept="against bosses; until you delete what is kept",
    exported={
        "guild_id": AS_TEXT,
        "boss": "boss",
        "times": "times",
        "score": "score",
        "damage": "damage",
        "fights": "fights",
    },
    order="guild_id, boss_key, times",
)


class BossRecordRepository:
    """The records; they are written with the last step of a fight."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def bosses(self, guild_id: int) -> list[tuple[str, int]]:
        """Return against which bosses, by name and multiple, there are records."""
        rows = await self._db.fetch_all(
            "SELECT max(boss) AS boss, times FROM boss_records WHERE guild_id = ? GROUP BY boss_key, times"
            " ORDER BY boss_key, times",
            [guild_id],
        )
        return [(row["boss"], row["times"]) for row in rows]

    async def best(self, guild_id: int, boss: str, times: int, by: str, most: int = MOST_LISTED) -> list[Record]:
        """Return the best records against a boss, `by` "score" or "damage", the best one first, those above 0."""
        order = {"score": "score_rank", "damage": "damage_rank"}[by]
        rows = await self._db.fetch_all(
            f"SELECT * FROM boss_records WHERE guild_id = ? AND boss_key = ? AND times = ? AND {order} > 0"  # noqa: S608  # one of two names
            f" ORDER BY {order} DESC, user_id LIMIT ?",
            [guild_id, name_key(boss), times, most],
        )
        return [
            Record(row["boss"], row["times"], row["user_id"], row["score"], row["damage"], row["fights"])
            for row in rows
        ]


async def write_deeds(
    conn: aiosqlite.Connection, guild_id: int, boss: str, times: int, deeds: Sequence[RecordEntry]
) -> None:
    """Note what was done in a fight, inside the transaction of its last step; only the best of each person is kept."""
    await conn.executemany(
        "INSERT INTO boss_records"
        " (guild_id, boss_key, times, user_id, boss, score, score_rank, damage, damage_rank, fights)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1) ON CONFLICT DO UPDATE SET boss = excluded.boss, fights = fights + 1,"
        " score = iif(excluded.score_rank > score_rank, excluded.score, score),"
        " score_rank = max(excluded.score_rank, score_rank),"
        " damage = iif(excluded.damage_rank > damage_rank, excluded.damage, damage),"
        " damage_rank = max(excluded.damage_rank, damage_rank)",
        [
            (
                *(guild_id, name_key(boss), times, record.user_id, boss),
                *(record.score.text, record.score.rank, record.damage.text, record.damage.rank),
            )
            for record in deeds
        ],
    )
