"""The health pages of a bot that runs."""

import asyncio
import json
import socket

import aiohttp

from tests.live.discord_server import PATIENCE


def port_of_its_own() -> int:
    """Return a port that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def read(port: int, path: str) -> tuple[int, str]:
    """Return status and content of a page."""
    url = f"http://127.0.0.1:{port}{path}"
    async with aiohttp.ClientSession() as session, session.get(url, timeout=aiohttp.ClientTimeout(30)) as response:
        return response.status, await response.text()


async def page(port: int, path: str) -> tuple[int, dict[str, object]]:
    """Return status and content of a page in JSON."""
    status, text = await read(port, path)
    return status, json.loads(text)


async def metric(port: int, series: str) -> float:
    """Return a metric; KeyError if there is no such series."""
    _, text = await read(port, "/metrics")
    return float(dict(line.rsplit(" ", 1) for line in text.splitlines())[series])


async def until_ready(port: int) -> None:
    """Wait for all that players need, the workers, too."""
    async with asyncio.timeout(PATIENCE):
        while (await page(port, "/readyz"))[0] != 200:  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.1)
