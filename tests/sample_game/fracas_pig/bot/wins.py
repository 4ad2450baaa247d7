"""Who won how often."""

from bot.store.database import Connection, Repository
from bot.store.personal_data import PersonalTable

WINS = PersonalTable(
    table="pig_wins",
    user_column="user_id",
    guild_column="guild_id",
    label=("win at Pig", "wins at Pig"),
    kept="server by server; until deleted",
)


class WinRepository(Repository):
    """The table of wins."""

    async def best(self, guild_id: int, most: int = 10) -> list[tuple[int, int]]:
        """Return who won most often in a server: user ids and wins."""
        rows = await self._db.fetch_all(
            "SELECT user_id, wins FROM pig_wins WHERE guild_id = ? ORDER BY wins DESC, user_id LIMIT ?",
            [guild_id, most],
        )
        return [(row["user_id"], row["wins"]) for row in rows]


async def write_win(conn: Connection, guild_id: int, user_id: int) -> None:
    """Count a win, inside the transaction of the step that won."""
    await conn.execute(
        "INSERT INTO pig_wins (guild_id, user_id, wins) VALUES (?, ?, 1)"
        " ON CONFLICT (guild_id, user_id) DO UPDATE SET wins = pig_wins.wins + 1",
        [guild_id, user_id],
    )
