"""What was deleted stands in no file any more: not in free space, not in the log, not in old copies."""

import asyncio
import os
import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.store import copies, remains
from bot.store.battles.repository import BattleRepository
from bot.store.copies import DAY, MigrationCopies
from bot.store.database import Database
from bot.store.guilds import KEPT_SECONDS, GuildRepository
from bot.store.personal_data import PersonalDataRepository
from bot.store.queries import QueryRepository, RecentTextRepository
from tests.bot.store.conftest import Clock
from tests.bot.store.databases import only_sqlite, open_database
from tests.bot.store.test_copies import Halt
from tests.bot.store.toy import opened

PEOPLE = [(1 << 59) + number * 0x123456789AB for number in range(50)]
GUILDS = [(1 << 58) + number * 0x7654321 for number in range(4)]
ALICE, HERE = PEOPLE[7], GUILDS[1]
GONE = PEOPLE[1::2]


def words_of(user_id: int) -> str:
    """Return what only this person types."""
    return f"army of {user_id:x}"


def in_guild(guild_id: int) -> str:
    return f"fought in {guild_id:x}"


def traces(folder: Path, *, ids: tuple[int, ...], texts: tuple[str, ...]) -> list[str]:
    """Return the files that hold an id, as digits or as SQLite stores it, or a text."""
    needles = [*map(str.encode, map(str, ids)), *(each.to_bytes(8, "big") for each in ids), *map(str.encode, texts)]
    files = [file for file in sorted(folder.iterdir()) if not file.name.endswith("-shm")]
    return [file.name for file in files if any(needle in file.read_bytes() for needle in needles)]


async def of_alice(path: Path) -> list[str]:
    return await asyncio.to_thread(traces, path.parent, ids=(ALICE,), texts=(words_of(ALICE),))


async def of_gone(path: Path) -> list[str]:
    return await asyncio.to_thread(traces, path.parent, ids=tuple(GONE), texts=tuple(map(words_of, GONE)))


async def of_here(path: Path) -> list[str]:
    return await asyncio.to_thread(traces, path.parent, ids=(HERE,), texts=(in_guild(HERE),))


@pytest.fixture
async def busy(db: Database, clock: Clock) -> Database:
    """Let many people type and fight, in an order that splits pages again and again."""
    await db.fetch_all("PRAGMA synchronous = OFF")
    choose = random.Random(20261120)
    queries, texts, battles = QueryRepository(db, clock), RecentTextRepository(db), BattleRepository(db, clock)
    for number in range(1_000):
        user, guild = choose.choice(PEOPLE), choose.choice(GUILDS)
        typed = f"{words_of(user)} {in_guild(guild)} {'x' * choose.randrange(300)}"
        for kind in ("aa", "need"):
            await texts.remember(user, kind, f"{words_of(user)} {'y' * choose.randrange(300)} {number}")
        if number % 5 == 0:
            await queries.add("aa", user, guild, f'{{"text": "{typed}"}}')
            await opened(battles, channel=number, guild=guild, starter=user, attacker=user)
    return db


@only_sqlite
async def test_nobody_leaves_a_trace(path: Path, busy: Database, personal_data: PersonalDataRepository) -> None:
    """SQLite alone leaves a copy of some row in a page that was split before."""
    assert await of_alice(path) == ["fracas.db", "fracas.db-wal"]
    await personal_data.forget_person(ALICE)
    assert await of_alice(path) == []
    for user_id in GONE:
        await personal_data.forget_person(user_id)
    assert await of_gone(path) == []
    assert await asyncio.to_thread(traces, path.parent, ids=(PEOPLE[0],), texts=()) == ["fracas.db"]
    assert [row[0] for row in await busy.fetch_all("PRAGMA integrity_check")] == ["ok"]


@only_sqlite
async def test_a_server_leaves_no_trace(
    path: Path, busy: Database, personal_data: PersonalDataRepository, clock: Clock
) -> None:
    guilds = GuildRepository(busy, personal_data, clock)
    await guilds.mark_left(HERE)
    assert await of_here(path) == ["fracas.db", "fracas.db-wal"]
    clock.now += KEPT_SECONDS + 1
    assert await guilds.forget_left() == 1
    assert await of_here(path) == []
    assert await guilds.forget_left() == 0


@only_sqlite
async def test_while_another_program_reads_the_rest_waits(
    path: Path, busy: Database, personal_data: PersonalDataRepository
) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM battles").fetchall()
        await personal_data.forget_person(ALICE)
        await busy.scrub()
        assert "fracas.db" in await of_alice(path)
        log = path.with_name(f"{path.name}-wal")
        written = log.stat().st_size
        await busy.scrub()
        assert log.stat().st_size == written, "the database isn't written again every time"
        reader.execute("COMMIT")
    await busy.scrub()
    assert await of_alice(path) == []
    (timeout,) = await busy.fetch_all("PRAGMA busy_timeout")
    assert timeout[0] == 5000


@only_sqlite
async def test_a_program_that_has_the_file_open_and_reads_nothing_keeps_it_as_it_is(
    path: Path, busy: Database, personal_data: PersonalDataRepository
) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        rows = other.execute("SELECT count(*) FROM battles").fetchall()
        for user_id in GONE:
            await personal_data.forget_person(user_id)
        assert await of_gone(path) == ["fracas.db"]
        await busy.scrub()
        assert await of_gone(path) == []
        assert other.execute("SELECT count(*) FROM battles").fetchall() == rows


@only_sqlite
async def test_a_deletion_in_whose_midst_the_bot_was_killed_is_completed_after_the_next_start(
    path: Path, busy: Database, personal_data: PersonalDataRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def killed(_file: int) -> None:
        pass

    monkeypatch.setattr(busy, "_clean", killed)
    for user_id in GONE:
        await personal_data.forget_person(user_id)
    await busy.close()
    assert await of_gone(path) == ["fracas.db"]
    monkeypatch.undo()
    looks: list[int] = []
    find = remains.find

    def watched(file: int, page: int) -> tuple[list[int], int]:
        looks.append(page)
        return find(file, page)

    monkeypatch.setattr(remains, "find", watched)
    for _ in range(2):
        again = await open_database(path)
        await again.scrub()
        await again.close()
    assert await of_gone(path) == []
    assert looks == [1], "a start with no deletion before it looks for nothing"


@only_sqlite
async def test_others_read_and_write_between_and_nothing_is_missed(
    path: Path, busy: Database, personal_data: PersonalDataRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pages that they split meanwhile change places."""
    monkeypatch.setattr(remains, "PAGES_AT_ONCE", 4)
    monkeypatch.setattr(remains, "_READ_BYTES", 4 * 4096)
    monkeypatch.setattr(remains, "_READS_AT_ONCE", 1)
    choose, texts = random.Random(20261122), RecentTextRepository(busy)
    written: dict[int, str] = {}

    async def write() -> None:
        while True:
            user = choose.choice(PEOPLE[8:])
            written[user] = f"{words_of(user)} {'z' * choose.randrange(2000)} {len(written)}"
            await asyncio.shield(texts.remember(user, "mka", written[user]))
            assert (await texts.list(user, "mka"))[0] == written[user]

    writer = asyncio.create_task(write())
    await personal_data.forget_person(ALICE)
    assert not writer.done()
    writer.cancel()
    await asyncio.wait({writer})
    await busy.write(lambda conn: conn.fetch_all("SELECT 1"))  # after the last text
    assert await of_alice(path) == []
    for user, text in written.items():
        assert (await texts.list(user, "mka"))[0] == text
    assert [row[0] for row in await busy.fetch_all("PRAGMA integrity_check")] == ["ok"]


@only_sqlite
async def test_a_copy_that_was_begun_before_has_nothing_of_it(
    path: Path, busy: Database, personal_data: PersonalDataRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    halt = Halt()
    monkeypatch.setattr(copies, "time", halt)
    monkeypatch.setattr(copies, "STEP_PAGES", 1)
    copy = asyncio.create_task(busy.copy_to(path.with_name("copy.db")))
    await halt.reached()
    await personal_data.forget_person(ALICE)
    halt.lift()
    await copy
    assert await of_alice(path) == []


async def test_copies_go_after_their_days(path: Path, clock: Clock) -> None:
    await asyncio.to_thread(make_files, path.parent, clock.now)
    assert await MigrationCopies(path, 7, clock).forget_old() == 4
    assert await asyncio.to_thread(names, path.parent) == [
        *("fracas.db", "fracas.db.before-0004", "fracas.db.before-christmas", "other.db.before-0002"),
    ]
    assert await MigrationCopies(path, 0, clock).forget_old() == 1
    assert await MigrationCopies(None, 7, clock).forget_old() == 0


def make_files(folder: Path, now: float) -> None:
    ages = {
        "fracas.db": 30,
        "fracas.db.before-0002": 7,
        "fracas.db.before-duel-0001": 8,
        "fracas.db.before-0003.part": 0,
        "fracas.db.before-boss_fight-0002.part": 9,
        "fracas.db.before-0004": 6.9,
        "fracas.db.before-christmas": 30,
        "other.db.before-0002": 30,
    }
    for name, days in ages.items():
        (folder / name).touch()
        os.utime(folder / name, (now - days * DAY,) * 2)


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())
