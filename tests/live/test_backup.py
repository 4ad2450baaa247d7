"""A bot that plays is backed up, killed and deleted; restored it goes on where the backup was made."""

import asyncio
import sys
from pathlib import Path

import pytest

from tests.live.conftest import Bots
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


def delete(database: Path) -> None:
    for file in database.parent.glob(f"{database.name}*"):
        file.unlink()


async def test_battles_go_on_from_a_backup(bots: Bots, tmp_path: Path) -> None:
    live = await bots.start()
    begun = await live.ann.slash("aa battle", setup="150 inf vs 100 inf", attacker=live.ann, defender=live.ben)
    for number in (1, 2):
        await live.ann.press(begun.message, f"Fight round {number}")
    said = await fracas(tmp_path, "backup", "copy.db")
    assert "and the copy is whole" in said
    await live.ann.press(begun.message, "Fight round 3")
    third = begun.message.text
    await live.bot.kill()
    # Python's own processes may say that theirs was killed, which is no trouble of the bot's.
    assert {line["level"] for line in live.new_trouble} <= {"RAW"}
    delete(tmp_path / "fracas.db")
    assert "fracas.db is restored from copy.db" in await fracas(tmp_path, "restore", "copy.db")
    await live.discord.until(lambda: not live.discord.gateway.connected)
    await bots.start(live.discord)
    await live.ann.press(begun.message, "Fight round 4")
    assert "round 2" in begun.message.text, "what came after the backup is gone, and the panel shows what is there"
    await live.ann.press(begun.message, "Fight round 3")
    assert begun.message.text == third, "with the same dice"
