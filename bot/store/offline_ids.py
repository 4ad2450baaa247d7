"""The ids of the offline table's server, channel and people: the same at each start."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.store.database import Connection, Database

_SERVER, _CHANNEL = "server", "channel"

# Until 0.2.0 each start made a new server, with all of its ids in a row. A real server's is far from its members'.
_LATEST_TABLE = (
    "SELECT guild_id, channel_id FROM battles WHERE starter_id BETWEEN channel_id AND channel_id + ?"
    " AND channel_id BETWEEN guild_id AND guild_id + ? ORDER BY guild_id DESC, id DESC LIMIT 1"
)
_NEAR = 64
_FIRST_PERSON = 2  # after the channel; the referee's role is in between


@dataclass(frozen=True, slots=True)
class OfflineIds:
    """Who is who at the offline table; `people`: ids by name."""

    server: int
    channel: int
    people: Mapping[str, int]


class OfflineIdRepository:
    """Gives out ids, once for each name."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def take(self, people: Sequence[str], unused: int) -> OfflineIds:
        """Return the ids of the table and of its people; who is new gets one from `unused` on.

        A database from before ids were kept has those of its latest table, and its people in the order of `people`.
        """
        names = [_SERVER, _CHANNEL, *(f"person {name.casefold()}" for name in people)]

        async def body(conn: Connection) -> OfflineIds:
            known = {row["name"]: int(row["id"]) for row in await conn.fetch_all("SELECT name, id FROM offline_ids")}
            made = dict(zip(names, range(unused, unused + len(names)), strict=True))
            if not known:
                for row in await conn.fetch_all(_LATEST_TABLE, [_NEAR, _NEAR]):
                    first = row["channel_id"] + _FIRST_PERSON
                    made = dict(zip(names, [*row, *range(first, first + len(people))], strict=True))
            new = [(name, number) for name, number in made.items() if name not in known]
            await conn.execute_many("INSERT INTO offline_ids (name, id) VALUES (?, ?)", new)
            server, channel, *numbers = ((made | known)[name] for name in names)
            return OfflineIds(server, channel, dict(zip(people, numbers, strict=True)))

        return await self._db.write(body)
