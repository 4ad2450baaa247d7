"""Answered queries, so that their pages work after a restart, and recent texts for autocomplete."""

import json
import secrets
import time
from collections.abc import Callable, Collection
from dataclasses import astuple, dataclass

from bot.store import OWN_WORK, Origin
from bot.store.database import Connection, Database, Repository
from bot.store.uploads import UploadRepository

KEPT_SECONDS = 90 * 24 * 60 * 60
ID_BYTES = 9  # 12 characters in a button's custom_id, and nobody guesses another one's

_INSERT = "INSERT INTO calculations (id, kind, asker_id, guild_id, request, created_at) VALUES (?, ?, ?, ?, ?, ?)"


@dataclass(frozen=True, slots=True)
class StoredQuery:
    """One answered query.

    `kind` names its handler, such as "aa"; `request` is the query as JSON, with the `channel_id` in which it was asked,
    and `private` where only its asker sees the answer; `guild_id` is None in direct messages; `created_at` is in Unix
    seconds.
    """

    id: str
    kind: str
    asker_id: int
    guild_id: int | None
    request: str
    created_at: int


class QueryRepository:
    """The stored queries; `clock` returns Unix seconds, `uploads` has the contents that they name."""

    def __init__(
        self, db: Database, clock: Callable[[], float] = time.time, uploads: UploadRepository | None = None
    ) -> None:
        self._db = db
        self._clock = clock
        self._uploads = UploadRepository(db) if uploads is None else uploads

    async def add(
        self, kind: str, asker_id: int, guild_id: int | None, request_json: str, uploads: Collection[str] = ()
    ) -> StoredQuery:
        """Store a query and return it with its new id: 12 characters of the URL-safe base64 alphabet.

        `uploads`: the hashes of the contents that it names; they are kept as long as it is.

        Raises `ConstraintError` if `request_json` is not JSON, RuleError if a content is no longer kept.
        """
        row = (secrets.token_urlsafe(ID_BYTES), kind, asker_id, guild_id, request_json, int(self._clock()))

        async def insert(conn: Connection) -> None:
            await conn.execute(_INSERT, row)
            await self._uploads.name(conn, row[0], uploads)

        await self._db.write(insert)
        self._uploads.release(uploads)
        return StoredQuery(*row)

    async def get(self, calculation_id: str, origin: Origin) -> StoredQuery | None:
        """Return the query if it was asked in the channel, and where its answer is private by the user, that asks.

        None if it wasn't, or isn't kept.
        """
        row = await self._db.fetch_one(
            "SELECT id, kind, asker_id, guild_id, request, created_at FROM calculations WHERE id = ?",
            [calculation_id],
        )
        return None if row is None or not _reaches(origin, stored := StoredQuery(*row)) else stored

    async def forget_older_than(self, seconds: int = KEPT_SECONDS) -> int:
        """Delete the queries older than `seconds` and return their number."""
        return await self._db.delete_where("calculations", "id", "created_at < ?", [int(self._clock()) - seconds])

    async def take(self, calculation_id: str) -> bool:
        """Delete a query that may be acted on once; return whether it was there, so that only the first caller acts."""
        return await self._db.execute("DELETE FROM calculations WHERE id = ?", [calculation_id]) > 0

    async def put_back(self, calculation: StoredQuery) -> None:
        """Restore a query that was taken but couldn't be acted on."""
        await self._db.execute(_INSERT, astuple(calculation))


def _reaches(origin: Origin, stored: StoredQuery) -> bool:
    asked = json.loads(stored.request)
    is_own = origin.user_id == stored.asker_id
    if origin is OWN_WORK:
        return True
    if asked.get("channel_id") is None:  # from before 0.2, when answers that were shared stayed private ones
        return origin.guild_id == stored.guild_id and (is_own or stored.guild_id is not None)
    return bool(origin.channel_id == asked["channel_id"]) and (is_own or not asked.get("private"))


KEPT_TEXTS = 20


class RecentTextRepository(Repository):
    """The last 20 distinct texts of each player for each kind of command, such as "aa"."""

    async def remember(self, user_id: int, kind: str, text: str) -> None:
        """Make `text` the player's newest, and delete all but the newest 20."""

        async def put_first(conn: Connection) -> None:
            await conn.execute(
                "DELETE FROM recent_texts WHERE user_id = ? AND kind = ? AND text = ?", [user_id, kind, text]
            )
            await conn.execute("INSERT INTO recent_texts (user_id, kind, text) VALUES (?, ?, ?)", [user_id, kind, text])
            await conn.execute(
                "DELETE FROM recent_texts WHERE user_id = ?1 AND kind = ?2 AND sequence <= (SELECT sequence"
                " FROM recent_texts WHERE user_id = ?1 AND kind = ?2 ORDER BY sequence DESC LIMIT 1 OFFSET ?3)",
                [user_id, kind, KEPT_TEXTS],
            )

        await self._db.write(put_first)

    async def list(self, user_id: int, kind: str) -> list[str]:
        """Return the player's texts, newest first, at most 20."""
        rows = await self._db.fetch_all(
            "SELECT text FROM recent_texts WHERE user_id = ? AND kind = ? ORDER BY sequence DESC", [user_id, kind]
        )
        return [row["text"] for row in rows]
