"""Long questions in parts: the same report inline and in however many workers, as in one go."""

from collections.abc import Callable
from typing import Any

import pytest

from bot.metrics import Metrics
from bot.result_cache import CachingSimulator
from sim.core.staged_job import StagedJob, answer
from sim.duel.requests import DuelOddsRequest
from sim.mad_killer_agents.constants import AiKind
from sim.mad_killer_agents.simulate import SimulateRequest
from sim.mad_killer_agents.terrain import Drawing
from sim.marked_for_death.odds.requests import OddsRequest, SensitivityRequest, report_of
from sim.workers import Caller, InlineSimulator, PoolLimits, PoolSimulator
from tests.sim.duel.builders import critter
from tests.sim.marked_for_death.odds.builders import crowd

ODDS = OddsRequest(heroes=crowd("h", 6), villains=crowd("v", 5), seed=7, battles=3_000)
GROUPS = [tuple(critter(f"{side} {number}", 9) for number in range(4)) for side in ("Red", "Blue")]

QUESTIONS: dict[str, tuple[StagedJob[Any, Any], Callable[[Any], object]]] = {
    "odds": (ODDS, report_of),
    "weights": (SensitivityRequest(odds=ODDS, battles=2_500), report_of),
    "groups": (DuelOddsRequest(group1=GROUPS[0], group2=GROUPS[1], battles=999, seed=7), lambda odds: odds),
    "war": (
        SimulateRequest(
            players=(AiKind.MARSHAL,) * 2, drawing=Drawing(width=12, height=12), rounds=12, games=5, seed=4
        ),
        lambda simulation: simulation.report,
    ),
}


@pytest.mark.rest
@pytest.mark.parametrize("workers", [None, *(pytest.param(n, marks=pytest.mark.process) for n in (1, 2, 3))])
async def test_the_same_seed_gives_the_same_report_however_many_workers_there_are(workers: int | None) -> None:
    limits = PoolLimits(workers=workers or 1, wall_seconds=300.0)
    simulator = InlineSimulator(limits) if workers is None else PoolSimulator(limits)
    try:
        caching = CachingSimulator(simulator, Metrics("1"))
        for name, (question, read) in QUESTIONS.items():
            shares: list[float] = []
            so_far = await caching.in_parts(question, Caller(1, 1), lambda share, _: shares.append(share))  # noqa: B023 - called at once
            assert read(so_far) == read(answer(question)), name
            assert shares == sorted(shares), name
            assert shares[-1] == pytest.approx(1.0), name
            assert len(shares) > 1, name
    finally:
        await simulator.close()
