"""A database gets its tables, and is copied to another engine: whole, or not at all."""

import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import aiosqlite
import pytest

from bot.cli.database import move
from bot.config import Server
from bot.games import Games
from bot.scale.dialect import VERSIONS
from bot.store import OWN_WORK, ConstraintError, StoreError
from bot.store.battles import BattleRepository
from bot.store.database import Connection, Database
from bot.store.migrate import APPLICATION_ID, Migration, Schema, bundled, migrate, statements
from bot.store.queries import RecentTextRepository
from tests.bot.store.databases import HOUSE, database, database_of, fill, open_database, refusal
from tests.bot.store.toy import advance, expect_sound, opened

FIRST = Migration(1, "armies", "CREATE TABLE armies (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;")
SECOND = Migration(2, "units", "CREATE TABLE units (army INTEGER NOT NULL REFERENCES armies) STRICT;")
BROKEN = Migration(
    2, "broken", "CREATE TABLE units (id INTEGER) STRICT; INSERT INTO armies VALUES (9, 'x'); CREATE FOO;"
)
ALICE, BOB, HERE, THERE = 1 << 60, (1 << 60) + 1, 1 << 59, (1 << 59) + 1

SLY = Migration(2, "sly", "CREATE TABLE half (x INTEGER) STRICT; -- then\nCOMMIT; CREATE FOO;")


@pytest.fixture(params=[None, "nim"])
def game(request: pytest.FixtureRequest) -> str | None:
    """Return whose migrations a test is about: the house's (None), or a game's, which it numbers for itself."""
    found: str | None = request.param
    return found


def schemas_of(*migrations: Migration, game: str | None = None) -> list[Schema]:
    return [Schema(migrations)] if game is None else [Schema(()), Schema(migrations, game)]


async def opened_and_closed(path: Path, *migrations: Migration, game: str | None = None) -> None:
    await (await open_database(path, schemas_of(*migrations, game=game))).close()


def ask(path: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        return conn.execute(sql).fetchall()


def version(path: Path, game: str | None = None) -> object:
    versions = "SELECT version FROM game_schema WHERE game = 'nim'"
    return ask(path, "PRAGMA user_version" if game is None else versions)[0][0]


def contents(path: Path) -> bytes:
    return path.read_bytes()


def tables(path: Path) -> list[object]:
    sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'game_schema' ORDER BY name"
    return [row[0] for row in ask(path, sql)]


def backups(path: Path) -> list[str]:
    return sorted(file.name for file in path.parent.iterdir() if ".before-" in file.name)


async def with_one_army(path: Path, game: str | None = None) -> None:
    await opened_and_closed(path, FIRST, game=game)
    ask(path, "INSERT INTO armies VALUES (1, 'first')")


async def test_the_packages_own_migrations_make_every_table_strict(path: Path) -> None:
    await (await open_database(path)).close()
    assert version(path) == len(HOUSE[0].migrations)
    ours = ask(path, "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite%'")
    assert {"calculations", "recent_texts"} <= {row[0] for row in ours}
    assert {row[1] for row in ours} == {1}
    assert ask(path, "PRAGMA application_id") == [(APPLICATION_ID,)]


def test_the_packages_own_migrations_are_numbered_without_gaps() -> None:
    (house,) = Games.discover().schemas
    assert house == HOUSE[0]
    assert [migration.number for migration in house.migrations] == list(range(1, len(house.migrations) + 1))
    assert str(bundled()[0]) == "0001_calculations"


async def test_each_is_applied_once_in_order_and_after_a_copy(path: Path, game: str | None) -> None:
    await with_one_army(path, game)
    assert (version(path, game), tables(path)) == (1, ["armies"])
    assert backups(path) == []  # a new database has nothing to copy
    name = "fracas.db.before-0002" if game is None else "fracas.db.before-nim-0002"
    for _ in range(2):
        await opened_and_closed(path, FIRST, SECOND, game=game)
        assert (version(path, game), tables(path)) == (2, ["armies", "units"])
        assert ask(path, "SELECT * FROM armies") == [(1, "first")]
        assert backups(path) == [name]
    copy = path.with_name(name)
    assert (version(copy, game), tables(copy)) == (1, ["armies"])
    assert ask(copy, "SELECT * FROM armies") == [(1, "first")]
    assert ask(copy, "PRAGMA integrity_check") == [("ok",)]


async def test_a_later_attempt_copies_what_is_there_by_then(path: Path) -> None:
    await with_one_army(path)
    path.with_name("fracas.db.before-0002.part").write_text("left by a crash")
    for _ in range(2):
        await refusal(path, schemas_of(FIRST, BROKEN))
        ask(path, "INSERT INTO armies (name) VALUES ('another')")
    await opened_and_closed(path, FIRST, SECOND)
    assert backups(path) == ["fracas.db.before-0002"]
    assert len(ask(path.with_name("fracas.db.before-0002"), "SELECT * FROM armies")) == 3


async def test_without_a_copy_nothing_is_migrated(path: Path) -> None:
    await with_one_army(path)
    path.with_name("fracas.db.before-0002").mkdir()
    assert re.search("could not be copied to .*before-0002", await refusal(path, schemas_of(FIRST, SECOND)))
    assert version(path) == 1
    assert backups(path) == ["fracas.db.before-0002"], "no unfinished one is left, on a disk that may be full"


@pytest.mark.parametrize(("second", "says"), [(BROKEN, 'near "FOO": syntax error'), (SLY, "a migration can't COMMIT")])
async def test_one_that_fails_changes_nothing(path: Path, second: Migration, says: str, game: str | None) -> None:
    await with_one_army(path, game)
    whose = "" if game is None else " of the game nim"
    why = await refusal(path, schemas_of(FIRST, second, game=game))
    assert why == f"The database {path} stays at version 1{whose}: migration {second} failed ({says})."
    assert (version(path, game), tables(path)) == (1, ["armies"])
    assert ask(path, "SELECT * FROM armies") == [(1, "first")]
    await opened_and_closed(path, FIRST, game=game)


async def test_one_that_fails_leaves_no_transaction_open() -> None:
    async with aiosqlite.connect(":memory:", isolation_level=None) as conn:
        with pytest.raises(StoreError, match="stays at version 1"):
            await migrate(conn, None, [Schema((FIRST, BROKEN))])
        assert not conn.in_transaction
        assert await (await conn.execute("SELECT * FROM armies")).fetchall() == [], "the ones before it stay"


async def test_a_table_that_others_point_to_can_be_rebuilt_but_no_row_may_point_to_nothing(path: Path) -> None:
    orphan = Migration(3, "orphan", "INSERT INTO units VALUES (404);")
    assert "rows that point to nothing" in await refusal(path, schemas_of(FIRST, SECOND, orphan))
    assert (version(path), ask(path, "SELECT * FROM units")) == (2, [])
    rebuild = Migration(
        3,
        "rebuild",
        "INSERT INTO armies VALUES (1, 'first'); INSERT INTO units VALUES (1);"
        "CREATE TABLE new (id INTEGER PRIMARY KEY, name TEXT NOT NULL, side TEXT) STRICT;"
        "INSERT INTO new (id, name) SELECT id, name FROM armies;"
        "DROP TABLE armies; ALTER TABLE new RENAME TO armies;",
    )
    async with database(path, [Schema((FIRST, SECOND, rebuild))]) as db:
        with pytest.raises(ConstraintError, match="FOREIGN KEY"):
            await db.execute("INSERT INTO units VALUES (404)")
    assert ask(path, "SELECT * FROM armies") == [(1, "first", None)]
    assert ask(path, "SELECT * FROM units") == [(1,)]


async def test_a_newer_database_is_refused_and_left_alone(path: Path, game: str | None) -> None:
    await opened_and_closed(path, FIRST, SECOND, game=game)
    before = contents(path), backups(path)
    whose = "Fracas" if game is None else "the game nim"
    assert await refusal(path, schemas_of(FIRST, game=game)) == (
        f"The database {path} was written by a newer version of {whose} (its schema is 2, this version knows 1)."
    )
    assert (contents(path), backups(path)) == before


async def test_a_game_comes_and_goes_and_its_tables_stay(path: Path) -> None:
    wins = Migration(1, "wins", "CREATE TABLE nim_wins (user_id INTEGER) STRICT;")
    await opened_and_closed(path, FIRST)
    assert ask(path, "SELECT name FROM sqlite_master") == [("armies",)], "without games there is nothing of games"
    for schemas in ([Schema((FIRST,)), Schema((wins,), "nim")], [Schema((FIRST, SECOND))]):
        await (await open_database(path, schemas)).close()
        assert tables(path)[:2] == ["armies", "nim_wins"]
    assert backups(path) == ["fracas.db.before-0002", "fracas.db.before-nim-0001"]
    assert tables(path.with_name("fracas.db.before-nim-0001")) == ["armies"]
    assert (version(path), version(path, "nim")) == (2, 1)


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


@pytest.fixture
async def other(engine: Path | Server, server: Server, tmp_path: Path, migrated_file: bytes) -> AsyncIterator[Database]:
    """Return an empty database of the other engine."""
    async with database_of(server) as empty:
        file = tmp_path / "other.db"
        file.write_bytes(migrated_file)
        async with database(empty if isinstance(engine, Path) else file) as opened_other:
            yield opened_other


async def rows_of(db: Database) -> dict[str, list[str]]:
    """Return the rows of every table, in no order."""
    tables = {table: ", ".join(sorted(columns)) for table, columns in (await db.tables()).items() if table != VERSIONS}
    return {
        table: sorted(repr(tuple(row)) for row in await db.fetch_all(f"SELECT {columns} FROM {table}"))  # noqa: S608
        for table, columns in tables.items()
    }


async def test_every_row_arrives(db: Database, other: Database) -> None:
    await fill(db, (ALICE, HERE), (BOB, THERE), first=50)
    battles = BattleRepository(db)
    battle = await advance(battles, await opened(battles, channel=500, attacker=1), 7, actor=1)
    rows = await move(db, other)
    before, after = await rows_of(db), await rows_of(other)
    assert after == before
    assert rows == {table: len(found) for table, found in before.items()}
    assert all(rows.values())
    assert await BattleRepository(other).get(battle.id, OWN_WORK) == battle
    await expect_sound(BattleRepository(other), battle.id)


async def test_what_is_new_there_has_a_number_of_its_own(db: Database, other: Database) -> None:
    """Numbers of rows that are gone aren't given again either: buttons of old messages name them."""
    battles = BattleRepository(db)
    for _ in range(2):
        last = await opened(battles)

    await db.write(lambda conn: conn.execute("DELETE FROM battles WHERE id = ?", [last.id]))
    await RecentTextRepository(db).remember(1, "aa", "first")
    await move(db, other)
    assert (await opened(BattleRepository(other))).id == last.id + 1
    await RecentTextRepository(other).remember(1, "aa", "second")
    assert await RecentTextRepository(other).list(1, "aa") == ["second", "first"]


async def test_a_database_with_rows_stays_as_it_is(db: Database, other: Database) -> None:
    await opened(BattleRepository(db))
    await RecentTextRepository(other).remember(1, "aa", "mine")
    before = await rows_of(other)
    with pytest.raises(StoreError, match="There are rows in the target's table recent_texts"):
        await move(db, other)
    assert await rows_of(other) == before


async def test_a_copy_that_differs_is_undone(db: Database, other: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    await fill(db, (ALICE, HERE))
    empty = await rows_of(other)
    count_on = type(other).count_on

    async def damage(self: Database, conn: Connection, counters: dict[str, int]) -> None:
        await count_on(self, conn, counters)
        await conn.execute("UPDATE scores SET points = points + 1")

    monkeypatch.setattr(type(other), "count_on", damage)
    with pytest.raises(StoreError, match=r"^The copy differs in the table scores; nothing was copied\.$"):
        await move(db, other)
    assert await rows_of(other) == empty


async def test_a_table_that_nobody_knows_there_is_not_left_behind(db: Database, other: Database) -> None:
    await db.write(lambda conn: conn.execute("CREATE TABLE pig_wins (wins INTEGER)"))
    with pytest.raises(StoreError, match="No installed game knows the tables pig_wins"):
        await move(db, other)
