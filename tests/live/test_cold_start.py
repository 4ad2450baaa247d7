"""A bot that has just signed in: how soon the first question is answered, and how much memory all of it takes."""

import asyncio
import sys
from pathlib import Path

import pytest

from tests.bench.scale.replay import Actors, load_mix, memory
from tests.live.conftest import Bots, Live
from tests.live.health import port_of_its_own, until_ready
from tests.live.process import ROOT
from tests.live.test_shutdown import BUSY_MACHINE

pytestmark = [pytest.mark.live, pytest.mark.asyncio(loop_scope="session")]

WITH_KERNELS, WITHOUT_KERNELS = 3.0, 8.0


async def expect_answer(live: Live, seconds: float) -> None:
    """Ask the first question, and expect the answer in time; who waits for it reads why before."""
    asked = await live.ann.slash("aacalc", battle="6 tanks vs 10 inf", wait=False)
    await live.discord.until(lambda: "91.7" in asked.text, seconds * BUSY_MACHINE)


async def test_the_first_question_is_answered_while_everything_is_compiled(bots: Bots, tmp_path: Path) -> None:
    kernels = tmp_path / "kernels"
    kernels.mkdir()
    await expect_answer(await bots.start(NUMBA_CACHE_DIR=str(kernels)), WITHOUT_KERNELS)
    assert not list(kernels.rglob("complete")), "the kernels were still being compiled"


COMPILE = """
from sim.jobs import kernel_cache, warm_up
kernel_cache.use_kernel_cache()
if not kernel_cache.is_complete():
    warm_up.rehearse()
"""


async def test_the_first_question_finds_compiled_kernels(bots: Bots) -> None:
    compiling = await asyncio.create_subprocess_exec(sys.executable, "-c", COMPILE, cwd=ROOT)
    assert await compiling.wait() == 0
    await expect_answer(await bots.start(), WITH_KERNELS)


SMALL_HOST = 512 << 20
"""As operate.md says."""


async def test_a_bot_with_one_worker_fits_into_a_small_host(bots: Bots) -> None:
    compiling = await asyncio.create_subprocess_exec(sys.executable, "-c", COMPILE, cwd=ROOT)
    assert await compiling.wait() == 0
    port = port_of_its_own()
    live = await bots.start(FRACAS_WORKERS="1", FRACAS_JOB_SECONDS="60", FRACAS_HEALTH_PORT=str(port))
    await until_ready(port)
    for number, scene in enumerate(load_mix(), 1):
        actors = Actors(live.discord, number)
        for step in scene.steps:
            await actors.do(step)
        assert len(live.bot.workers) == 1
        taken = {process: memory(process) >> 20 for process in live.bot.processes}
        assert sum(taken.values()) << 20 < SMALL_HOST, (scene, taken)
