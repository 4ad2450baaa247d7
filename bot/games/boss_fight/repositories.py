"""The tables of boss fights: forged bosses with their pictures, and records against bosses."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple

from bot.store import ConstraintError
from bot.store.database import Connection, Parameters, Repository, Statements, Value, in_transaction
from bot.store.personal_data import PersonalTable
from bot.store.personal_tables import columns
from sim.boss_fight.values import MOMENTS, Boss, short
from sim.core import RuleError
from sim.core.names import name_key
from sim.core.values import canonical

MAX_BOSSES = 50
"""Bosses of one server, or of one person."""

MAX_PICTURE_BYTES = 1024 * 1024
"""Bytes of one picture, as the simulator drew it."""

MAX_LISTED = 10
"""Records in one list."""


class Home(NamedTuple):
    """Where bosses belong: a server, or a user's direct messages if `guild_id` is None."""

    guild_id: int | None
    user_id: int


@dataclass(frozen=True, slots=True)
class ForgedBoss:
    """A stored boss."""

    id: int
    guild_id: int | None
    maker_id: int
    boss: Boss


BOSSES = PersonalTable(
    table="bosses",
    user_column="maker_id",
    guild_column="guild_id",
    label=("boss", "bosses"),
    kept="you forged; until deleted",
    deleted=("forged boss", "forged bosses"),
    exported={
        **columns("guild_id", "name", "figures", "words", json=("figures", "words")),
        "picture": "iif(picture IS NULL, NULL, 'boss-' || id || '.png')",
    },
    order="id",
    files="SELECT 'boss-' || id || '.png' AS name, picture FROM bosses"
    " WHERE maker_id = ?1 AND picture IS NOT NULL ORDER BY id",
)

BOSS_RECORDS = PersonalTable(
    table="boss_records",
    user_column="user_id",
    guild_column="guild_id",
    label=("record", "records"),
    kept="against bosses; until deleted",
    exported=columns("guild_id", "boss", "times", "hands", "score", "damage", "fights"),
    order="guild_id, boss_key, times, hands",
)


_SELECT = "SELECT id, guild_id, maker_id, name, figures, words FROM bosses"
_AT_HOME = "(guild_id = ?1 OR (?1 IS NULL AND guild_id IS NULL AND maker_id = ?2))"  # then ?3 is the name's key
_COUNT = f"SELECT count(*) FROM bosses WHERE {_AT_HOME}"  # noqa: S608  # a constant


class RecordsLostError(RuleError):
    """Bosses that would lose their records, by their `names`."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(f"All records against {', '.join(names)} would be lost.")
        self.names = names


class BossRepository(Repository):
    """The forged bosses. Only its maker may change a boss, or a `referee`."""

    async def at(self, home: Home) -> list[ForgedBoss]:
        """Return the bosses of a home, by name."""
        return await _fetch(self._db, f"WHERE {_AT_HOME} ORDER BY name_key", home)

    async def find(self, home: Home, name: str) -> ForgedBoss | None:
        """Return the boss of that name, ignoring case; None if there is none."""
        return await _named(self._db, home, name)

    async def picture(self, forged: ForgedBoss) -> bytes | None:
        """Return a boss's picture, a PNG; None if it has none."""
        return await self._db.fetch_value(bytes, "SELECT picture FROM bosses WHERE id = ?", [forged.id])

    @in_transaction
    async def save(
        self,
        conn: Connection,
        home: Home,
        bosses: Sequence[Boss],
        *,
        referee: bool,
        editing: ForgedBoss | None = None,
        picture: bytes | None = None,
        forget: bool = False,
    ) -> None:
        """Store all bosses or none, each in place of the one of the same name; `editing`: in place of this one.

        All of them get the `picture`; None leaves the pictures unchanged. A boss that gets other figures or another
        name loses its records: RecordsLostError if there are some, unless they may be forgotten. RuleError for somebody
        else's boss, a name that is taken, too many bosses or too large a picture.
        """
        if picture is not None and len(picture) > MAX_PICTURE_BYTES:
            raise RuleError("This picture has too much detail to keep; try a smaller one.")
        lost = []
        for boss in bosses:
            if editing is None:
                found = await _named(conn, home, boss.name)
            elif (found := next(iter(await _fetch(conn, "WHERE id = ?", [editing.id])), None)) is None:
                raise RuleError("This boss is gone.")
            if found is None:
                of = {"guild_id": home.guild_id, "maker_id": home.user_id}
                await conn.add("bosses", **of, picture=picture, **_columns(boss))
            else:
                expect_maker(found, home, referee=referee)
                await _update(conn, found, boss, picture)
                if _strength(found.boss) != _strength(boss) and await _forget_records(conn, found):
                    lost.append(found.boss.name)
        count = await conn.fetch_value(int, _COUNT, home) or 0
        if count > MAX_BOSSES:
            raise RuleError(f"That makes {count} bosses here; at most {MAX_BOSSES} fit. Delete one in /boss list.")
        if lost and not forget:
            raise RecordsLostError(lost)

    @in_transaction
    async def delete(self, conn: Connection, home: Home, forged: ForgedBoss, *, referee: bool) -> None:
        """Delete a boss and its records; RuleError unless the user may."""
        expect_maker(forged, home, referee=referee)
        await conn.drop("bosses", id=forged.id)
        await _forget_records(conn, forged)


async def _fetch(source: Statements, where: str, parameters: Parameters) -> list[ForgedBoss]:
    found = []
    for row in await source.fetch_all(f"{_SELECT} {where}", parameters):
        texts = {"name": row["name"], **json.loads(row["figures"]), **json.loads(row["words"])}
        found.append(ForgedBoss(row["id"], row["guild_id"], row["maker_id"], Boss.model_validate(texts)))
    return found


async def _named(source: Statements, home: Home, name: str) -> ForgedBoss | None:
    return next(iter(await _fetch(source, f"WHERE {_AT_HOME} AND name_key = ?3", [*home, name_key(name)])), None)


async def _update(conn: Connection, found: ForgedBoss, boss: Boss, picture: bytes | None) -> None:
    drawn = {} if picture is None else {"picture": picture}
    try:
        await conn.change("bosses", {"id": found.id}, **_columns(boss), **drawn)
    except ConstraintError:
        raise RuleError(f"Another boss is called {boss.name} already.") from None


async def _forget_records(conn: Connection, forged: ForgedBoss) -> int:
    """Delete the records against a boss, and return how many there were."""
    return await conn.drop("boss_records", guild_id=forged.guild_id, boss_key=name_key(forged.boss.name))


def expect_maker(forged: ForgedBoss, home: Home, *, referee: bool) -> None:
    """Raise RuleError unless the boss is the user's own, or they are a referee here."""
    if forged.maker_id != home.user_id and not referee:
        raise RuleError(f"Only {forged.boss.name}'s maker or a mod can change it.")


def _strength(boss: Boss) -> tuple[str, Boss]:
    """Return everything that a record depends on: the name's key, and the boss without its words."""
    return name_key(boss.name), boss.model_copy(update={"name": "", **dict.fromkeys(MOMENTS)})


def _columns(boss: Boss) -> dict[str, Value]:
    figures = boss.model_dump(mode="json", exclude={"name", *MOMENTS})
    words = boss.model_dump(mode="json", include=set(map(str, MOMENTS)))
    named = {"name": boss.name, "name_key": name_key(boss.name)}
    return {**named, "figures": canonical(figures), "words": canonical(words)}


Figure = Literal["score", "damage"]

Ranking = Sequence[tuple[int, str]]
"""People by their ids, each with a figure as it is stored, the best first."""


class Board(NamedTuple):
    """What records are comparable: a boss by its name, what its health was multiplied by, and whether tokens rested."""

    boss: str
    times: int
    hands: bool


class BossRecordRepository(Repository):
    """The records, which are written with the last step of a fight."""

    async def bosses(self, guild_id: int) -> list[Board]:
        """Return the bosses with records, in either edition."""
        rows = await self._db.fetch_all(
            "SELECT max(boss) AS boss, times, hands FROM boss_records WHERE guild_id = ?"
            " GROUP BY boss_key, times, hands ORDER BY hands DESC, boss_key, times",
            [guild_id],
        )
        return [Board(row["boss"], row["times"], bool(row["hands"])) for row in rows]

    async def best(self, guild_id: int, board: Board, by: Figure, most: int = MAX_LISTED) -> Ranking:
        """Return who did best; 0 is no record."""
        rows = await self._db.fetch_all(
            f"SELECT user_id, {by} FROM boss_records WHERE guild_id = ? AND boss_key = ? AND times = ? AND hands = ?"  # noqa: S608  # one of two names
            f" AND {by}_rank > 0 ORDER BY {by}_rank DESC, user_id LIMIT ?",
            [guild_id, name_key(board.boss), board.times, int(board.hands), most],
        )
        return [(row["user_id"], row[by]) for row in rows]


async def write_records(
    conn: Connection, guild_id: int, board: Board, entries: Iterable[tuple[int, Fraction, Fraction]]
) -> None:
    """Store the results of a fight in the transaction of its last step, keeping the best of each player.

    `entries`: each player with the best score of an exchange, and the total damage to the boss.
    """
    place = guild_id, name_key(board.boss), board.times, int(board.hands)
    await conn.execute_many(
        "INSERT INTO boss_records AS was"
        " (guild_id, boss_key, times, hands, user_id, boss, score, score_rank, damage, damage_rank, fights)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1) ON CONFLICT (guild_id, boss_key, times, hands, user_id)"
        " DO UPDATE SET boss = excluded.boss, fights = was.fights + 1,"
        " score = iif(excluded.score_rank > was.score_rank, excluded.score, was.score),"
        " score_rank = iif(excluded.score_rank > was.score_rank, excluded.score_rank, was.score_rank),"
        " damage = iif(excluded.damage_rank > was.damage_rank, excluded.damage, was.damage),"
        " damage_rank = iif(excluded.damage_rank > was.damage_rank, excluded.damage_rank, was.damage_rank)",
        [
            (*place, user_id, board.boss, short(score), float(score), short(damage), float(damage))
            for user_id, score, damage in entries
        ],
    )
