"""What SQLite writes to its files and when it syncs them, recorded; and how they may look after a power loss.

Between two syncs of a file the disk may have written any of the 512-byte sectors, or none, in any order. The recording
stands between the very library that Python uses and its files: `xWrite`, `xTruncate` and `xSync` of the default VFS,
and before `os.pwrite` and `os.fdatasync`.
"""

import _sqlite3
import ctypes
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest

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


@dataclass(frozen=True, slots=True)
class Write:
    """Bytes written to a file."""

    file: str
    offset: int
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Truncate:
    """A file cut, or made longer."""

    file: str
    size: int


@dataclass(frozen=True, slots=True)
class Sync:
    """Everything written to a file so far is on the disk."""

    file: str


Event = Write | Truncate | Sync | int
"""An int: whatever that number means was acknowledged."""

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
        note(Write(name(file), offset, data))
        return pwrite(file, data, offset)

    def synced(file: int) -> None:
        fdatasync(file)
        note(Sync(name(file)))

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
            note(Write(names[file], offset, ctypes.string_at(data, size)))
        code: int = write(file, data, size, offset)
        return code

    def truncated(file: int, size: int) -> int:
        if file in names:
            note(Truncate(names[file], size))
        code: int = truncate(file, size)
        return code

    def synced(file: int, flags: int) -> int:
        code: int = sync(file, flags)
        if file in names:
            note(Sync(names[file]))
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
        self._sync()

    def happen(self, event: Write | Truncate | Sync) -> None:
        """Apply what happened to the file."""
        match event:
            case Write(offset=offset, data=data):
                self._resize(max(len(self._content), offset + len(data)))
                self._content[offset : offset + len(data)] = data
                self._note(offset, offset + len(data))
            case Truncate(size=size):
                touched = sorted((size, len(self._content)))
                self._resize(size)
                self._note(*touched)
            case Sync():
                self._sync()

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
            versions = self._sectors.setdefault(sector, [self._durable(sector)])
            versions.append(self._sector(self._content, sector))
        self._sizes.append(len(self._content))

    def _durable(self, sector: int) -> bytes:
        return self._sector(self._synced, sector)

    @staticmethod
    def _sector(content: bytes | bytearray, sector: int) -> bytes:
        return bytes(content[sector * SECTOR : (sector + 1) * SECTOR]).ljust(SECTOR, b"\0")

    def _sync(self) -> None:
        self._synced = bytes(self._content)
        self._sectors: dict[int, list[bytes]] = {}
        self._sizes = [len(self._content)]
