"""What is counted, in itself and at the places where it happens."""

import asyncio
import re
from pathlib import Path

import aiohttp
import pytest
from prometheus_client import REGISTRY

from bot.battles.maintenance import MaintenanceTasks
from bot.config import Settings
from bot.metrics import MAX_NAMES, Metrics
from bot.result_cache import CachingSimulator
from bot.store.database import Database
from bot.watching import health_server
from sim.core.errors import RuleError
from sim.workers import Caller, InlineSimulator, PoolLimits
from tests.bot.battles.fights import begin
from tests.bot.breaks import Wire
from tests.bot.conftest import Table
from tests.sim.workers import jobs
from tests.sim.workers.waiting import in_no_time


@pytest.fixture
def metrics() -> Metrics:
    return Metrics("1.2.3")


def sample(metrics: Metrics, metric: str, /, **labels: str) -> float | None:
    return metrics.registry.get_sample_value(metric, labels)


def test_everything_is_counted(metrics: Metrics) -> None:
    metrics.command("battle verify", "ok", 0.2)
    metrics.command("battle verify", "ok", 0.2)
    metrics.command("battle verify", "refused", 0.2)
    metrics.click("p1", "failed", 4)
    metrics.job("duel", "ok", 0.03)
    metrics.job_refused("memory")
    metrics.latency_from(lambda: 0.25)
    assert sample(metrics, "fracas_commands_total", name="battle verify", result="ok") == 2
    assert sample(metrics, "fracas_commands_total", name="battle verify", result="refused") == 1
    assert sample(metrics, "fracas_clicks_total", kind="p1", result="failed") == 1
    assert sample(metrics, "fracas_job_seconds_count", game="duel", result="ok") == 1
    assert sample(metrics, "fracas_job_seconds_bucket", game="duel", result="ok", le="0.025") == 0
    assert sample(metrics, "fracas_job_seconds_bucket", game="duel", result="ok", le="0.05") == 1
    assert sample(metrics, "fracas_jobs_refused_total", reason="memory") == 1
    assert sample(metrics, "fracas_command_seconds_bucket", name="battle verify", le="0.25") == 3
    assert sample(metrics, "fracas_click_seconds_bucket", kind="p1", le="3.0") == 0
    assert sample(metrics, "fracas_click_seconds_sum", kind="p1") == 4
    assert sample(metrics, "fracas_latency_seconds") == 0.25
    assert 'fracas_build_info{python="' in metrics.render().decode()
    assert 'version="1.2.3"} 1.0' in metrics.render().decode()


@pytest.mark.parametrize("text", ["140737488355328", "6 Tanks!", "a\nb", "", "x" * 40, "a b c d"])
def test_ids_and_texts_become_other(metrics: Metrics, text: str) -> None:
    metrics.command(text, "ok", 0.1)
    metrics.click(text, "ok", 0.1)
    metrics.job_refused(text)
    assert sample(metrics, "fracas_commands_total", name="other", result="ok") == 1
    assert sample(metrics, "fracas_clicks_total", kind="other", result="ok") == 1
    assert sample(metrics, "fracas_jobs_refused_total", reason="other") == 1


def test_the_number_of_names_is_bounded(metrics: Metrics) -> None:
    for number in range(MAX_NAMES + 50):
        metrics.command(f"command{number}", "ok", 0.1)
        metrics.command("command0", "ok", 0.1)  # a known name stays one
    assert sample(metrics, "fracas_commands_total", name="other", result="ok") == 50
    assert sample(metrics, "fracas_commands_total", name="command0", result="ok") == MAX_NAMES + 51


def test_two_bots_in_one_process_count_apart() -> None:
    first, second = Metrics("1"), Metrics("2")
    first.command("aacalc", "ok", 0.1)
    assert sample(second, "fracas_commands_total", name="aacalc", result="ok") is None
    assert REGISTRY.get_sample_value("fracas_commands_total", {"name": "aacalc", "result": "ok"}) is None


def test_the_queue_is_measured_where_jobs_wait(metrics: Metrics) -> None:
    @in_no_time
    async def scene() -> None:
        inline = InlineSimulator(PoolLimits(workers=1))
        simulator = CachingSimulator(inline, metrics)
        async with inline.queue.place(Caller(1, None), 0.1):
            asked = asyncio.create_task(simulator.run(jobs.Double(number=1), Caller(2, None)))
            await asyncio.sleep(0.02)
            assert sample(metrics, "fracas_queue_jobs", state="running") == 1
            assert sample(metrics, "fracas_queue_jobs", state="waiting") == 1
        await asked

    scene()
    assert sample(metrics, "fracas_queue_jobs", state="running") == 0
    assert sample(metrics, "fracas_queue_jobs", state="waiting") == 0
    assert sample(metrics, "fracas_queue_seconds_count") == 2
    assert sample(metrics, "fracas_queue_seconds_sum") == pytest.approx(0.02)
    assert sample(metrics, "fracas_queue_seconds_bucket", le="0.01") == 1, "the first one didn't wait"


async def test_jobs_count_by_the_place_where_they_began(metrics: Metrics) -> None:
    inline = InlineSimulator(PoolLimits(workers=1))
    simulator = CachingSimulator(inline, metrics)
    assert sample(metrics, "fracas_cluster_processes") == 0
    inline.queue.resize_cluster(3)
    await simulator.run(jobs.Double(number=1))
    await simulator.run(jobs.Far(jobs.Double(number=2)))
    await simulator.map([jobs.Double(number=3), jobs.Double(number=4)])
    assert sample(metrics, "fracas_jobs_started_total", place="local") == 1
    assert sample(metrics, "fracas_jobs_started_total", place="cluster") == 3
    assert sample(metrics, "fracas_cluster_processes") == 3


async def test_jobs_count_by_how_they_ended(metrics: Metrics) -> None:
    simulator = CachingSimulator(InlineSimulator(), metrics)
    await simulator.run(jobs.Double(number=1))
    with pytest.raises(RuleError):
        await simulator.run(jobs.REFUSE)
    with pytest.raises(ZeroDivisionError):
        await simulator.run(jobs.FAIL)
    counts = [sample(metrics, "fracas_job_seconds_count", game="house", result=result) for result in RESULTS]
    assert counts == [1, 1, 1]


RESULTS = ("ok", "refused", "failed")


async def test_play_counts_by_command_click_and_game(table: Table) -> None:
    panel = await begin(table, "30 inf vs 30 inf")
    await table.press(panel, "Fight round 1")
    await table.aacalc("6 tanx vs 10 inf")
    metrics = table.bot.metrics
    assert (sample(metrics, "fracas_job_seconds_count", game="axis_allies", result="ok") or 0) >= 2
    assert sample(metrics, "fracas_job_seconds_count", game="house", result="ok") is None
    assert sample(metrics, "fracas_command_seconds_count", name="aa battle") == 1
    assert sample(metrics, "fracas_command_seconds_count", name="aacalc") == 1
    assert sample(metrics, "fracas_commands_total", name="aacalc", result="refused") == 1
    assert sample(metrics, "fracas_click_seconds_count", kind="battle") == 1
    expect_no_ids(metrics, table)


def expect_no_ids(metrics: Metrics, table: Table) -> None:
    """Check that no label holds a person's, a server's or a channel's id, or any other long number."""
    text = metrics.render().decode()
    labels = re.findall(r"^(?!fracas_build_info)\w+\{(.*?)\}", text, re.MULTILINE)  # a commit may be all digits
    assert labels
    assert not [label for label in labels if re.search(r"[0-9]{6}", label)]
    for known in (table.ann.id, table.ben.id, table.channel.id):
        assert str(known) not in text


async def test_the_outbox_and_the_files_are_measured_when_the_metrics_are_read(
    table: Table, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr(table.bot, "monotonic", lambda: now)
    server = health_server(table.bot, InlineSimulator(), Settings(health_port=1))
    server._port = 0
    await server.start()
    ((host, port),) = server.addresses

    async def read(metric: str) -> float:
        async with aiohttp.ClientSession() as session, session.get(f"http://{host}:{port}/metrics") as response:
            lines = dict(line.rsplit(" ", 1) for line in (await response.text()).splitlines())
            return float(lines[metric])

    try:
        panel = await begin(table)
        assert [await read(f"fracas_outbox_{what}") for what in ("battles", "age_seconds")] == [0, 0]
        wire.cut("PATCH", "*", times=None)
        await table.press(panel, "Fight round 1")
        assert [await read(f"fracas_outbox_{what}") for what in ("battles", "age_seconds")] == [1, 0]
        now = 130.0
        assert await read("fracas_outbox_age_seconds") == 30
        wire.breaks.clear()
        await table.bot.services[MaintenanceTasks].catch_up()
        assert [await read(f"fracas_outbox_{what}") for what in ("battles", "age_seconds")] == [0, 0]
        file = table.bot.services[Database].path
        assert await read('fracas_database_bytes{file="database"}') == size_of(file) > 0
        assert await read('fracas_database_bytes{file="wal"}') == size_of(f"{file}-wal") > 0
    finally:
        await server.close()


def size_of(file: object) -> int:
    return Path(str(file)).stat().st_size


def test_the_last_backup_is_unknown_until_there_is_one(metrics: Metrics) -> None:
    assert "fracas_backup_timestamp_seconds NaN" in metrics.render().decode()
    metrics.backed_up(1_800_000_000)
    assert sample(metrics, "fracas_backup_timestamp_seconds") == 1_800_000_000
