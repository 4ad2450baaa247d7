"""A server of PostgreSQL: two processes share nothing but it, and it goes away and comes back."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest

from bot.config import Server
from bot.resources import look_at
from bot.store import OWN_WORK, DatabaseLostError, DiskFullError, UnavailableError
from bot.store.battles import BattleRepository
from bot.store.database import ROOM_SECONDS, Availability, Connection, Database
from bot.store.migrate import Schema
from bot.store.personal_data import GuildRepository
from bot.store.queries import QueryRepository, UploadRepository
from tests.bot.store.databases import Cable, database, database_of, open_database, refusal
from tests.bot.store.toy import opened
from tests.sim.workers.waiting import until

asyncpg = pytest.importorskip("asyncpg", reason="pip install '.[test-all]' brings it")
ALICE = 1 << 60


@pytest.fixture
async def shared(server: Server) -> AsyncIterator[Server]:
    async with database_of(server) as place:
        yield place


@pytest.fixture
async def both(shared: Server) -> AsyncIterator[tuple[Database, Database]]:
    async with database(shared) as one, database(shared) as other:
        yield one, other


async def end_connections(place: Server) -> None:
    """End every connection to a database, as when its server is started anew."""
    conn = await asyncpg.connect(place.url)
    await conn.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    await conn.close()


class TestTurns:
    async def test_who_waits_comes_next(self, both: tuple[Database, Database]) -> None:
        one, other = both
        order = []

        async def wait() -> None:
            async with other.alone("panel 1", wait=True):
                order.append("other")

        async with one.alone("panel 1", wait=True):
            waiting = asyncio.create_task(wait())
            await asyncio.sleep(0.1)
            async with other.alone("clock", wait=False) as theirs:
                assert theirs, "work of another name"
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


async def test_a_draft_is_taken_once(both: tuple[Database, Database]) -> None:
    queries = [QueryRepository(db, lambda: 0.0, UploadRepository(db)) for db in both]
    draft = await queries[0].add("aa", ALICE, None, "{}")
    taken = await asyncio.gather(*(one.take(draft.id) for one in queries for _ in range(5)))
    assert sum(taken) == 1


async def test_servers_on_other_shards_are_not_missing(both: tuple[Database, Database]) -> None:
    even, odd = map(GuildRepository, both)
    for guilds, missing in (({2, 4}, []), ({2}, [4]), ({2, 4}, [])):
        await even.compare(guilds, lambda guild: guild % 2 == 0)
        await odd.compare({1, 3}, lambda guild: guild % 2 == 1)
        left = await both[0].fetch_all("SELECT guild_id FROM guilds_left")
        assert [row["guild_id"] for row in left] == missing, "noted at once: a kill loses none"


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


@pytest.mark.postgres
async def test_a_server_that_is_not_there_is_named_without_its_password() -> None:
    why = await refusal(Server("postgresql://bot:secret@127.0.0.1:1/fracas"))
    assert why.startswith("The database postgresql://bot@127.0.0.1:1/fracas can't be reached (")


async def test_another_program_s_database_is_left_alone(server: Server) -> None:
    async with database_of(server, "template1") as place:
        conn = await asyncpg.connect(place.url)
        await conn.execute("CREATE TABLE theirs (x INTEGER)")
        await conn.close()
        assert "belongs to another program" in await refusal(place)


async def test_processes_that_start_together_migrate_once(server: Server) -> None:
    async with database_of(server, "template1") as place:
        opened_by_all = await asyncio.gather(*(open_database(place) for _ in range(4)))
        for db in opened_by_all:
            assert db.updates == []
            assert "battles" in await db.tables()
            await db.close()


async def test_a_database_of_a_newer_version_is_refused(server: Server) -> None:
    async with database_of(server) as place:
        assert "was written by a newer version of Fracas" in await refusal(place, [Schema(())])


@pytest.fixture
async def far(cable: Cable) -> AsyncIterator[Database]:
    async with database(cable.place) as opened_far:
        await opened_far.execute("INSERT INTO battle_numbers (channel_id, last) VALUES (1, 0)")
        yield opened_far


async def add_one(conn: Connection) -> None:
    await conn.execute("UPDATE battle_numbers SET last = last + 1 WHERE channel_id = 1")


async def total(db: Database) -> int:
    return await db.fetch_value(int, "SELECT last FROM battle_numbers") or 0


def heard(availability: Availability) -> list[tuple[str, bool]]:
    """Return what will be told of a database: which trouble, and whether it is over."""
    told: list[tuple[str, bool]] = []
    availability.listener = lambda trouble, away: told.append((type(trouble).__name__, away is not None))
    return told


async def test_whoever_works_during_an_outage_is_told_of_it_and_one_line_says_so(cable: Cable, far: Database) -> None:
    told = heard(far.availability)
    done: list[bool] = []
    lost: list[DatabaseLostError] = []
    stop = asyncio.Event()

    async def work() -> None:
        while not stop.is_set():
            try:
                async with far.alone("outbox", wait=False):
                    await far.write(add_one)
                    done.append(True)
                await total(far)
            except DatabaseLostError as error:
                lost.append(error)
            await asyncio.sleep(0.01)

    working = asyncio.gather(*(work() for _ in range(12)))
    await until(lambda: len(done) >= 30)
    cable.cut()
    await until(lambda: len(lost) >= 30)
    before = len(done)
    await cable.mend()
    await until(lambda: len(done) >= before + 30)
    stop.set()
    await working  # which would raise any other error
    assert told == [("DatabaseLostError", False), ("DatabaseLostError", True)]
    unknown = sum(error.may_be_done for error in lost)
    assert len(done) <= await total(far) <= len(done) + unknown, "what was told as done is done"


async def test_a_commit_without_an_answer_is_not_done_again(cable: Cable, far: Database) -> None:
    told = heard(far.availability)
    cable.cut_at = lambda sent: b"COMMIT" in sent
    with pytest.raises(DatabaseLostError) as caught:
        await far.write(add_one)
    assert caught.value.may_be_done
    cable.cut_at = lambda _sent: False
    await cable.mend()
    assert await total(far) == 1
    assert [over for _, over in told] == [False, True]


async def test_a_commit_with_an_answer_is_done_whenever_the_way_breaks(cable: Cable, far: Database) -> None:
    unknown = 0
    for turns in range(6):
        cable.turns_after = lambda sent, turns=turns: turns if b"COMMIT\0" in sent else None  # type: ignore[misc]
        try:
            await far.write(add_one)
        except DatabaseLostError as error:
            assert error.may_be_done, turns
            unknown += 1
        cable.turns_after = lambda _sent: None
        await cable.mend()
    assert 6 - unknown <= await total(far) <= 6
    assert unknown < 6


async def test_what_breaks_before_its_commit_is_done_once(cable: Cable, far: Database) -> None:
    told = heard(far.availability)
    runs = 0

    async def body(conn: Connection) -> None:
        nonlocal runs
        runs += 1
        if runs == 1:
            cable.cut()
            await cable.mend()
        await add_one(conn)

    await far.write(body)
    assert (runs, await total(far), told) == (2, 1, [])


def fail(availability: Availability, error: UnavailableError) -> None:
    with pytest.raises(UnavailableError), availability.watched(writing=True):
        raise error


def succeed(availability: Availability, *, writing: bool) -> None:
    with availability.watched(writing=writing):
        pass


def test_a_full_disk_has_room_when_nothing_failed_for_a_while() -> None:
    now = 0.0
    availability = Availability(lambda: now)
    told = heard(availability)
    for _ in range(3):
        fail(availability, DiskFullError("full"))
        succeed(availability, writing=True)  # there is always room for something small
    now = ROOM_SECONDS
    succeed(availability, writing=False)
    assert told == [("DiskFullError", False)]
    succeed(availability, writing=True)
    assert told == [("DiskFullError", False), ("DiskFullError", True)]


def test_an_answer_that_was_on_its_way_ends_no_outage() -> None:
    availability = Availability()
    told = heard(availability)
    with availability.watched():
        fail(availability, DatabaseLostError("cut"))
    assert told == [("DatabaseLostError", False)]
    succeed(availability, writing=False)
    assert told == [("DatabaseLostError", False), ("DatabaseLostError", True)]


def test_a_broken_connection_beside_one_that_works_is_no_outage() -> None:
    availability = Availability()
    told = heard(availability)

    def break_after_a_success() -> None:
        with availability.watched():
            succeed(availability, writing=False)
            raise DatabaseLostError("cut")

    with pytest.raises(DatabaseLostError):
        break_after_a_success()
    assert told == []
