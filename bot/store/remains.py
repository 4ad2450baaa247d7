"""Overwrites what stays in SQLite's pages of rows that were deleted.

`secure_delete` overwrites a deleted row, and not the copies of it that were left when a page was split: they lie
between a page's cell pointers and its cells, which SQLite never reads. To zero them changes no row, whole or torn. It
is done only while no connection has the file open, and with SQLite's own exclusive lock, so that no program opens it.

https://www.sqlite.org/fileformat.html describes the pages.
"""

import fcntl
import os
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path

PAGES_AT_ONCE = 500
"""How many pages are zeroed while others wait: 10 ms, where it was measured."""

_READ_BYTES = 1 << 20
_READS_AT_ONCE = 64
_FILE_HEADER = 100
_PAGE_SIZE, _LARGEST_ROOT = 16, 52
_LOG_HEADER, _FRAME_HEADER = 32, 24
_HEADERS = {2: 12, 5: 12, 10: 8, 13: 8}  # the kinds of pages of a tree: what precedes the cell pointers, in bytes
_MAX_PAGES = 1 << 25  # beyond, an overflow page, which begins with another one's number, could look like one of a tree
_EXCLUSIVE = (1 << 30) + 2, 510  # the bytes that SQLite locks while it reads or writes the file at all


def can_be_cleaned(file: int) -> bool:
    """Return whether the pages of an open database can be told apart."""
    header = os.pread(file, _FILE_HEADER, 0)
    vacuums_itself = header[_LARGEST_ROOT : _LARGEST_ROOT + 4] != bytes(4)
    return len(header) == _FILE_HEADER and not vacuums_itself and os.fstat(file).st_size < _MAX_PAGES * size_of(file)


def size_of(file: int) -> int:
    """Return the size of a page in bytes."""
    (size,) = struct.unpack(">H", os.pread(file, 2, _PAGE_SIZE))
    return 1 << 16 if size == 1 else int(size)


def find(file: int, page: int) -> tuple[list[int], int]:
    """Look for remains from a page on, the first is 1; return about `PAGES_AT_ONCE` at most, and where to look next.

    That is 0 at the end of the file.
    """
    size = size_of(file)
    found: list[int] = []
    for _ in range(_READS_AT_ONCE):
        data = os.pread(file, _READ_BYTES, (page - 1) * size)
        if not data:
            return found, 0
        for start in range(0, len(data), size):
            if _gap(data[start : start + size], page) is not None:
                found.append(page)
            page += 1
        if len(found) >= PAGES_AT_ONCE:
            break
    return found, page


def in_log(log: Path, size: int) -> Iterator[int]:
    """Yield the pages, of `size` bytes, that a write-ahead log has, of before its last restart, too."""
    if log.exists():
        with log.open("rb") as frames:
            for start in range(_LOG_HEADER, log.stat().st_size, _FRAME_HEADER + size):
                frames.seek(start)
                if page := int.from_bytes(frames.read(4)):  # none in a frame that was torn
                    yield page


def overwrite(file: int, pages: Iterable[int]) -> bool:
    """Zero the remains in pages, under SQLite's exclusive lock; return whether no program has the database open."""
    size = size_of(file)
    try:
        _lock(file, fcntl.F_WRLCK)
    except BlockingIOError:
        return False
    try:
        for page in pages:
            start = (page - 1) * size
            if gap := _gap(os.pread(file, size, start), page):
                os.pwrite(file, bytes(gap[1] - gap[0]), start + gap[0])
    finally:
        _lock(file, fcntl.F_UNLCK)
    return True


def overwrite_all(path: Path) -> None:
    """Zero all remains in a file that nobody knows yet."""
    file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        page = int(can_be_cleaned(file))
        while page:
            found, page = find(file, page)
            overwrite(file, found)
    finally:
        os.close(file)


def _lock(file: int, kind: int) -> None:
    fcntl.fcntl(file, fcntl.F_OFD_SETLK, struct.pack("hhqqi", kind, os.SEEK_SET, *_EXCLUSIVE, 0))


def _gap(data: bytes, page: int) -> tuple[int, int] | None:
    """Return from where to where a page of a tree is unused, unless all is zero there."""
    start = _FILE_HEADER if page == 1 else 0
    if len(data) < start + 8 or (header := _HEADERS.get(data[start])) is None:
        return None
    cells, end = struct.unpack_from(">HH", data, start + 3)
    begin, end = start + header + 2 * cells, end or 1 << 16
    return (begin, end) if begin < end <= len(data) and data[begin:end] != bytes(end - begin) else None
