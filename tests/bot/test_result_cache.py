import pytest
from prometheus_client import REGISTRY

from bot.health import Metrics
from bot.result_cache import CachingSimulator
from sim.axis_allies.parse import parse_battle
from sim.axis_allies.reports import AverageReport
from sim.axis_allies.requests import AverageRequest
from sim.core.errors import TooMuchError
from sim.workers import InlineSimulator


def request(battle: str) -> AverageRequest:
    return AverageRequest.of(parse_battle(battle))


async def test_an_equal_question_is_answered_from_memory() -> None:
    simulator = CachingSimulator(InlineSimulator(), Metrics("1"))
    first: AverageReport = await simulator.run(request("6 tanks vs 10 inf"))
    assert await simulator.run(request("6 t vs 10 i")) is first
    assert await simulator.run(request("10 inf vs 6 tanks")) is not first


async def test_the_oldest_is_forgotten_first() -> None:
    simulator = CachingSimulator(InlineSimulator(), Metrics("1"), size=2)
    a = await simulator.run(request("1 t vs 1 t"))
    b = await simulator.run(request("2 t vs 1 t"))
    assert await simulator.run(request("1 t vs 1 t")) is a
    await simulator.run(request("3 t vs 1 t"))
    assert await simulator.run(request("1 t vs 1 t")) is a
    assert await simulator.run(request("2 t vs 1 t")) is not b


async def test_jobs_are_counted_and_errors_neither_kept_nor_hidden() -> None:
    metrics = Metrics("1")
    simulator = CachingSimulator(InlineSimulator(), metrics)
    await simulator.run(request("1 t vs 1 t"))
    for _ in range(2):
        with pytest.raises(TooMuchError):
            await simulator.run(request("1 inf vs 9999 transports"))
    assert metrics.registry.get_sample_value("fracas_job_seconds_count") == 1
    assert metrics.registry.get_sample_value("fracas_jobs_refused_total", {"reason": "toomuch"}) == 2
    assert REGISTRY.get_sample_value("fracas_job_seconds_count") is None
