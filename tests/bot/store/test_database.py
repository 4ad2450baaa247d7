"""A database of one table: how it is opened and refused, and its transactions."""

import asyncio
import os
import random
import sqlite3
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import aiosqlite
import pytest

from bot.store import StoreError
from bot.store.database import Connection, Database
from bot.store.sqlite import SqliteDatabase
from tests.bot.store.databases import TABLE, database, insert, kept, open_database, refusal

READ_ONLY = "The database {path} can't be written to; it and its directory must be open to reading and writing."


def contents(path: Path) -> bytes:
    return path.read_bytes()


async def test_a_read_that_takes_long_ends_before_the_database_is_closed(tmp_path: Path) -> None:
    db = await open_database(tmp_path / "test.db", TABLE)
    long = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT max(i) FROM n"
    reading = asyncio.create_task(db.fetch_all(long))
    await asyncio.sleep(0)
    await db.close()
    assert [row[0] for row in await reading] == [300_000]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("nowhere/fracas.db", "The database {path} can't be made: the directory {path.parent} does not exist."),
        (".", "The database {path} is a directory."),
        ("a\0b", "The name of a database can't hold a zero character."),
    ],
)
async def test_no_place_for_a_database(tmp_path: Path, name: str, sentence: str) -> None:
    path = tmp_path / name
    assert await refusal(path) == sentence.format(path=path)
    assert await asyncio.to_thread(os.listdir, tmp_path) == []


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
    async with database(path, TABLE) as db:
        assert await kept(db) == set()


class Held:
    """The body of a transaction that writes 1 and then waits until it may go on, to write 2 or to raise an error."""

    def __init__(self, error: Exception | None = None) -> None:
        self.began, self.go_on = asyncio.Event(), asyncio.Event()
        self._error = error

    async def __call__(self, conn: Connection) -> None:
        await insert(conn, 1)
        self.began.set()
        await self.go_on.wait()
        if self._error is not None:
            raise self._error
        await insert(conn, 2)


async def test_nobody_reads_what_is_rolled_back_and_a_cancelled_caller_learns_why(numbers: SqliteDatabase) -> None:
    held = Held(KeyError("mine"))
    caller = asyncio.create_task(numbers.write(held))
    await held.began.wait()
    assert await kept(numbers) == set()
    caller.cancel()
    held.go_on.set()
    with pytest.raises(asyncio.CancelledError) as caught:
        await caller
    assert isinstance(caught.value.__cause__, KeyError)
    await numbers.write(lambda conn: insert(conn, 2))
    assert await kept(numbers) == {2}


async def test_who_reads_waits_for_nobody_who_writes_and_changes_nothing(numbers: SqliteDatabase) -> None:
    await numbers.write(lambda conn: insert(conn, 1))

    async def body(conn: Connection) -> None:
        await insert(conn, 2)
        read.set_result(await asyncio.create_task(kept(numbers)))

    read: asyncio.Future[set[int]] = asyncio.get_running_loop().create_future()
    await numbers.write(body)
    assert await read == {1}
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        await numbers.fetch_all("WITH a AS (SELECT 3) INSERT INTO numbers SELECT * FROM a")
    assert await kept(numbers) == {1, 2}


@pytest.mark.parametrize("moment", ["begin", "first insert", "second insert", "commit"])
async def test_a_transaction_cancelled_half_way_runs_to_its_end(
    numbers: SqliteDatabase, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """The caller is cancelled while one of the statements is under way."""
    statements = iter(["begin", "first insert", "second insert", "commit"])
    execute: Callable[..., Awaitable[object]] = numbers._conn._execute

    async def cancel_meanwhile(*args: object) -> object:
        if next(statements, None) == moment:
            for _ in range(3):
                caller.cancel()
                await asyncio.sleep(0)  # without a shield, it is here that the transaction would break off
                assert not caller.done()
        return await execute(*args)

    async def body(conn: Connection) -> None:
        await insert(conn, 1)
        await insert(conn, 2)

    with monkeypatch.context() as patch:
        patch.setattr(numbers._conn, "_execute", cancel_meanwhile)
        caller = asyncio.create_task(numbers.write(body))
        with pytest.raises(asyncio.CancelledError):
            await caller
    assert not numbers._conn.in_transaction
    assert await kept(numbers) == {1, 2}
    await numbers.write(lambda conn: insert(conn, 3))
    assert await kept(numbers) == {1, 2, 3}


@pytest.mark.torture
async def test_readers_cancelled_at_any_moment_leave_nothing_open(numbers: SqliteDatabase) -> None:
    choose = random.Random(20261120)
    await numbers.write(lambda conn: insert(conn, 0))
    for number in range(1, 300):
        reader = asyncio.create_task(kept(numbers))
        await asyncio.sleep(choose.choice((0, 0, 0.0001)))
        reader.cancel()
        await numbers.write(partial(insert, number=number))
        await asyncio.gather(reader, return_exceptions=True)
    assert await kept(numbers) == set(range(300))


def test_the_end_of_the_loop_leaves_no_transaction(path: Path) -> None:
    """asyncio.run cancels every task, the shielded ones too."""

    async def main() -> None:
        held = Held()

        async def host() -> None:
            async with database(path, TABLE) as db:
                await db.write(held)

        task = asyncio.create_task(host())
        await held.began.wait()
        assert not task.done()

    asyncio.run(main())
    with sqlite3.connect(path) as conn:
        assert conn.execute("SELECT count(*) FROM numbers").fetchone() == (0,)
    conn.close()


async def test_a_write_inside_a_write_is_refused_instead_of_waiting_for_ever(numbers: SqliteDatabase) -> None:
    async def body(conn: Connection) -> None:
        await insert(conn, 1)
        await kept(numbers)

    with pytest.raises(RuntimeError, match="only its own connection"):
        await numbers.write(body)
    assert await kept(numbers) == set()


async def test_close_waits_for_the_transaction_and_may_be_called_twice(path: Path, numbers: SqliteDatabase) -> None:
    held = Held()
    writer = asyncio.create_task(numbers.write(held))
    await held.began.wait()
    closers = [asyncio.create_task(numbers.close()) for _ in range(2)]
    await asyncio.sleep(0)
    for closer in closers:
        closer.cancel()  # which comes too late to keep it from closing
    held.go_on.set()
    await writer
    for closer in closers:
        with pytest.raises(asyncio.CancelledError):
            await closer
    with pytest.raises(StoreError, match="is closed"):
        await kept(numbers)
    with pytest.raises(StoreError, match="is closed"):
        await numbers.write(lambda conn: insert(conn, 3))
    async with database(path, TABLE) as again:
        assert await kept(again) == {1, 2}
