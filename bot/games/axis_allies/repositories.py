"""The table of default editions: a person's, and a server's."""

from typing import Literal

from bot.store.database import Connection, Database
from bot.store.personal_data import PersonalTable

EDITIONS = PersonalTable(
    table="aa_editions",
    user_column="user_id",
    guild_column="guild_id",
    label=("edition", "editions"),
    kept="of Axis & Allies that you play; until you change it",
    deleted=("default edition", "default editions"),
    exported={"edition": "edition"},
)

Owner = Literal["user", "guild"]
"""Whose default edition it is."""


class EditionRepository:
    """The default editions, by the id of their owner."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def get(self, owner: Owner, owner_id: int) -> str | None:
        """Return the name of the default edition, None if there is none."""
        row = await self._db.fetch_one(f"SELECT edition FROM aa_editions WHERE {owner}_id = ?", [owner_id])  # noqa: S608  # one of two constant columns
        return None if row is None else str(row["edition"])

    async def put(self, owner: Owner, owner_id: int, edition: str | None) -> None:
        """Set the default edition, or remove it with None."""

        async def write(conn: Connection) -> None:
            await conn.execute(f"DELETE FROM aa_editions WHERE {owner}_id = ?", [owner_id])  # noqa: S608  # as above
            if edition is not None:
                await conn.execute(
                    f"INSERT INTO aa_editions ({owner}_id, edition) VALUES (?, ?)",  # noqa: S608  # as above
                    [owner_id, edition],
                )

        await self._db.write(write)
