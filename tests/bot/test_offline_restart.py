"""The offline table over a restart of its process: the same people go on with the same battles."""

import contextlib
import os
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bot.offline_page import OfflinePage
from tests.bot.test_process import PATIENCE, start

pytestmark = pytest.mark.process

BEFORE = Path(__file__).parent / "old_versions" / "offline-0.1.0.sql"
"""A database of the offline table from before it kept its ids: battles of two tables, of which the later one is #1."""


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
        page.run("boss start")
        page.wait_for("#1 ", "Join")
    with table(db, "--players", "Dan,ANN,Cleo,Ben") as address:
        page = OfflinePage(address, "Ben")
        assert {name: number for name, number in page.people.items() if name in people} | {"Ann": page.people["ANN"]} == people
        assert page.people["Dan"] not in people.values()
        page.wait_for("#1 ", "Join")
        assert "#1 " in page.run("battle list")
        page.run("boss start")
        page.wait_for("#2 ", "Join")
