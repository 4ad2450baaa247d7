"""What each command of `fracas` says, and its errors."""

import asyncio
import os
import re
import shutil
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bot.backups import back_up
from bot.cli import COMMANDS, check, main, run
from bot.config import Server
from bot.listening import control_socket
from bot.store.migrate import inspect
from sim.jobs import kernel_cache
from sim.jobs.release import version
from tests.bot.store.databases import HOUSE, database_of, open_database

pytestmark = pytest.mark.usefixtures("clean")


class Said(NamedTuple):
    """What a command printed."""

    status: int
    out: str
    err: str


Run = Callable[..., Said]


@pytest.fixture
def fracas(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*argv: str) -> Said:
        try:
            status = main(argv)
        except SystemExit as left:
            status = int(left.code or 0)
        return Said(status, *capsys.readouterr())

    return run


@pytest.fixture
def database(tmp_path: Path, migrated_file: bytes) -> Path:
    (tmp_path / "fracas.db").write_bytes(migrated_file)
    (tmp_path / "fracas.db").chmod(0o600)
    return tmp_path / "fracas.db"


def with_bot(database: Path, do: Callable[[], Said]) -> Said:
    """Do something while a bot uses the database."""

    async def hold() -> Said:
        db = await open_database(database)

        async def status(_: str) -> str:
            return "in use"

        def backup(file: str) -> Awaitable[str]:
            return back_up(db, Path(file))

        try:
            async with control_socket(database, {"backup": backup, "status": status}):
                return await asyncio.to_thread(do)
        finally:
            await db.close()

    return asyncio.run(hold())


def lines(said: Said) -> dict[str, str]:
    """Return what `check` found: thing -> grade and text."""
    return {line[6:16].strip(): f"{line[:4].strip()} {line[16:]}" for line in said.out.splitlines()}


def set_version(file: Path, version: int) -> None:
    with closing(sqlite3.connect(file)) as conn:
        conn.execute(f"PRAGMA user_version = {version:d}")


def test_the_help_names_every_command_and_each_has_its_own(fracas: Run) -> None:
    said = fracas("--help")
    assert all(f"  {name:<11} {says}" in said.out for name, (says, _) in COMMANDS.items())
    for name in COMMANDS:
        assert fracas(name, "--help").out.startswith(f"usage: fracas {name}")
    assert fracas("--version").out == f"Fracas {version()}\n"
    said = fracas("backpu")
    assert said.status == 2
    assert said.err.startswith("fracas: there is no command 'backpu'; there are check, ")


def test_rules_is_what_python_m_sim_does(fracas: Run) -> None:
    said = fracas("rules", "aa", "-a", "6 tanks", "-d", "10 inf", "-r")
    assert (said.status, said.err) == (0, "")
    assert "6 tanks" in said.out
    wrong = fracas("rules", "aa", "-a", "6 xyzzy", "-d", "10 inf")
    assert wrong.status == 2
    assert "xyzzy" in wrong.err


class TestBackup:
    def test_without_a_bot_and_with_one(self, fracas: Run, database: Path) -> None:
        for file, said in (
            (database.with_name("1.db"), fracas("backup", "1.db")),
            (database.with_name("2.db"), with_bot(database, lambda: fracas("backup", "2.db"))),
        ):
            assert (said.status, said.err) == (0, "")
            assert said.out.startswith(f"fracas.db is backed up to {file} (0.")
            assert inspect(file).version == len(HOUSE[0].migrations)
        database.with_name("1.db").write_text("mine")
        for said in (fracas("backup", "1.db"), with_bot(database, lambda: fracas("backup", "1.db"))):
            assert said.status == 1
            assert said.err == f"fracas: {database.with_name('1.db')} exists already; give the copy another name.\n"
        assert database.with_name("1.db").read_text() == "mine"


class TestRestore:
    def test_it_says_what_it_did(self, fracas: Run, database: Path) -> None:
        assert fracas("backup", "1.db").status == 0
        said = fracas("restore", "1.db")
        assert (said.status, said.err) == (0, "")
        first, second = said.out.splitlines()
        assert first == f"fracas.db is restored from 1.db (schema {len(HOUSE[0].migrations)})."
        assert second.startswith(f"The database from before is kept as {database}.replaced-")
        assert second.endswith("; the bot deletes it after 7 days.")

    def test_an_older_one_is_brought_up_to_date_by_the_next_start(self, fracas: Run, database: Path) -> None:
        shutil.copyfile(database, "1.db")
        set_version(Path("1.db"), 3)
        said = fracas("restore", "1.db", "--db", "new.db")
        assert said.out == (
            "new.db is restored from 1.db (schema 3).\nThe next start of the bot brings it up to date.\n"
        )


class TestCheck:
    @pytest.fixture(autouse=True)
    def kernels(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kernels"))
        kernel_cache.use_kernel_cache()
        kernel_cache.mark_complete()

    def test_all_in_place(self, fracas: Run, database: Path) -> None:
        (database.parent / "backups").mkdir()
        (database.parent / ".env").write_text("FRACAS_BACKUP_DIR=backups\n")
        said = fracas("check")
        found = lines(said)
        assert (said.status, said.err) == (0, "")
        assert found["settings"] == "ok from the environment and .env"
        assert found["token"].startswith("note DISCORD_TOKEN is not set")
        assert found["database"] == f"ok fracas.db is whole (schema {len(HOUSE[0].migrations)})"
        assert found["kernels"].startswith("ok compiled in ")
        assert found["space"].startswith("ok ")
        assert found["backups"].startswith("ok ")
        assert list(found) == ["settings", "token", "database", "sqlite", "kernels", "space", "backups"]
        said = with_bot(database, lambda: fracas("check"))
        assert (said.status, lines(said)["database"]) == (0, "ok fracas.db is in use"), "a running bot is asked"

    def test_before_the_first_start_nothing_is_made_nor_with_a_bad_setting(
        self, fracas: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        said = fracas("check")
        assert (said.status, lines(said)["database"]) == (0, "note fracas.db will be made by the first start")
        assert {file.name for file in tmp_path.iterdir()} == {"kernels"}
        monkeypatch.setenv("FRACAS_WORKERS", "many")
        said = fracas("check")
        assert (said.status, list(lines(said))) == (1, ["settings"])
        assert "FRACAS_WORKERS" in said.out

    @pytest.mark.parametrize(
        ("spoil", "thing", "says"),
        [
            (lambda file: file.write_bytes(b"nonsense" * 1000), "database", "bad .*is no database, or is damaged"),
            (lambda file: set_version(file, 99), "database", "bad .*was written by a newer version of Fracas"),
            (lambda file: (file.unlink(), file.mkdir()), "database", "bad There is no database"),
            (lambda file: set_version(file, 3), "database", "note fracas.db is whole; .* from schema 3 up to date$"),
            (lambda file: shutil.rmtree(file.with_name("kernels")), "kernels", "bad not compiled in .*: fracas warm$"),
        ],
    )
    def test_what_is_not_in_place(
        self, fracas: Run, database: Path, spoil: Callable[[Path], Any], thing: str, says: str
    ) -> None:
        spoil(database)
        said = fracas("check")
        assert said.status == says.startswith("bad")
        assert re.match(says, lines(said)[thing])

    @pytest.mark.parametrize(
        ("version", "says"), [((3, 40, 1), "note "), ((3, 51, 2), "note "), ((3, 51, 3), "ok "), ((4, 0, 0), "ok ")]
    )
    def test_which_sqlite_may_be_used_with_litestream(
        self, fracas: Run, monkeypatch: pytest.MonkeyPatch, version: tuple[int, ...], says: str
    ) -> None:
        monkeypatch.setattr(sqlite3, "sqlite_version_info", version)
        said = fracas("check")
        assert said.status == 0, "the bot itself does well with any"
        assert lines(said)["sqlite"].startswith(says)

    def test_a_full_disk_and_a_folder_that_there_is_not(
        self, fracas: Run, monkeypatch: pytest.MonkeyPatch, database: Path
    ) -> None:
        monkeypatch.setenv("FRACAS_BACKUP_DIR", "nowhere")
        monkeypatch.setattr(check, "ROOM_BYTES", 1 << 60)
        said = fracas("check")
        assert said.status == 1
        assert lines(said)["space"].startswith("bad only ")
        assert lines(said)["backups"].startswith("bad nowhere is no folder open to writing")
        assert database.exists()


class TestWarm:
    def test_it_compiles_once_and_says_where_and_how_far_it_is(
        self, fracas: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
        monkeypatch.setattr(run, "warm_ups", lambda: iter(["chess", "go"]))
        first, second = fracas("warm"), fracas("warm")
        assert (first.status, second.status) == (0, 0)
        folder = os.environ["NUMBA_CACHE_DIR"]
        said = first.out.splitlines()
        assert said[0].endswith(folder)
        assert [line.partition(":")[0] for line in said[1:3]] == ["chess", "go"]
        assert said[3].startswith("Compiled in 0 s")
        assert second.out == f"Nothing to compile: the kernels are in {folder}\n"

    def test_no_place_for_kernels(self, fracas: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
        said = fracas("warm")
        assert said.status == 1
        assert "NUMBA_CACHE_DIR" in said.err


@pytest.mark.postgres
class TestPostgres:
    @pytest.fixture
    def place(self, server: Server, clean: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:  # noqa: ARG002  # else it would unset this
        with asyncio.Runner() as runner:
            stack = AsyncExitStack()
            place = runner.run(stack.enter_async_context(database_of(server)))
            monkeypatch.setenv("FRACAS_DB", place.url)
            yield place
            runner.run(stack.aclose())

    @pytest.mark.usefixtures("place")
    def test_check_says_which_database_and_version(self, fracas: Run) -> None:
        found = lines(fracas("check"))
        assert re.fullmatch(
            rf"ok .*, PostgreSQL \d+\.\d+ \(schema {len(HOUSE[0].migrations)}\); back it up with pg_dump",
            found["database"],
        )
        assert list(found) == ["settings", "token", "database", "kernels"]

    def test_backups_are_not_made_of_it(self, fracas: Run, place: Server, tmp_path: Path) -> None:
        said = fracas("backup", "1.db")
        assert (said.status, said.err) == (1, f"fracas: {place} is no file: back it up with pg_dump.\n")
        assert not (tmp_path / "1.db").exists()
        said = fracas("restore", "1.db")
        assert (said.status, said.err) == (1, f"fracas: {place} is no file: restore it with pg_restore.\n")

    def test_move(self, fracas: Run, database: Path, place: Server) -> None:
        with closing(sqlite3.connect(database)) as conn:
            conn.execute("INSERT INTO recent_texts (user_id, kind, text) VALUES (1, 'aa', '6 inf')")
            conn.commit()
        said = fracas("move", "fracas.db", place.url)
        assert (said.status, said.err) == (0, "")
        assert "recent_texts             1 row\n" in said.out
        assert f"\nCopied, read again and compared: {place} holds what fracas.db holds.\n" in said.out
        said = fracas("move", "fracas.db", place.url)
        assert said.status == 1
        assert said.err == "fracas: There are rows in the target's table recent_texts; it must be a new database.\n"
        assert fracas("move", place.url, "back.db").status == 0
        with closing(sqlite3.connect("back.db")) as conn:
            assert conn.execute("SELECT user_id, kind, text FROM recent_texts").fetchall() == [(1, "aa", "6 inf")]
        said = fracas("move", "nowhere.db", place.url)
        assert (said.status, said.err) == (1, "fracas: There is no database nowhere.db.\n")

    def test_a_file_is_not_shared_between_processes(self, fracas: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("FRACAS_SHARDS", "2")
        monkeypatch.setenv("FRACAS_SHARD_IDS", "1")
        said = fracas()
        assert said.status == 1
        assert said.err == (
            "fracas: FRACAS_SHARD_IDS: processes can share a database on PostgreSQL, but no file (fracas.db).\n"
        )
