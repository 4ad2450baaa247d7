"""A bot under load is copied by Litestream, killed with it and deleted, and restored: at most a second is lost."""

import asyncio
import os
import random
import shutil
import sqlite3
import sys
from pathlib import Path

import pytest

from bot.cli.check import LITESTREAM_FROM
from bot.store.migrate import inspect
from tests.bot.store.test_backup_kills import Writer, delete, expect_kept, writer

__all__ = ["writer"]  # the fixture

CONFIG = Path(__file__).parents[3] / ".deploy" / "litestream.yml"
LITESTREAM = shutil.which("litestream", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
MOST_LOST = 1.0
ROUNDS = 8

pytestmark = [
    pytest.mark.torture,
    pytest.mark.process,
    pytest.mark.skipif(
        sqlite3.sqlite_version_info < LITESTREAM_FROM,
        reason=f"SQLite {sqlite3.sqlite_version} may damage a database that Litestream writes to, too",
    ),
    pytest.mark.skipif(LITESTREAM is None, reason="pip install '.[litestream]' brings Litestream"),
]


class Litestream:
    """Litestream with the configuration of `.deploy`, for one database."""

    def __init__(self, database: Path, replica: Path) -> None:
        self._database = database
        self._environment = {**os.environ, "FRACAS_DB": str(database), "LITESTREAM_REPLICA": f"file://{replica}"}

    async def start(self, *arguments: str) -> asyncio.subprocess.Process:
        """Start one of its commands."""
        command, *options = arguments
        with (self._database.parent / "litestream.log").open("ab") as log:
            return await asyncio.create_subprocess_exec(
                *(str(LITESTREAM), command, "-config", str(CONFIG), *options),
                stdout=log,
                stderr=log,
                env=self._environment,
            )

    async def restore(self) -> None:
        """Put the copy in the place of the database, which isn't there."""
        restoring = await self.start("restore", "-integrity-check", "full", str(self._database))
        assert await restoring.wait() == 0, self.log

    @property
    def log(self) -> str:
        return (self._database.parent / "litestream.log").read_text()


async def test_a_second_is_lost_at_most_and_battles_go_on(writer: Writer, tmp_path: Path) -> None:
    choose = random.Random(20261122)
    path = tmp_path / "fracas.db"
    litestream = Litestream(path, tmp_path / "replica")
    rows = 0
    for number in range(ROUNDS):
        await writer.start(path, 2000 + number)
        await writer.until("committed")
        replicating = await litestream.start("replicate")
        await asyncio.sleep(3)  # it has begun to follow
        await writer.until("committed", len(writer.commits) + choose.randint(1, 400))
        before = writer.commits
        await asyncio.sleep(MOST_LOST)
        await writer.kill()
        replicating.kill()
        assert await replicating.wait() < 0, litestream.log
        assert len(writer.commits) > len(before), "it was under load to its end"
        delete(path)
        shutil.rmtree(tmp_path / ".fracas.db-litestream")
        await litestream.restore()
        inspect(path)
        rows = await expect_kept(path, before, rows)
