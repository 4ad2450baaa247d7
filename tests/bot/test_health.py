"""What watches the bot: its health pages, and the service manager over a socket as systemd's."""

import asyncio
import json
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from bot.health import SAMPLE_SECONDS, Check, HealthServer
from bot.metrics import Metrics
from bot.watching import watched


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
async def serving(metrics: Metrics, checks: dict[str, Check], measure: Check | None = None) -> AsyncIterator[Fetch]:
    server = HealthServer(0, metrics, version="1.2.3", checks=checks, measure=measure, check_seconds=0.05)
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


async def test_ready(metrics: Metrics) -> None:
    async with serving(metrics, {"database": well, "discord": well}) as fetch:
        status, content_type, body = await fetch("/readyz")
    assert (status, content_type) == (200, "application/json; charset=utf-8")
    assert json.loads(body) == {"status": "ok", "version": "1.2.3", "database": True, "discord": True}


@pytest.mark.parametrize("check", [ill, broken, stuck])
async def test_a_check_that_fails_makes_it_unready_but_not_dead(metrics: Metrics, check: Check) -> None:
    """Starting anew would not bring Discord back."""
    async with serving(metrics, {"workers": well, "discord": check}) as fetch:
        status, _, body = await fetch("/readyz")
        alive, content_type, life = await fetch("/healthz")
    assert status == 503
    assert json.loads(body) == {"status": "failing", "version": "1.2.3", "workers": True, "discord": False}
    assert (alive, content_type) == (200, "application/json; charset=utf-8")
    assert json.loads(life) == {"status": "ok", "version": "1.2.3"}


async def test_recovery_shows(metrics: Metrics) -> None:
    answers = iter([False, True])

    async def database() -> bool:
        return next(answers)

    async with serving(metrics, {"database": database}) as fetch:
        assert [(await fetch("/readyz"))[0], (await fetch("/readyz"))[0]] == [503, 200]


async def test_metrics_are_served(metrics: Metrics) -> None:
    metrics.command("aacalc", "ok", 0.1)
    async with serving(metrics, {}) as fetch:
        status, content_type, body = await fetch("/metrics")
        missing, _, _ = await fetch("/")
    assert (status, missing) == (200, 404)
    assert content_type.startswith("text/plain; version=")
    assert 'fracas_commands_total{name="aacalc",result="ok"} 1.0' in body.splitlines()


@pytest.mark.parametrize("measure", [broken, stuck])
async def test_what_cannot_be_measured_hides_nothing_else(metrics: Metrics, measure: Check) -> None:
    async with serving(metrics, {}, measure) as fetch:
        status, _, body = await fetch("/metrics")
    assert status == 200
    assert "fracas_build_info" in body


async def test_what_is_measured_is_shown_at_once(metrics: Metrics) -> None:
    async def measure() -> bool:
        metrics.database("wal", 4096)
        return True

    async with serving(metrics, {}, measure) as fetch:
        assert 'fracas_database_bytes{file="wal"} 4096.0' in (await fetch("/metrics"))[2].splitlines()


async def test_a_held_event_loop_shows_as_lag(metrics: Metrics) -> None:
    def late() -> float:
        value, name = metrics.registry.get_sample_value, "fracas_event_loop_lag_seconds"
        return (value(f"{name}_count") or 0.0) - (value(f"{name}_bucket", {"le": "0.1"}) or 0.0)

    async with serving(metrics, {}):
        await asyncio.sleep(0)  # the sampler goes to sleep
        assert late() == 0
        time.sleep(SAMPLE_SECONDS + 0.15)  # noqa: ASYNC251  # that is the trouble
        await asyncio.sleep(0.01)
        assert late() >= 1


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


async def test_it_listens_where_it_is_told(metrics: Metrics) -> None:
    server = HealthServer(0, metrics, version="1", checks={}, host="127.0.0.2")
    await server.start()
    assert [host for host, _ in server.addresses] == ["127.0.0.2"]
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


async def test_without_a_watchdog_there_are_no_signs_of_life(manager: socket.socket) -> None:
    async with watched({"NOTIFY_SOCKET": manager.getsockname()}):
        await asyncio.sleep(0)
    assert [manager.recv(100), manager.recv(100)] == [b"READY=1", b"STOPPING=1"]


async def test_a_manager_that_went_away_is_a_warning(manager: socket.socket, caplog: pytest.LogCaptureFixture) -> None:
    async with watched({"NOTIFY_SOCKET": manager.getsockname()}):
        manager.close()
    assert "watchdog_unheard" in caplog.text


async def test_without_a_manager_nothing_is_told() -> None:
    async with watched({}):
        pass
