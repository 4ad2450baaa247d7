"""What the service manager hears, over a socket as systemd's."""

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.watching import watched


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
