"""Copies of the database: made while it is in use, and put in its place."""

import asyncio
import errno
import sqlite3
import threading
from contextlib import closing
from itertools import count
from pathlib import Path
from unittest.mock import Mock

import pytest

from bot.store import DiskFullError, StoreError, copies
from bot.store.copies import copy_unused, restore
from bot.store.database import Connection, Database
from bot.store.migrate import Migration, Schema, inspect
from tests.bot.store.databases import TABLE, database, insert, kept, names, open_database
from tests.sim.workers.waiting import LONG

LARGE = 400
"""Rows of 20 kB: 8 MB, more than thirty steps."""
HALF = 15
PIG = Schema((Migration(1, "pig", "CREATE TABLE pig (id INTEGER) STRICT;"),), "pig")


async def fill(db: Database) -> None:
    async def body(conn: Connection) -> None:
        await conn.execute("CREATE TABLE large (id INTEGER PRIMARY KEY, text TEXT) STRICT")
        await conn.execute_many("INSERT INTO large (text) VALUES (?)", [["x" * 20_000]] * LARGE)

    await db.write(body)


async def put(db: Database, number: int) -> None:
    await db.write(lambda conn: insert(conn, number))


class Halt:
    """Stops a copy after half of its steps."""

    def __init__(self) -> None:
        self._steps = count(1)
        self._is_half, self._may_go_on = threading.Event(), threading.Event()

    def sleep(self, _seconds: float) -> None:
        """Pause after a step."""
        if next(self._steps) == HALF:
            self._is_half.set()
            assert self._may_go_on.wait(LONG)

    async def reached(self) -> None:
        """Wait until half is copied."""
        assert await asyncio.to_thread(self._is_half.wait, LONG)

    def lift(self) -> None:
        """Let the copy go on."""
        self._may_go_on.set()


@pytest.fixture
def halt(monkeypatch: pytest.MonkeyPatch) -> Halt:
    made = Halt()
    monkeypatch.setattr(copies, "time", made)
    return made


def numbers_in(file: Path) -> list[int]:
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as conn:
        assert conn.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return [row[0] for row in conn.execute("SELECT number FROM numbers ORDER BY number")]


async def test_others_write_while_a_copy_is_made_and_it_has_all_that_was_there_before(
    numbers: Database, tmp_path: Path, halt: Halt
) -> None:
    await fill(numbers)
    await put(numbers, 0)
    copying_it = asyncio.create_task(numbers.copy_to(tmp_path / "copy.db"))
    await halt.reached()
    for written in count(1):
        await put(numbers, written)
        if written == 5:
            halt.lift()
        if copying_it.done():
            break
    await copying_it
    found = numbers_in(tmp_path / "copy.db")
    assert found == list(range(len(found))), "a state that there was: nothing between is missing"
    assert 0 in found


async def test_a_copy_is_one_private_file_that_anyone_can_read_without_writing(
    numbers: Database, tmp_path: Path
) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    await put(numbers, 7)
    (folder / "copy.db.part").write_text("what a killed copy left")
    found = await numbers.copy_to(folder / "copy.db")
    assert names(folder) == ["copy.db"]
    assert (folder / "copy.db").stat().st_mode & 0o777 == 0o600
    assert found == inspect(folder / "copy.db")
    assert numbers_in(folder / "copy.db") == [7]
    assert names(folder) == ["copy.db"]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("mine.db", r"exists already"),
        ("nowhere/copy.db", r"copy\.db can't be written \(No such file or directory\)\.$"),
    ],
)
async def test_where_no_copy_can_be_made(numbers: Database, tmp_path: Path, name: str, sentence: str) -> None:
    write(tmp_path / "mine.db", b"mine")
    with pytest.raises(StoreError, match=sentence):
        await numbers.copy_to(tmp_path / name)
    assert (tmp_path / "mine.db").read_bytes() == b"mine"


@pytest.mark.parametrize(
    ("step", "error", "kind", "sentence"),
    [
        (
            "put_in_place",
            OSError(errno.ENOSPC, "No space"),
            DiskFullError,
            r"copy\.db can't be written: its disk is full\.$",
        ),
        ("contents", StoreError("damaged"), StoreError, "damaged"),
    ],
)
async def test_a_copy_that_fails_gets_no_name(
    numbers: Database,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
    error: Exception,
    kind: type[Exception],
    sentence: str,
) -> None:
    monkeypatch.setattr(copies, step, Mock(side_effect=error))
    with pytest.raises(kind, match=sentence):
        await numbers.copy_to(tmp_path / "copy.db")
    assert not any("copy" in name for name in names(tmp_path))


@pytest.mark.parametrize("end", ["close", "cancel"])
async def test_a_copy_ends_when_the_bot_does(
    numbers: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    monkeypatch.setattr(copies, "PAUSE_SECONDS", 0.05)
    monkeypatch.setattr(copies, "STEP_PAGES", 1)
    await fill(numbers)
    copying_it = asyncio.create_task(numbers.copy_to(tmp_path / "copy.db"))
    await asyncio.sleep(0.1)
    async with asyncio.timeout(LONG / 2):  # the whole copy would take longer
        if end == "close":
            await numbers.close()
            with pytest.raises(StoreError, match="closed"):
                await copying_it
        else:
            copying_it.cancel()
            with pytest.raises(asyncio.CancelledError):
                await copying_it
    assert not any("copy" in name for name in names(tmp_path))


async def test_the_versions_in_a_copy(path: Path, tmp_path: Path) -> None:
    async with database(path, [*TABLE, PIG]) as db:
        await db.copy_to(tmp_path / "copy.db")
    found = inspect(tmp_path / "copy.db")
    assert (found.version, found.games) == (1, {"pig": 1})
    assert await copy_unused(path, tmp_path / "unused.db") == found, "also where no bot runs"
    assert names(tmp_path) == ["copy.db", path.name, "unused.db"]
    found.expect_not_newer(tmp_path / "copy.db", [*TABLE, PIG])
    found.expect_not_newer(tmp_path / "copy.db", TABLE)  # a game may have been removed
    with pytest.raises(StoreError, match="by a newer version of Fracas"):
        found.expect_not_newer(tmp_path / "copy.db", [Schema(())])
    with pytest.raises(StoreError, match="by a newer version of the game pig"):
        found.expect_not_newer(tmp_path / "copy.db", [*TABLE, Schema((), "pig")])


async def made(file: Path, *numbers: int) -> Path:
    """Make a database that holds these numbers."""
    async with database(file, TABLE) as db:
        await db.write(lambda conn: conn.execute_many("INSERT INTO numbers VALUES (?)", [[each] for each in numbers]))
    return file


async def held(file: Path) -> set[int]:
    async with database(file, TABLE) as db:
        return await kept(db)


def write(file: Path, data: bytes) -> None:
    file.write_bytes(data)


def remove(file: Path) -> None:
    file.unlink()


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    (tmp_path / "backups").mkdir()
    return tmp_path / "backups" / "1.db"


async def test_a_backup_takes_the_place_of_the_database_which_is_kept(path: Path, backup: Path) -> None:
    await made(backup, 1)
    await made(path, 1, 2)
    found, before = await restore(backup, path, TABLE)
    assert await held(path) == {1}
    assert found.version == 1
    assert before is not None
    assert await held(before) == {1, 2}
    # SQLite's own log of what `held` opened stays there now and then; the next who opens takes it.
    logs = {f"{path.name}{end}" for end in ("-wal", "-shm")}
    assert {*names(path.parent)} - logs == {path.name, before.name, "backups"}
    assert names(backup.parent) == [backup.name], "the backup stays as it is, and alone"


async def test_a_log_that_a_killed_bot_left_goes_with_its_database(path: Path, backup: Path) -> None:
    """Beside the next database it would corrupt that one."""
    await made(backup, 1)
    await made(path, 1)
    with closing(sqlite3.connect(path, isolation_level=None)) as killed:
        killed.execute("PRAGMA wal_autocheckpoint = 0")
        killed.execute("INSERT INTO numbers VALUES (2)")
        for end in ("", "-wal", "-shm"):
            file = path.with_name(path.name + end)
            file.with_name(f"killed{end}").write_bytes(file.read_bytes())
    for end in ("", "-wal", "-shm"):
        path.with_name(f"killed{end}").rename(path.with_name(path.name + end))
    _, before = await restore(backup, path, TABLE)
    assert before is not None
    assert names(path.parent) == ["backups", path.name, before.name, f"{before.name}-wal"]
    assert await held(path) == {1}
    assert await held(before) == {1, 2}, "with what stands in its log"


async def test_a_raw_copy_with_its_log_is_a_backup_too(path: Path, backup: Path) -> None:
    await made(path, 1)
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("INSERT INTO numbers VALUES (2)")
        for end in ("", "-wal"):
            backup.with_name(backup.name + end).write_bytes(path.with_name(path.name + end).read_bytes())
    remove(path)
    assert (await restore(backup, path, TABLE))[1] is None
    assert await held(path) == {1, 2}


async def test_a_running_bot_keeps_its_database(path: Path, backup: Path) -> None:
    await made(backup, 1)
    async with database(path, TABLE) as db:
        with pytest.raises(StoreError, match="in use by another Fracas"):
            await restore(backup, path, TABLE)
        await put(db, 5)
        assert await kept(db) == {5}


NEWER = Schema((*TABLE[0].migrations, Migration(2, "more", "CREATE TABLE more (id INTEGER) STRICT;")))
UNRESTORABLE = {
    "text": "is no database, or is damaged",
    "other": "is no database of Fracas",
    "damaged": "is damaged",
    "quoted": "is no database, or is damaged",
    "newer": "was written by a newer version of Fracas",
    "game": "was written by a newer version of the game pig",
    "none": "No such file",
    "itself": "is the database itself",
}


@pytest.mark.parametrize("fault", UNRESTORABLE)
async def test_what_can_not_be_restored_changes_nothing(path: Path, backup: Path, fault: str) -> None:
    await made(path, 1, 2)
    match fault:
        case "text":
            write(backup, b"I am no database, however long I may be. " * 100)
        case "other":
            with closing(sqlite3.connect(backup)) as other:
                other.execute("CREATE TABLE numbers (number INTEGER)")
        case "damaged":
            data = bytearray((await made(backup, *range(2000))).read_bytes())
            data[8192:12288] = b"?" * 4096
            write(backup, bytes(data))
        case "quoted":  # SQLite quotes what is damaged, bytes that are no text
            write(backup, (await made(backup)).read_bytes().replace(b"CREATE TABLE", b"CR\xc5ATE TABLE", 1))
        case "newer" | "game":
            await (await open_database(backup, [NEWER] if fault == "newer" else [*TABLE, PIG])).close()
    with pytest.raises(StoreError, match=UNRESTORABLE[fault]):
        await restore(path if fault == "itself" else backup, path, [*TABLE, Schema((), "pig")])
    assert names(path.parent) == ["backups", path.name]
    assert await held(path) == {1, 2}
