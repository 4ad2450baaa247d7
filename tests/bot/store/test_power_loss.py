"""Power losses: the files as a disk may hold them at any moment of a recording of the real store."""

import asyncio
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.store import OWN_WORK
from bot.store.battles.repository import BattleRepository
from bot.store.queries import RecentTextRepository
from tests.bot.store.conftest import personal_data_with
from tests.bot.store.databases import open_database
from tests.bot.store.games import advance, opened
from tests.bot.store.power import Disk, Event, Sync, recording

pytestmark = pytest.mark.torture

COMMITS = 250
IMAGES = 400
USER = 77
FORGOTTEN = 10**9
"""Acknowledged: the user's data is deleted; other numbers are interactions."""

LIKELY = (0.0, 0.1, 0.5, 0.9, 1.0)


async def recorded(path: Path, synchronous: str | None) -> tuple[list[Event], dict[str, bytes]]:
    """Play battles of all games, type, delete; return what was written and acknowledged, and the files afterwards."""
    choose = random.Random(20261120)
    with recording() as events:
        db = await open_database(path)
        if synchronous is not None:
            await db.fetch_all(f"PRAGMA synchronous = {synchronous}")
        battles, texts = BattleRepository(db), RecentTextRepository(db)
        for interaction in range(1, COMMITS + 1):
            going = await battles.open_in(1)
            if len(going) < 4:
                await opened(battles, choose, channel=1, interaction=interaction)
            else:
                await advance(battles, choose.choice(going), choose, interaction)
            events.append(interaction)
            await texts.remember(USER, "aa", f"{interaction} {'tanks' * 40}")
        await personal_data_with(db).forget_person(USER)
        events.append(FORGOTTEN)
        for interaction in range(COMMITS + 1, COMMITS + 21):
            await opened(battles, choose, channel=2, interaction=interaction)
            events.append(interaction)
        copied = list(events)
        files = await asyncio.to_thread(contents, path.parent)
        await db.close()
    return copied, files


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.suffix in {".db", ".db-wal"}}


@dataclass
class Image:
    """The files after a power loss, and what had been acknowledged before; `whole`: power was never lost."""

    files: dict[str, bytes]
    acknowledged: set[int]
    whole: bool = False


def images(before: bytes, events: list[Event]) -> Iterator[Image]:
    """Yield images of moments that are spread over the recording; last, the files without a power loss."""
    choose = random.Random(20261121)
    moments = set(choose.sample(range(len(events)), IMAGES))
    disks = {"fracas.db": Disk(before), "fracas.db-wal": Disk()}
    acknowledged: set[int] = set()
    for number, event in enumerate(events):
        if isinstance(event, int):
            acknowledged.add(event)
        else:
            disks[event.file].happen(event)
        if number in moments:
            likely = choose.choice(LIKELY)
            files = {file: disk.after_power_loss(choose, likely) for file, disk in disks.items()}
            yield Image(files, set(acknowledged))
    yield Image({file: disk.after_power_loss(choose, 1.0) for file, disk in disks.items()}, acknowledged, whole=True)


async def lost(folder: Path, image: Image) -> set[int]:
    """Start after the power loss, check that what is there is whole, and return what is lost of the acknowledged."""
    await asyncio.to_thread(restore, folder, image)
    db = await open_database(folder / "fracas.db")
    try:
        assert [row[0] for row in await db.fetch_all("PRAGMA integrity_check")] == ["ok"]
        for row in await db.fetch_all("SELECT id FROM battles"):
            assert await BattleRepository(db).get(row["id"], OWN_WORK) is not None  # and its seals
        applied = {row[0] for row in await db.fetch_all("SELECT interaction_id FROM applied_interactions")}
        if not await RecentTextRepository(db).list(USER, "aa"):
            applied.add(FORGOTTEN)
        assert len(applied - image.acknowledged - {FORGOTTEN}) <= 1
        return image.acknowledged - applied
    finally:
        await db.close()


def restore(folder: Path, image: Image) -> None:
    folder.mkdir(exist_ok=True)
    for file in folder.iterdir():
        file.unlink()
    for name, content in image.files.items():
        (folder / name).write_bytes(content)


async def losses(migrated: Path, folder: Path, synchronous: str | None = None) -> list[int]:
    """Return for each image how many acknowledged commits are lost; `synchronous`: instead of the store's own."""
    before = await asyncio.to_thread(migrated.read_bytes)
    events, files = await recorded(migrated, synchronous)
    assert {event.file for event in events if isinstance(event, Sync)} == {"fracas.db", "fracas.db-wal"}
    counts = []
    for image in images(before, events):
        if image.whole:
            assert image.files == files  # nothing was written that isn't recorded
        else:
            counts.append(len(await lost(folder, image)))
    return counts


async def test_nothing_acknowledged_is_lost(migrated: Path, tmp_path: Path) -> None:
    assert await losses(migrated, tmp_path / "after") == [0] * IMAGES


async def test_with_fewer_syncs_something_is_lost(migrated: Path, tmp_path: Path) -> None:
    """The same images show it where SQLite doesn't sync at each commit; the database is whole, but older."""
    assert any(await losses(migrated, tmp_path / "after", "NORMAL"))
