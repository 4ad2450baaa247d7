"""A database is copied to another engine, whole, or not at all."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.config import Server
from bot.scale.moving import VERSIONS, move
from bot.store import OWN_WORK
from bot.store.battles.repository import BattleRepository
from bot.store.database import Connection, Database
from bot.store.errors import StoreError
from bot.store.queries import RecentTextRepository
from tests.bot.store.databases import open_database
from tests.bot.store.rows import fill
from tests.bot.store.servers import database_of
from tests.bot.store.toy import advance, expect_sound, opened

ALICE, BOB, HERE, THERE = 1 << 60, (1 << 60) + 1, 1 << 59, (1 << 59) + 1


@pytest.fixture
async def other(engine: Path | Server, server: Server, tmp_path: Path, migrated_file: bytes) -> AsyncIterator[Database]:
    """Return an empty database of the other engine."""
    async with database_of(server) as empty:
        file = tmp_path / "other.db"
        file.write_bytes(migrated_file)
        place = empty if isinstance(engine, Path) else file
        opened_other = await open_database(place)
        yield opened_other
        await opened_other.close()


async def contents(db: Database) -> dict[str, list[str]]:
    """Return the rows of every table, in no order."""
    tables = {table: ", ".join(sorted(columns)) for table, columns in (await db.tables()).items() if table != VERSIONS}
    return {
        table: sorted(repr(tuple(row)) for row in await db.fetch_all(f"SELECT {columns} FROM {table}"))  # noqa: S608
        for table, columns in tables.items()
    }


async def test_every_row_arrives(db: Database, other: Database) -> None:
    await fill(db, (ALICE, HERE), (BOB, THERE), first=50)
    battles = BattleRepository(db)
    battle = await advance(battles, await opened(battles, channel=500, attacker=1), 7, actor=1)
    rows = await move(db, other)
    before, after = await contents(db), await contents(other)
    assert after == before
    assert rows == {table: len(found) for table, found in before.items()}
    assert all(rows.values())
    assert await BattleRepository(other).get(battle.id, OWN_WORK) == battle
    await expect_sound(BattleRepository(other), battle.id)


async def test_what_is_new_there_has_a_number_of_its_own(db: Database, other: Database) -> None:
    """Numbers of rows that are gone aren't given again either: buttons of old messages name them."""
    battles = BattleRepository(db)
    for _ in range(2):
        last = await opened(battles)

    async def forget(conn: Connection) -> None:
        await conn.execute("DELETE FROM battles WHERE id = ?", [last.id])

    await db.write(forget)
    await RecentTextRepository(db).remember(1, "aa", "first")
    await move(db, other)
    assert (await opened(BattleRepository(other))).id == last.id + 1
    await RecentTextRepository(other).remember(1, "aa", "second")
    assert await RecentTextRepository(other).list(1, "aa") == ["second", "first"]


async def test_a_database_with_rows_stays_as_it_is(db: Database, other: Database) -> None:
    await opened(BattleRepository(db))
    await RecentTextRepository(other).remember(1, "aa", "mine")
    before = await contents(other)
    with pytest.raises(StoreError, match="There are rows in the target's table recent_texts"):
        await move(db, other)
    assert await contents(other) == before


async def test_a_copy_that_differs_is_undone(db: Database, other: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    await fill(db, (ALICE, HERE))
    empty = await contents(other)
    count_on = type(other).count_on

    async def damage(self: Database, conn: Connection, counters: dict[str, int]) -> None:
        await count_on(self, conn, counters)
        await conn.execute("UPDATE scores SET points = points + 1")

    monkeypatch.setattr(type(other), "count_on", damage)
    with pytest.raises(StoreError, match=r"^The copy differs in the table scores; nothing was copied\.$"):
        await move(db, other)
    assert await contents(other) == empty


async def test_a_table_that_nobody_knows_there_is_not_left_behind(db: Database, other: Database) -> None:
    async def make(conn: Connection) -> None:
        await conn.execute("CREATE TABLE pig_wins (wins INTEGER)")

    await db.write(make)
    with pytest.raises(StoreError, match="No installed game knows the tables pig_wins"):
        await move(db, other)
