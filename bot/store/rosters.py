"""Rosters that players saved under a name: armies, decks, fighters, whatever a kind of roster is."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from bot.store.database import Connection, Database, Parameters, Row
from bot.store.queries import MAX_BYTES, UploadRepository
from sim.core.errors import RuleError
from sim.core.names import name_key, normalize_name

MAX_ROSTERS = 50
"""Rosters of one person, of all kinds together."""

MAX_SAVED_BYTES = 4 * 1024 * 1024
"""Bytes of one person's rosters together, older versions too."""

KEPT_VERSIONS = 20
"""Versions of a roster; older ones are dropped."""

_GONE = "This roster is no longer kept."


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a roster: `number` from 1, `size` in bytes, `created_at` in Unix seconds."""

    number: int
    sha256: str
    size: int
    created_at: int


@dataclass(frozen=True, slots=True)
class Roster:
    """A saved roster and its newest version; `guild_id` is the server that may use it, None: its owner alone may."""

    id: int
    owner_id: int
    kind: str
    name: str
    guild_id: int | None
    newest: Version


@dataclass(frozen=True, slots=True)
class Saved:
    """The result of saving: `before` is the previous newest version, None for a new roster.

    The roster's newest version is still `before` when the content is the same.
    """

    roster: Roster
    before: Version | None


_SELECT = (
    "SELECT id, owner_id, kind, name, guild_id, version, sha256, length(data) AS size, created_at"
    " FROM rosters JOIN roster_versions ON roster_id = id JOIN uploads USING (sha256)"
)
_NEWEST = "version = (SELECT max(version) FROM roster_versions WHERE roster_id = id)"
_SIZE_OF_ALL = (
    "SELECT coalesce(sum(length(data)), 0) FROM uploads WHERE sha256 IN"
    " (SELECT sha256 FROM rosters JOIN roster_versions ON roster_id = id WHERE owner_id = ?)"
)


class RosterRepository:
    """The saved rosters; `clock` returns Unix seconds. Callers check the permissions."""

    def __init__(self, db: Database, uploads: UploadRepository, clock: Callable[[], float] = time.time) -> None:
        self._db = db
        self._uploads = uploads
        self._clock = clock

    async def save(self, owner_id: int, kind: str, name: str, data: bytes) -> Saved:
        """Save a roster under a name, or a new version of the one that has it; the same content makes no version.

        RuleError for a name that is none, and for what is too large or too much.
        """
        name = normalize_name(name)
        if len(data) > MAX_BYTES:
            raise RuleError(f"A roster may have {MAX_BYTES // 1024} KiB; this one has {-(-len(data) // 1024)}.")
        sha256 = self._uploads.keep(data)
        now = int(self._clock())

        async def write(conn: Connection) -> Saved:
            which = "WHERE owner_id = ? AND kind = ? AND name_key = ?"
            before = await _read(conn, which, [owner_id, kind, name_key(name)])
            if before is not None and before.newest.sha256 == sha256:
                return Saved(before, before.newest)
            roster_id = before.id if before is not None else await _insert(conn, owner_id, kind, name)
            await self._uploads.write(conn, [sha256])
            await conn.execute(
                "INSERT INTO roster_versions (roster_id, version, sha256, created_at) VALUES (?, ?, ?, ?)",
                [roster_id, 1 if before is None else before.newest.number + 1, sha256, now],
            )
            await _drop_older(conn, roster_id)
            await _expect_room(conn, owner_id)
            roster = await _read(conn, "WHERE id = ?", [roster_id])
            if roster is None:
                raise RuntimeError("a roster that was just written is there")
            return Saved(roster, None if before is None else before.newest)

        saved = await self._db.write(write)
        self._uploads.release([sha256])
        return saved

    async def get(self, roster_id: int) -> Roster | None:
        """Return a roster, or None if there is none, or none any more."""
        return next(iter(await self._fetch("WHERE id = ?", [roster_id])), None)

    async def own(self, owner_id: int, kind: str | None = None) -> list[Roster]:
        """Return a person's rosters, of one kind or of all, by name."""
        return await self._fetch("WHERE owner_id = ?1 AND kind = coalesce(?2, kind)", [owner_id, kind])

    async def shared(self, guild_id: int, kind: str | None = None) -> list[Roster]:
        """Return the rosters that a server may use, of one kind or of all, by name."""
        return await self._fetch("WHERE guild_id = ?1 AND kind = coalesce(?2, kind)", [guild_id, kind])

    async def versions(self, roster_id: int) -> list[Version]:
        """Return the versions that are kept, the newest first."""
        rows = await self._db.fetch_all(f"{_SELECT} WHERE id = ? ORDER BY version DESC", [roster_id])
        return [_version_of(row) for row in rows]

    async def read(self, roster: Roster, number: int | None = None) -> bytes:
        """Return the content of the newest version or of an older one; RuleError when it isn't kept (any more)."""
        row = await self._db.fetch_one(
            "SELECT data FROM roster_versions JOIN uploads USING (sha256) WHERE roster_id = ? AND version = ?",
            [roster.id, roster.newest.number if number is None else number],
        )
        if row is None:
            raise RuleError(_GONE if number is None else f"Version {number} of this roster isn't kept.")
        data: bytes = row["data"]
        return data

    async def share(self, roster_id: int, guild_id: int | None) -> None:
        """Let a server use a roster, or with None only its owner."""
        await self._db.execute("UPDATE rosters SET guild_id = ? WHERE id = ?", [guild_id, roster_id])

    async def delete(self, roster_id: int) -> None:
        """Delete a roster with all its versions."""
        await self._db.execute("DELETE FROM rosters WHERE id = ?", [roster_id])

    async def _fetch(self, which: str, parameters: Parameters) -> list[Roster]:
        rows = await self._db.fetch_all(f"{_SELECT} {which} AND {_NEWEST} ORDER BY name_key, id", parameters)
        return [_roster_of(row) for row in rows]


async def _read(conn: Connection, which: str, parameters: Parameters) -> Roster | None:
    rows = list(await conn.fetch_all(f"{_SELECT} {which} AND {_NEWEST}", parameters))
    return _roster_of(rows[0]) if rows else None


async def _insert(conn: Connection, owner_id: int, kind: str, name: str) -> int:
    (row,) = await conn.fetch_all("SELECT count(*) FROM rosters WHERE owner_id = ?", [owner_id])
    if row[0] >= MAX_ROSTERS:
        raise RuleError(f"You have {MAX_ROSTERS} saved rosters, which is the most; delete one with /roster delete.")
    (row,) = await conn.fetch_all(
        "INSERT INTO rosters (owner_id, kind, name, name_key) VALUES (?, ?, ?, ?) RETURNING id",
        [owner_id, kind, name, name_key(name)],
    )
    return int(row["id"])


async def _drop_older(conn: Connection, roster_id: int) -> None:
    await conn.execute(
        "DELETE FROM roster_versions WHERE roster_id = ?1 AND version <="
        " (SELECT max(version) FROM roster_versions WHERE roster_id = ?1) - ?2",
        [roster_id, KEPT_VERSIONS],
    )


async def _expect_room(conn: Connection, owner_id: int) -> None:
    (row,) = await conn.fetch_all(_SIZE_OF_ALL, [owner_id])
    if row[0] > MAX_SAVED_BYTES:
        most = MAX_SAVED_BYTES // 1024 // 1024
        raise RuleError(f"Your rosters would take more than {most} MiB together; delete one with /roster delete.")


def _version_of(row: Row) -> Version:
    return Version(row["version"], row["sha256"], row["size"], row["created_at"])


def _roster_of(row: Row) -> Roster:
    return Roster(row["id"], row["owner_id"], row["kind"], row["name"], row["guild_id"], _version_of(row))
