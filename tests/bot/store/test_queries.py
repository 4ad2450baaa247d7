import re
from pathlib import Path

import pytest

from bot.config import Server
from bot.store import OWN_WORK, Origin
from bot.store.database import Database
from bot.store.errors import ConstraintError
from bot.store.personal_data import PersonalDataRepository
from bot.store.queries import KEPT_SECONDS, QueryRepository, StoredQuery
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
    db: Database, request_json: str, guild_id: int | None, origin: Origin, found: bool
) -> None:
    queries = QueryRepository(db)
    added = await queries.add("aa", ASKER, guild_id, request_json)
    assert (await queries.get(added.id, origin) == added) is found


async def test_in_direct_messages_there_is_no_guild(db: Database) -> None:
    queries = QueryRepository(db)
    found = await queries.get((await queries.add("aa", 1, None, "{}")).id, OWN_WORK)
    assert found is not None
    assert found.guild_id is None


async def test_the_clock_is_the_time_of_day_unless_given(db: Database) -> None:
    queries = QueryRepository(db)
    found = await queries.get((await queries.add("aa", 1, None, "{}")).id, OWN_WORK)
    assert found is not None
    assert found.created_at > 1_700_000_000


async def test_every_calculation_has_its_own_id(db: Database) -> None:
    queries = QueryRepository(db)
    ids = {(await queries.add("aa", 1, None, f"[{number}]")).id for number in range(50)}
    assert len(ids) == 50


@pytest.mark.parametrize("unknown", ["", "AAAAAAAAAAAA", "' OR 1=1 --"])
async def test_an_unknown_id_finds_nothing(db: Database, unknown: str) -> None:
    queries = QueryRepository(db)
    await queries.add("aa", 1, None, "{}")
    assert await queries.get(unknown, OWN_WORK) is None


async def test_a_request_that_is_not_json_is_refused(db: Database) -> None:
    with pytest.raises(ConstraintError):
        await QueryRepository(db).add("aa", 1, None, "{broken")


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


async def test_a_person_is_forgotten_on_request(db: Database, personal_data: PersonalDataRepository) -> None:
    queries = QueryRepository(db)
    mine = [await queries.add("aa", 1, None, "{}") for _ in range(2)]
    theirs = await queries.add("aa", 2, None, "{}")
    await personal_data.forget_person(1)
    assert [await queries.get(each.id, OWN_WORK) for each in mine] == [None, None]
    assert await queries.get(theirs.id, OWN_WORK) is not None
