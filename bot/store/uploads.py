"""Uploaded files: each content is stored once, and kept as long as something names its hash."""

import hashlib
from collections import OrderedDict
from collections.abc import Collection

from bot.store.database import Connection, Database
from sim.core.errors import RuleError

MAX_BYTES = 256 * 1024
"""Bytes of one content."""

MAX_NAMED_BYTES = 4 * 1024 * 1024
"""Total bytes for the queries of one person; the oldest queries lose their files first."""

MAX_HELD = 64
"""Contents held for queries that aren't stored yet: at most 16 MiB."""

_TOO_LARGE = f"That is too large: at most {MAX_BYTES // 1024} KiB can be kept."
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
            raise RuleError(_TOO_LARGE)
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
        row = await self._db.fetch_one("SELECT data FROM uploads WHERE sha256 = ?", [sha256])
        if row is None:
            raise RuleError(_GONE)
        data: bytes = row["data"]
        return data

    async def write(self, conn: Connection, named: Collection[str]) -> None:
        """Store the contents of these hashes, inside the transaction that stores what names them.

        RuleError when one of them is neither held nor stored.
        """
        for sha256 in named:
            if (held := self._held.get(sha256)) is not None:
                await conn.execute(
                    "INSERT INTO uploads (sha256, data) VALUES (?, ?) ON CONFLICT DO NOTHING", [sha256, held]
                )
            elif not list(await conn.fetch_all("SELECT 1 FROM uploads WHERE sha256 = ?", [sha256])):
                raise RuleError(_GONE)

    async def name(self, conn: Connection, calculation_id: str, named: Collection[str]) -> None:
        """Link a query to its contents, inside the transaction that stores it; the person's oldest make room."""
        if not named:
            return
        await self.write(conn, named)
        await conn.execute_many(
            "INSERT INTO calculation_uploads (calculation_id, sha256) VALUES (?, ?)",
            [(calculation_id, sha256) for sha256 in dict.fromkeys(named)],
        )
        (row,) = await conn.fetch_all("SELECT asker_id FROM calculations WHERE id = ?", [calculation_id])
        await conn.execute(_DROP_OLDEST, [row["asker_id"], MAX_NAMED_BYTES])

    def release(self, named: Collection[str]) -> None:
        """Drop committed contents from memory."""
        for sha256 in named:
            self._held.pop(sha256, None)
