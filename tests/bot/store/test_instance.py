import asyncio
import fcntl
import os
import sys
from asyncio.subprocess import PIPE
from pathlib import Path
from types import SimpleNamespace

import pytest

from bot.store import files
from bot.store.database import Database
from bot.store.errors import StoreError
from bot.store.files import Instance
from tests.bot.store.databases import TABLE, open_database

HOLDER = """
import asyncio, sys
from pathlib import Path
from bot.store.files import Instance

async def main():
    await Instance(Path(sys.argv[1])).acquire()
    print("held", flush=True)
    sys.stdin.read()

asyncio.run(main())
"""


def locks_on(path: Path) -> list[list[str]]:
    """Return the kernel's locks on a file: kind, mode, first and last byte."""
    inode = f":{path.stat().st_ino}"
    rows = [line.split() for line in Path("/proc/locks").read_text(encoding="ascii").splitlines()]
    return sorted([row[1], row[3], *row[6:]] for row in rows if row[5].endswith(inode))


async def test_a_second_bot_is_refused_in_good_time(
    path: Path, numbers: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited = 0.0

    async def sleep(seconds: float) -> None:
        nonlocal waited
        waited += seconds

    assert await numbers.answers()
    loop = SimpleNamespace(time=lambda: waited)
    monkeypatch.setattr(files, "asyncio", SimpleNamespace(sleep=sleep, get_running_loop=lambda: loop))
    with pytest.raises(StoreError) as caught:
        await open_database(path, TABLE)
    assert str(caught.value) == f"The database {path} is in use by another Fracas."
    assert waited == pytest.approx(1.0, abs=0.1)
    await numbers.close()
    await (await open_database(path, TABLE)).close()


async def test_a_link_leads_to_the_same_lock(path: Path, numbers: Database) -> None:
    assert await numbers.answers()
    link = path.with_name("link.db")
    link.symlink_to(path)
    with pytest.raises(StoreError, match="another Fracas"):
        await open_database(link, TABLE)


async def test_a_hard_link_leads_to_the_same_lock(path: Path, numbers: Database) -> None:
    assert await numbers.answers()
    link = path.with_name("link.db")
    link.hardlink_to(path)
    before = await asyncio.to_thread(locks_on, path)
    assert len(before) == 2  # SQLite's and ours
    with pytest.raises(StoreError) as caught:
        await open_database(link, TABLE)
    assert str(caught.value) == f"The database {link} is in use by another Fracas."
    assert await asyncio.to_thread(locks_on, path) == before
    assert [file.name for file in path.parent.iterdir() if file.name.startswith("link.db")] == ["link.db"]
    await numbers.close()
    assert await asyncio.to_thread(locks_on, path) == []
    await (await open_database(link, TABLE)).close()


@pytest.mark.process
async def test_another_process_is_refused_by_a_hard_link(path: Path, numbers: Database) -> None:
    assert await numbers.answers()
    link = path.with_name("link.db")
    link.hardlink_to(path)
    before = await asyncio.to_thread(locks_on, path)
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", HOLDER, link, stdout=PIPE, stderr=PIPE)
    out, errors = await process.communicate()
    assert out == b""
    assert b"link.db is in use by another Fracas." in errors
    assert await asyncio.to_thread(locks_on, path) == before


async def test_a_file_that_was_renamed_is_still_locked(path: Path, numbers: Database) -> None:
    assert await numbers.answers()
    moved = await asyncio.to_thread(path.rename, path.with_name("moved.db"))
    with pytest.raises(StoreError, match="another Fracas"):
        await open_database(moved, TABLE)


async def test_databases_side_by_side_have_locks_of_their_own(path: Path, numbers: Database) -> None:
    assert await numbers.answers()
    await (await open_database(path.with_name("other.db"), TABLE)).close()


async def test_whoever_is_just_stopping_is_waited_for(path: Path) -> None:
    first, second = Instance(path), Instance(path)
    await first.acquire()
    waiter = asyncio.create_task(second.acquire())
    await asyncio.sleep(0)
    assert not waiter.done()
    first.release()
    first.release()
    await waiter
    second.release()


async def test_a_cancelled_wait_takes_nothing(path: Path) -> None:
    first, second = Instance(path), Instance(path)
    await first.acquire()
    waiter = asyncio.create_task(second.acquire())
    await asyncio.sleep(0)
    waiter.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiter
    first.release()
    await first.acquire()
    with pytest.raises(RuntimeError, match="already"):
        await first.acquire()
    first.release()


async def test_a_refused_database_is_not_kept_locked(path: Path) -> None:
    await asyncio.to_thread(path.write_bytes, b"an army list, not a database\n" * 100)
    with pytest.raises(StoreError, match="is not a database"):
        await open_database(path, TABLE)
    instance = Instance(path)
    await instance.acquire()
    instance.release()


async def test_a_lock_file_that_cannot_be_made(path: Path) -> None:
    path.with_name(f"{path.name}.lock").mkdir()
    with pytest.raises(StoreError, match=r"can't be opened; it and its directory must be"):
        await open_database(path, TABLE)


@pytest.mark.process
async def test_the_kernel_lifts_the_lock_of_a_killed_bot(path: Path) -> None:
    for _ in range(3):
        holder = await asyncio.create_subprocess_exec(sys.executable, "-c", HOLDER, path, stdin=PIPE, stdout=PIPE)
        assert holder.stdout is not None
        assert await holder.stdout.readline() == b"held\n"
        with pytest.raises(StoreError, match="another Fracas"):
            await Instance(path).acquire()
        holder.kill()
        await holder.wait()
        instance = Instance(path)
        await instance.acquire()
        instance.release()


@pytest.mark.process
async def test_a_program_that_the_bot_started_does_not_hold_the_lock(path: Path) -> None:
    first, second = Instance(path), Instance(path)
    await first.acquire()
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", "input()", stdin=PIPE, close_fds=False)
    first.release()
    await second.acquire()
    assert child.returncode is None
    child.kill()
    await child.wait()
    second.release()


async def test_many_in_turn_never_meet(path: Path) -> None:
    """The file comes and goes with each: a lock on one that has gone must not count."""
    inside = 0

    async def visit() -> None:
        nonlocal inside
        for _ in range(50):
            instance = Instance(path)
            while True:
                try:
                    await instance.acquire()
                    break
                except StoreError:
                    continue
            assert inside == 0
            inside += 1
            await asyncio.sleep(0)
            inside -= 1
            instance.release()
            await asyncio.sleep(0)

    await asyncio.gather(*(visit() for _ in range(4)))
    assert list(path.parent.iterdir()) == [path]


async def test_a_lock_on_a_file_that_was_taken_away_does_not_count(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the opening and the locking of the second, the first one ends."""
    first, second, third = Instance(path), Instance(path), Instance(path)
    await first.acquire()
    flock = fcntl.flock

    def late(lock: int, operation: int) -> None:
        first.release()
        flock(lock, operation)

    monkeypatch.setattr(fcntl, "flock", late)
    assert not second._take()
    monkeypatch.undo()
    await second.acquire()
    with pytest.raises(StoreError, match="another Fracas"):
        await third.acquire()
    second.release()


async def test_nothing_stays_open(path: Path) -> None:
    instance = Instance(path)
    await instance.acquire()
    locks = instance._locks
    assert len(locks) == 2
    instance.release()
    for lock in locks:
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(lock)
