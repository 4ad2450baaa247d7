"""What real workers have loaded before their first job."""

import pytest

from sim.axis_allies.parse import parse_battle
from sim.axis_allies.requests import OddsRequest
from sim.jobs.warm_up import PRELOAD, warm_up_uncompiled
from sim.workers import PoolLimits, PoolSimulator
from tests.sim.workers.jobs import Inspect

pytestmark = pytest.mark.process


async def test_the_stopgap_has_its_libraries_before_its_first_job_and_answers_without_kernels() -> None:
    simulator = PoolSimulator(PoolLimits(workers=1, wall_seconds=60), warm_up_uncompiled, preload=PRELOAD)
    try:
        modules = (await simulator.run(Inspect())).modules
        assert modules >= {"numpy", "numba", "matplotlib", "PIL"}
        report = await simulator.run(OddsRequest.of(parse_battle("6 tanks vs 10 inf")))
        assert report.p_attacker < report.p_defender
    finally:
        await simulator.close()
