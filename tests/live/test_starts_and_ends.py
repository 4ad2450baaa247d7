"""How a bot starts and ends, live.

How soon its first question is answered, and how much memory all of it takes; after SIGTERM whoever was being answered
is answered, or reads that the bot restarts.
"""

import io
import re
import time
from pathlib import Path

import pytest
from PIL import Image

from tests.bench.scale.replay import Actors, load_mix, memory
from tests.live.conftest import BUSY_MACHINE, Bots, Live, run_command
from tests.live.discord_server import LittleDiscord
from tests.live.process import port_of_its_own, until_ready
from tests.live.wire import CHANNEL, ORIGINAL, Fault

pytestmark = [pytest.mark.live, pytest.mark.asyncio(loop_scope="session")]

WITH_KERNELS, WITHOUT_KERNELS = 3.0, 8.0


async def expect_answer(live: Live, seconds: float) -> None:
    """Ask the first question, and expect the answer in time; who waits for it reads why before."""
    asked = await live.ann.slash("aacalc", battle="6 tanks vs 10 inf", wait=False)
    await live.discord.until(lambda: "10 infantry" in asked.text, seconds * BUSY_MACHINE)


async def test_the_first_question_is_answered_while_everything_is_compiled(bots: Bots, tmp_path: Path) -> None:
    kernels = tmp_path / "kernels"
    kernels.mkdir()
    await expect_answer(await bots.start(NUMBA_CACHE_DIR=str(kernels)), WITHOUT_KERNELS)
    assert not list(kernels.rglob("complete")), "the kernels were still being compiled"


async def test_the_first_question_finds_compiled_kernels(bots: Bots, discord: LittleDiscord, tmp_path: Path) -> None:
    await run_command(discord, tmp_path, "warm")
    await expect_answer(await bots.start(discord), WITH_KERNELS)


SMALL_HOST = 512 << 20
"""As operate.md says."""

HEAVY = (
    "500 inf, 100 tanks, 50 ftr vs 600 inf, 100 ftr",
    "9 s 9 d 9 f 9 bb 5 c vs 9 s 9 d 9 f 9 bb 5 c",
    "1000000 i 1000000 t 1000000 f 1000000 b vs 900000 i 900000 t 900000 f",
)
MOST_OF_A_WORKER = 350
"""MiB."""

LIBRARIES = ("numpy", "numba", "/PIL/", "arkworks")


async def test_a_bot_with_one_worker_fits_into_a_small_host_and_loads_no_heavy_libraries(
    bots: Bots, discord: LittleDiscord, tmp_path: Path
) -> None:
    await run_command(discord, tmp_path, "warm")
    port = port_of_its_own()
    live = await bots.start(discord, FRACAS_WORKERS="1", FRACAS_JOB_SECONDS="60", FRACAS_HEALTH_PORT=str(port))
    await until_ready(port)
    for number, scene in enumerate(load_mix(), 1):
        actors = Actors(live.discord, number)
        for step in scene.steps:
            await actors.do(step)
        expect_small(live, scene)
    for battle in HEAVY:
        await live.ann.slash("aacalc", battle=battle)
        expect_small(live, battle)
    Image.new("RGB", (3000, 2600)).save(drawn := io.BytesIO(), "PNG")
    await live.ann.slash("boss forge", bosses=("bosses.csv", b"name,health\nOgre,9000\n"))
    forged = await live.ann.slash("boss forge", boss="Ogre", picture=("ogre.png", drawn.getvalue()))
    assert forged.message.files
    expect_small(live, "a picture")


def expect_small(live: Live, after: object) -> None:
    """Check the memory of all processes, and of the worker at its most; the bot itself loads nothing heavy."""
    (worker,) = live.bot.workers
    peak = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{worker}/status").read_text())
    assert peak is not None
    assert int(peak[1]) >> 10 < MOST_OF_A_WORKER, after
    taken = {process: memory(process) >> 20 for process in live.bot.processes}
    assert sum(taken.values()) << 20 < SMALL_HOST, (after, taken)
    loaded = Path(f"/proc/{live.bot.pid}/maps").read_text()
    assert not [library for library in LIBRARIES if library in loaded]


RESTARTS = "The bot is restarting. Please try again in a minute."


async def warm(bots: Bots) -> Live:
    """Start a bot, and wait until it has answered something."""
    live = await bots.start(FRACAS_WORKERS="1")
    await live.expect_answer()
    return live


async def test_who_would_wait_for_longer_reads_that_the_bot_restarts(bots: Bots) -> None:
    live = await warm(bots)
    panel = await live.begin()
    calculated = await live.ben.slash("aacalc", battle="3 inf vs 2 inf")
    opened = await live.ben.press(calculated.message, "Edit")
    async with live.bot.workers_held():
        command = await live.ann.slash("aacalc", battle="4 inf vs 2 inf", wait=False)
        press = await live.ann.press(panel, "Next round", wait=False)
        form = await live.ben.submit(opened, battle="5 inf vs 2 inf", wait=False)
        private = await live.discord.player("zoe", live.channel).slash(
            "aacalc", battle="6 inf vs 2 inf", private=True, wait=False
        )
        asked = [command, press, form, private]
        await live.discord.until(lambda: all(one.response is not None for one in asked))
        began = time.monotonic()
        live.bot.terminate()
        await live.discord.until(lambda: all(RESTARTS in one.text for one in asked))
        assert 3 <= time.monotonic() - began < 5 * BUSY_MACHINE
    assert await live.bot.ended() == 0
    assert "before round 1" in panel.text
    assert not any(RESTARTS in shown.text for shown in live.discord.posted(live.channel)), "others read nothing of it"
    assert private.message.private
    again = await bots.start(live.discord)
    assert "✅ Match" in (await again.ann.at(live.channel).slash("battle verify", number=1)).text


async def test_a_step_that_was_not_shown_waits_for_the_next_start(bots: Bots) -> None:
    live = await warm(bots)
    panel = await live.begin()
    faults = live.discord.api.faults
    with (
        faults.add(Fault("PATCH", ORIGINAL, times=None, delay=60)) as original,
        faults.add(Fault("PATCH", CHANNEL, times=None, delay=60)),
    ):
        await live.ann.press(panel, "Next round", wait=False)
        await live.discord.until(lambda: original.hits)
        assert await live.bot.stop() == 0
    assert "before round 1" in panel.text
    await bots.start(live.discord)
    await live.discord.until(lambda: panel.text.startswith("### #1 Axis & Allies: round 1\n"))
