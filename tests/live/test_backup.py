"""A bot that plays is backed up, killed and deleted; restored it goes on where the backup was made."""

import asyncio
import sys
from pathlib import Path

import pytest

from tests.live.conftest import Bots, Live
from tests.live.discord_server import PATIENCE
from tests.live.process import ROOT

pytestmark = [pytest.mark.live, pytest.mark.asyncio(loop_scope="session")]


async def fracas(folder: Path, *arguments: str) -> str:
    """Run a command beside the bot and return what it says."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", *arguments),
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    out, _ = await process.communicate()
    assert process.returncode == 0, out.decode()
    return out.decode()


async def started(live: Live, times: int) -> None:
    """Wait until bots in this folder were ready so often."""
    async with asyncio.timeout(PATIENCE):
        while len(live.bot.events("cleared")) < times:  # noqa: ASYNC110
            await asyncio.sleep(0.1)


def delete(database: Path) -> None:
    for file in database.parent.glob(f"{database.name}*"):
        file.unlink()


async def test_battles_go_on_from_a_backup(bots: Bots, tmp_path: Path) -> None:
    live = await bots.start()
    begun = await live.ann.slash("aa battle", setup="60 inf vs 60 inf", attacker=live.ann, defender=live.ben)
    for number in (1, 2):
        await live.ann.press(begun.message, f"Fight round {number}")
    said = await fracas(tmp_path, "backup", "copy.db")
    assert "and the copy is whole" in said
    await live.ann.press(begun.message, "Fight round 3")
    third = begun.message.text
    await live.bot.kill()
    await asyncio.sleep(1)  # Python's own processes say that theirs was killed, which is no trouble of the bot's
    assert live.new_trouble
    delete(tmp_path / "fracas.db")
    assert "fracas.db is restored from copy.db" in await fracas(tmp_path, "restore", "copy.db")
    again = await bots.start(live.discord, wait=False)  # the killed one's session would count as signed in
    await started(again, 2)
    await live.ann.press(begun.message, "Fight round 4")
    assert "round 2" in begun.message.text, "what came after the backup is gone, and the panel shows what is there"
    await live.ann.press(begun.message, "Fight round 3")
    assert begun.message.text == third, "with the same dice"
