import sqlite3
from pathlib import Path

import aiosqlite
import pytest

from bot.game import Games
from bot.store import OWN_WORK
from bot.store.battles.repository import BattleRepository
from bot.store.errors import ConstraintError, StoreError
from bot.store.migrate import APPLICATION_ID, Migration, Schema, bundled, migrate, statements
from bot.store.queries import QueryRepository
from tests.bot.store.databases import HOUSE, open_database
from tests.bot.store.toy import opened

FIRST = Migration(1, "armies", "CREATE TABLE armies (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;")
SECOND = Migration(2, "units", "CREATE TABLE units (army INTEGER NOT NULL REFERENCES armies) STRICT;")
BROKEN = Migration(
    2, "broken", "CREATE TABLE units (id INTEGER) STRICT; INSERT INTO armies VALUES (9, 'x'); CREATE FOO;"
)
SLY = Migration(2, "sly", "CREATE TABLE half (x INTEGER) STRICT; -- then\nCOMMIT; CREATE FOO;")


async def opened_and_closed(path: Path, *migrations: Migration) -> None:
    await (await open_database(path, [Schema(migrations)])).close()


def look(path: Path, sql: str) -> list[tuple[object, ...]]:
    conn = sqlite3.connect(path)
    try:
        return conn.execute(sql).fetchall()
    finally:
        conn.close()


def version(path: Path) -> object:
    return look(path, "PRAGMA user_version")[0][0]


def contents(path: Path) -> bytes:
    return path.read_bytes()


def tables(path: Path) -> list[object]:
    return [row[0] for row in look(path, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]


def backups(path: Path) -> list[str]:
    return sorted(file.name for file in path.parent.iterdir() if ".before-" in file.name)


async def with_one_army(path: Path) -> None:
    await opened_and_closed(path, FIRST)
    conn = sqlite3.connect(path, isolation_level=None)
    conn.execute("INSERT INTO armies VALUES (1, 'first')")
    conn.close()


async def test_the_packages_own_migrations_make_every_table_strict(path: Path) -> None:
    await (await open_database(path)).close()
    assert version(path) == len(HOUSE[0].migrations)
    ours = look(path, "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite%'")
    assert {"calculations", "recent_texts"} <= {row[0] for row in ours}
    assert {row[1] for row in ours} == {1}
    assert look(path, "PRAGMA application_id") == [(APPLICATION_ID,)]


def test_the_packages_own_migrations_are_numbered_without_gaps() -> None:
    (house,) = Games.discover().schemas
    assert house == HOUSE[0]
    assert [migration.number for migration in house.migrations] == list(range(1, len(house.migrations) + 1))
    assert str(bundled()[0]) == "0001_calculations"


async def test_each_is_applied_once_and_in_order(path: Path) -> None:
    await with_one_army(path)
    assert (version(path), tables(path)) == (1, ["armies"])
    for _ in range(2):
        await opened_and_closed(path, FIRST, SECOND)
        assert (version(path), tables(path)) == (2, ["armies", "units"])
        assert look(path, "SELECT * FROM armies") == [(1, "first")]


async def test_a_copy_is_made_before(path: Path) -> None:
    await with_one_army(path)
    assert backups(path) == []  # a new database has nothing to copy
    await opened_and_closed(path, FIRST, SECOND)
    assert backups(path) == ["fracas.db.before-0002"]
    copy = path.with_name("fracas.db.before-0002")
    assert (version(copy), tables(copy)) == (1, ["armies"])
    assert look(copy, "SELECT * FROM armies") == [(1, "first")]
    assert look(copy, "PRAGMA integrity_check") == [("ok",)]
    await opened_and_closed(path, FIRST, SECOND)
    assert backups(path) == ["fracas.db.before-0002"]


async def test_the_copy_can_be_put_back(path: Path) -> None:
    await with_one_army(path)
    await opened_and_closed(path, FIRST, SECOND)
    path.with_name("fracas.db.before-0002").replace(path)
    await opened_and_closed(path, FIRST)
    assert (version(path), look(path, "SELECT * FROM armies")) == (1, [(1, "first")])


async def test_a_later_attempt_copies_what_is_there_by_then(path: Path) -> None:
    await with_one_army(path)
    path.with_name("fracas.db.before-0002.part").write_text("left by a crash")
    for name in ("second", "third"):
        with pytest.raises(StoreError):
            await opened_and_closed(path, FIRST, BROKEN)
        conn = sqlite3.connect(path, isolation_level=None)
        conn.execute("INSERT INTO armies (name) VALUES (?)", [name])
        conn.close()
    await opened_and_closed(path, FIRST, SECOND)
    assert backups(path) == ["fracas.db.before-0002"]
    assert len(look(path.with_name("fracas.db.before-0002"), "SELECT * FROM armies")) == 3


async def test_without_a_copy_nothing_is_migrated(path: Path) -> None:
    await with_one_army(path)
    path.with_name("fracas.db.before-0002").mkdir()
    with pytest.raises(StoreError, match=r"could not be copied to .*before-0002"):
        await opened_and_closed(path, FIRST, SECOND)
    assert version(path) == 1
    assert backups(path) == ["fracas.db.before-0002"], "no unfinished one is left, on a disk that may be full"


@pytest.mark.parametrize(("second", "says"), [(BROKEN, 'near "FOO": syntax error'), (SLY, "a migration can't COMMIT")])
async def test_one_that_fails_changes_nothing(path: Path, second: Migration, says: str) -> None:
    await with_one_army(path)
    with pytest.raises(StoreError) as caught:
        await opened_and_closed(path, FIRST, second)
    assert str(caught.value) == f"The database {path} stays at version 1: migration {second} failed ({says})."
    assert (version(path), tables(path)) == (1, ["armies"])
    assert look(path, "SELECT * FROM armies") == [(1, "first")]
    await opened_and_closed(path, FIRST)


async def test_one_that_fails_leaves_no_transaction_open() -> None:
    async with aiosqlite.connect(":memory:", isolation_level=None) as conn:
        with pytest.raises(StoreError):
            await migrate(conn, None, [Schema((FIRST, BROKEN))])
        assert not conn.in_transaction


async def test_the_ones_before_the_one_that_fails_stay(path: Path) -> None:
    with pytest.raises(StoreError, match="stays at version 1"):
        await opened_and_closed(path, FIRST, BROKEN)
    assert (version(path), tables(path)) == (1, ["armies"])


async def test_one_that_leaves_rows_pointing_to_nothing_is_refused(path: Path) -> None:
    await opened_and_closed(path, FIRST, SECOND)
    orphan = Migration(3, "orphan", "INSERT INTO units VALUES (404);")
    with pytest.raises(StoreError, match="rows that point to nothing"):
        await opened_and_closed(path, FIRST, SECOND, orphan)
    assert (version(path), look(path, "SELECT * FROM units")) == (2, [])


async def test_a_table_that_others_point_to_can_be_rebuilt(path: Path) -> None:
    rebuild = Migration(
        3,
        "rebuild",
        "INSERT INTO armies VALUES (1, 'first'); INSERT INTO units VALUES (1);"
        "CREATE TABLE new (id INTEGER PRIMARY KEY, name TEXT NOT NULL, side TEXT) STRICT;"
        "INSERT INTO new (id, name) SELECT id, name FROM armies;"
        "DROP TABLE armies; ALTER TABLE new RENAME TO armies;",
    )
    db = await open_database(path, [Schema((FIRST, SECOND, rebuild))])
    with pytest.raises(ConstraintError, match="FOREIGN KEY"):
        await db.write(lambda conn: conn.execute("INSERT INTO units VALUES (404)"))
    await db.close()
    assert look(path, "SELECT * FROM armies") == [(1, "first", None)]
    assert look(path, "SELECT * FROM units") == [(1,)]


async def test_a_newer_database_is_refused_and_left_alone(path: Path) -> None:
    await opened_and_closed(path, FIRST, SECOND)
    before = contents(path), backups(path)
    with pytest.raises(StoreError) as caught:
        await opened_and_closed(path, FIRST)
    assert str(caught.value) == (
        f"The database {path} was written by a newer version of Fracas (its schema is 2, this version knows 1)."
    )
    assert (contents(path), backups(path)) == before


@pytest.mark.parametrize("numbers", [(2,), (1, 3), (2, 1), (1, 1)])
async def test_gaps_are_refused(path: Path, numbers: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="without gaps"):
        await opened_and_closed(path, *(Migration(number, "x", "SELECT 1;") for number in numbers))


def test_statements_are_split_where_they_end() -> None:
    sql = """
    -- a comment; with a semicolon
    CREATE TABLE t (x TEXT DEFAULT 'a;b');  /* and; another */
    CREATE TRIGGER g AFTER INSERT ON t BEGIN
        DELETE FROM t WHERE x = ';';
        INSERT INTO t VALUES ('"');
    END;
    INSERT INTO t VALUES ('it''s; fine');
    -- the end;
    """
    conn = sqlite3.connect(":memory:")
    found = list(statements(sql))
    for statement in found:
        conn.execute(statement)
    conn.close()
    assert [statement.split("\n")[-1].strip().split()[0] for statement in found] == ["CREATE", "END;", "INSERT"]


@pytest.mark.parametrize("sql", ["CREATE TABLE t (x INTEGER)", "SELECT 1; SELECT 'open", "SELECT 1; /* x */ SELECT 2"])
def test_an_unfinished_statement_is_refused(sql: str) -> None:
    with pytest.raises(ValueError, match="not finished"):
        list(statements(sql))


@pytest.mark.parametrize("verb", ["BEGIN", "COMMIT", "END", "ROLLBACK", "RELEASE", "VACUUM", "PRAGMA", "ATTACH"])
def test_what_would_meddle_with_the_transaction_is_refused(verb: str) -> None:
    for sql in (f"{verb};", f"SELECT 1; /* now */ {verb.lower()} x;"):
        with pytest.raises(ValueError, match=f"can't {verb}"):
            list(statements(sql))


async def test_what_players_asked_before_there_were_battles_is_kept(path: Path) -> None:
    db = await open_database(path, [Schema(bundled()[:1])])
    query_id = await QueryRepository(db).add("aa", 1, None, "{}")
    await db.close()
    db = await open_database(path)
    assert await QueryRepository(db).get(query_id.id, OWN_WORK) == query_id
    battle = await opened(BattleRepository(db))
    assert await BattleRepository(db).get(battle.id, OWN_WORK) == battle
    await db.close()


class TestOfGames:
    """Games number their migrations for themselves, beside the house's."""

    WINS = Migration(1, "wins", "CREATE TABLE nim_wins (user_id INTEGER) STRICT;")
    PLACES = Migration(2, "places", "ALTER TABLE nim_wins ADD COLUMN place INTEGER;")
    BROKEN = Migration(2, "broken", "CREATE TABLE nim_places (x INTEGER) STRICT; CREATE FOO;")

    @staticmethod
    async def opened(path: Path, *of_nim: Migration, house: tuple[Migration, ...] = (FIRST,)) -> None:
        await (await open_database(path, [Schema(house), Schema(of_nim, "nim")])).close()

    @staticmethod
    def version_of_nim(path: Path) -> list[tuple[object, ...]]:
        return look(path, "SELECT * FROM game_schema")

    async def test_each_is_applied_once_and_the_house_s_version_stays(self, path: Path) -> None:
        for _ in range(2):
            await self.opened(path, self.WINS, self.PLACES)
            assert (version(path), self.version_of_nim(path)) == (1, [("nim", 2)])
            assert tables(path) == ["armies", "game_schema", "nim_wins"]
        assert backups(path) == [], "a new database has nothing to copy"

    async def test_without_games_nothing_is_added(self, path: Path) -> None:
        await opened_and_closed(path, FIRST)
        assert tables(path) == ["armies"]

    async def test_a_game_that_comes_later_makes_a_copy_first(self, path: Path) -> None:
        await opened_and_closed(path, FIRST)
        await self.opened(path, self.WINS)
        await self.opened(path, self.WINS, self.PLACES, house=(FIRST, SECOND))
        assert backups(path) == ["fracas.db.before-0002", "fracas.db.before-nim-0001", "fracas.db.before-nim-0002"]
        assert tables(path.with_name("fracas.db.before-nim-0001")) == ["armies"]
        assert self.version_of_nim(path.with_name("fracas.db.before-nim-0002")) == [("nim", 1)]

    async def test_a_game_that_is_gone_keeps_its_tables_until_it_is_back(self, path: Path) -> None:
        await self.opened(path, self.WINS)
        await opened_and_closed(path, FIRST, SECOND)
        assert "nim_wins" in tables(path)
        await self.opened(path, self.WINS, self.PLACES, house=(FIRST, SECOND))
        assert self.version_of_nim(path) == [("nim", 2)]

    async def test_one_that_fails_changes_nothing(self, path: Path) -> None:
        await self.opened(path, self.WINS)
        with pytest.raises(StoreError) as caught:
            await self.opened(path, self.WINS, self.BROKEN)
        assert str(caught.value) == (
            f"The database {path} stays at version 1 of the game nim:"
            ' migration 0002_broken failed (near "FOO": syntax error).'
        )
        assert (tables(path), self.version_of_nim(path)) == (["armies", "game_schema", "nim_wins"], [("nim", 1)])

    async def test_a_newer_schema_is_refused_before_anything_is_done(self, path: Path) -> None:
        await self.opened(path, self.WINS, self.PLACES)
        before = contents(path), backups(path)
        with pytest.raises(StoreError) as caught:
            await self.opened(path, self.WINS, house=(FIRST, SECOND))
        assert str(caught.value) == (
            f"The database {path} was written by a newer version of the game nim"
            " (its schema is 2, this version knows 1)."
        )
        assert (contents(path), backups(path)) == before
