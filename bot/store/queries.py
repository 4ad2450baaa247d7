"""Stores answered queries, recent texts for autocomplete, and uploaded files, each content once."""

import hashlib
import json
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass

from bot.store import DAY, OWN_WORK, Origin
from bot.store.database import Connection, Database, Repository, Value, in_transaction
from sim.core import RuleError

MAX_BYTES = 256 * 1024
"""Bytes of one content."""

MAX_NAMED_BYTES = 4 * 1024 * 1024
"""Total bytes for the queries of one person; the oldest queries lose their files first."""

MAX_HELD = 64
"""Contents held for queries that aren't stored yet: at most 16 MiB."""

_GONE = "The file behind this is no longer kept; please upload it again."

# Every link of the person's to a content that, from the newest back, lies beyond the room.
_DROP_OLDEST = """
    DELETE FROM calculation_uploads
    WHERE calculation_id IN (SELECT id FROM calculations WHERE asker_id = ?1) AND sha256 IN (
        SELECT sha256 FROM (
            SELECT sha256, sum(size) OVER (ORDER BY named_at DESC, newest DESC) AS together FROM (
                SELECT sha256, max(length(data)) AS size, max(created_at) AS named_at, max(calculations.rowid) AS newest
                FROM calculations JOIN calculation_uploads ON calculation_id = id JOIN uploads USING (sha256)
                WHERE asker_id = ?1 GROUP BY sha256
            )
        ) WHERE together > ?2
    )
"""


class UploadRepository:
    """The contents by their SHA-256.

    A new content stays in memory until a query or roster that names it is stored, so no stored content is ever unnamed.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._held: OrderedDict[str, bytes] = OrderedDict()

    def keep(self, data: bytes) -> str:
        """Hold a content for the query or roster that is about to name it; return its SHA-256 in hexadecimal.

        RuleError when it is larger than `MAX_BYTES`.
        """
        if len(data) > MAX_BYTES:
            raise RuleError(f"That is too large: at most {MAX_BYTES // 1024} KiB can be kept.")
        sha256 = hashlib.sha256(data).hexdigest()
        self._held[sha256] = data
        self._held.move_to_end(sha256)
        while len(self._held) > MAX_HELD:
            self._held.popitem(last=False)
        return sha256

    async def read(self, sha256: str) -> bytes:
        """Return a content; RuleError when it is no longer kept."""
        if (held := self._held.get(sha256)) is not None:
            return held
        data = await self._db.fetch_value(bytes, "SELECT data FROM uploads WHERE sha256 = ?", [sha256])
        if data is None:
            raise RuleError(_GONE)
        return data

    async def write(self, conn: Connection, named: Collection[str]) -> None:
        """Store the contents of these hashes, inside the transaction that stores what names them.

        RuleError when one of them is neither held nor stored.
        """
        for sha256 in named:
            if (held := self._held.get(sha256)) is not None:
                await conn.add("uploads", sha256=sha256, data=held)
            elif not await conn.fetch_all("SELECT 1 FROM uploads WHERE sha256 = ?", [sha256]):
                raise RuleError(_GONE)

    async def name(self, conn: Connection, calculation_id: str, asker_id: int, named: Collection[str]) -> None:
        """Link a query to its contents, inside the transaction that stores it; the person's oldest make room."""
        if not named:
            return
        await self.write(conn, named)
        await conn.execute_many(
            "INSERT INTO calculation_uploads (calculation_id, sha256) VALUES (?, ?)",
            [(calculation_id, sha256) for sha256 in dict.fromkeys(named)],
        )
        await conn.execute(_DROP_OLDEST, [asker_id, MAX_NAMED_BYTES])

    def release(self, named: Collection[str]) -> None:
        """Drop committed contents from memory."""
        for sha256 in named:
            self._held.pop(sha256, None)


KEPT_SECONDS = 90 * DAY
ID_BYTES = 9  # 12 characters in a button's custom_id, and nobody guesses another one's


@dataclass(frozen=True, slots=True)
class StoredQuery:
    """One answered query.

    `kind` names the class of the query, such as "pig-chance"; `request` is the query as JSON, with the `channel_id` in
    which it was asked, and `private` where only its asker sees the answer; `guild_id` is None in direct messages;
    `created_at` is in Unix seconds.
    """

    id: str
    kind: str
    asker_id: int
    guild_id: int | None
    request: str
    created_at: int


class QueryRepository(Repository):
    """The stored queries; `clock` returns Unix seconds, `uploads` has the contents that they name."""

    def __init__(
        self, db: Database, clock: Callable[[], float] = time.time, uploads: UploadRepository | None = None
    ) -> None:
        super().__init__(db, clock)
        self._uploads = UploadRepository(db) if uploads is None else uploads

    async def add(
        self, kind: str, asker_id: int, guild_id: int | None, request_json: str, uploads: Collection[str] = ()
    ) -> StoredQuery:
        """Store a query and return it with its new id: 12 characters of the URL-safe base64 alphabet.

        `uploads`: the hashes of the contents that it names; they are kept as long as it is.

        Raises `ConstraintError` if `request_json` is not JSON, RuleError if a content is no longer kept.
        """
        query_id = secrets.token_urlsafe(ID_BYTES)
        stored = StoredQuery(query_id, kind, asker_id, guild_id, request_json, self._now)

        async def insert(conn: Connection) -> None:
            await conn.add("calculations", **asdict(stored))
            await self._uploads.name(conn, query_id, asker_id, uploads)

        await self._db.write(insert)
        self._uploads.release(uploads)
        return stored

    async def get(self, calculation_id: str, origin: Origin) -> StoredQuery | None:
        """Return the query if it was asked in the channel, and where its answer is private by the user, that asks.

        None if it wasn't, or isn't kept.
        """
        stored = await self._db.find(StoredQuery, "calculations", id=calculation_id)
        return stored if stored is not None and _reaches(origin, stored) else None

    async def forget_old(self) -> int:
        """Delete the queries older than 90 days and return their number."""
        return await self._db.delete_where("calculations", "id", "created_at < ?", [self._now - KEPT_SECONDS])

    async def take(self, calculation_id: str) -> bool:
        """Delete a query that may be acted on once; return whether it was there, so that only the first caller acts."""
        return await self._db.drop("calculations", id=calculation_id) > 0

    async def put_back(self, calculation: StoredQuery) -> None:
        """Restore a query that was taken but couldn't be acted on."""
        await self._db.add("calculations", **asdict(calculation))


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
    """The last 20 distinct texts of each player for each kind of command, such as "pig-chance"."""

    @in_transaction
    async def remember(self, conn: Connection, user_id: int, kind: str, text: str) -> None:
        """Make `text` the player's newest, and delete all but the newest 20."""
        same: dict[str, Value] = {"user_id": user_id, "kind": kind, "text": text}
        await conn.drop("recent_texts", **same)
        await conn.add("recent_texts", **same)
        await conn.execute(
            "DELETE FROM recent_texts WHERE user_id = ?1 AND kind = ?2 AND sequence <= (SELECT sequence"
            " FROM recent_texts WHERE user_id = ?1 AND kind = ?2 ORDER BY sequence DESC LIMIT 1 OFFSET ?3)",
            [user_id, kind, KEPT_TEXTS],
        )

    async def list(self, user_id: int, kind: str) -> list[str]:
        """Return the player's texts, newest first, at most 20."""
        sql = "SELECT text FROM recent_texts WHERE user_id = ? AND kind = ? ORDER BY sequence DESC"
        return await self._db.fetch_column(str, sql, [user_id, kind])


class MessageRepository(Repository):
    """The messages to the bot that were taken, for a day, beside the presses."""

    async def take(self, message_id: int) -> bool:
        """Return whether nobody took the message before, so that it is answered once, also after a restart."""
        return await self._db.add("applied_interactions", interaction_id=message_id, applied_at=self._now)
