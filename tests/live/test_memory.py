"""A small host: all processes of a live bot with one worker, while players use every game."""

import asyncio
import sys

import pytest

from tests.bench.scale.replay import Actors, load_mix, memory
from tests.live.conftest import Bots
from tests.live.health import port_of_its_own, until_ready
from tests.live.process import ROOT
from tests.live.test_cold_start import COMPILE

pytestmark = [pytest.mark.live, pytest.mark.asyncio(loop_scope="session")]

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
