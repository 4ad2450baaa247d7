"""Two processes with one database on a server: two databases opened here, which share nothing but the server."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest

from bot.config import Server
from bot.resources import look_at
from bot.store import OWN_WORK
from bot.store.battles.panels import PanelRepository
from bot.store.battles.repository import BattleRepository
from bot.store.database import Connection, Database
from bot.store.errors import AlreadyAppliedError, StaleError, StoreError
from bot.store.guilds import GuildPresenceRepository
from bot.store.migrate import Schema
from bot.store.personal_data import PersonalDataRepository
from bot.store.personal_tables import HOUSE_TABLES
from bot.store.queries import QueryRepository, UploadRepository
from tests.bot.store.databases import open_database
from tests.bot.store.servers import database_of
from tests.bot.store.toy import advance, expect_sound, opened

asyncpg = pytest.importorskip("asyncpg", reason="pip install '.[test-all]' brings it")
pytestmark = pytest.mark.postgres

ALICE = 1 << 60


@pytest.fixture
async def shared(server: Server) -> AsyncIterator[Server]:
    async with database_of(server) as place:
        yield place


@pytest.fixture
async def both(shared: Server) -> AsyncIterator[tuple[Database, Database]]:
    async with contextlib.AsyncExitStack() as stack:
        found = []
        for _ in range(2):
            found.append(await open_database(shared))
            stack.push_async_callback(found[-1].close)
        yield found[0], found[1]


async def end_connections(place: Server) -> None:
    """End every connection to a database, as when its server is started anew."""
    conn = await asyncpg.connect(place.url)
    await conn.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    await conn.close()


class TestTurns:
    async def test_one_process_at_a_time(self, both: tuple[Database, Database]) -> None:
        one, other = both
        async with one.alone("outbox", wait=False) as ours:
            assert ours
            async with other.alone("outbox", wait=False) as theirs:
                assert not theirs
            async with other.alone("clock", wait=False) as theirs:
                assert theirs
        async with other.alone("outbox", wait=False) as theirs:
            assert theirs

    async def test_who_waits_comes_next(self, both: tuple[Database, Database]) -> None:
        one, other = both
        order = []

        async def wait() -> None:
            async with other.alone("panel 1", wait=True):
                order.append("other")

        async with one.alone("panel 1", wait=True):
            waiting = asyncio.create_task(wait())
            await asyncio.sleep(0.1)
            order.append("one")
        await waiting
        assert order == ["one", "other"]

    async def test_who_is_cancelled_holds_nothing(self, both: tuple[Database, Database]) -> None:
        one, other = both

        async def hold() -> None:
            async with one.alone("panel 1", wait=True):
                await asyncio.sleep(3600)

        for moment in range(40):
            holding = asyncio.create_task(hold())
            for _ in range(moment):
                await asyncio.sleep(0.0005)
            holding.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await holding
            async with other.alone("panel 1", wait=False) as free:
                assert free

    async def test_a_dead_process_holds_nothing(self, shared: Server, both: tuple[Database, Database]) -> None:
        one, other = both
        async with one.alone("retention", wait=True):
            await end_connections(shared)  # as the end of the process would
            async with asyncio.timeout(30), other.alone("retention", wait=True) as theirs:
                assert theirs
        async with one.alone("retention", wait=False) as ours:
            assert ours


class TestBattles:
    async def test_numbers_in_a_channel_are_given_once(self, both: tuple[Database, Database]) -> None:
        made = await asyncio.gather(*(opened(BattleRepository(db)) for db in both for _ in range(20)))
        assert sorted(battle.number for battle in made) == list(range(1, 41))

    async def test_a_version_is_left_once(self, both: tuple[Database, Database]) -> None:
        battles = [BattleRepository(db) for db in both]
        battle = await opened(battles[0])
        for version in range(1, 11):
            results = await asyncio.gather(
                *(advance(one, battle, 100 * version + number) for number, one in enumerate(battles)),
                return_exceptions=True,
            )
            assert sorted(type(result).__name__ for result in results) == ["Battle", StaleError.__name__]
            battle = await expect_sound(battles[0], battle.id)
            assert battle.version == version
            assert await battles[1].get(battle.id, OWN_WORK) == battle

    async def test_an_interaction_is_applied_once(self, both: tuple[Database, Database]) -> None:
        battles = [BattleRepository(db) for db in both]
        battle = await opened(battles[0])
        results = await asyncio.gather(
            *(advance(one, battle, 5) for one in battles for _ in range(5)), return_exceptions=True
        )
        assert sorted(type(result).__name__ for result in results) == [AlreadyAppliedError.__name__] * 9 + ["Battle"]

    async def test_what_is_unpublished_is_so_for_all(self, both: tuple[Database, Database]) -> None:
        battle = await opened(BattleRepository(both[0]))
        panels = PanelRepository(both[1])
        assert await panels.pending_revisions() == {battle.id: battle.revision}
        await panels.mark_published(battle)
        assert await PanelRepository(both[0]).pending_revisions() == {}


async def test_a_draft_is_taken_once(both: tuple[Database, Database]) -> None:
    queries = [QueryRepository(db, lambda: 0.0, UploadRepository(db)) for db in both]
    draft = await queries[0].add("aa", ALICE, None, "{}")
    taken = await asyncio.gather(*(one.take(draft.id) for one in queries for _ in range(5)))
    assert sum(taken) == 1


async def test_a_person_is_forgotten_for_all(both: tuple[Database, Database]) -> None:
    battles = [BattleRepository(db) for db in both]
    battle = await advance(battles[0], await opened(battles[0], starter=ALICE, attacker=ALICE), actor=ALICE)
    assert (await battles[1].get(battle.id, OWN_WORK)) == battle
    await PersonalDataRepository(both[0], HOUSE_TABLES).forget_person(ALICE)
    found = await battles[1].get(battle.id, OWN_WORK)
    assert found is not None
    assert (found.starter_id, found.seats_of(ALICE)) == (None, ())
    assert [entry.actor for entry in await battles[1].journal(battle.id)] == [None]
    assert not any(row.number for row in await PersonalDataRepository(both[1], HOUSE_TABLES).summary(ALICE))


async def test_servers_on_other_shards_are_not_missing(both: tuple[Database, Database]) -> None:
    even, odd = (GuildPresenceRepository(db) for db in both)
    assert await even.compare({2, 4}, lambda guild: guild % 2 == 0) == []
    assert await odd.compare({1, 3}, lambda guild: guild % 2 == 1) == []
    assert await even.compare({2}, lambda guild: guild % 2 == 0) == [4]
    assert await odd.compare({1, 3}, lambda guild: guild % 2 == 1) == []


async def test_a_transaction_whose_connection_ends_is_tried_once_more(
    shared: Server, both: tuple[Database, Database]
) -> None:
    db = both[0]
    battles = BattleRepository(db)
    battle = await opened(battles)
    begun = asyncio.Event()
    runs = 0

    async def body(conn: Connection) -> None:
        nonlocal runs
        runs += 1
        await conn.execute("DELETE FROM battles")
        begun.set()
        await asyncio.sleep(0.3)
        await conn.execute("DELETE FROM battle_numbers")

    writing = asyncio.create_task(db.write(body))
    await begun.wait()
    await end_connections(shared)
    await writing
    assert runs == 2, "it was tried once more"
    assert await battles.get(battle.id, OWN_WORK) is None


async def test_what_is_there_is_told_without_changing_it(server: Server) -> None:
    version, found = await look_at(server)
    assert version.split(".")[0].isdecimal()
    assert found.version == 0, "it has no tables"
    async with database_of(server) as filled:
        assert (await look_at(filled))[1].version > 0


async def test_a_server_that_is_not_there_is_named_without_its_password() -> None:
    with pytest.raises(StoreError) as caught:
        await open_database(Server("postgresql://bot:secret@127.0.0.1:1/fracas"))
    assert str(caught.value).startswith("The database postgresql://bot@127.0.0.1:1/fracas can't be reached (")


async def test_another_program_s_database_is_left_alone(server: Server) -> None:
    async with database_of(server, "template1") as place:
        conn = await asyncpg.connect(place.url)
        await conn.execute("CREATE TABLE theirs (x INTEGER)")
        await conn.close()
        with pytest.raises(StoreError, match="belongs to another program"):
            await open_database(place)


async def test_processes_that_start_together_migrate_once(server: Server) -> None:
    async with database_of(server, "template1") as place:
        opened_by_all = await asyncio.gather(*(open_database(place) for _ in range(4)))
        for db in opened_by_all:
            assert db.updates == []
            assert "battles" in await db.tables()
            await db.close()


async def test_a_database_of_a_newer_version_is_refused(server: Server) -> None:
    async with database_of(server) as place:
        with pytest.raises(StoreError, match="was written by a newer version of Fracas"):
            await open_database(place, [Schema(())])
