"""SIGTERM in the middle of steps: the bot ends in order, and what it stored is whole and verifies."""

import asyncio
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bot.store import OWN_WORK
from bot.store.battles.repository import BattleRepository
from sim.core.replay import verify
from sim.jobs.discovery import system
from tests.bot.store.databases import open_database
from tests.bot.store.toy import closed_now

pytestmark = pytest.mark.process

PROGRAM = """
import asyncio, signal, sys
from pathlib import Path

import simcord

from bot.cli.run import open_bot
from bot.config import Settings


async def fight(ann, ben, channel):
    while True:
        panel = (await ann.slash(channel, "aa battle", setup="300 inf vs 300 inf", attacker=ann, defender=ben)).response
        while True:
            rows = [one for one in panel.components if one["type"] == 1]
            ids = [button["custom_id"] for row in rows for button in row["components"]]
            fire = [one for one in ids if one.endswith(":fire")]
            if not fire:
                break
            await ann.click(panel, custom_id=fire[0])
            print(fire[0].split(":")[2], flush=True)


async def main():
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with open_bot(Settings(_env_file=None, workers=1), Path(sys.argv[1])) as bot:
        async with simcord.run(bot, shard_count=1, check_errors=False, settle_timeout=90) as env:
            await bot.tree.sync()
            guild = env.create_guild()
            channel = guild.create_text_channel("battles")
            ann, ben = (guild.add_member(env.create_user(name)) for name in ("ann", "ben"))
            fighting = asyncio.create_task(fight(ann, ben, channel))
            await stop.wait()
            fighting.cancel()
            await asyncio.gather(fighting, return_exceptions=True)


if __name__ == "__main__":
    asyncio.run(main())
"""

PATIENCE = 120


@pytest.mark.parametrize("steps", [1, 3, 6])
def test_a_step_under_way_at_sigterm_is_stored_whole_or_not_at_all(steps: int, tmp_path: Path) -> None:
    path = tmp_path / "table.db"
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    versions = [int(process.stdout.readline()) for _ in range(steps)]
    time.sleep(0.003 * steps)  # somewhere in the next step, another place each time
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    assert "Traceback" not in err
    versions += [int(line) for line in out.splitlines()]
    stored = asyncio.run(verified_versions(path))
    # A press on version n made version n + 1: what was shown is stored.
    assert max(stored) > max(versions)


async def verified_versions(path: Path) -> list[int]:
    """Return the version of each battle in the file, every journal done again and compared."""
    db = await open_database(path)
    try:
        battles = BattleRepository(db)
        versions = []
        number = 1
        while (battle := await battles.get(number, OWN_WORK)) is not None:
            entries = await battles.journal(battle.id)
            assert len(entries) == battle.version
            report = verify(system(battle.system), closed_now(battle, entries))
            assert report.match, report.mismatch
            versions.append(battle.version)
            number += 1
    finally:
        await db.close()
    return versions
