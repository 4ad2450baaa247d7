"""Every panel of the dashboard has something to show, once people have played: `.deploy/try-dashboard.sh`."""

import asyncio
import contextlib
import json
import math
import os
import re
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.live.conftest import Bots, Live
from tests.live.health import port_of_its_own, read, until_ready
from tests.live.process import ROOT

pytestmark = [pytest.mark.live, pytest.mark.asyncio(loop_scope="session")]

DEPLOY = ROOT / ".deploy"
DASHBOARD = json.loads((DEPLOY / "grafana" / "fracas.json").read_text(encoding="utf-8"))
QUERIES = {
    f"{panel['title']} {target['refId']}": target["expr"]
    for panel in DASHBOARD["panels"]
    for target in panel.get("targets", ())
}
SCRAPES = 12
PROMETHEUS = os.environ.get("PROMETHEUS") or shutil.which("prometheus")


async def play(live: Live) -> None:
    """Play a bit of everything that is counted."""
    ann = live.ann
    await ann.slash("aacalc", battle="6 tanx vs 10 inf")
    await ann.slash("aacalc", battle="1 inf vs 9999 transports")
    asked = await ann.slash("aacalc", battle=f"{len(live.discord.api.requests)} inf vs 30 inf")
    await ann.press(asked.message, "▶️")
    begun = await ann.slash("aa battle", setup="60 inf vs 60 inf", attacker=ann, defender=live.ben)
    await ann.press(begun.message, "Fight round 1")


@contextlib.asynccontextmanager
async def playing(live: Live) -> AsyncIterator[None]:
    """Let people play within the block."""

    async def on_and_on() -> None:
        while True:
            await play(live)

    task = asyncio.create_task(on_and_on())
    try:
        yield
    finally:
        assert not task.done(), task.exception()
        task.cancel()
        await asyncio.wait({task})


async def test_every_panel_asks_for_what_the_bot_counts(bots: Bots) -> None:
    port = port_of_its_own()
    live = await bots.start(FRACAS_HEALTH_PORT=str(port))
    await play(live)
    _, text = await read(port, "/metrics")
    series = dict(re.findall(r"^(\w+)(?:\{(.*?)\})? ", text, re.MULTILINE))
    for query in QUERIES.values():
        metrics = re.findall(r"\b(?:fracas|process)_\w+", query)
        assert set(metrics) <= series.keys(), query
        labels = {name for metric in metrics for name in re.findall(r'(\w+)="', series[metric])}
        for group in re.findall(r"by \((.*?)\)", query):
            assert set(group.split(", ")) <= labels, query


@pytest.mark.skipif(PROMETHEUS is None, reason="there is no prometheus here")
async def test_prometheus_has_an_answer_for_every_panel(bots: Bots, tmp_path: Path) -> None:
    port = port_of_its_own()
    live = await bots.start(FRACAS_HEALTH_PORT=str(port), FRACAS_BACKUP_DIR=str(tmp_path / "backups"))
    await until_ready(port)
    await play(live)
    async with playing(live), prometheus(tmp_path, port) as ask:
        async with asyncio.timeout(180):
            while await scrapes(ask) < SCRAPES:  # noqa: ASYNC110 - another process
                await asyncio.sleep(1)
        found = {name: await ask(query.replace("$__rate_interval", "10s")) for name, query in QUERIES.items()}
    empty = [name for name, values in found.items() if all(math.isnan(float(value)) for _, value in values)]
    for name, values in found.items():
        print(f"{name}: {len(values)} series, such as {values[0][1] if values else None}")  # noqa: T201  # the script's
    assert not empty


async def scrapes(ask: Any) -> float:  # noqa: ANN401  # a coroutine function
    """Return how often Prometheus has read the bot."""
    return sum(float(value) for _, value in await ask("count_over_time(up[5m])"))


@contextlib.asynccontextmanager
async def prometheus(folder: Path, port: int) -> AsyncIterator[Any]:
    """Start a Prometheus that reads the bot every second; yield what asks it a query."""
    assert PROMETHEUS is not None
    config = (DEPLOY / "prometheus.yml").read_text(encoding="utf-8")
    config = config.replace("fracas:8080", f"127.0.0.1:{port}").replace("15s", "1s")
    (folder / "prometheus.yml").write_text(config, encoding="utf-8")
    own = port_of_its_own()
    options: dict[str, object] = {"config.file": folder / "prometheus.yml", "storage.tsdb.path": folder / "data"}
    options |= {"web.listen-address": f"127.0.0.1:{own}", "log.level": "warn"}
    process = await asyncio.create_subprocess_exec(
        PROMETHEUS, *(f"--{name}={value}" for name, value in options.items())
    )

    async def ask(query: str) -> list[tuple[float, str]]:
        url = f"http://127.0.0.1:{own}/api/v1/query"
        try:
            async with aiohttp.ClientSession() as session, session.get(url, params={"query": query}) as response:
                answer = await response.json()
        except aiohttp.ClientConnectionError:  # it isn't up yet
            assert process.returncode is None
            return []
        assert answer["status"] == "success", (query, answer)
        return [tuple(each["value"]) for each in answer["data"]["result"]]

    try:
        yield ask
    finally:
        process.terminate()
        await process.wait()
