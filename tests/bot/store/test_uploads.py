"""Large contents: kept once, as long as a calculation or a roster names them, and not a moment longer."""

import hashlib

import pytest

from bot.store import OWN_WORK
from bot.store import uploads as module
from bot.store.database import Database
from bot.store.personal_data import PersonalDataRepository
from bot.store.queries import KEPT_SECONDS, QueryRepository
from bot.store.rosters import RosterRepository
from bot.store.uploads import MAX_BYTES, MAX_HELD, UploadRepository
from sim.core.errors import RuleError
from tests.bot.store.conftest import Clock
from tests.bot.store.databases import only_sqlite

ALICE, BOB = 1, 2


@pytest.fixture
def uploads(db: Database) -> UploadRepository:
    return UploadRepository(db)


@pytest.fixture
def queries(db: Database, uploads: UploadRepository, clock: Clock) -> QueryRepository:
    return QueryRepository(db, clock, uploads)


@pytest.fixture
def rosters(db: Database, uploads: UploadRepository, clock: Clock) -> RosterRepository:
    return RosterRepository(db, uploads, clock)


async def stored(db: Database) -> list[bytes]:
    """Return the contents in the database."""
    return [row["data"] for row in await db.fetch_all("SELECT data FROM uploads ORDER BY data")]


async def test_a_content_is_read_before_and_after_it_is_stored(
    db: Database, uploads: UploadRepository, queries: QueryRepository
) -> None:
    sha256 = uploads.keep(b"heroes")
    assert sha256 == hashlib.sha256(b"heroes").hexdigest()
    assert await uploads.read(sha256) == b"heroes"
    assert await stored(db) == [], "nothing stands in the database that nothing names"
    await queries.add("mfd", ALICE, None, "{}", [sha256])
    assert await stored(db) == [b"heroes"]
    assert await UploadRepository(db).read(sha256) == b"heroes", "after a restart"


async def test_equal_contents_stand_once_and_go_with_the_last_that_names_them(
    db: Database, uploads: UploadRepository, queries: QueryRepository, clock: Clock
) -> None:
    first = await queries.add("mfd", ALICE, None, "{}", [uploads.keep(b"a"), uploads.keep(b"b")])
    clock.now += 10
    sha256 = uploads.keep(b"a")
    await queries.add("mfd", BOB, None, "{}", [sha256, sha256])
    assert await stored(db) == [b"a", b"b"]
    clock.now += KEPT_SECONDS - 5
    assert await queries.forget_older_than() == 1
    assert await queries.get(first.id, OWN_WORK) is None
    assert await stored(db) == [b"a"]
    clock.now += 10
    assert await queries.forget_older_than() == 1
    assert await stored(db) == []
    with pytest.raises(RuleError, match="no longer kept; please upload it again"):
        await uploads.read(sha256)


async def test_a_roster_keeps_a_content_whose_calculation_is_forgotten_and_the_other_way_round(
    db: Database, uploads: UploadRepository, queries: QueryRepository, rosters: RosterRepository
) -> None:
    roster = (await rosters.save(ALICE, "mfd", "Team", b"a")).roster
    query_id = await queries.add("mfd", ALICE, None, "{}", [uploads.keep(b"a")])
    await queries.take(query_id.id)
    assert await stored(db) == [b"a"]
    query_id = await queries.add("mfd", BOB, None, "{}", [uploads.keep(b"a")])
    await rosters.delete(roster.id)
    assert await stored(db) == [b"a"]
    await queries.take(query_id.id)
    assert await stored(db) == []


async def test_what_is_not_kept_can_not_be_named_and_nothing_is_stored(db: Database, queries: QueryRepository) -> None:
    with pytest.raises(RuleError, match="no longer kept"):
        await queries.add("mfd", ALICE, None, "{}", ["0" * 64])
    assert await db.fetch_all("SELECT 1 FROM calculations") == []


async def test_a_stored_content_can_be_named_again_without_being_uploaded(
    db: Database, uploads: UploadRepository, queries: QueryRepository
) -> None:
    sha256 = uploads.keep(b"a")
    query_id = await queries.add("mfd", ALICE, None, "{}", [sha256])
    again = QueryRepository(db)
    await again.add("mfd", BOB, None, "{}", [sha256])
    await again.take(query_id.id)
    assert await stored(db) == [b"a"]


async def test_what_is_too_large_is_refused(uploads: UploadRepository) -> None:
    uploads.keep(b"x" * MAX_BYTES)
    with pytest.raises(RuleError, match="at most 256 KiB"):
        uploads.keep(b"x" * (MAX_BYTES + 1))


async def test_memory_holds_only_the_newest(uploads: UploadRepository) -> None:
    held = [uploads.keep(str(number).encode()) for number in range(MAX_HELD + 1)]
    with pytest.raises(RuleError, match="no longer kept"):
        await uploads.read(held[0])
    assert await uploads.read(held[1]) == b"1"


async def test_a_person_s_oldest_files_make_room_for_new_ones(
    db: Database,
    uploads: UploadRepository,
    queries: QueryRepository,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MAX_NAMED_BYTES", 5)
    await queries.add("mfd", BOB, None, "{}", [uploads.keep(b"bob")])
    old = await queries.add("mfd", ALICE, None, "{}", [uploads.keep(b"aa")])
    clock.now += 1
    await queries.add("mfd", ALICE, None, "{}", [uploads.keep(b"bb")])
    await queries.add("mfd", ALICE, None, "{}", [uploads.keep(b"bb")])
    assert await stored(db) == [b"aa", b"bb", b"bob"], "an equal content counts once"
    await queries.add("mfd", ALICE, None, "{}", [uploads.keep(b"cc")])
    assert await stored(db) == [b"bb", b"bob", b"cc"]
    assert await queries.get(old.id, OWN_WORK) is not None


async def test_a_person_is_shown_the_files_of_calculations_and_rosters(
    uploads: UploadRepository,
    queries: QueryRepository,
    rosters: RosterRepository,
    personal_data: PersonalDataRepository,
) -> None:
    shas = [uploads.keep(data) for data in (b"a", b"b")]
    await queries.add("mfd", ALICE, None, "{}", shas)
    await queries.add("mfd", BOB, None, "{}", [uploads.keep(b"bob")])
    await rosters.save(ALICE, "mfd", "Team", b"team")
    (exported,) = (await personal_data.export(ALICE))["calculations"]
    assert isinstance(exported, dict)
    assert exported["uploads"] == sorted(shas)
    files = await personal_data.files(ALICE)
    assert sorted(files.values()) == [b"a", b"b", b"team"]
    assert all(f"{hashlib.sha256(data).hexdigest()}.txt" == name for name, data in files.items())


@only_sqlite
async def test_forgetting_finds_by_an_index_who_still_names_a_content(db: Database) -> None:
    for table in ("calculation_uploads", "roster_versions"):
        plan = await db.fetch_all(f"EXPLAIN QUERY PLAN SELECT 1 FROM {table} WHERE sha256 = ?", ["x"])  # noqa: S608 - the test's own word
        assert f"{table}_by_sha256" in plan[0]["detail"]
