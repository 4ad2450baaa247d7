"""Bosses that players made, a server's or somebody's own, with their pictures."""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

import aiosqlite
from pydantic import JsonValue

from bot.store.database import Database, Parameters
from bot.store.personal_data import PersonalTable
from bot.store.personal_tables import AS_TEXT
from sim.core.canonical_json import canonical
from sim.core.errors import RuleError
from sim.core.names import name_key

MOST_BOSSES = 50
"""Bosses of one server, or of one person's own."""

MOST_PICTURE_BYTES = 1024 * 1024
"""Bytes of one picture, as the simulator drew it."""


@dataclass(frozen=True, slots=True)
class Home:
    """Where bosses are at home: a server, or with `guild_id` None somebody's direct messages."""

    guild_id: int | None
    user_id: int


@dataclass(frozen=True, slots=True)
class Draft:
    """A boss to be kept: its name, `figures` that it fights with and `words` that it says, both as JSON data."""

    name: str
    figures: JsonValue
    words: JsonValue


@dataclass(frozen=True, slots=True)
class Forged:
    """A boss that is kept; `has_picture` tells whether `BossRepository.picture` has one."""

    id: int
    guild_id: int | None
    maker_id: int
    draft: Draft
    has_picture: bool


BOSSES = PersonalTable(
    table="bosses",
    user_column="maker_id",
    guild_column="guild_id",
    label=("boss", "bosses"),
    kept="that you forged; until you delete them",
    deleted=("forged boss", "forged bosses"),
    exported={
        "guild_id": AS_TEXT,
        "name": "name",
        "figures": "json(figures)",
        "words": "json(words)",
        "picture": "iif(picture IS NULL, NULL, 'boss-' || id || '.png')",
    },
    order="id",
    files="SELECT 'boss-' || id || '.png' AS name, picture FROM bosses"
    " WHERE maker_id = ?1 AND picture IS NOT NULL ORDER BY id",
)


class ForeignBossError(Exception):
    """Somebody would change a boss that somebody else forged."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class BossNameTakenError(Exception):
    """A boss would get the name of another one."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


_SELECT = "SELECT id, guild_id, maker_id, name, figures, words, picture IS NOT NULL AS has_picture FROM bosses"
_AT_HOME = "(guild_id = ?1 OR (?1 IS NULL AND guild_id IS NULL AND maker_id = ?2))"  # then ?3 is the name's key
_COUNT = f"SELECT count(*) FROM bosses WHERE {_AT_HOME}"  # noqa: S608  # a constant


class BossRepository:
    """The forged bosses. A boss is its maker's to change; `referee` tells that somebody may change every one."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def at(self, home: Home) -> list[Forged]:
        """Return the bosses that are at home there, by name."""
        return await self._fetch(f"WHERE {_AT_HOME} ORDER BY name_key", _place(home))

    async def find(self, home: Home, name: str) -> Forged | None:
        """Return the boss of that name, in whatever spelling; None when there is none."""
        found = await self._fetch(f"WHERE {_AT_HOME} AND name_key = ?3", [*_place(home), name_key(name)])
        return next(iter(found), None)

    async def picture(self, forged: Forged) -> bytes | None:
        """Return a boss's picture, a PNG; None without one."""
        row = await self._db.fetch_one("SELECT picture FROM bosses WHERE id = ?", [forged.id])
        return None if row is None else row["picture"]

    async def save(
        self,
        home: Home,
        drafts: Sequence[Draft],
        *,
        referee: bool,
        editing: Forged | None = None,
        picture: bytes | None = None,
    ) -> None:
        """Keep bosses, all or none, each in the place of the one of its name; `editing`: in the place of this one.

        `picture` goes with every one of them; None leaves the one that is there. What was achieved against a boss that
        gets other figures or another name is forgotten. ForeignBossError, BossNameTakenError, RuleError for too many
        or too large a picture.
        """
        if picture is not None and len(picture) > MOST_PICTURE_BYTES:
            raise RuleError("The picture is too rich in detail to be kept; a smaller one will do.")

        async def write(conn: aiosqlite.Connection) -> None:
            for draft in drafts:
                found = await _read(conn, home, draft, editing)
                if found is None:
                    await _insert(conn, home, draft, picture)
                else:
                    _expect_maker(found, home, referee=referee)
                    await _update(conn, found, draft, picture)
            await _expect_room(conn, home)

        await self._db.write(write)

    async def delete(self, home: Home, forged: Forged, *, referee: bool) -> None:
        """Delete a boss, and what was achieved against it; ForeignBossError."""
        _expect_maker(forged, home, referee=referee)

        async def write(conn: aiosqlite.Connection) -> None:
            await conn.execute("DELETE FROM bosses WHERE id = ?", [forged.id])
            await _forget_records(conn, forged)

        await self._db.write(write)

    async def _fetch(self, where: str, parameters: Parameters) -> list[Forged]:
        return [_forged(row) for row in await self._db.fetch_all(f"{_SELECT} {where}", parameters)]


async def _read(conn: aiosqlite.Connection, home: Home, draft: Draft, editing: Forged | None) -> Forged | None:
    if editing is None:
        which = f"{_SELECT} WHERE {_AT_HOME} AND name_key = ?3"
        return next(map(_forged, await conn.execute_fetchall(which, [*_place(home), name_key(draft.name)])), None)
    found = next(map(_forged, await conn.execute_fetchall(f"{_SELECT} WHERE id = ?", [editing.id])), None)
    if found is None:
        raise RuleError("This boss is no longer there.")
    return found


async def _insert(conn: aiosqlite.Connection, home: Home, draft: Draft, picture: bytes | None) -> None:
    await conn.execute(
        "INSERT INTO bosses (guild_id, maker_id, name, name_key, figures, words, picture) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [*_place(home), *_columns(draft), picture],
    )


async def _update(conn: aiosqlite.Connection, found: Forged, draft: Draft, picture: bytes | None) -> None:
    if _strength(found.draft) != _strength(draft):
        await _forget_records(conn, found)
    try:
        await conn.execute(
            "UPDATE bosses SET name = ?, name_key = ?, figures = ?, words = ?, picture = coalesce(?, picture)"
            " WHERE id = ?",
            [*_columns(draft), picture, found.id],
        )
    except sqlite3.IntegrityError:
        raise BossNameTakenError(draft.name) from None


async def _forget_records(conn: aiosqlite.Connection, forged: Forged) -> None:
    key = name_key(forged.draft.name)
    await conn.execute("DELETE FROM boss_records WHERE guild_id = ? AND boss_key = ?", [forged.guild_id, key])


async def _expect_room(conn: aiosqlite.Connection, home: Home) -> None:
    (row,) = await conn.execute_fetchall(_COUNT, _place(home))
    if row[0] > MOST_BOSSES:
        raise RuleError(f"There would be {row[0]} bosses here; {MOST_BOSSES} is the most. /boss delete makes room.")


def _expect_maker(forged: Forged, home: Home, *, referee: bool) -> None:
    if forged.maker_id != home.user_id and not referee:
        raise ForeignBossError(forged.draft.name)


def _strength(draft: Draft) -> tuple[str, str]:
    return name_key(draft.name), canonical(draft.figures)


def _columns(draft: Draft) -> tuple[str, str, str, str]:
    return draft.name, name_key(draft.name), canonical(draft.figures), canonical(draft.words)


def _place(home: Home) -> tuple[int | None, int]:
    return home.guild_id, home.user_id


def _forged(row: sqlite3.Row) -> Forged:
    draft = Draft(row["name"], json.loads(row["figures"]), json.loads(row["words"]))
    return Forged(row["id"], row["guild_id"], row["maker_id"], draft, bool(row["has_picture"]))
