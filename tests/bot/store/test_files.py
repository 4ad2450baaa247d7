"""The file of a database: one bot at a time has it, and a damaged one is refused.

What SQLite's own check finds keeps the bot from starting, what the seals find stops one battle.
"""

import asyncio
import fcntl
import random
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from bot.store import OWN_WORK, DamagedBattleError, StoreError, connecting, files
from bot.store.battles import BattleRepository, Retention
from bot.store.database import Database
from bot.store.files import acquire
from bot.store.transactions import PanelRepository
from tests.bot.old_versions.world import Snapshot
from tests.bot.store.databases import HOUSE, TABLE, database, names, open_database, refusal


def locks_on(path: Path) -> list[list[str]]:
    """Return the kernel's locks on a file: kind, mode, first and last byte."""
    inode = f":{path.stat().st_ino}"
    rows = [line.split() for line in Path("/proc/locks").read_text(encoding="ascii").splitlines()]
    return sorted([row[1], row[3], *row[6:]] for row in rows if row[5].endswith(inode))


async def test_a_second_bot_is_refused_in_good_time(
    path: Path, numbers: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited = 0.0

    async def sleep(seconds: float) -> None:
        nonlocal waited
        waited += seconds

    assert await numbers.answers()
    loop = SimpleNamespace(time=lambda: waited)
    monkeypatch.setattr(files, "asyncio", SimpleNamespace(sleep=sleep, get_running_loop=lambda: loop))
    assert await refusal(path) == f"The database {path} is in use by another Fracas."
    assert waited == pytest.approx(1.0, abs=0.1)
    await numbers.close()
    await (await open_database(path, TABLE)).close()


@pytest.mark.parametrize("name_it", [Path.symlink_to, Path.hardlink_to, lambda other, path: path.rename(other)])
async def test_another_name_leads_to_the_same_lock(
    path: Path, numbers: Database, name_it: Callable[[Path, Path], object]
) -> None:
    assert await numbers.answers()
    other = path.with_name("other.db")
    name_it(other, path)
    before = await asyncio.to_thread(locks_on, other)
    assert len(before) == 2  # SQLite's and ours
    assert await refusal(other) == f"The database {other} is in use by another Fracas."
    assert await asyncio.to_thread(locks_on, other) == before
    assert [name for name in names(path.parent) if name.startswith("other.db")] == ["other.db"]
    await (await open_database(path.with_name("beside.db"), TABLE)).close()  # which has a lock of its own
    await numbers.close()
    assert await asyncio.to_thread(locks_on, other) == []
    await (await open_database(other, TABLE)).close()


async def test_whoever_is_just_stopping_is_waited_for_and_a_cancelled_wait_takes_nothing(path: Path) -> None:
    first = await acquire(path)
    cancelled, waiter = asyncio.create_task(acquire(path)), asyncio.create_task(acquire(path))
    await asyncio.sleep(0)
    cancelled.cancel()
    with pytest.raises(asyncio.CancelledError):
        await cancelled
    assert not waiter.done()
    first.close()
    first.close()
    (await waiter).close()


async def test_a_refused_database_is_not_kept_locked(path: Path) -> None:
    text = b"an army list, not a database\n" * 100
    await asyncio.to_thread(path.write_bytes, text)
    assert await refusal(path) == f"The database {path} is not a database, or is damaged: {RESTORE}"
    assert await asyncio.to_thread(path.read_bytes) == text
    (await acquire(path)).close()


async def test_a_lock_file_that_cannot_be_made(path: Path) -> None:
    path.with_name(f"{path.name}.lock").mkdir()
    assert "can't be opened; it and its directory must be" in await refusal(path)


async def test_a_lock_on_a_file_that_was_taken_away_does_not_count(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the opening and the locking of the second, the first one ends."""
    first = await acquire(path)
    lock = fcntl.fcntl

    def late(file: int, command: int, what: bytes) -> None:
        first.close()
        lock(file, command, what)

    monkeypatch.setattr(fcntl, "fcntl", late)
    assert files._take(path) is None
    monkeypatch.undo()
    with await acquire(path), pytest.raises(StoreError, match="another Fracas"):
        await acquire(path)


FILES = 360
ENOUGH = 10  # of them show that a battle is refused alone
PAGE = 4096
LONG_AFTER = 4e9
RESTORE = 'restore a backup (.docs/operate.md, "Back up and restore").'

SEALED = (
    "SELECT id, system, rules, setup, seed, seed_hash, version, steps, state FROM battles WHERE status = 'open'",
    "SELECT battle_id, n, kind, seat, action, events, version, back_to, state_hash, previous, hash FROM journal",
)
"""What the seals of open battles cover."""

Content = dict[int, list[tuple[object, ...]]]


@pytest.fixture
async def whole(path: Path) -> bytes:
    """Return a database with battles of all games, most of them open."""
    Snapshot.read("0.1.0").restore(path, outbox=True)
    await (await open_database(path)).close()
    return path.read_bytes()  # noqa: ASYNC240  # small


def sealed(path: Path) -> Content:
    """Read what is sealed of each open battle that has a journal, byte by byte."""
    found: Content = {}
    with closing(sqlite3.connect(path)) as conn:
        conn.text_factory = bytes
        battles, journal = (conn.execute(sql).fetchall() for sql in SEALED)
    for battle in battles:
        rows = [row for row in journal if row[0] == battle[0]]
        if rows:
            found[battle[0]] = [battle, *sorted(rows, key=lambda row: row[1])]
    return found


def check(path: Path) -> str:
    """Return what SQLite itself says about the file."""
    try:
        with closing(sqlite3.connect(path)) as conn:
            return str(conn.execute("PRAGMA integrity_check(1)").fetchone()[0])
    except (sqlite3.Error, UnicodeDecodeError) as error:  # its message may quote damaged bytes
        return str(error)


def flip_bits(data: bytearray, choose: random.Random) -> None:
    for _ in range(choose.choice((1, 1, 2, 8))):
        data[choose.randrange(len(data))] ^= 1 << choose.randrange(8)


def zero_pages(data: bytearray, choose: random.Random) -> None:
    for _ in range(choose.choice((1, 1, 3))):
        start = choose.randrange(len(data) // PAGE) * PAGE
        data[start : start + PAGE] = bytes(PAGE)


def cut(data: bytearray, choose: random.Random) -> None:
    end = choose.randrange(1, len(data))
    del data[end - (end % PAGE if choose.random() < 0.5 and end > PAGE else 0) :]


KINDS: tuple[Callable[[bytearray, random.Random], None], ...] = (flip_bits, flip_bits, zero_pages, cut)


@pytest.mark.parametrize("damage", ["half", "quoted"])
async def test_a_damaged_file_is_refused_in_one_sentence(path: Path, whole: bytes, damage: str) -> None:
    """Also where SQLite quotes the damage."""
    half = whole[: len(whole) // PAGE // 2 * PAGE]
    path.write_bytes(half if damage == "half" else whole.replace(b"CREATE TABLE", b"CR\xc5ATE TABLE", 1))  # noqa: ASYNC240
    assert await refusal(path, HOUSE) == f"The database {path} is damaged: {RESTORE}"


async def test_the_damage_of_a_large_file_is_found_beside_the_first_answers(
    path: Path, whole: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connecting, "CHECK_SECONDS", 0)
    await (await open_database(path)).close()  # in the midst of it
    for damage, is_sound in ((b"", True), (bytes(PAGE), False)):
        page = whole.rindex(b"attack") // PAGE * PAGE
        path.write_bytes(whole[:page] + (damage or whole[page : page + PAGE]) + whole[page + PAGE :])  # noqa: ASYNC240
        async with database(path) as db:
            assert await db.fetch_all("SELECT count(*) FROM guilds_left")
            if is_sound:
                await db.checked()
            else:
                with pytest.raises(StoreError, match="is damaged"):
                    await db.checked()
            assert await db.answers() is is_sound


@pytest.mark.torture
async def test_no_damaged_file_opens_silently(path: Path, whole: bytes) -> None:
    choose = random.Random(20261120)
    before = sealed(path)
    fates: Counter[str] = Counter()
    for number in range(FILES):
        data = bytearray(whole)
        KINDS[number % len(KINDS)](data, choose)
        for name in (path, path.with_name(f"{path.name}-wal")):
            name.unlink(missing_ok=True)
        path.write_bytes(data)  # noqa: ASYNC240
        fates[await fate(path, before)] += 1
    assert sum(fates.values()) == FILES
    assert fates["refused"] > FILES / 2
    assert fates["a battle refused"] >= ENOUGH


async def fate(path: Path, before: Content) -> str:
    """Start on a damaged file, touch every battle, and return what was found."""
    damage = check(path)
    try:
        db = await open_database(path)
    except StoreError as error:
        assert str(error).startswith(f"The database {path} ")
        if damage != "ok":
            assert RESTORE in str(error)
        return "refused"
    try:
        assert damage == "ok"
        now = sealed(path)
        damaged = {battle_id for battle_id, content in before.items() if now.get(battle_id) != content}
        await expect_only_these_refused(db, damaged, before.keys() - damaged)
    finally:
        await db.close()
    return "a battle refused" if damaged else "nothing that is sealed"


async def expect_only_these_refused(db: Database, damaged: set[int], intact: set[int]) -> None:
    battles, retention = BattleRepository(db), Retention(db, lambda: LONG_AFTER)
    await PanelRepository(db).pending()
    for battle_id in damaged:
        for _ in range(2):
            with pytest.raises(DamagedBattleError, match="is damaged in the database"):
                await battles.get(battle_id, OWN_WORK)
    await retention.close_idle()
    rows = await db.fetch_all("SELECT id, status FROM battles")
    statuses = {row["id"]: row["status"] for row in rows}
    assert {statuses[battle_id] for battle_id in damaged} <= {"open"}
    assert {statuses[battle_id] for battle_id in intact} <= {"ended"}
