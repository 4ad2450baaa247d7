import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from bot.config import Server
from bot.games import Games
from bot.store import DAY
from bot.store.battles import BattleRepository
from bot.store.database import Database
from bot.store.personal_data import PersonalDataRepository, PersonalTable
from bot.store.personal_tables import HOUSE_TABLES
from bot.store.sqlite import SqliteDatabase
from tests.bot.conftest import Clock
from tests.bot.store.databases import TABLE, database, database_of


@pytest.fixture
def clock() -> Clock:
    return Clock(1_000 * DAY + 0.9)  # clocks have no whole seconds


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "fracas.db"


@pytest.fixture
def migrated(path: Path, migrated_file: bytes) -> Path:
    path.write_bytes(migrated_file)
    return path


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def engine(request: pytest.FixtureRequest) -> Path | Server:
    """Return a file with all tables and no rows, or the server; `only_sqlite` lets a test run with the file alone."""
    found: Path | Server = request.getfixturevalue("migrated" if request.param == "sqlite" else "server")
    return found


@pytest.fixture
async def place(engine: Path | Server) -> AsyncIterator[Path | Server]:
    """Return where the test's database is; it has all tables and no rows."""
    if isinstance(engine, Path):
        yield engine
    else:
        async with database_of(engine) as made:
            yield made


@pytest.fixture
async def db(place: Path | Server) -> AsyncIterator[Database]:
    async with database(place) as opened:
        yield opened


@pytest.fixture
def personal_data(db: Database) -> PersonalDataRepository:
    return personal_data_with(db)


def personal_data_with(db: Database, *tables: PersonalTable) -> PersonalDataRepository:
    return PersonalDataRepository(db, (*HOUSE_TABLES, *Games.discover().personal_data, *tables))


@pytest.fixture
def battles(db: Database, clock: Clock) -> BattleRepository:
    return BattleRepository(db, clock)


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    """Look for the connections that were not closed: their threads keep a process from exiting."""
    before = set(threading.enumerate())
    yield
    for thread in set(threading.enumerate()) - before:
        if "asyncio" not in thread.name:  # the loop's own helpers end with the loop
            thread.join(timeout=30)
            assert not thread.is_alive()


@pytest.fixture
async def numbers(path: Path) -> AsyncIterator[SqliteDatabase]:
    async with database(path, TABLE) as opened:
        assert isinstance(opened, SqliteDatabase)
        yield opened
