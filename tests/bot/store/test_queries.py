"""Stored queries, recent texts, saved rosters, and contents, which are kept while something names them."""

import hashlib

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import bot.rosters as module
from bot.rosters import KEPT_VERSIONS, MAX_ROSTERS, RosterRepository
from bot.store import OWN_WORK, ConstraintError, Origin
from bot.store import queries as queries_module
from bot.store.database import Database
from bot.store.queries import (
    KEPT_SECONDS,
    KEPT_TEXTS,
    MAX_BYTES,
    MAX_HELD,
    QueryRepository,
    RecentTextRepository,
    UploadRepository,
)
from sim.core import RuleError
from tests.bot.conftest import Clock
from tests.bot.store.databases import database

ALICE, BOB = 987_654_321_001, 987_654_321_002


@pytest.fixture
def rosters(db: Database, uploads: UploadRepository, clock: Clock) -> RosterRepository:
    return RosterRepository(db, uploads, clock)


async def test_a_roster_from_its_first_version_to_its_end(rosters: RosterRepository) -> None:
    """What its owner and others see of it is in the scene of rosters (tests/bot/snapshots)."""
    first = (await rosters.save(ALICE, "mfd", "  Straße   Zoë ", b"one"))[0]
    team = (await rosters.save(ALICE, "mfd", "STRASSE Zoe\u0308", b"second"))[0]
    assert (team.id, team.name) == (first.id, "Straße Zoë")
    assert await rosters.versions(team.id) == [team.newest, first.newest]
    assert (await rosters.read(team), await rosters.read(team, 1)) == (b"second", b"one")
    ships = (await rosters.save(ALICE, "aa", "Straße Zoë", b"2"))[0]
    theirs = (await rosters.save(BOB, "mfd", "Straße Zoë", b"3"))[0]
    assert [await rosters.own(ALICE), await rosters.own(ALICE, "aa")] == [[team, ships], [ships]]
    assert await rosters.own(BOB) == [theirs]
    await rosters.share(team.id, 7)
    assert [listed.id for listed in await rosters.shared(7)] == [team.id]
    assert await rosters.shared(7, "aa") == await rosters.shared(8) == []
    assert (await rosters.save(ALICE, "mfd", "Straße Zoë", b"4"))[0].guild_id == 7, "a new version stays shared"
    await rosters.share(team.id, None)
    assert await rosters.shared(7) == []
    await rosters.delete(team.id)
    assert await rosters.get(team.id) is None
    with pytest.raises(RuleError, match="no longer kept"):
        await rosters.read(team)
    assert (await rosters.save(ALICE, "mfd", "Straße Zoë", b"5"))[0].id != team.id


async def test_the_last_versions_are_kept(rosters: RosterRepository, db: Database) -> None:
    for number in range(1, KEPT_VERSIONS + 3):
        team, _ = await rosters.save(ALICE, "mfd", "Team", f"{number}".encode())
    kept = [version.number for version in await rosters.versions(team.id)]
    assert kept == list(range(KEPT_VERSIONS + 2, 2, -1))
    assert len(await db.fetch_all("SELECT 1 FROM uploads")) == KEPT_VERSIONS


async def test_a_person_has_so_many_rosters(rosters: RosterRepository) -> None:
    for number in range(MAX_ROSTERS):
        await rosters.save(ALICE, "mfd", f"Team {number}", b"same")
    with pytest.raises(RuleError, match="You have 50 saved rosters, which is the most; delete one with /roster delete"):
        await rosters.save(ALICE, "aa", "One more", b"same")
    assert (await rosters.save(ALICE, "mfd", "Team 3", b"other"))[0].newest.number == 2
    assert (await rosters.save(BOB, "mfd", "Mine", b"same"))[1] is None


async def test_and_so_many_bytes(rosters: RosterRepository, db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RuleError, match="at most 256 KiB"):
        await rosters.save(ALICE, "mfd", "Team", b"x" * (MAX_BYTES + 1))
    monkeypatch.setattr(module, "MAX_SAVED_BYTES", 4)
    await rosters.save(ALICE, "mfd", "Team", b"abc")
    with pytest.raises(RuleError, match="together; delete one"):
        await rosters.save(ALICE, "mfd", "Other", b"de")
    assert len(await rosters.own(ALICE)) == 1
    assert len(await db.fetch_all("SELECT 1 FROM uploads")) == 1, "what was refused has left nothing"


@pytest.fixture
def uploads(db: Database) -> UploadRepository:
    return UploadRepository(db)


@pytest.fixture
def queries(db: Database, uploads: UploadRepository, clock: Clock) -> QueryRepository:
    return QueryRepository(db, clock, uploads)


async def stored(db: Database) -> list[bytes]:
    """Return the contents in the database."""
    return [row["data"] for row in await db.fetch_all("SELECT data FROM uploads ORDER BY data")]


async def test_equal_contents_stand_once_from_the_first_to_the_last_that_names_them(
    db: Database, uploads: UploadRepository, queries: QueryRepository, clock: Clock
) -> None:
    sha256 = uploads.keep(b"a")
    assert sha256 == hashlib.sha256(b"a").hexdigest()
    assert await uploads.read(sha256) == b"a"
    assert await stored(db) == [], "nothing stands in the database that nothing names"
    first = await queries.add("mfd", ALICE, None, "{}", [sha256, uploads.keep(b"b")])
    assert await UploadRepository(db).read(sha256) == b"a", "after a restart"
    clock.now += 10
    await QueryRepository(db, clock).add("mfd", BOB, None, "{}", [sha256, sha256])
    assert await stored(db) == [b"a", b"b"]
    clock.now += KEPT_SECONDS - 5
    assert await queries.forget_old() == 1
    assert await queries.get(first.id, OWN_WORK) is None
    assert await stored(db) == [b"a"]
    clock.now += 10
    assert await queries.forget_old() == 1
    assert await stored(db) == []
    with pytest.raises(RuleError, match="no longer kept; please upload it again"):
        await uploads.read(sha256)


async def test_a_roster_keeps_a_content_whose_calculation_is_forgotten_and_the_other_way_round(
    db: Database, uploads: UploadRepository, queries: QueryRepository, rosters: RosterRepository
) -> None:
    roster = (await rosters.save(ALICE, "mfd", "Team", b"a"))[0]
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


async def test_memory_holds_only_the_newest_and_nothing_too_large(uploads: UploadRepository) -> None:
    held = [uploads.keep(str(number).encode()) for number in range(MAX_HELD)]
    uploads.keep(b"x" * MAX_BYTES)
    with pytest.raises(RuleError, match="at most 256 KiB"):
        uploads.keep(b"x" * (MAX_BYTES + 1))
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
    monkeypatch.setattr(queries_module, "MAX_NAMED_BYTES", 5)
    await queries.add("mfd", BOB, None, "{}", [uploads.keep(b"bob")])
    old = await queries.add("mfd", ALICE, None, "{}", [uploads.keep(b"aa")])
    clock.now += 1
    await queries.add("mfd", ALICE, None, "{}", [uploads.keep(b"bb")])
    await queries.add("mfd", ALICE, None, "{}", [uploads.keep(b"bb")])
    assert await stored(db) == [b"aa", b"bb", b"bob"], "an equal content counts once"
    await queries.add("mfd", ALICE, None, "{}", [uploads.keep(b"cc")])
    assert await stored(db) == [b"bb", b"bob", b"cc"]
    assert await queries.get(old.id, OWN_WORK) is not None


ASKER, OTHER, HERE, ELSEWHERE, SERVER = 1, 2, 30, 31, 400


@pytest.mark.parametrize(
    ("request_json", "guild_id", "origin", "found"),
    [
        (f'{{"channel_id": {HERE}}}', SERVER, Origin(OTHER, HERE, SERVER), True),
        (f'{{"channel_id": {HERE}}}', SERVER, Origin(ASKER, ELSEWHERE, SERVER), False),
        (f'{{"channel_id": {HERE}, "private": true}}', SERVER, Origin(ASKER, HERE, SERVER), True),
        (f'{{"channel_id": {HERE}, "private": true}}', SERVER, Origin(OTHER, HERE, SERVER), False),
        ('{"private": true}', SERVER, Origin(OTHER, HERE, SERVER), True),  # shared by an earlier version
        ("{}", SERVER, Origin(OTHER, HERE, SERVER + 1), False),
        ("{}", None, Origin(ASKER, HERE, None), True),
        ("{}", None, Origin(OTHER, HERE, None), False),
    ],
)
async def test_a_query_is_found_where_it_was_asked_and_a_private_one_by_its_asker(
    queries: QueryRepository, request_json: str, guild_id: int | None, origin: Origin, found: bool
) -> None:
    added = await queries.add("aa", ASKER, guild_id, request_json)
    assert (await queries.get(added.id, origin) == added) is found


async def test_a_request_that_is_not_json_is_refused(queries: QueryRepository) -> None:
    with pytest.raises(ConstraintError):
        await queries.add("aa", 1, None, "{broken")


few_texts = st.sampled_from([f"{number} inf" for number in range(30)])
texts = few_texts | st.text(max_size=30)
uses = st.tuples(st.sampled_from([1, 2**63 - 1]), st.sampled_from(["aa", "mka"]), texts)


@settings(deadline=None, max_examples=20)
@example([(1, "aa", f"{number} inf") for number in (*range(25), 24, 3)])
@given(st.lists(uses, max_size=80))
async def test_like_a_plain_list(history: list[tuple[int, str, str]]) -> None:
    async with database(":memory:") as db:
        recent = RecentTextRepository(db)
        model: dict[tuple[int, str], list[str]] = {}
        for user_id, kind, text in history:
            await recent.remember(user_id, kind, text)
            others = [other for other in model.get((user_id, kind), []) if other != text]
            model[user_id, kind] = [text, *others][:KEPT_TEXTS]
        for (user_id, kind), expected in model.items():
            assert await recent.list(user_id, kind) == expected
        assert len(await db.fetch_all("SELECT * FROM recent_texts")) == sum(map(len, model.values()))
