"""A bot under load is killed, again and again, and what was told as done is there.

So it is after the next start; from a backup, as far as it was done before; and from Litestream's copy, but for the last
second.
"""

import asyncio
import json
import os
import random
import shutil
import signal
import sqlite3
import sys
from asyncio.subprocess import PIPE
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.campaigns.repository import CampaignRepository
from bot.cli.check import LITESTREAM_FROM
from bot.listening import ask
from bot.stats import StatsRepository
from bot.store.battles import BattleRepository
from bot.store.copies import restore
from bot.store.database import Database
from bot.store.migrate import inspect
from bot.store.transactions import PanelRepository
from tests.bot.store.databases import HOUSE, database, refusal
from tests.bot.store.toy import read, replayed
from tests.bot.store.writer import CAMPAIGN_CHANNEL
from tests.conformance.example import registered
from tests.sim.workers.waiting import until

pytestmark = [pytest.mark.torture, pytest.mark.process]

KILLS = 1_000
KILLS_A_FILE = 100  # a small file is checked quickly
BACKUPS = 25
LOOK_SECONDS = 0.001

CONFIG = Path(__file__).parents[3] / ".deploy" / "litestream.yml"
LITESTREAM = shutil.which("litestream", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
COPIES = 8
MOST_LOST = 1.0


class Writer:
    """The writer of `writer.py`: what it told so far, while somebody reads along."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.told: list[list[Any]] = []
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            self.told.append(json.loads(line))

    async def start(self, path: Path, seed: int) -> None:
        """Start the next one."""
        assert self._process.stdin is not None
        self.told.clear()
        self._process.stdin.write(f"{seed} {path}\n".encode())

    async def until(self, what: str, count: int = 1) -> None:
        """Wait until this was told so often."""
        await until(lambda: sum(words[0] == what for words in self.told) >= count, LOOK_SECONDS)

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
    for number in range(BACKUPS):
        await writer.start(path, 1000 + number)
        await writer.until("committed", choose.randint(1, 40))
        before = writer.commits
        backup = backups / f"{number}.db"
        if not number:
            assert await refusal(path) == f"The database {path} is in use by another Fracas."
        assert await ask(path, "backup", str(backup)) is not None
        await writer.until("committed", len(before) + choose.randint(1, 40))
        await writer.kill()
        delete(path)
        found = inspect(backup)
        assert found.version == len(HOUSE[0].migrations)
        await restore(backup, path, HOUSE)
        rows = await expect_kept(path, before, rows)
    assert rows > BACKUPS


async def expect_kept(path: Path, before: list[list[int]], earlier: int) -> int:
    """Check that a restored database has these commits and whole battles; return how many rows their journals have."""
    async with database(path) as db:
        applied = {row[0] for row in await db.fetch_all("SELECT interaction_id FROM applied_interactions")}
        assert {interaction for *_, interaction in before} <= applied
        now = {row["id"]: row["version"] for row in await db.fetch_all("SELECT id, version FROM battles")}
        assert all(now[battle_id] >= version for battle_id, version, *_ in before)
        await replayed(BattleRepository(db), now)
        (rows,) = await db.fetch_all("SELECT count(*) FROM journal")
    assert rows[0] >= earlier, "what was restored before went on"
    return int(rows[0])


class Witness:
    """What the writers told, against what the database holds."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._versions: dict[int, int] = defaultdict(int)
        self._started: dict[int, int] = defaultdict(int)
        self._shown: dict[int, int] = defaultdict(int)
        self._known = 0
        self.untold = 0
        self.unshown = 0
        self.recorded = 0
        self.taken_up = 0

    async def check(self, told: list[list[Any]]) -> None:
        """Open the database as a bot after a crash does, and look at everything that may have changed."""
        for what, battle_id, *rest in told:
            if what == "showing":
                self._started[battle_id] = rest[0]
            elif what == "shown":
                self._shown[battle_id] = rest[0]
        async with database(self._path) as db:
            assert [row[0] for row in await db.fetch_all("PRAGMA quick_check")] == ["ok"]
            acknowledged = {words[-1] for words in told if words[0] in {"committed", "founded", "adjusted"}}
            await self._check_commits(db, [words[1:] for words in told if words[0] == "committed"], acknowledged)
            await self._check_outbox(db)
            await self._check_campaigns(db, told)
            await self._check_stats(db, {words[1] for words in told if words[0] == "recorded"})

    async def _check_commits(self, db: Database, commits: list[list[int]], acknowledged: set[int]) -> None:
        applied = {row[0] for row in await db.fetch_all("SELECT interaction_id FROM applied_interactions")}
        assert acknowledged <= applied
        (counts,) = await db.fetch_all(
            "SELECT (SELECT count(*) FROM battles WHERE status <> 'finished') + (SELECT count(*) FROM journal)"
            " + (SELECT count(*) FROM campaigns) + (SELECT count(*) FROM campaign_rows WHERE battle_id IS NULL)"
        )
        # Each opened a battle, wrote a row or the last two of a finished one, founded or adjusted a campaign, once.
        assert len(applied) == counts[0]
        untold = len(applied) - self._known - len(acknowledged)
        assert untold in {0, 1}  # the one in whose midst the writer was killed
        self.untold += untold
        self._known = len(applied)
        now = {row["id"]: row["version"] for row in await db.fetch_all("SELECT id, version FROM battles")}
        for battle_id, version, *_ in commits:
            assert now[battle_id] >= version
        for battle_id, version in now.items():
            if self._versions[battle_id] < version:
                self._versions[battle_id] = (await read(BattleRepository(db), battle_id)).version  # and its seals

    async def replay(self) -> Counter[str]:
        """Replay every battle; return how many steps each game has."""
        async with database(self._path) as db:
            return await replayed(BattleRepository(db), self._versions)

    async def _check_stats(self, db: Database, recorded: set[int]) -> None:
        known = {row[0] for row in await db.fetch_all("SELECT battle_id FROM chronicled")}
        assert recorded <= known
        self.recorded = len(known)
        missing = await StatsRepository(db).missing()
        closed = {row[0] for row in await db.fetch_all("SELECT id FROM battles WHERE status <> 'open'")}
        assert sorted(missing) == sorted(closed - known)
        assert {row[0] for row in await db.fetch_all("SELECT id FROM results")} == known
        for table, count in (("result_seats", 2), ("dice_luck", 1)):
            rows = await db.fetch_all(f"SELECT battle_id, count(*) FROM {table} GROUP BY battle_id")  # noqa: S608  # ours
            assert {row[0]: row[1] for row in rows} == dict.fromkeys(known, count)

    async def _check_campaigns(self, db: Database, told: list[list[Any]]) -> None:
        rows = await db.fetch_all("SELECT campaign_id, n, battle_id, muster, at FROM campaign_rows ORDER BY 1, 2")
        by_campaign: dict[int, list[int]] = defaultdict(list)
        for row in rows:
            by_campaign[row["campaign_id"]].append(row["n"])
        assert all(numbers == [*range(1, len(numbers) + 1)] for numbers in by_campaign.values())
        linked = {row["battle_id"] for row in rows if row["battle_id"] is not None}
        # A battle and its row are there together, or neither is.
        here = await db.fetch_all("SELECT id, status FROM battles WHERE channel_id = ?", [CAMPAIGN_CHANNEL])
        assert linked == {row["id"] for row in here}
        up = {row["battle_id"] for row in rows if row["battle_id"] is not None and row["at"] is not None}
        assert {words[1] for words in told if words[0] == "taken-up"} <= up
        assert all((row["muster"] == "{}") is (row["at"] is None) for row in rows)
        closed = {row["id"] for row in here if row["status"] != "open"}
        assert up <= closed
        assert sorted(await CampaignRepository(db).missing()) == sorted(closed - up)
        adjusted = {(row["campaign_id"], row["n"]) for row in rows if row["battle_id"] is None}
        assert {(words[1], words[2]) for words in told if words[0] == "adjusted"} <= adjusted
        self.taken_up = len(up)

    async def _check_outbox(self, db: Database) -> None:
        pending = {battle.id for battle in await PanelRepository(db).pending()}
        for battle_id, revision in await db.fetch_all("SELECT id, revision FROM battles"):
            if revision > self._started[battle_id]:
                assert battle_id in pending
                self.unshown += 1
            elif revision == self._shown[battle_id]:
                assert battle_id not in pending


async def run_and_kill(writer: Writer, path: Path, seed: int, seconds: float, *, in_the_midst: bool) -> list[list[Any]]:
    """Start a writer, kill it `seconds` after its start or its first word, and return what it told."""
    await writer.start(path, seed)
    await writer.until("writer")
    if in_the_midst:
        await until(lambda: len(writer.told) > 1, LOOK_SECONDS)
    await asyncio.sleep(seconds)
    await writer.kill()
    return [words for words in writer.told if words[0] not in {"writer", "dead"}]


async def test_a_bot_killed_again_and_again_loses_nothing_and_doubles_nothing(writer: Writer, tmp_path: Path) -> None:
    choose = random.Random(20261120)
    commits = unshown = recorded = taken_up = 0
    steps: Counter[str] = Counter()
    for file in range(KILLS // KILLS_A_FILE):
        path = tmp_path / f"{file}.db"
        witness = Witness(path)
        for kill in range(KILLS_A_FILE):
            seed = 1 + file * KILLS_A_FILE + kill
            in_the_midst = choose.random() < 0.8
            told = await run_and_kill(writer, path, seed, choose.uniform(0, 0.03), in_the_midst=in_the_midst)
            commits += sum(words[0] == "committed" for words in told)
            await witness.check(told)
        steps += await witness.replay()
        unshown += witness.unshown
        recorded += witness.recorded
        taken_up += witness.taken_up
    assert commits > KILLS  # the writers did write
    assert unshown  # and were killed before they had shown everything
    assert recorded  # battles were closed: how many depends on how busy the machine is
    assert taken_up  # and flowed on in a campaign
    assert {*steps} == {*registered()}


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


@pytest.mark.skipif(
    sqlite3.sqlite_version_info < LITESTREAM_FROM,
    reason=f"SQLite {sqlite3.sqlite_version} may damage a database that Litestream writes to, too",
)
@pytest.mark.skipif(LITESTREAM is None, reason="pip install '.[litestream]' brings Litestream")
async def test_a_second_is_lost_at_most_and_battles_go_on(writer: Writer, tmp_path: Path) -> None:
    choose = random.Random(20261122)
    path = tmp_path / "fracas.db"
    litestream = Litestream(path, tmp_path / "replica")
    rows = 0
    for number in range(COPIES):
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
