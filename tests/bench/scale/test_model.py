"""The arithmetic from unit costs to needs, and the queue in simulated time."""

from dataclasses import replace

import pytest
from pydantic import ValidationError

from bot.config import Settings
from tests.bench.scale import model
from tests.bench.scale.model import Cost, Load, Units, limits, needs, total
from tests.bench.scale.replay import load_mix

COMMAND = Cost(
    commands=1, bot_seconds=0.02, jobs=2, long_jobs=0.5, long_seconds=0.5, stored=1000, commits=4, limited=0.5
)
UNITS = Units(
    COMMAND,
    event_seconds=0.0006,
    message_seconds=0.0002,
    server_seconds=0.01,
    server_bytes=1e5,
    bot_bytes=1e8,
    worker_bytes=2e8,
)
LOAD = Load(1000, commands=8.64, peak=2, events=5, messages=10)


def test_the_mean_of_scenes_is_that_of_their_commands() -> None:
    one, three = Cost(commands=1, interactions=2), Cost(commands=3, interactions=10)
    assert total(one.times(60), three.times(40)).a_command() == Cost(commands=1, interactions=(120 + 400) / 180)


def test_a_small_bot() -> None:
    need = needs(UNITS, LOAD, lambda rate, long: round(10 * rate) + long)
    assert need.at_peak.commands == pytest.approx(0.2)
    assert need.events == pytest.approx(3)
    assert (need.shards, need.processes, need.cluster_workers) == (1, 1, 0)
    assert need.loop == pytest.approx(0.2 * (0.02 + 5 * 0.0006 + 10 * 0.0002))
    assert need.jobs == pytest.approx(0.4)
    assert need.workers == 5, "all jobs are done here"
    assert need.memory == pytest.approx(1e8 + 1000 * 1e5 + 5 * 2e8)
    assert need.stored == pytest.approx(1000 * 1000 * 8.64 * 90)
    assert need.start_seconds == pytest.approx(10)


def test_a_large_bot() -> None:
    need = needs(UNITS, replace(LOAD, servers=1_000_000), lambda _rate, long: 7 + long)
    assert need.shards == 512, "a multiple of 16 above a million by 2000"
    assert need.processes == 32, "a multiple of 16 above 20, as a process has 50,000 servers at most"
    assert need.loop == pytest.approx(200 * (0.02 + 5 * 0.001) / 32)
    assert need.jobs == pytest.approx(200 * 1.5 / 32)
    assert (need.workers, need.cluster_workers) == (7, 200), "the long jobs go to the cluster"
    assert need.start_seconds == pytest.approx(312.5), "31,250 servers take longer than 32 shards in a row"


def test_a_busy_bot_has_more_processes() -> None:
    busy = replace(LOAD, servers=50_000, commands=86.4)
    assert needs(UNITS, busy, lambda _rate, _long: 1).processes == 5


def test_each_limit_is_where_its_needs_reach_it() -> None:
    reached = limits(UNITS, LOAD)
    loop, sqlite, requests, database, postgres, shards = (replace(LOAD, servers=round(one)) for one in reached.values())
    assert loop.rate * (0.02 + 5 * 0.001) == pytest.approx(0.5)
    assert sqlite.rate * 4 == pytest.approx(500)
    assert requests.rate * 0.5 == pytest.approx(50)
    assert database.servers * 8.64 * 90 * 1000 == pytest.approx(1e12, rel=1e-3)
    assert postgres.rate * 4 == pytest.approx(2500)
    assert shards.servers == 2_000_000


def test_the_shards_are_those_of_the_setting() -> None:
    assert Settings(shards=model.MAX_SHARDS).shards == model.MAX_SHARDS
    with pytest.raises(ValidationError):
        Settings(shards=model.MAX_SHARDS + 1)


@pytest.mark.statistics
def test_one_worker_with_equal_jobs_is_as_the_theory_says() -> None:
    """Pollaczek and Khinchin: with jobs of 1 s, and a worker busy half the time, the mean wait is 0.5 s."""
    waits = model.simulate(0.5, [1.0], workers=1)
    assert waits.refused == 0
    assert sum(waits.seconds) / len(waits.seconds) == pytest.approx(0.5, rel=0.1)
    assert waits.at(0.5) == pytest.approx(0, abs=1e-6)


@pytest.mark.statistics
def test_more_workers_shorter_waits() -> None:
    jobs = [0.01] * 95 + [0.5] * 5
    p99 = [model.simulate(20, jobs, workers).at(0.99) for workers in (1, 2, 4)]
    assert p99 == sorted(p99, reverse=True)
    assert model.fewest_workers(20, jobs, least=1) == 1 + sum(wait > model.GOOD_WAIT for wait in p99[:2])
    assert model.fewest_workers(20, jobs, least=3) == 3


def test_a_queue_that_overflows_refuses() -> None:
    waits = model.simulate(10, [1.0], workers=2, jobs=500)
    assert waits.refused > 100
    assert waits.at(0.99) == float("inf")


def test_the_mix_is_whole() -> None:
    mix = load_mix()
    assert sum(scene.share for scene in mix) == 100
    assert len({scene.game for scene in mix}) == 6, "five games and the house"
