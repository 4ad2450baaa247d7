"""A server of PostgreSQL that goes away and comes back, over a connection that a test cuts."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.store.database import ROOM_SECONDS, Availability, Connection, Database
from bot.store.errors import DatabaseLostError, DiskFullError, UnavailableError
from tests.bot.store.databases import open_database
from tests.bot.store.servers import Cable

pytest.importorskip("asyncpg", reason="pip install '.[test-all]' brings it")


@pytest.fixture
async def far(cable: Cable) -> AsyncIterator[Database]:
    database = await open_database(cable.place)
    await database.write(lambda conn: conn.execute("INSERT INTO battle_numbers (channel_id, last) VALUES (1, 0)"))
    yield database
    await database.close()


async def add_one(conn: Connection) -> None:
    await conn.execute("UPDATE battle_numbers SET last = last + 1 WHERE channel_id = 1")


async def total(db: Database) -> int:
    ((last,),) = await db.fetch_all("SELECT last FROM battle_numbers")
    return int(last)


def heard(availability: Availability) -> list[tuple[str, bool]]:
    """Return what will be told of a database: which trouble, and whether it is over."""
    told: list[tuple[str, bool]] = []
    availability.listen(lambda trouble, away: told.append((type(trouble).__name__, away is not None)))
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
    async with asyncio.timeout(300):
        while len(done) < 30:  # noqa: ASYNC110 - until it runs
            await asyncio.sleep(0.01)
        cable.cut()
        while len(lost) < 30:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        before = len(done)
        await cable.mend()
        while len(done) < before + 30:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
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
