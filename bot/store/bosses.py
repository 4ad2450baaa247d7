"""Bosses that players made, a server's or somebody's own, with their pictures."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

import aiosqlite
from pydantic import JsonValue

from bot.render.text import plain
from bot.store.database import Database, Parameters
from sim.boss_fight.bosses import known_boss
from sim.boss_fight.values import Boss
from sim.core.cells import name_key
from sim.core.errors import RuleError

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
class Forged:
    """A boss that somebody made; `has_picture` tells whether `Bosses.picture` has one."""

    id: int
    guild_id: int | None
    maker_id: int
    boss: Boss
    has_picture: bool


_SELECT = "SELECT id, guild_id, maker_id, boss, picture IS NOT NULL AS has_picture FROM bosses"
_AT_HOME = "(guild_id = ?1 OR (?1 IS NULL AND guild_id IS NULL AND maker_id = ?2))"  # then ?3 is the name's key

_COUNT = f"SELECT count(*) FROM bosses WHERE {_AT_HOME}"  # noqa: S608  # a constant


class Bosses:
    """The forged bosses. Who may change one is told by `referee`, the rest is decided here."""

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
        bosses: Sequence[Boss],
        *,
        referee: bool,
        editing: Forged | None = None,
        picture: bytes | None = None,
    ) -> None:
        """Keep bosses, all or none, each in the place of the one of its name; `editing`: in the place of this one.

        `picture` goes with every one of them; None leaves the one that is there. RuleError for a built-in boss's name,
        for somebody else's boss unless `referee`, and for too many.
        """
        if picture is not None and len(picture) > MOST_PICTURE_BYTES:
            raise RuleError("The picture is too rich in detail to be kept; a smaller one will do.")

        async def write(conn: aiosqlite.Connection) -> None:
            for boss in bosses:
                await _write(conn, home, boss, editing, picture, referee=referee)
            await _expect_room(conn, home)

        await self._db.write(write)

    async def delete(self, home: Home, forged: Forged, *, referee: bool) -> None:
        """Delete a boss, and what was achieved against it; RuleError unless it is the user's, or they are `referee`."""
        _expect_maker(forged.maker_id, home, forged.boss.name, referee=referee)

        async def write(conn: aiosqlite.Connection) -> None:
            await conn.execute("DELETE FROM bosses WHERE id = ?", [forged.id])
            await _forget_records(conn, forged.guild_id, name_key(forged.boss.name))

        await self._db.write(write)

    async def forget_maker(self, user_id: int) -> int:
        """Delete what a person forged and return how many that were."""

        async def write(conn: aiosqlite.Connection) -> int:
            return (await conn.execute("DELETE FROM bosses WHERE maker_id = ?", [user_id])).rowcount

        return await self._db.write(write)

    async def about_person(self, user_id: int) -> list[JsonValue]:
        """Return what a person forged, as JSON data."""
        found = await self._fetch("WHERE maker_id = ? ORDER BY id", [user_id])
        return [
            {
                "guild_id": None if one.guild_id is None else str(one.guild_id),
                "boss": one.boss.model_dump(mode="json"),
                "picture": f"boss-{one.id}.png" if one.has_picture else None,
            }
            for one in found
        ]

    async def pictures_of(self, user_id: int) -> dict[str, bytes]:
        """Return the pictures of what a person forged, by the names that `about_person` has."""
        rows = await self._db.fetch_all(
            "SELECT id, picture FROM bosses WHERE maker_id = ? AND picture IS NOT NULL ORDER BY id", [user_id]
        )
        return {f"boss-{row['id']}.png": row["picture"] for row in rows}

    async def _fetch(self, where: str, parameters: Parameters) -> list[Forged]:
        return [_forged(row) for row in await self._db.fetch_all(f"{_SELECT} {where}", parameters)]


async def _write(
    conn: aiosqlite.Connection,
    home: Home,
    boss: Boss,
    editing: Forged | None,
    picture: bytes | None,
    *,
    referee: bool,
) -> None:
    if known_boss(boss.name) is not None:
        raise RuleError(f"{boss.name} is one of the game's own bosses: choose another name.")
    key, written = name_key(boss.name), boss.model_dump_json()
    found = await _read(conn, home, key, editing)
    if found is None:
        await conn.execute(
            "INSERT INTO bosses (guild_id, maker_id, name_key, boss, picture) VALUES (?, ?, ?, ?, ?)",
            [*_place(home), key, written, picture],
        )
        return
    _expect_maker(found.maker_id, home, found.boss.name, referee=referee)
    if _fighting(found.boss) != _fighting(boss):
        await _forget_records(conn, home.guild_id, name_key(found.boss.name))  # another boss, by whatever name
    try:
        await conn.execute(
            "UPDATE bosses SET name_key = ?, boss = ?, picture = coalesce(?, picture) WHERE id = ?",
            [key, written, picture, found.id],
        )
    except sqlite3.IntegrityError:
        raise RuleError(f"There is another boss called {plain(boss.name)} already.") from None


async def _read(conn: aiosqlite.Connection, home: Home, key: str, editing: Forged | None) -> Forged | None:
    if editing is None:
        rows = await conn.execute_fetchall(f"{_SELECT} WHERE {_AT_HOME} AND name_key = ?3", [*_place(home), key])
        return next(map(_forged, rows), None)
    found = next(map(_forged, await conn.execute_fetchall(f"{_SELECT} WHERE id = ?", [editing.id])), None)
    if found is None:
        raise RuleError("This boss is no longer there.")
    return found


def _fighting(boss: Boss) -> Boss:
    return boss.model_copy(update=dict.fromkeys(("entry", "half", "fall")))


async def _forget_records(conn: aiosqlite.Connection, guild_id: int | None, key: str) -> None:
    await conn.execute("DELETE FROM boss_records WHERE guild_id = ? AND boss_key = ?", [guild_id, key])


async def _expect_room(conn: aiosqlite.Connection, home: Home) -> None:
    (row,) = await conn.execute_fetchall(_COUNT, _place(home))
    if row[0] > MOST_BOSSES:
        raise RuleError(f"There would be {row[0]} bosses here; {MOST_BOSSES} is the most. /boss delete makes room.")


def _expect_maker(maker_id: int, home: Home, name: str, *, referee: bool) -> None:
    if maker_id != home.user_id and not referee:
        raise RuleError(f"Only who forged {plain(name)}, or somebody who may manage messages, can change it.")


def _place(home: Home) -> tuple[int | None, int]:
    return home.guild_id, home.user_id


def _forged(row: sqlite3.Row) -> Forged:
    boss = Boss.model_validate_json(row["boss"])
    return Forged(row["id"], row["guild_id"], row["maker_id"], boss, bool(row["has_picture"]))
