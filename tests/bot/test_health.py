import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import aiohttp
import pytest
from prometheus_client import REGISTRY

from bot.health import MAX_NAMES, Check, HealthServer, Metrics


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
def metrics() -> Metrics:
    return Metrics("1.2.3")


Fetch = Callable[[str], Awaitable[tuple[int, str, str]]]


@asynccontextmanager
async def serving(
    metrics: Metrics, checks: dict[str, Check], notes: dict[str, Check] | None = None
) -> AsyncIterator[Fetch]:
    server = HealthServer(0, metrics, version="1.2.3", checks=checks, notes=notes, check_seconds=0.05)
    await server.start()
    ((host, port),) = server.addresses
    try:
        async with aiohttp.ClientSession() as session:

            async def fetch(path: str) -> tuple[int, str, str]:
                async with session.get(f"http://{host}:{port}{path}") as response:
                    return response.status, response.headers["Content-Type"], await response.text()

            yield fetch
    finally:
        await server.close()


async def test_healthy(metrics: Metrics) -> None:
    async with serving(metrics, {"database": well}, {"discord": well}) as fetch:
        status, content_type, body = await fetch("/healthz")
    assert (status, content_type) == (200, "application/json; charset=utf-8")
    assert json.loads(body) == {"status": "ok", "version": "1.2.3", "database": True, "discord": True}


@pytest.mark.parametrize("check", [ill, broken, stuck])
async def test_a_check_that_fails_makes_it_503(metrics: Metrics, check: Check) -> None:
    async with serving(metrics, {"workers": well, "database": check}, {"discord": well}) as fetch:
        status, _, body = await fetch("/healthz")
    assert status == 503
    assert json.loads(body) == {
        "status": "failing",
        "version": "1.2.3",
        "workers": True,
        "database": False,
        "discord": True,
    }


@pytest.mark.parametrize("note", [ill, broken, stuck])
async def test_a_note_is_only_reported(metrics: Metrics, note: Check) -> None:
    """Starting anew would not bring Discord back."""
    async with serving(metrics, {"database": well}, {"discord": note}) as fetch:
        status, _, body = await fetch("/healthz")
    assert status == 200
    assert json.loads(body)["discord"] is False


async def test_recovery_shows(metrics: Metrics) -> None:
    answers = iter([False, True])

    async def database() -> bool:
        return next(answers)

    async with serving(metrics, {"database": database}) as fetch:
        assert [(await fetch("/healthz"))[0], (await fetch("/healthz"))[0]] == [503, 200]


async def test_metrics_are_served(metrics: Metrics) -> None:
    metrics.command("aacalc", "ok")
    async with serving(metrics, {}) as fetch:
        status, content_type, body = await fetch("/metrics")
        missing, _, _ = await fetch("/")
    assert (status, missing) == (200, 404)
    assert content_type.startswith("text/plain; version=")
    assert 'fracas_commands_total{name="aacalc",result="ok"} 1.0' in body.splitlines()


async def test_it_listens_on_this_machine_only(metrics: Metrics) -> None:
    server = HealthServer(0, metrics, version="1", checks={})
    await server.start()
    ((host, port),) = server.addresses
    try:
        assert host == "127.0.0.1"
        with socket.socket() as other:  # would fail if the port were taken on every address
            other.bind(("127.0.0.2", port))
    finally:
        await server.close()


async def test_no_port_no_server(metrics: Metrics) -> None:
    server = HealthServer(None, metrics, version="1", checks={})
    await server.start()
    assert server.addresses == []
    await server.close()


async def test_a_taken_port_raises(metrics: Metrics) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        server = HealthServer(taken.getsockname()[1], metrics, version="1", checks={})
        with pytest.raises(OSError, match="address already in use"):
            await server.start()
        assert server.addresses == []
        await server.close()


async def test_close_frees_the_port_and_may_be_called_twice(metrics: Metrics) -> None:
    server = HealthServer(0, metrics, version="1", checks={})
    await server.start()
    ((_, port),) = server.addresses
    await server.close()
    await server.close()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", port)


def sample(metrics: Metrics, metric: str, /, **labels: str) -> float | None:
    return metrics.registry.get_sample_value(metric, labels)


def test_everything_is_counted(metrics: Metrics) -> None:
    metrics.command("battle verify", "ok")
    metrics.command("battle verify", "ok")
    metrics.command("battle verify", "refused")
    metrics.click("p1", "failed")
    metrics.job(0.03)
    metrics.job_refused("memory")
    metrics.latency_from(lambda: 0.25)
    assert sample(metrics, "fracas_commands_total", name="battle verify", result="ok") == 2
    assert sample(metrics, "fracas_commands_total", name="battle verify", result="refused") == 1
    assert sample(metrics, "fracas_clicks_total", kind="p1", result="failed") == 1
    assert sample(metrics, "fracas_job_seconds_count") == 1
    assert sample(metrics, "fracas_job_seconds_bucket", le="0.025") == 0
    assert sample(metrics, "fracas_job_seconds_bucket", le="0.05") == 1
    assert sample(metrics, "fracas_jobs_refused_total", reason="memory") == 1
    assert sample(metrics, "fracas_latency_seconds") == 0.25
    assert 'fracas_build_info{python="' in metrics.render().decode()
    assert 'version="1.2.3"} 1.0' in metrics.render().decode()


@pytest.mark.parametrize("text", ["140737488355328", "6 Tanks!", "a\nb", "", "x" * 40, "a b c d"])
def test_ids_and_texts_become_other(metrics: Metrics, text: str) -> None:
    metrics.command(text, "ok")
    metrics.click(text, "ok")
    metrics.job_refused(text)
    assert sample(metrics, "fracas_commands_total", name="other", result="ok") == 1
    assert sample(metrics, "fracas_clicks_total", kind="other", result="ok") == 1
    assert sample(metrics, "fracas_jobs_refused_total", reason="other") == 1


def test_the_number_of_names_is_bounded(metrics: Metrics) -> None:
    for number in range(MAX_NAMES + 50):
        metrics.command(f"command{number}", "ok")
        metrics.command("command0", "ok")  # a known name stays one
    assert sample(metrics, "fracas_commands_total", name="other", result="ok") == 50
    assert sample(metrics, "fracas_commands_total", name="command0", result="ok") == MAX_NAMES + 51


def test_two_bots_in_one_process_count_apart() -> None:
    first, second = Metrics("1"), Metrics("2")
    first.command("aacalc", "ok")
    assert sample(second, "fracas_commands_total", name="aacalc", result="ok") is None
    assert REGISTRY.get_sample_value("fracas_commands_total", {"name": "aacalc", "result": "ok"}) is None
