"""Backups that the bot makes by itself."""

import asyncio
import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot import backups
from bot.backups import KEPT, Backups
from bot.store.database import Database
from bot.store.migrate import inspect
from tests.bot.conftest import Clock
from tests.bot.store.databases import TABLE, open_database

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


def remove(file: Path) -> None:
    file.unlink()


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def events(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.message for record in caplog.records if record.name == "fracas.backups"]


async def test_backups_are_named_by_time_and_the_last_ones_are_kept(db: Database, folder: Path) -> None:
    clock = Clock(1_800_000_000.0)
    made = Backups(db, folder, 6, clock)
    assert made.seconds_left() == 0, "the first is due at once"
    for _ in range(KEPT + 3):
        assert await made.make()
        clock.now += 6 * HOUR
    kept = names(folder)
    assert len(kept) == KEPT
    assert kept[0] == "my bot-20270116T020000Z.db"
    assert kept[-1] == "my bot-20270119T080000Z.db"
    assert [inspect(folder / name).version for name in kept] == [1] * KEPT


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


async def test_other_files_stay_and_what_a_kill_left_goes(db: Database, folder: Path) -> None:
    others = ["my bot-old.db", "other-20270101T000000Z.db", "notes.txt"]
    touch(*(folder / name for name in (*others, "my bot-20270101T000000Z.db.part")))
    assert await Backups(db, folder, 6, Clock()).make()
    assert names(folder) == sorted([*others, "my bot-20270115T080000Z.db"])


async def test_a_backup_that_fails_is_one_log_event_and_is_tried_again(
    db: Database, folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "fracas.backups")
    monkeypatch.setattr(backups, "RETRY_SECONDS", 0.01)
    touch(folder)  # no folder can be made there
    running = asyncio.create_task(Backups(db, folder, 6).run())
    async with asyncio.timeout(60):
        while len(events(caplog)) < 2:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        assert set(events(caplog)) == {"backup_failed"}
        remove(folder)
        while "backed_up" not in events(caplog):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    running.cancel()
    await asyncio.wait({running})
    assert len(names(folder)) == 1, "and then not again for hours"
    assert all("\n" not in record.getMessage() for record in caplog.records)


async def test_a_backup_that_is_damaged_is_not_kept(
    db: Database, folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("bot.store.migrate.APPLICATION_ID", 7)
    assert not await Backups(db, folder, 6).make()
    assert names(folder) == []
    assert events(caplog) == ["backup_failed"]
