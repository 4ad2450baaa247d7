import asyncio
import os
import random
import sqlite3
from pathlib import Path

import aiosqlite
import pytest

from bot.store.database import Connection, Database
from bot.store.errors import StoreError
from bot.store.sqlite import SqliteDatabase
from tests.bot.store.databases import TABLE, insert, kept, only_sqlite, open_database

READ_ONLY = "The database {path} can't be written to; it and its directory must be open to reading and writing."


def contents(path: Path) -> bytes:
    return path.read_bytes()


def allow(path: Path, mode: int) -> None:
    path.chmod(mode)


async def pragma(db: Database, name: str) -> object:
    row = await db.fetch_one(f"PRAGMA {name}")
    assert row is not None
    return row[0]


@pytest.mark.parametrize(
    ("name", "value"),
    [("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1), ("busy_timeout", 5000)],
)
@only_sqlite
async def test_the_connection_is_set_up(db: Database, name: str, value: object) -> None:
    assert await pragma(db, name) == value


async def test_in_memory() -> None:
    db = await open_database(":memory:", TABLE)
    assert await pragma(db, "journal_mode") == "memory"
    await db.write(lambda conn: insert(conn, 1))
    assert await kept(db) == {1}
    await db.close()


async def test_a_write_returns_what_its_body_returns(numbers: SqliteDatabase) -> None:
    async def body(conn: Connection) -> str:
        assert numbers._conn.in_transaction
        await insert(conn, 1)
        return "done"

    assert await numbers.write(body) == "done"
    assert not numbers._conn.in_transaction


async def test_rows_survive_a_restart(path: Path, numbers: SqliteDatabase) -> None:
    await numbers.write(lambda conn: insert(conn, 1))
    await numbers.close()
    again = await open_database(path, TABLE)
    assert await kept(again) == {1}
    await again.close()


async def test_fetch_one(numbers: SqliteDatabase) -> None:
    assert await numbers.fetch_one("SELECT number FROM numbers") is None
    await numbers.write(lambda conn: insert(conn, 7))
    row = await numbers.fetch_one("SELECT number FROM numbers WHERE number = ?", [7])
    assert row is not None
    assert row["number"] == 7
    assert await numbers.answers()


async def refusal(path: Path | str) -> str:
    with pytest.raises(StoreError) as caught:
        await open_database(path, TABLE)
    return str(caught.value)


async def test_a_missing_directory(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "fracas.db"
    assert await refusal(path) == f"The database {path} can't be made: the directory {path.parent} does not exist."
    assert not path.parent.exists()


async def test_a_directory(tmp_path: Path) -> None:
    assert await refusal(tmp_path) == f"The database {tmp_path} is a directory."


async def test_an_impossible_name() -> None:
    assert await refusal("a\0b") == "The name of a database can't hold a zero character."


async def test_a_file_that_is_no_database(path: Path) -> None:
    text = b"an army list, not a database\n" * 100
    await asyncio.to_thread(path.write_bytes, text)
    sentence = (
        f"The database {path} is not a database, or is damaged: restore a backup (.docs/operate.md, "
        '"Back up and restore").'
    )
    assert await refusal(path) == sentence
    assert contents(path) == text


async def test_another_programs_database(path: Path) -> None:
    with sqlite3.connect(path) as conn:
        conn.execute("CREATE TABLE theirs (x)")
        conn.execute("PRAGMA user_version = 1")
    conn.close()
    before = contents(path)
    assert await refusal(path) == f"The database {path} belongs to another program."
    assert contents(path) == before


async def test_a_file_in_use(path: Path, numbers: SqliteDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    await numbers.close()
    monkeypatch.setattr("bot.store.connecting.BUSY_MS", 1)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        assert await refusal(path) == f"The database {path} is in use by another program."
    finally:
        holder.close()


async def test_a_file_that_can_only_be_read(
    path: Path, numbers: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    await numbers.close()
    connect = aiosqlite.connect

    def read_only(path: Path, *, isolation_level: None, check_same_thread: bool) -> aiosqlite.Connection:
        uri = f"file:{path}?mode=ro"
        return connect(uri, uri=True, isolation_level=isolation_level, check_same_thread=check_same_thread)

    monkeypatch.setattr(aiosqlite, "connect", read_only)
    assert await refusal(path) == READ_ONLY.format(path=path)


async def test_rights_that_are_missing(path: Path, numbers: SqliteDatabase) -> None:
    await numbers.close()
    allow(path, 0o400)
    if os.access(path, os.W_OK):
        pytest.skip("this user may write everywhere")
    assert await refusal(path) == READ_ONLY.format(path=path)
    allow(path, 0o600)
    allow(path.parent, 0o500)
    try:
        assert await refusal(path) == READ_ONLY.format(path=path)
        assert "can't be opened" in await refusal(path.with_name("new.db"))
    finally:
        allow(path.parent, 0o700)


async def test_opening_cancelled_at_any_moment_leaves_no_connection(path: Path) -> None:
    """The thread fixture looks for the connections."""
    choose = random.Random(20261120)
    opened = 0
    for _ in range(100):
        task = asyncio.create_task(open_database(path, TABLE))
        await asyncio.sleep(choose.choice((0, 0.0005, 0.001, 0.002, 0.01)))
        task.cancel()
        (result,) = await asyncio.gather(task, return_exceptions=True)
        if isinstance(result, Database):
            opened += 1
            await result.close()
    assert opened < 100
    db = await open_database(path, TABLE)
    assert await kept(db) == set()
    await db.close()
