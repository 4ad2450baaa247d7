"""Power losses: the files as a disk may hold them at any moment of a recording of the real store.

Between two syncs of a file the disk may have written any of the 512-byte sectors, or none, in any order. The recording
stands between the very library that Python uses and its files: `xWrite`, `xTruncate` and `xSync` of the default VFS,
and before `os.pwrite` and `os.fdatasync`.
"""

import _sqlite3
import asyncio
import ctypes
import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bot.store import OWN_WORK
from bot.store.battles import BattleRepository
from bot.store.queries import RecentTextRepository
from tests.bot.store.conftest import personal_data_with
from tests.bot.store.databases import database, open_database
from tests.bot.store.writer import advance, opened

pytestmark = pytest.mark.torture

COMMITS = 250
IMAGES = 400
USER = 77
FORGOTTEN = 10**9
"""Acknowledged: the user's data is deleted; other numbers are interactions."""

LIKELY = (0.0, 0.1, 0.5, 0.9, 1.0)

SECTOR = 512

_WRITE, _TRUNCATE, _SYNC = 2, 3, 4
"""Where these methods stand among those of an open file."""

_Open = CFUNCTYPE(
    c_int, c_void_p, c_void_p, c_void_p, c_int, c_void_p
)  # SQLite keeps the name, which mustn't be copied
_Write = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
_Truncate = CFUNCTYPE(c_int, c_void_p, c_int64)
_Sync = CFUNCTYPE(c_int, c_void_p, c_int)


class _Vfs(Structure):
    """The beginning of `sqlite3_vfs`."""

    _fields_ = (
        ("version", c_int),
        ("file_size", c_int),
        ("longest_path", c_int),
        ("next", c_void_p),
        ("name", c_char_p),
        ("data", c_void_p),
        ("open", c_void_p),
    )


class _Methods(Structure):
    """`sqlite3_io_methods`, of version 3."""

    _fields_ = (("version", c_int), ("methods", c_void_p * 18))


Event = tuple[str, Callable[["Disk"], None]] | int
"""A file, and what happened to it; or an int: whatever that number means was acknowledged."""

_KEPT: list[Any] = []
"""What SQLite may still call."""


@contextmanager
def recording() -> Iterator[list[Event]]:
    """Record what happens to the databases that are opened meanwhile; temporary files without names are left out."""
    events: list[Event] = []
    vfs = _default_vfs()
    original = vfs.open
    opening = _Open(original)
    names: dict[int, str] = {}
    tables: dict[int, _Methods] = {}

    def opened(own: int, name: int | None, file: int, flags: int, result: int) -> int:
        code: int = opening(own, name, file, flags, result)
        names.pop(file, None)
        if code == 0 and name is not None:
            names[file] = Path(ctypes.string_at(name).decode()).name
            methods = c_void_p.from_address(file)
            table = methods.value or 0
            if table not in tables:
                tables[table] = _watched(table, names, events.append)
            methods.value = ctypes.addressof(tables[table])
        return code

    watching = _Open(opened)
    _KEPT.extend((watching, tables))
    vfs.open = ctypes.cast(watching, c_void_p).value
    with pytest.MonkeyPatch.context() as patch:
        _watch_own(patch, events.append)
        try:
            yield events
        finally:
            vfs.open = original


def _watch_own(patch: pytest.MonkeyPatch, note: Callable[[Event], None]) -> None:
    """Note what Python itself does with the files."""
    pwrite, fdatasync = os.pwrite, os.fdatasync

    def name(file: int) -> str:
        return Path(f"/proc/self/fd/{file}").readlink().name

    def written(file: int, data: bytes, offset: int) -> int:
        note((name(file), partial(Disk.write, offset=offset, data=data)))
        return pwrite(file, data, offset)

    def synced(file: int) -> None:
        fdatasync(file)
        note((name(file), Disk.sync))

    patch.setattr(os, "pwrite", written)
    patch.setattr(os, "fdatasync", synced)


def _default_vfs() -> _Vfs:
    library = ctypes.CDLL(getattr(_sqlite3, "__file__", None))
    library.sqlite3_vfs_find.restype = POINTER(_Vfs)
    found: _Vfs = library.sqlite3_vfs_find(None).contents
    return found


def _watched(table: int, names: dict[int, str], note: Callable[[Event], None]) -> _Methods:
    """Return a copy of an open file's methods that notes what it does first."""
    methods = _Methods.from_buffer_copy(_Methods.from_address(table))
    write = _Write(methods.methods[_WRITE])
    truncate = _Truncate(methods.methods[_TRUNCATE])
    sync = _Sync(methods.methods[_SYNC])

    def written(file: int, data: int, size: int, offset: int) -> int:
        if file in names:
            note((names[file], partial(Disk.write, offset=offset, data=ctypes.string_at(data, size))))
        code: int = write(file, data, size, offset)
        return code

    def truncated(file: int, size: int) -> int:
        if file in names:
            note((names[file], partial(Disk.truncate, size=size)))
        code: int = truncate(file, size)
        return code

    def synced(file: int, flags: int) -> int:
        code: int = sync(file, flags)
        if file in names:
            note((names[file], Disk.sync))
        return code

    watching = (_Write(written), _Truncate(truncated), _Sync(synced))
    for place, method in zip((_WRITE, _TRUNCATE, _SYNC), watching, strict=True):
        methods.methods[place] = ctypes.cast(method, c_void_p).value
    _KEPT.extend(watching)
    return methods


class Disk:
    """A file on a disk that loses power: what is surely there, and what may be there since the last sync."""

    def __init__(self, content: bytes = b"") -> None:
        self._content = bytearray(content)
        self.sync()

    def write(self, offset: int, data: bytes) -> None:
        self._resize(max(len(self._content), offset + len(data)))
        self._content[offset : offset + len(data)] = data
        self._note(offset, offset + len(data))

    def truncate(self, size: int) -> None:
        """Cut the file, or make it longer."""
        touched = sorted((size, len(self._content)))
        self._resize(size)
        self._note(*touched)

    def sync(self) -> None:
        """Everything written so far is on the disk."""
        self._synced = bytes(self._content)
        self._sectors: dict[int, list[bytes]] = {}
        self._sizes = [len(self._content)]

    def after_power_loss(self, choose: Random, likely: float) -> bytes:
        """Return the file with each sector as at some moment since the last sync; `likely`: how often the latest."""
        size = self._pick(self._sizes, choose, likely)
        image = self._content[:size].ljust(size, b"\0")
        for sector, versions in self._sectors.items():
            start = sector * SECTOR
            if start < size:
                version = self._pick(versions, choose, likely)
                image[start : min(start + SECTOR, size)] = version[: size - start]
        return bytes(image)

    @staticmethod
    def _pick(versions: list[Any], choose: Random, likely: float) -> Any:  # noqa: ANN401  # one of them
        return versions[-1] if choose.random() < likely else choose.choice(versions[:-1] or versions)

    def _resize(self, size: int) -> None:
        del self._content[size:]
        self._content.extend(bytes(size - len(self._content)))

    def _note(self, start: int, end: int) -> None:
        for sector in range(start // SECTOR, -(-end // SECTOR)):
            versions = self._sectors.setdefault(sector, [self._sector(self._synced, sector)])
            versions.append(self._sector(self._content, sector))
        self._sizes.append(len(self._content))

    @staticmethod
    def _sector(content: bytes | bytearray, sector: int) -> bytes:
        return bytes(content[sector * SECTOR : (sector + 1) * SECTOR]).ljust(SECTOR, b"\0")


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
                await opened(battles, choose, channel=1, interaction_id=interaction)
            else:
                await advance(battles, choose.choice(going), choose, interaction)
            events.append(interaction)
            await texts.remember(USER, "aa", f"{interaction} {'tanks' * 40}")
        await personal_data_with(db).forget_person(USER)
        events.append(FORGOTTEN)
        for interaction in range(COMMITS + 1, COMMITS + 21):
            await opened(battles, choose, channel=2, interaction_id=interaction)
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
            file, change = event
            change(disks[file])
        if number in moments:
            likely = choose.choice(LIKELY)
            files = {file: disk.after_power_loss(choose, likely) for file, disk in disks.items()}
            yield Image(files, set(acknowledged))
    yield Image({file: disk.after_power_loss(choose, 1.0) for file, disk in disks.items()}, acknowledged, whole=True)


async def lost(folder: Path, image: Image) -> set[int]:
    """Start after the power loss, check that what is there is whole, and return what is lost of the acknowledged."""
    await asyncio.to_thread(restore, folder, image)
    async with database(folder / "fracas.db") as db:
        assert [row[0] for row in await db.fetch_all("PRAGMA integrity_check")] == ["ok"]
        for row in await db.fetch_all("SELECT id FROM battles"):
            assert await BattleRepository(db).get(row["id"], OWN_WORK) is not None  # and its seals
        applied = {row[0] for row in await db.fetch_all("SELECT interaction_id FROM applied_interactions")}
        if not await RecentTextRepository(db).list(USER, "aa"):
            applied.add(FORGOTTEN)
        assert len(applied - image.acknowledged - {FORGOTTEN}) <= 1
        return image.acknowledged - applied


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
    synced = {event[0] for event in events if isinstance(event, tuple) and event[1] == Disk.sync}
    assert synced == {"fracas.db", "fracas.db-wal"}
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
