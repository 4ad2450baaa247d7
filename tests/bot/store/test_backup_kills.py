"""A bot under load is backed up, killed and deleted, and restored: nothing from before the backup is lost."""

import asyncio
import json
import os
import random
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.control import ask
from bot.store.battles.repository import BattleRepository
from bot.store.copies import restore
from bot.store.migrate import inspect
from tests.bot.store.databases import HOUSE, open_database
from tests.bot.store.toy import expect_sound

pytestmark = [pytest.mark.torture, pytest.mark.process]

ROUNDS = 25


class Writer:
    """The writer of `writer.py`: what it told so far, while somebody reads along."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.told: list[list[Any]] = []
        self._news = asyncio.Event()
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            self.told.append(json.loads(line))
            self._news.set()

    async def start(self, path: Path, seed: int) -> None:
        """Start the next one."""
        assert self._process.stdin is not None
        self.told.clear()
        self._process.stdin.write(f"{seed} {path}\n".encode())

    async def until(self, what: str, count: int = 1) -> None:
        """Wait until this was told so often."""
        async with asyncio.timeout(60):
            while sum(words[0] == what for words in self.told) < count:
                self._news.clear()
                await self._news.wait()

    async def kill(self) -> None:
        """Kill it in the midst of what it does."""
        ((_, pid),) = [words for words in self.told if words[0] == "writer"]
        os.kill(pid, signal.SIGKILL)
        await self.until("dead")

    @property
    def commits(self) -> list[list[int]]:
        """The battle, its version, its revision and the interaction of each commit."""
        return [words[1:] for words in self.told if words[0] == "committed"]


@pytest.fixture
async def writer() -> AsyncIterator[Writer]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.bot.store.writer", stdin=PIPE, stdout=PIPE
    )
    yield Writer(process)
    assert process.stdin is not None
    process.stdin.close()
    await process.wait()


def delete(database: Path) -> None:
    """Delete a database with all that a killed bot left beside it."""
    for file in database.parent.glob(f"{database.name}*"):
        file.unlink()


async def test_nothing_from_before_a_backup_is_lost_and_battles_go_on(writer: Writer, tmp_path: Path) -> None:
    choose = random.Random(20261122)
    path, backups = tmp_path / "fracas.db", tmp_path / "backups"
    backups.mkdir()
    rows = 0
    for number in range(ROUNDS):
        await writer.start(path, 1000 + number)
        await writer.until("committed", choose.randint(1, 40))
        before = writer.commits
        backup = backups / f"{number}.db"
        assert await ask(path, "backup", str(backup)) is not None
        await writer.until("committed", len(before) + choose.randint(1, 40))
        await writer.kill()
        delete(path)
        found = inspect(backup)
        assert found.version == len(HOUSE[0].migrations)
        await restore(backup, path, HOUSE)
        rows = await expect_kept(path, before, rows)
    assert rows > ROUNDS


async def expect_kept(path: Path, before: list[list[int]], earlier: int) -> int:
    """Check that a restored database has these commits and whole battles; return how many rows their journals have."""
    db = await open_database(path)
    try:
        applied = {row[0] for row in await db.fetch_all("SELECT interaction_id FROM applied_interactions")}
        assert {interaction for *_, interaction in before} <= applied
        now = {row["id"]: row["version"] for row in await db.fetch_all("SELECT id, version FROM battles")}
        assert all(now[battle_id] >= version for battle_id, version, *_ in before)
        for battle_id in now:
            await expect_sound(BattleRepository(db), battle_id)
        (rows,) = await db.fetch_all("SELECT count(*) FROM journal")
    finally:
        await db.close()
    assert rows[0] >= earlier, "what was restored before went on"
    return int(rows[0])
