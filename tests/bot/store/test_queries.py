"""Stored queries, and the recent texts of autocomplete."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.config import Server
from bot.store import OWN_WORK, Origin
from bot.store.database import Database
from bot.store.errors import ConstraintError
from bot.store.personal_data import PersonalDataRepository
from bot.store.personal_tables import HOUSE_TABLES
from bot.store.queries import KEPT_SECONDS, KEPT_TEXTS, QueryRepository, RecentTextRepository, StoredQuery
from tests.bot.store.databases import only_sqlite, open_database

HIGHEST_ID = 2**63 - 1


async def test_a_calculation_is_found_again_after_a_restart(place: Path | Server) -> None:
    db = await open_database(place)
    added = await QueryRepository(db, lambda: 1234.9).add("aa", HIGHEST_ID, 7, '{"attack": "6 tanks"}')
    await db.close()
    assert re.fullmatch("[A-Za-z0-9_-]{12}", added.id)
    db = await open_database(place)
    found = await QueryRepository(db).get(added.id, OWN_WORK)
    assert found == added
    assert found == StoredQuery(
        id=added.id,
        kind="aa",
        asker_id=HIGHEST_ID,
        guild_id=7,
        request='{"attack": "6 tanks"}',
        created_at=1234,
    )
    await db.close()


@pytest.fixture
def queries(db: Database) -> QueryRepository:
    return QueryRepository(db)


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


async def test_the_clock_is_the_time_of_day_unless_given(queries: QueryRepository) -> None:
    found = await queries.get((await queries.add("aa", 1, None, "{}")).id, OWN_WORK)
    assert found is not None
    assert found.created_at > 1_700_000_000


async def test_every_calculation_has_its_own_id(queries: QueryRepository) -> None:
    ids = {(await queries.add("aa", 1, None, f"[{number}]")).id for number in range(50)}
    assert len(ids) == 50


@pytest.mark.parametrize("unknown", ["", "AAAAAAAAAAAA", "' OR 1=1 --"])
async def test_an_unknown_id_finds_nothing(queries: QueryRepository, unknown: str) -> None:
    await queries.add("aa", 1, None, "{}")
    assert await queries.get(unknown, OWN_WORK) is None


async def test_a_request_that_is_not_json_is_refused(queries: QueryRepository) -> None:
    with pytest.raises(ConstraintError):
        await queries.add("aa", 1, None, "{broken")


async def test_old_ones_are_forgotten(db: Database) -> None:
    now = 10_000_000
    queries = QueryRepository(db, lambda: now)
    old = await queries.add("aa", 1, None, "{}")
    now += 1
    young = await queries.add("aa", 1, None, "{}")
    now += KEPT_SECONDS - 1
    assert await queries.forget_older_than(KEPT_SECONDS) == 0  # the older is just 90 days old
    now += 1
    assert await queries.forget_older_than() == 1
    assert await queries.get(old.id, OWN_WORK) is None
    assert await queries.get(young.id, OWN_WORK) is not None


@only_sqlite
async def test_forgetting_the_old_uses_the_index(db: Database) -> None:
    plan = await db.fetch_all("EXPLAIN QUERY PLAN DELETE FROM calculations WHERE created_at < ?", [1])
    assert "calculations_by_age" in plan[0]["detail"]


@pytest.fixture
def recent(db: Database) -> RecentTextRepository:
    return RecentTextRepository(db)


async def test_newest_first_and_a_text_used_again_moves_to_the_front(recent: RecentTextRepository) -> None:
    for text in ("a", "b", "c", "a"):
        await recent.remember(1, "aa", text)
    assert await recent.list(1, "aa") == ["a", "c", "b"]


async def test_only_the_last_twenty_are_kept(db: Database, recent: RecentTextRepository) -> None:
    for number in range(25):
        await recent.remember(1, "aa", f"{number} inf")
    assert await recent.list(1, "aa") == [f"{number} inf" for number in range(24, 4, -1)]
    assert len(await db.fetch_all("SELECT * FROM recent_texts")) == KEPT_TEXTS


async def test_players_and_kinds_are_apart(recent: RecentTextRepository) -> None:
    await recent.remember(1, "aa", "mine")
    await recent.remember(2, "aa", "theirs")
    await recent.remember(1, "mka", "5@3")
    assert await recent.list(1, "aa") == ["mine"]
    assert await recent.list(2, "aa") == ["theirs"]
    assert await recent.list(1, "mka") == ["5@3"]
    assert await recent.list(3, "aa") == []


async def test_texts_survive_a_restart_and_keep_their_order(place: Path | Server) -> None:
    for text in ("a", "b", "c"):
        db = await open_database(place)
        await RecentTextRepository(db).remember(1, "aa", text)
        await db.close()
    db = await open_database(place)
    assert await RecentTextRepository(db).list(1, "aa") == ["c", "b", "a"]
    await db.close()


few_texts = st.sampled_from([f"{number} inf" for number in range(30)])
texts = few_texts | st.text(max_size=30)
uses = st.tuples(st.sampled_from([1, 2**63 - 1]), st.sampled_from(["aa", "mka"]), texts)


@pytest.mark.torture
@settings(deadline=None)
@given(st.lists(uses, max_size=80))
async def test_like_a_plain_list(history: list[tuple[int, str, str]]) -> None:
    db = await open_database(":memory:")
    try:
        recent = RecentTextRepository(db)
        model: dict[tuple[int, str], list[str]] = {}
        for user_id, kind, text in history:
            await recent.remember(user_id, kind, text)
            others = [other for other in model.get((user_id, kind), []) if other != text]
            model[user_id, kind] = [text, *others][:KEPT_TEXTS]
        for (user_id, kind), expected in model.items():
            assert await recent.list(user_id, kind) == expected
    finally:
        await db.close()


async def test_what_is_forgotten_is_not_left_in_the_file_either(tmp_path: Path) -> None:
    path = tmp_path / "fracas.db"
    db = await open_database(path)
    try:
        recent = RecentTextRepository(db)
        await recent.remember(1, "aa", "my very own battle plan")
        await db.close()
        assert b"my very own battle plan" in path.read_bytes()
        db = await open_database(path)
        await PersonalDataRepository(db, HOUSE_TABLES).forget_person(1)
    finally:
        await db.close()
    assert b"my very own battle plan" not in path.read_bytes()
