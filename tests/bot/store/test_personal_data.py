"""What names a person or a server: none of it is left out, and what was deleted stands in no file any more.

Not in free space, not in the log, not in old copies.
"""

import asyncio
import json
import os
import random
import sqlite3
from contextlib import closing
from pathlib import Path
from unittest.mock import AsyncMock

import pytest

from bot.privacy import _deletion_text
from bot.store import DAY, copies, remains
from bot.store.battles import BattleRepository
from bot.store.copies import forget_copies
from bot.store.database import Database
from bot.store.personal_data import BATCH, GuildRepository, PersonalDataRepository, PersonalTable
from bot.store.personal_tables import HOUSE_TABLES
from bot.store.queries import QueryRepository, RecentTextRepository
from sim.core.numbers import quantity
from tests.bot.conftest import Clock
from tests.bot.store.conftest import personal_data_with
from tests.bot.store.databases import ROWS, fill, names, only_sqlite, open_database, run
from tests.bot.store.test_copies import Halt
from tests.bot.store.toy import opened
from tests.tables import kept_table, kept_text, kept_texts

# From 1 on: seven of the eight bytes of 1 << 59 are 0, as a checksum of the log and the zeroed page behind it may have.
PEOPLE = [(1 << 59) + number * 0x123456789AB for number in range(1, 51)]
GUILDS = [(1 << 58) + number * 0x7654321 for number in range(1, 5)]
ALICE, BOB, HERE, THERE = PEOPLE[7], PEOPLE[8], GUILDS[1], GUILDS[2]
GONE = PEOPLE[1::2]


@pytest.fixture
async def full(db: Database) -> Database:
    """Put something of Alice and of Bob into every table."""
    await fill(db, (ALICE, HERE), (BOB, THERE))
    return db


async def dump(db: Database) -> dict[str, str]:
    """Return the rows of every table as text."""
    return {
        name: str([tuple(row) for row in await db.fetch_all(f"SELECT * FROM {name}")])  # noqa: S608  # the schema's words
        for name in await db.tables()
        if name != "game_schema"
    }


@pytest.mark.parametrize(("schema", "undeclared"), kept_table(__file__, "made_up"))
async def test_a_table_made_up_here_is_noticed(
    db: Database, personal_data: PersonalDataRepository, schema: str, undeclared: list[str]
) -> None:
    assert (await personal_data.undeclared(), await personal_data.missing()) == ([], []), "all of ours are declared"
    await run(db, schema)
    assert await personal_data.undeclared() == undeclared


async def test_a_table_is_declared_column_by_column_and_what_is_not_there_is_noticed(db: Database) -> None:
    await run(db, "CREATE TABLE bets (user_id INTEGER, rival_id INTEGER, channel_id INTEGER)")
    own = PersonalTable(table="bets", user_column="user_id", other_ids={"channel_id": "a channel"})
    assert await personal_data_with(db, own).undeclared() == ["bets.rival_id"]
    rival = PersonalTable(table="bets", user_column="rival_id")
    assert await personal_data_with(db, own, rival).undeclared() == []
    nowhere = PersonalTable(table="nowhere", user_column="user_id")
    column = PersonalTable(table="seats", guild_column="guild_id")
    assert await personal_data_with(db, nowhere, column).missing() == ["nowhere", "seats.guild_id"]


async def test_a_person_is_forgotten_in_every_table_and_nobody_else(
    full: Database, personal_data: PersonalDataRepository
) -> None:
    before = await dump(full)
    assert set(before) == set(ROWS) | {"outbox"}, "every table has a row here"
    kept = await personal_data.forget_person(ALICE)
    after = await dump(full)
    assert not [table for table, rows in after.items() if str(ALICE) in rows]
    for table, rows in before.items():
        assert after[table].count(str(BOB)) == rows.count(str(BOB)), table
    assert _deletion_text(kept) == kept_text(__file__, "deleted")
    finds = "SELECT puzzle FROM aa_puzzle_finds ORDER BY battle_id"
    assert len(await full.fetch_all(finds)) == 1, "what was found in a battle of theirs goes, though it has no id"
    due = "SELECT id FROM battles JOIN outbox ON battle_id = id AND outbox.revision = battles.revision"
    assert [row[0] for row in await full.fetch_all(due)] == [1], "its panel is to be shown without the name"


async def test_a_server_is_forgotten_in_every_table_and_no_other(
    full: Database, personal_data: PersonalDataRepository
) -> None:
    before = await dump(full)
    await personal_data.forget_guild(HERE)
    after = await dump(full)
    assert not [table for table, rows in after.items() if str(HERE) in rows]
    for table, rows in before.items():
        assert after[table].count(str(THERE)) == rows.count(str(THERE)), table


@pytest.mark.usefixtures("full")
async def test_what_is_shown_is_what_is_exported(personal_data: PersonalDataRepository) -> None:
    found = await personal_data.summary(ALICE)
    lines = [f"- {quantity(number, *table.label)} {table.kept}" for table, number in found]
    assert lines == kept_table(__file__, "shown")
    exported = await personal_data.export(ALICE)
    rows = {key: [json.dumps(row).replace(str(HERE), "here") for row in kept] for key, kept in exported.items()}
    assert [*rows.items()] == [*kept_texts(__file__, "exported").items()], (
        "nothing of Bob's; ids are text: JSON's numbers are too short"
    )
    files = await personal_data.files(ALICE)
    assert sorted(files) == [f"{1:064}.txt", "boss-1.png", f"r{1:063}.txt"]
    counts = {table.key or table.table: number for table, number in found}
    assert counts == {**{key: len(kept) for key, kept in exported.items()}, "uploads": 2}


async def test_a_table_without_more_words_is_exported_column_by_column(db: Database) -> None:
    await run(db, "CREATE TABLE bets (user_id INTEGER, guild_id INTEGER, amount INTEGER, slip BLOB, note TEXT)")
    await run(db, f"INSERT INTO bets VALUES ({ALICE}, {HERE}, 5, ?, NULL), ({BOB}, {HERE}, 6, ?, NULL)")  # noqa: S608  # the test's own words
    bets = PersonalTable(table="bets", user_column="user_id", guild_column="guild_id", label=("bet", "bets"))
    assert (await personal_data_with(db, bets).export(ALICE))["bets"] == [
        {"guild_id": str(HERE), "amount": 5, "note": None}
    ]


@only_sqlite
async def test_a_batch_does_not_go_through_all_that_is_theirs(db: Database) -> None:
    (journal,) = [entry for entry in HOUSE_TABLES if entry.table == "journal"]
    update = journal.forget(str(journal.forgets_of_person), cleared=True).replace(BATCH, "?2, ?3")
    (plan, *_) = await db.fetch_all(f"EXPLAIN QUERY PLAN {update}", [ALICE, 1, 2])
    assert "(battle_id=?)" in plan["detail"]


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


async def left_of(path: Path, *people: int) -> list[str]:
    """Return the files with traces of people."""
    return await asyncio.to_thread(traces, path.parent, ids=people, texts=tuple(map(words_of, people)))


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
    assert await left_of(path, ALICE) == ["fracas.db", "fracas.db-wal"]
    await personal_data.forget_person(ALICE)
    assert await left_of(path, ALICE) == []
    for user_id in GONE:
        await personal_data.forget_person(user_id)
    assert await left_of(path, *GONE) == []
    assert await asyncio.to_thread(traces, path.parent, ids=(PEOPLE[0],), texts=()) == ["fracas.db"]
    assert [row[0] for row in await busy.fetch_all("PRAGMA integrity_check")] == ["ok"]


@only_sqlite
async def test_a_server_leaves_no_trace(
    path: Path, busy: Database, personal_data: PersonalDataRepository, clock: Clock
) -> None:
    guilds = GuildRepository(busy, clock)
    for present in ([HERE], []):
        await guilds.compare(present, lambda _: True)  # after which a kill loses nothing
    assert await of_here(path) == ["fracas.db", "fracas.db-wal"]
    clock.now += 1
    await guilds.left(HERE)
    for seconds, forgotten in ((30 * DAY - 1, 0), (1, 1), (0, 0)):
        clock.now += seconds
        assert await guilds.forget_left(personal_data) == forgotten
    assert await of_here(path) == []


@only_sqlite
async def test_while_another_program_reads_the_rest_waits(
    path: Path, busy: Database, personal_data: PersonalDataRepository
) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM battles").fetchall()
        await personal_data.forget_person(ALICE)
        await busy.scrub()
        assert "fracas.db" in await left_of(path, ALICE)
        log = path.with_name(f"{path.name}-wal")
        written = log.stat().st_size
        await busy.scrub()
        assert log.stat().st_size == written, "the database isn't written again every time"
        reader.execute("COMMIT")
    await busy.scrub()
    assert await left_of(path, ALICE) == []
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
        assert await left_of(path, *GONE) == ["fracas.db"]
        await busy.scrub()
        assert await left_of(path, *GONE) == []
        assert other.execute("SELECT count(*) FROM battles").fetchall() == rows


@only_sqlite
async def test_a_deletion_in_whose_midst_the_bot_was_killed_is_completed_after_the_next_start(
    path: Path, busy: Database, personal_data: PersonalDataRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(busy, "_clean", AsyncMock())
    for user_id in GONE:
        await personal_data.forget_person(user_id)
    await busy.close()
    assert await left_of(path, *GONE) == ["fracas.db"]
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
    assert await left_of(path, *GONE) == []
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
    assert await left_of(path, ALICE) == []
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
    for user_id in GONE:
        await personal_data.forget_person(user_id)
    halt.lift()
    await copy
    assert await left_of(path, *GONE) == []


async def test_copies_go_after_their_days(path: Path, clock: Clock) -> None:
    await asyncio.to_thread(make_files, path.parent, clock.now)
    assert forget_copies(path, clock() - 7 * DAY) == 5
    assert await asyncio.to_thread(names, path.parent) == [
        *("fracas.db", "fracas.db.before-0004", "fracas.db.before-christmas", "other.db.before-0002"),
    ]
    assert forget_copies(path, clock()) == 1
    assert forget_copies(None, clock()) == 0


def make_files(folder: Path, now: float) -> None:
    ages = {
        "fracas.db": 30,
        "fracas.db.before-0002": 7,
        "fracas.db.before-duel-0001": 8,
        "fracas.db.before-0003.part": 0,
        "fracas.db.before-boss_fight-0002.part": 9,
        "fracas.db.before-0004": 6.9,
        "fracas.db.replaced-20260101T000000Z": 8,
        "fracas.db.before-christmas": 30,
        "other.db.before-0002": 30,
    }
    for name, days in ages.items():
        (folder / name).touch()
        os.utime(folder / name, (now - days * DAY,) * 2)
