"""What watches the bot: its health pages and metrics, and the service manager over a socket as systemd's."""

import asyncio
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.battles.maintenance import MaintenanceTasks
from bot.health import SAMPLE_SECONDS, Check, HealthServer, health_server, watched
from bot.metrics import MAX_NAMES, Metrics
from bot.result_cache import CachingSimulator
from bot.store.database import Database
from sim.workers import InlineSimulator
from sim.workers.queue import Caller, PoolLimits
from tests.bot.battles.fights import begin
from tests.bot.breaks import Wire
from tests.bot.conftest import Table
from tests.live.process import metric, page, read
from tests.sim.workers import jobs
from tests.sim.workers.waiting import TimelessLoop, in_no_time
from tests.tables import kept_texts


async def well() -> bool:
    return True


async def ill() -> bool:
    return False


async def broken() -> bool:
    raise RuntimeError("no such table")


async def stuck() -> bool:
    await asyncio.Event().wait()
    return True


@pytest.fixture
def metrics(monkeypatch: pytest.MonkeyPatch) -> Metrics:
    monkeypatch.setattr("bot.health.CHECK_SECONDS", 0.05)
    return Metrics("1.2.3")


@pytest.mark.parametrize(("check", "status"), [(well, 200), (ill, 503), (broken, 503), (stuck, 503)])
async def test_a_check_that_fails_makes_it_unready_but_not_dead(metrics: Metrics, check: Check, status: int) -> None:
    """Starting anew would not bring Discord back."""
    checks = {"workers": well, "discord": check}
    async with HealthServer(0, metrics, version="1.2.3", checks=checks).listening() as (_, port):
        ready, life = await page(port, "/readyz"), await page(port, "/healthz")
    told = {"status": "ok" if status == 200 else "failing", "version": "1.2.3", "workers": True}
    assert ready == (status, told | {"discord": status == 200})
    assert life == (200, {"status": "ok", "version": "1.2.3"})


@pytest.mark.parametrize("measure", [None, broken, stuck])
async def test_metrics_are_served_and_what_cannot_be_measured_hides_none(
    metrics: Metrics, measure: Check | None
) -> None:
    metrics.answered("command", "aacalc", "ok", 0.1)
    async with HealthServer(0, metrics, version="1", checks={}, measure=measure).listening() as (_, port):
        status, kind, body = await read(port, "/metrics")
        missing, *_ = await read(port, "/")
    assert (status, missing) == (200, 404)
    assert kind.startswith("text/plain; version=")
    assert 'fracas_commands_total{name="aacalc",result="ok"} 1.0' in body.splitlines()


@in_no_time
async def test_a_held_event_loop_shows_as_lag(metrics: Metrics) -> None:
    def samples(**labels: str) -> float | None:
        return sample(metrics, f"fracas_event_loop_lag_seconds_{'bucket' if labels else 'count'}", **labels)

    loop = asyncio.get_running_loop()
    assert isinstance(loop, TimelessLoop)
    async with HealthServer(0, metrics, version="1", checks={}).listening():
        await asyncio.sleep(3.5 * SAMPLE_SECONDS)
        assert samples() == samples(le="0.1") == 3
        loop.hold(SAMPLE_SECONDS / 2 + 0.15)
        await asyncio.sleep(0.01)
        assert (samples(), samples(le="0.1")) == (4, 3)


@pytest.mark.parametrize(("host", "another"), [("127.0.0.1", "127.0.0.2"), ("127.0.0.2", "127.0.0.1")])
async def test_it_listens_where_it_is_told_until_it_is_closed(metrics: Metrics, host: str, another: str) -> None:
    async with HealthServer(0, metrics, version="1", checks={}, host=host).listening() as (where, port):
        assert where == host
        with socket.socket() as other:  # would fail if the port were taken on every address
            other.bind((another, port))
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(host, port)


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        heard.bind(str(tmp_path / "notify"))
        heard.settimeout(0)
        yield heard


async def test_the_manager_hears_that_the_bot_is_ready_lives_and_stops(manager: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(60):
        async with watched({"NOTIFY_SOCKET": manager.getsockname(), "WATCHDOG_USEC": "3000"}):
            assert await loop.sock_recv(manager, 100) == b"READY=1"
            for _ in range(3):
                assert await loop.sock_recv(manager, 100) == b"WATCHDOG=1"
        while (last := await loop.sock_recv(manager, 100)) == b"WATCHDOG=1":
            pass
        assert last == b"STOPPING=1"


async def test_without_a_watchdog_there_are_no_signs_of_life_and_a_manager_that_went_away_is_a_warning(
    manager: socket.socket, caplog: pytest.LogCaptureFixture
) -> None:
    async with watched({"NOTIFY_SOCKET": manager.getsockname()}):
        await asyncio.sleep(0)
    assert [manager.recv(100), manager.recv(100)] == [b"READY=1", b"STOPPING=1"]
    async with watched({"NOTIFY_SOCKET": manager.getsockname()}):
        manager.close()
    assert "watchdog_unheard" in caplog.text


def sample(metrics: Metrics, metric: str, /, **labels: str) -> float | None:
    return metrics.registry.get_sample_value(metric, labels)


def test_all_is_measured_in_its_buckets(metrics: Metrics) -> None:
    metrics.answered("command", "battle verify", "ok", 0.2)
    metrics.answered("command", "battle verify", "refused", 0.2)
    metrics.answered("click", "p1", "failed", 4)
    metrics.job("duel", "ok", 0.03)
    metrics.job_refused("memory")
    metrics.latency.set_function(lambda: 0.25)
    rendered = metrics.render().decode()
    told = dict(line.rsplit(" ", 1) for line in rendered.splitlines())
    expected = kept_texts(__file__, "series")
    assert {series: told[series] for series in expected} == expected
    assert re.search(r'fracas_build_info\{python="[0-9.]+",version="1.2.3"\} 1.0', rendered)


@pytest.mark.parametrize("text", ["140737488355328", "6 Tanks!", "a\nb", "", "x" * 40, "a b c d"])
def test_ids_and_texts_become_other(metrics: Metrics, text: str) -> None:
    metrics.answered("command", text, "ok", 0.1)
    metrics.answered("click", text, "ok", 0.1)
    metrics.job_refused(text)
    assert sample(metrics, "fracas_commands_total", name="other", result="ok") == 1
    assert sample(metrics, "fracas_clicks_total", kind="other", result="ok") == 1
    assert sample(metrics, "fracas_jobs_refused_total", reason="other") == 1


def test_the_number_of_names_is_bounded(metrics: Metrics) -> None:
    for number in range(MAX_NAMES + 50):
        metrics.answered("command", f"command{number}", "ok", 0.1)
        metrics.answered("command", "command0", "ok", 0.1)  # a known name stays one
    assert sample(metrics, "fracas_commands_total", name="other", result="ok") == 50
    assert sample(metrics, "fracas_commands_total", name="command0", result="ok") == MAX_NAMES + 51


@in_no_time
async def test_the_queue_is_measured_where_jobs_wait(metrics: Metrics) -> None:
    def jobs_now() -> list[float | None]:
        return [sample(metrics, "fracas_queue_jobs", state=state) for state in ("running", "waiting")]

    inline = InlineSimulator(PoolLimits(workers=1))
    simulator = CachingSimulator(inline, metrics)
    async with inline.queue.place(Caller(1, None), 0.1):
        asked = asyncio.create_task(simulator.run(jobs.Double(number=1), Caller(2, None)))
        await asyncio.sleep(0.02)
        assert jobs_now() == [1, 1]
    await asked
    assert jobs_now() == [0, 0]
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


async def test_the_outbox_and_the_files_are_measured_when_the_metrics_are_read(
    table: Table, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr(table.bot, "monotonic", lambda: now)

    async def waiting() -> list[float]:
        return [await metric(port, f"fracas_outbox_{what}") for what in ("battles", "age_seconds")]

    async with health_server(table.bot, 0).listening() as (_, port):
        panel = await begin(table)
        assert await waiting() == [0, 0]
        wire.cut("PATCH", "*", times=None)
        await table.press(panel, "Next round")
        assert await waiting() == [1, 0]
        now = 130.0
        assert await waiting() == [1, 30]
        wire.breaks.clear()
        await table.bot.services[MaintenanceTasks].catch_up()
        assert await waiting() == [0, 0]
        file = table.bot.services[Database].path
        assert await metric(port, 'fracas_database_bytes{file="database"}') == size_of(file) > 0
        assert await metric(port, 'fracas_database_bytes{file="wal"}') == size_of(f"{file}-wal") > 0


def size_of(file: object) -> int:
    return Path(str(file)).stat().st_size
