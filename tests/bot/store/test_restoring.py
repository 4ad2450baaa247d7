"""A backup in the place of the database."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.store.copies import MigrationCopies, Restored, restore
from bot.store.database import Connection
from bot.store.errors import StoreError
from bot.store.migrate import Migration, Schema
from tests.bot.store.databases import TABLE, insert, kept, open_database

PIG = Schema((Migration(1, "pig", "CREATE TABLE pig (id INTEGER) STRICT;"),), "pig")


async def made(file: Path, *numbers: int) -> Path:
    """Make a database that holds these numbers."""
    db = await open_database(file, TABLE)

    async def body(conn: Connection) -> None:
        for number in numbers:
            await insert(conn, number)

    await db.write(body)
    await db.close()
    return file


async def held(file: Path) -> set[int]:
    db = await open_database(file, TABLE)
    try:
        return await kept(db)
    finally:
        await db.close()


def write(file: Path, data: bytes) -> None:
    file.write_bytes(data)


def remove(file: Path) -> None:
    file.unlink()


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


async def restored(backup: Path, path: Path) -> Restored:
    return await restore(backup, path, TABLE)


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    (tmp_path / "backups").mkdir()
    return tmp_path / "backups" / "1.db"


async def test_a_backup_takes_the_place_of_the_database_which_is_kept(path: Path, backup: Path) -> None:
    await made(backup, 1)
    await made(path, 1, 2)
    done = await restored(backup, path)
    assert await held(path) == {1}
    assert done.contents.version == 1
    assert done.kept is not None
    assert await held(done.kept) == {1, 2}
    assert names(path.parent) == {path.name, done.kept.name, "backups"}
    assert names(backup.parent) == {backup.name}, "the backup stays as it is, and alone"


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
    done = await restored(backup, path)
    assert done.kept is not None
    assert names(path.parent) == {path.name, done.kept.name, f"{done.kept.name}-wal", "backups"}
    assert await held(path) == {1}
    assert await held(done.kept) == {1, 2}, "with what stands in its log"


async def test_a_raw_copy_with_its_log_is_a_backup_too(path: Path, backup: Path) -> None:
    await made(path, 1)
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("INSERT INTO numbers VALUES (2)")
        for end in ("", "-wal"):
            backup.with_name(backup.name + end).write_bytes(path.with_name(path.name + end).read_bytes())
    remove(path)
    assert (await restored(backup, path)).kept is None
    assert await held(path) == {1, 2}


async def test_where_there_was_no_database_there_is_one(path: Path, backup: Path) -> None:
    await made(backup, 3)
    assert (await restored(backup, path)).kept is None
    assert await held(path) == {3}


async def test_a_running_bot_keeps_its_database(path: Path, backup: Path) -> None:
    await made(backup, 1)
    db = await open_database(path, TABLE)
    with pytest.raises(StoreError, match="in use by another Fracas"):
        await restored(backup, path)
    await db.write(lambda conn: insert(conn, 5))
    assert await kept(db) == {5}
    await db.close()


@pytest.mark.parametrize("fault", ["text", "other", "damaged", "newer", "game", "none", "itself"])
async def test_what_can_not_be_restored_changes_nothing(path: Path, backup: Path, fault: str) -> None:
    await made(path, 1, 2)
    newer = Schema((*TABLE[0].migrations, Migration(2, "more", "CREATE TABLE more (id INTEGER) STRICT;")))
    source = path if fault == "itself" else backup
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
        case "newer":
            await (await open_database(backup, [newer])).close()
        case "game":
            await (await open_database(backup, [*TABLE, PIG])).close()
    says = {
        "text": "is no database, or is damaged",
        "other": "is no database of Fracas",
        "damaged": "is damaged",
        "newer": "was written by a newer version of Fracas",
        "game": "was written by a newer version of the game pig",
        "none": "No such file",
        "itself": "is the database itself",
    }
    with pytest.raises(StoreError, match=says[fault]):
        await restore(source, path, [*TABLE, Schema((), "pig")])
    assert names(path.parent) == {path.name, "backups"}
    assert await held(path) == {1, 2}


async def test_what_was_replaced_goes_after_its_days(path: Path, backup: Path) -> None:
    """It holds what was deleted since."""
    await made(backup, 1)
    await made(path, 2)
    done = await restored(backup, path)
    assert done.kept is not None
    made_at = done.kept.stat().st_mtime
    assert await MigrationCopies(path, 7, lambda: made_at + 6.9 * 86400).forget_old() == 0
    assert await MigrationCopies(path, 7, lambda: made_at + 7.1 * 86400).forget_old() == 1
    assert names(path.parent) == {path.name, "backups"}
