"""The servers that the bot is in, and those that it has left: their data is deleted later."""

import time
from collections.abc import Callable, Collection

from bot.store.database import Connection, Database, Repository
from bot.store.personal_data import PersonalDataRepository

KEPT_SECONDS = 30 * 24 * 60 * 60


class GuildRepository:
    """The servers that the bot has left; `clock` returns Unix seconds."""

    def __init__(
        self, db: Database, personal_data: PersonalDataRepository, clock: Callable[[], float] = time.time
    ) -> None:
        self._db = db
        self._personal_data = personal_data
        self._clock = clock

    async def mark_left(self, guild_id: int) -> None:
        """Note that the bot has left a server; the first time stays."""
        sql = "INSERT INTO guilds_left (guild_id, left_at) VALUES (?, ?) ON CONFLICT DO NOTHING"
        await self._db.execute(sql, [guild_id, int(self._clock())])

    async def mark_back(self, guild_id: int) -> bool:
        """Note that the bot is in a server again, so its data stays; return whether it had left."""
        return bool(await self._db.execute("DELETE FROM guilds_left WHERE guild_id = ?", [guild_id]))

    async def forget_left(self, seconds: int = KEPT_SECONDS) -> int:
        """Delete all data of servers left more than `seconds` ago and return their number."""
        before = int(self._clock()) - seconds
        rows = await self._db.fetch_all("SELECT guild_id FROM guilds_left WHERE left_at < ?", [before])
        for row in rows:
            await self._personal_data.forget_guild(row["guild_id"])
        return len(rows)


class GuildPresenceRepository(Repository):
    """The servers that the bot was in when it last looked."""

    async def add(self, guild_id: int) -> bool:
        """Store a server and return whether it is new."""
        sql = "INSERT INTO guilds_present (guild_id) VALUES (?) ON CONFLICT DO NOTHING"
        return bool(await self._db.execute(sql, [guild_id]))

    async def remove(self, guild_id: int) -> None:
        """Forget a server that the bot has just left."""
        await self._db.execute("DELETE FROM guilds_present WHERE guild_id = ?", [guild_id])

    async def number(self) -> int:
        """Return how many servers there are, in all processes."""
        (row,) = await self._db.fetch_all("SELECT count(*) FROM guilds_present")
        return int(row[0])

    async def compare(
        self, guild_ids: Collection[int], may_know: Callable[[int], bool] = lambda _guild_id: True
    ) -> list[int]:
        """Store the current servers and return the previous ones that are missing now.

        `may_know`: whether a server would be among them; the others are another process's.
        """

        async def swap(conn: Connection) -> list[int]:
            rows = await conn.fetch_all("SELECT guild_id FROM guilds_present ORDER BY guild_id")
            before = [int(row["guild_id"]) for row in rows]
            missing = [guild_id for guild_id in before if guild_id not in guild_ids and may_know(guild_id)]
            await conn.execute_many("DELETE FROM guilds_present WHERE guild_id = ?", [(each,) for each in missing])
            await conn.execute_many(
                "INSERT INTO guilds_present (guild_id) VALUES (?)", [(each,) for each in {*guild_ids} - {*before}]
            )
            return missing

        return await self._db.write(swap)
