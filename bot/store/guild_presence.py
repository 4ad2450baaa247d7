"""Which servers the bot is in, so that those that removed it while it was away are found."""

from collections.abc import Collection

import aiosqlite

from bot.store.database import Database


class GuildPresenceRepository:
    """The servers that the bot was last seen in."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def compare(self, guild_ids: Collection[int]) -> list[int]:
        """Note where the bot is now, and return the servers of before that it is no longer in."""

        async def swap(conn: aiosqlite.Connection) -> list[int]:
            rows = await conn.execute_fetchall("SELECT guild_id FROM guilds_present ORDER BY guild_id")
            before = [int(row["guild_id"]) for row in rows]
            await conn.execute("DELETE FROM guilds_present")
            await conn.executemany(
                "INSERT INTO guilds_present (guild_id) VALUES (?)", [(guild_id,) for guild_id in set(guild_ids)]
            )
            return [guild_id for guild_id in before if guild_id not in guild_ids]

        return await self._db.write(swap)
