"""The bot as a process: the offline table from start to end, and every way not to start."""

import asyncio
import contextlib
import json
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.cli import main
from bot.config import OperatorError
from bot.offline import parse_players, referee_of
from bot.store.migrate import Schema, inspect
from tests.bot.store.databases import HOUSE, open_database
from tests.test_deploy import PATIENCE, ROOT, clean_environment, run

pytestmark = pytest.mark.process


def start(*arguments: str, cwd: Path | None = None, umask: int = -1, **environment: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "bot", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        umask=umask,
        env=clean_environment(**environment),
    )


@contextlib.contextmanager
def running(*arguments: str, **options: Any) -> Iterator[tuple["subprocess.Popen[str]", str]]:  # noqa: ANN401  # of `start`
    """Start the offline table, give the process and its address, and kill it at the end."""
    process = start(*arguments, **options)
    try:
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


def finish(process: "subprocess.Popen[str]") -> tuple[int, str, str]:
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err


def sentence_of(done: "subprocess.CompletedProcess[str]") -> str:
    """Return the one sentence of a start that fails."""
    assert done.returncode != 0
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    (sentence,) = [line for line in done.stderr.splitlines() if line.startswith("fracas: ")]
    return sentence.removeprefix("fracas: ")


def refused(*arguments: str | Path, **environment: str) -> str:
    """Start the bot, which fails, and return its sentence."""
    return sentence_of(run(sys.executable, "-m", "bot", "--db", *arguments, folder=ROOT, **environment))


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "table.db"


@pytest.fixture
def table(db: Path) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    with running("--db", str(db), FRACAS_LOG_FORMAT="json") as table:
        yield table


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_offline_table_serves_its_page_and_ends_when_told(
    table: tuple["subprocess.Popen[str]", str], db: Path, number: signal.Signals
) -> None:
    process, address = table
    assert re.fullmatch(r"http://127\.0\.0\.1:[0-9]+/#[\w-]+", address), "the address stands alone on a line"
    with urllib.request.urlopen(address, timeout=PATIENCE) as page:  # noqa: S310  # our own page on loopback
        assert page.status == 200
        assert b"<html" in page.read().lower()
    process.send_signal(number)
    status, rest, err = finish(process)
    assert (status, rest) == (0, "")
    assert "Traceback" not in err
    assert all(json.loads(line)["level"] == "INFO" for line in err.splitlines()), err
    assert {path.name for path in db.parent.iterdir()} == {db.name}, "nothing but the database is left"
    with contextlib.closing(sqlite3.connect(db)) as kept:
        assert kept.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.fixture
def taken() -> Iterator[str]:
    """Return a port that somebody else has."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield str(other.getsockname()[1])


def test_a_taken_port_is_one_sentence(db: Path, taken: str) -> None:
    sentence = f"Port {taken} is taken; choose another one with --port, or none for any free one."
    assert refused(db, "--port", taken) == sentence
    assert refused(db, FRACAS_HEALTH_PORT=taken).startswith(f"FRACAS_HEALTH_PORT: port {taken} of ")


def test_all_objects_are_seldom_looked_through(db: Path, taken: str) -> None:
    """With Python's own thresholds, reading one large battle keeps everybody waiting for a tenth of a second."""
    program = "import gc, sys; from bot.cli import main; main(sys.argv[1:]); print(gc.get_threshold()[0])"
    ended = run(sys.executable, "-c", program, "--db", db, "--port", taken, folder=ROOT)
    assert int(ended.stdout.split()[-1]) >= 10_000


def test_a_database_that_can_not_be_is_one_sentence(tmp_path: Path) -> None:
    sentence = refused(tmp_path / "nowhere" / "x.db")
    assert "nowhere" in sentence
    assert sentence.endswith(".")
    (tmp_path / "text.db").write_text("I am no database, however long I may be. " * 100)
    assert "not a database" in refused(tmp_path / "text.db")


def test_a_newer_version_keeps_a_copy_migrates_and_tells(db: Path) -> None:
    newest = len(HOUSE[0].migrations)

    async def make_older() -> None:
        await (await open_database(db, [Schema(HOUSE[0].migrations[:-1])])).close()

    asyncio.run(make_older())
    settings = {"FRACAS_LOG_FORMAT": "json", "FRACAS_BACKUP_DIR": str(db.with_name("backups"))}
    with running("--db", str(db), **settings) as (process, _):
        process.terminate()
        _, _, err = finish(process)
    events = {line["event"]: line for line in map(json.loads, err.splitlines()) if "event" in line}
    copy = db.with_name(f"{db.name}.before-{newest:04}")
    told = events["migrated"]
    assert (told["game"], told["before"], told["now"], told["copy"]) == (None, newest - 1, newest, str(copy))
    assert inspect(copy).version == newest - 1
    assert inspect(Path(events["backed_up"]["file"])).version == newest, "and the first backup is made at once"


def test_without_the_extra_a_sentence_says_how_to_get_it(db: Path) -> None:
    program = "import sys; sys.modules['simcord'] = None; from bot.cli import main; sys.exit(main(sys.argv[1:]))"
    sentence = sentence_of(run(sys.executable, "-c", program, "--db", db, folder=ROOT))
    assert sentence.startswith("The offline table needs the extra packages: pip install '.[offline]'")


@pytest.mark.parametrize("guild", ["x", "12345678901234567890123", "１２"])
def test_sync_to_what_is_no_server(
    guild: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", "a.very.secret-token")
    assert main(["--sync", guild]) == 1
    assert "A server's id is a long number" in capfd.readouterr().err


PLAYERS: dict[str, tuple[tuple[str, ...], str | None]] = {
    "1": (("Ann",), None),
    "2": (("Ann", "Ben"), None),
    "4": (("Ann", "Ben", "Cleo", "Player 4"), "Player 4"),
    "Zoë": (("Zoë",), None),
    " A , B, C ": (("A", "B", "C"), "C"),
}


@pytest.mark.parametrize("text", PLAYERS)
def test_players_and_the_last_of_three_or_more_is_the_referee(text: str) -> None:
    names = parse_players(text)
    assert (names, referee_of(names)) == PLAYERS[text]


@pytest.mark.parametrize("text", ["", "0", "26", "a,A", "a,,b", "x" * 40, "<@1>", "１"])
def test_senseless_players(text: str) -> None:
    with pytest.raises(OperatorError, match="--players takes"):
        parse_players(text)
