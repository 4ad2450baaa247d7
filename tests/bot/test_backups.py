"""Backups that the bot makes by itself, and who may read its files.

That is its own user alone, whatever the umask, and whatever an earlier version left.
"""

import asyncio
import json
import logging
import os
import signal
import stat
from collections.abc import AsyncIterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from bot import backups
from bot.backups import Backups
from bot.cli import COMMANDS, main
from bot.config import KEPT_BACKUPS
from bot.store.copies import close_to_others, open_to_others
from bot.store.database import Database
from bot.store.migrate import inspect
from tests.bot.conftest import Clock
from tests.bot.store.databases import TABLE, names, open_database
from tests.bot.test_process import finish, running, start
from tests.sim.workers.waiting import until

HOUR = 3600


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    database = await open_database(tmp_path / "my bot.db", TABLE)
    yield database
    await database.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "backups"


def touch(*files: Path) -> None:
    for file in files:
        file.parent.mkdir(exist_ok=True)
        file.touch()


def events(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.message for record in caplog.records if record.name == "fracas.backups"]


async def test_backups_are_named_by_time_and_the_last_ones_are_kept_with_what_isnt_the_bots(
    db: Database, folder: Path
) -> None:
    others = ["my bot-old.db", "notes.txt", "other-20270101T000000Z.db"]
    touch(*(folder / name for name in (*others, "my bot-20270101T000000Z.db.part")))
    clock = Clock(1_800_000_000.0)
    made = Backups(db, folder, 6, clock)
    assert made.seconds_left() == 0, "the first is due at once"
    for _ in range(KEPT_BACKUPS + 3):
        assert await made.make()
        clock.now += 6 * HOUR
    assert names(folder)[-3:] == others, "what a kill left is gone"
    kept = names(folder)[:-3]
    assert len(kept) == KEPT_BACKUPS
    assert kept[0] == "my bot-20270116T020000Z.db"
    assert kept[-1] == "my bot-20270119T080000Z.db"
    assert [inspect(folder / name).version for name in kept] == [1] * KEPT_BACKUPS


async def test_the_next_one_is_due_when_the_newest_is_old_also_after_a_restart(db: Database, folder: Path) -> None:
    clock = Clock(1_800_000_000.0)
    await Backups(db, folder, 6, clock).make()
    clock.now += 2 * HOUR
    noted: list[float] = []
    again = Backups(db, folder, 6, clock, noted.append)
    assert again.seconds_left() == 4 * HOUR
    assert noted == [1_800_000_000]
    clock.now += 5 * HOUR
    assert again.seconds_left() == 0
    clock.now -= 100 * HOUR
    assert again.seconds_left() == 6 * HOUR, "a clock that was wrong delays none for long"


async def test_a_backup_that_fails_is_one_log_event_and_is_tried_again(
    db: Database, folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "fracas.backups")
    monkeypatch.setattr(backups, "RETRY_SECONDS", 0.01)
    touch(folder)  # no folder can be made there
    trying = asyncio.create_task(Backups(db, folder, 6).run())
    await until(lambda: len(events(caplog)) > 1)
    assert set(events(caplog)) == {"backup_failed"}
    await asyncio.to_thread(folder.unlink)
    await until(lambda: "backed_up" in events(caplog))
    trying.cancel()
    await asyncio.wait({trying})
    assert len(names(folder)) == 1, "and then not again for hours"
    assert all("\n" not in record.getMessage() for record in caplog.records)


@pytest.fixture
def before(tmp_path: Path, migrated_file: bytes) -> list[Path]:
    """Return the files of an earlier version, which anybody may read."""
    (tmp_path / "backups").mkdir()
    copies = ("fracas.db", "fracas.db.before-0012", "fracas.db.replaced-20260101T000000Z")
    files = [*map(tmp_path.joinpath, copies), tmp_path / "backups" / "fracas-20260101T000000Z.db"]
    for file in (*files, tmp_path / "fracas.db.txt", tmp_path / "backups" / "notes.db"):
        file.write_bytes(migrated_file)
        file.chmod(0o644)
    return files


def mode(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


@pytest.mark.process
def test_a_bot_leaves_nothing_to_others(tmp_path: Path, before: list[Path]) -> None:
    settings = {"FRACAS_BACKUP_DIR": str(tmp_path / "backups"), "FRACAS_LOG_FORMAT": "json"}
    usual: dict[str, Any] = {"cwd": tmp_path, "umask": 0o022, "XDG_CACHE_HOME": str(tmp_path / "cache")} | settings
    with running(**usual) as (table, _):
        assert finish(start("backup", "copy.db", **usual))[2] == ""
        found = {file.relative_to(tmp_path).as_posix(): mode(file) for file in tmp_path.rglob("*")}
        table.send_signal(signal.SIGTERM)
        events = [json.loads(line) for line in finish(table)[2].splitlines()]
    assert {"fracas.db-wal", "fracas.db-shm", "fracas.db.lock", "fracas.db.sock", "copy.db", "cache"} < found.keys()
    ours = {name: rights for name, rights in found.items() if rights & 0o077}
    assert ours == {"backups": 0o755, "backups/notes.db": 0o644, "fracas.db.txt": 0o644}, "what others have made"
    (told,) = [event["files"] for event in events if event.get("event") == "made_private"]
    assert set(told.split(", ")) >= set(map(str, before)), "once, by name"


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_what_a_command_makes(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it writes to be published, or for the bot's user by root, is as others are used to."""
    made = tmp_path / "made"
    module, function = COMMANDS[command][1].split(":") if command else (".run", "main")

    def make(_: object) -> None:
        made.touch()

    monkeypatch.setattr(import_module(f"bot.cli{module}"), function, make)
    before = os.umask(0o022)
    try:
        main([command] if command else [])
        assert os.umask(0o022) == 0o022, "it is as it was"
    finally:
        os.umask(before)
    assert mode(made) == (0o644 if command in {"replay-site", "rules", "warm"} else 0o600)


def test_check_names_what_lies_open_and_changes_nothing(
    tmp_path: Path, before: list[Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("FRACAS_CLUSTER", raising=False)
    monkeypatch.delenv("DISCORD_TOKEN", raising=False)
    monkeypatch.setenv("FRACAS_BACKUP_DIR", str(tmp_path / "backups"))
    main(["check", "--db", str(tmp_path / "fracas.db")])
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("note  private")]
    assert sorted(map(Path, line.partition("chmod 600 ")[2].split())) == sorted(before)
    assert {mode(file) for file in before} == {0o644}
    assert close_to_others(before) == []
    assert {mode(file) for file in before} == {0o600}
    main(["check", "--db", str(tmp_path / "fracas.db")])
    assert "note  private" not in capsys.readouterr().out


def test_a_link_is_followed_to_the_database_and_nowhere_else(tmp_path: Path, before: list[Path]) -> None:
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "link.db"
    link.symlink_to(before[0])
    (tmp_path / "fracas.db-wal").symlink_to(tmp_path / "fracas.db.txt")
    assert open_to_others(link, None) == sorted(before[:3])
    theirs = Path("/proc/self/cmdline")
    assert close_to_others([theirs]) == [theirs], "what somebody else owns is named"
