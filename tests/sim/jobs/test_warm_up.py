"""What real workers have loaded and compiled before their first job."""

import os
import subprocess
import sys
from pathlib import Path

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
        assert modules >= {"numpy", "numba", "PIL"}
        report = await simulator.run(OddsRequest.model_validate(parse_battle("6 tanks vs 10 inf")))
        assert report.p_attacker < report.p_defender
    finally:
        await simulator.close()


QUESTIONS = """
from sim.axis_allies.army import Army
from sim.axis_allies.parse import parse_army
from sim.axis_allies.requests import LuckRequest, PurchaseRequest, RetreatRequest
from sim.__main__ import main
from sim.core.values import Side
for question in (
    "6 tanks vs 10 inf",
    "1942: 6 inf, 2 art, 1 tank, 2 ftr, 1 bmr + 2 bb bombard vs 5 inf, 1 art, 2 aa, 1 ftr | low luck",
    "1942: 6 inf, 1 ftr, 1 bmr + 1 bb bombard vs 5 inf, 1 aa, 1 ftr | rounds 2",
    "1940: 6 inf, 2 tank then 3 ftr, 1 bmr vs 10 inf, 1 aa | counter 4 inf, 1 ftr | take territory",
    "1942: 2 sub, 2 dd, 1 cv, 2 ftr, 1 bb vs 2 sub, 1 dd, 2 ftr, 2 tr | order: thrifty",
    "1942: 2 sub, 2 ftr vs 2 sub, 1 bb, 2 tr | order: smart | retreat below 2",
    "1940: 3 sub, 2 ftr, 1 bb vs 1 sub, 1 bb, 1 cv | rounds 3 | low luck",
    "90000 inf, 80000 tank vs 90000 inf, 50000 tank",
):
    assert main(["aa-odds", question, "--json"]) == 0
for attacker, defender in (("6 inf", "4 inf, 1 ftr"), ("2 sub", "1 sub, 1 dd"), ("1 bb", "2 dd")):
    both = {"attacker": parse_army(attacker, "1942"), "defender": parse_army(defender, "1942")}
    for side in Side:
        PurchaseRequest(**both, side=side, chance=0.7).run()
    RetreatRequest(**both).run()
    LuckRequest(**both, attacker_left=both["attacker"], defender_left=Army(edition="1942")).run()
"""


def test_no_player_waits_for_a_kernel_of_axis_and_allies(tmp_path: Path) -> None:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-m", "bot", "warm"], env=environment, capture_output=True, timeout=600, check=True)
    (folder,) = tmp_path.iterdir()
    compiled = {file.name for file in folder.rglob("*.nbc")}
    environment["NUMBA_CACHE_DIR"] = str(folder)
    subprocess.run([sys.executable, "-c", QUESTIONS], env=environment, capture_output=True, timeout=600, check=True)
    assert {file.name for file in folder.rglob("*.nbc")} - compiled == set()
