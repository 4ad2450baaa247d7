import asyncio
import json
import os
import random
import signal
import sys
from asyncio.subprocess import PIPE
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from bot.store.battles.panels import PanelRepository
from bot.store.battles.repository import BattleRepository
from bot.store.campaigns import CampaignRepository
from bot.store.chronicle import ChronicleRepository
from bot.store.database import Database
from tests.bot.store.databases import open_database
from tests.bot.store.toy import expect_sound, read
from tests.bot.store.writer import CAMPAIGN_CHANNEL
from tests.conformance.example import registered

pytestmark = [pytest.mark.torture, pytest.mark.process]

KILLS = 1_000
KILLS_A_FILE = 100  # a small file is checked quickly


class Writers:
    """The writers of `writer.py`, one after the other, and what they told."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def run_and_kill(self, path: Path, seed: int, seconds: float, *, in_the_midst: bool) -> list[list[Any]]:
        """Start a writer, kill it `seconds` after its start or its first commit, and return what it told."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{seed} {path}\n".encode())
        reports = []
        pid = None
        while pid is None or (in_the_midst and len(reports) < 2):
            reports.append(await self._line())
            if reports[-1][0] == "writer":
                pid = reports[-1][1]
        await asyncio.sleep(seconds)
        os.kill(pid, signal.SIGKILL)
        while reports[-1] != ["dead"]:
            reports.append(await self._line())
        return [words for words in reports if words[0] not in {"writer", "dead"}]

    async def _line(self) -> list[Any]:
        assert self._process.stdout is not None
        words: list[Any] = json.loads(await self._process.stdout.readline())
        return words


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
        db = await open_database(self._path)
        try:
            assert [row[0] for row in await db.fetch_all("PRAGMA quick_check")] == ["ok"]
            acknowledged = {words[-1] for words in told if words[0] in {"committed", "founded", "cared"}}
            await self._check_commits(db, [words[1:] for words in told if words[0] == "committed"], acknowledged)
            await self._check_outbox(db)
            await self._check_campaigns(db, told)
            await self._check_chronicle(db, {words[1] for words in told if words[0] == "recorded"})
        finally:
            await db.close()

    async def _check_commits(self, db: Database, commits: list[list[int]], acknowledged: set[int]) -> None:
        applied = {row[0] for row in await db.fetch_all("SELECT interaction_id FROM applied_interactions")}
        assert acknowledged <= applied
        (counts,) = await db.fetch_all(
            "SELECT (SELECT count(*) FROM battles WHERE status <> 'finished') + (SELECT count(*) FROM journal)"
            " + (SELECT count(*) FROM campaigns) + (SELECT count(*) FROM campaign_rows WHERE battle_id IS NULL)"
        )
        # Each opened a battle, wrote a row or the last two of a finished one, founded a campaign or gave care, once.
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
        """Check that every battle follows from its seed by the rules; return how many steps each game has."""
        steps: Counter[str] = Counter()
        db = await open_database(self._path)
        try:
            for battle_id in self._versions:
                battle = await expect_sound(BattleRepository(db), battle_id)
                steps[battle.system] += battle.steps
        finally:
            await db.close()
        return steps

    async def _check_chronicle(self, db: Database, recorded: set[int]) -> None:
        known = {row[0] for row in await db.fetch_all("SELECT battle_id FROM chronicled")}
        assert recorded <= known
        self.recorded = len(known)
        missing = await ChronicleRepository(db).missing()
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
        cares = {(row["campaign_id"], row["n"]) for row in rows if row["battle_id"] is None}
        assert {(words[1], words[2]) for words in told if words[0] == "cared"} <= cares
        self.taken_up = len(up)

    async def _check_outbox(self, db: Database) -> None:
        pending = {battle.id for battle in await PanelRepository(db).pending()}
        for battle_id, revision in await db.fetch_all("SELECT id, revision FROM battles"):
            if revision > self._started[battle_id]:
                assert battle_id in pending
                self.unshown += 1
            elif revision == self._shown[battle_id]:
                assert battle_id not in pending


async def test_a_bot_killed_again_and_again_loses_nothing_and_doubles_nothing(tmp_path: Path) -> None:
    choose = random.Random(20261120)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.bot.store.writer", stdin=PIPE, stdout=PIPE
    )
    writers = Writers(process)
    commits = unshown = recorded = taken_up = 0
    steps: Counter[str] = Counter()
    try:
        for file in range(KILLS // KILLS_A_FILE):
            path = tmp_path / f"{file}.db"
            witness = Witness(path)
            for kill in range(KILLS_A_FILE):
                seed = 1 + file * KILLS_A_FILE + kill
                in_the_midst = choose.random() < 0.8
                reports = await writers.run_and_kill(path, seed, choose.uniform(0, 0.03), in_the_midst=in_the_midst)
                commits += sum(words[0] == "committed" for words in reports)
                await witness.check(reports)
            steps += await witness.replay()
            unshown += witness.unshown
            recorded += witness.recorded
            taken_up += witness.taken_up
    finally:
        assert process.stdin is not None
        process.stdin.close()
        await process.wait()
    assert commits > KILLS  # the writers did write
    assert unshown  # and were killed before they had shown everything
    assert recorded > KILLS // 50  # battles that were closed: how many depends on how busy the machine is
    assert taken_up > KILLS // 50  # and flowed on in a campaign
    assert {*steps} == {*registered()}
