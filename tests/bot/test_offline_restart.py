"""The offline table over a restart of its process: the same people go on with the same battles."""

import contextlib
import signal
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bot.offline_page import OfflinePage
from tests.bot.test_process import PATIENCE, start

pytestmark = pytest.mark.process

BEFORE = Path(__file__).parent / "old_versions" / "offline.sql"
"""A database from before the table kept its ids; at the later one of its two tables Ben began #1."""

BEN = "1574183236072898581"


@contextlib.contextmanager
def table(db: Path, *arguments: str, end: signal.Signals = signal.SIGINT) -> Iterator[str]:
    """Start the table as a process, give its address, and end it with a signal."""
    process = start("--db", str(db), *arguments)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.send_signal(end)
        process.wait(PATIENCE)
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_a_battle_goes_on_after_a_restart(tmp_path: Path, end: signal.Signals) -> None:
    db = tmp_path / "table.db"
    with table(db, end=end) as address:
        page = OfflinePage(address)
        people = page.people
        assert "#1 Boss fight" in page.run("boss start")
    with table(db, "--players", "Dan,ANN,Cleo,Ben") as address:
        page = OfflinePage(address, "Ben")
        assert page.people == {name.replace("Ann", "ANN"): number for name, number in people.items()} | {
            "Dan": page.people["Dan"]
        }
        assert page.people["Dan"] not in people.values()
        page.wait_for("### #1 Boss fight")
        assert "#1 Boss fight" in page.run("battle list")
        assert "#2 Boss fight" in page.run("boss start")


def test_the_latest_table_of_an_older_database_goes_on(tmp_path: Path) -> None:
    db = tmp_path / "table.db"
    with contextlib.closing(sqlite3.connect(db)) as conn:
        conn.executescript(BEFORE.read_text(encoding="utf-8"))
    with table(db) as address:
        page = OfflinePage(address, "Ben")
        assert page.people["Ben"] == BEN
        page.wait_for("### #1 Boss fight")
        assert "#1 Boss fight" in page.run("battle list")
        assert "1942" in page.run("aa edition")
        assert "#2 Boss fight" in page.run("boss start")
