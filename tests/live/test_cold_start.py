"""A bot that has just signed in: the first question is answered soon, whatever is still being compiled."""

import asyncio
import sys
from pathlib import Path

import pytest

from tests.live.conftest import Bots, Live
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
