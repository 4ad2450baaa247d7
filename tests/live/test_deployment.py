"""What `.deploy` has: the dashboard, whose panels all have something to show, and the image, started for real.

`.deploy/try-dashboard.sh` asks a Prometheus; `.deploy/try-image.sh` builds the image and names its files and settings.
"""

import asyncio
import contextlib
import filecmp
import json
import math
import os
import shutil
import signal
import sys
import time
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.live.conftest import Bots, Live, at_the_table, expect_nothing_wrong, open_discord
from tests.live.discord_server import TOKEN, LittleDiscord
from tests.live.process import BotProcess, port_of_its_own, until_ready
from tests.sim.workers.waiting import until
from tests.test_deploy import DEPLOY, QUERIES, ROOT

pytestmark = [pytest.mark.live, pytest.mark.asyncio(loop_scope="session")]

SCRAPES = 12
PROMETHEUS = os.environ.get("PROMETHEUS") or shutil.which("prometheus")


async def play(live: Live) -> None:
    """Play a bit of everything that is counted."""
    ann = live.ann
    await ann.slash("aacalc", battle="6 tanx vs 10 inf")
    await ann.slash("aacalc", battle="1 inf vs 9999 transports")
    asked = await ann.slash("aacalc", battle=f"{len(live.discord.api.requests)} inf vs 30 inf")
    await ann.press(asked.message, "Next")
    panel = await live.begin()
    await ann.press(panel, "Next round")


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


@pytest.mark.skipif(PROMETHEUS is None, reason="there is no prometheus here")
async def test_prometheus_has_an_answer_for_every_panel(bots: Bots, tmp_path: Path) -> None:
    port = port_of_its_own()
    live = await bots.start(FRACAS_HEALTH_PORT=str(port), FRACAS_BACKUP_DIR=str(tmp_path / "backups"))
    await until_ready(port)
    await play(live)
    async with playing(live), prometheus(tmp_path, port) as ask:
        await until(lambda: scraped(ask), 1, 180)
        found = {name: await ask(query.replace("$__rate_interval", "10s")) for name, query in QUERIES.items()}
    empty = [name for name, values in found.items() if all(math.isnan(float(value)) for _, value in values)]
    for name, values in found.items():
        print(f"{name}: {len(values)} series, such as {values[0][1] if values else None}")  # noqa: T201  # the script's
    assert not empty


async def scraped(ask: Any) -> bool:  # noqa: ANN401  # a coroutine function
    """Return whether Prometheus has read the bot often enough."""
    return sum(float(value) for _, value in await ask("count_over_time(up[5m])")) >= SCRAPES


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


IMAGE = Path(os.environ.get("IMAGE_ROOT", "/"))
CONFIG = json.loads(os.environ.get("IMAGE_CONFIG", "{}"))
FIRST_ANSWER = 60.0
MOST_BYTES = 700_000_000
PORT = "18080"

# The first process of its own, as in a container: nothing but the volume is open to writing, there is no /tmp.
START = """
set -eu
root=$1 volume=$2 tests=$3 user=$4
shift 4
mount --bind "$root" "$root"
mount --bind /dev "$root/dev"
mount -t tmpfs -o size=64m shm "$root/dev/shm"
mount -t proc proc "$root/proc"
mkdir -p "$root/mnt/tests"
mount --bind "$tests" "$root/mnt/tests"
mount -o remount,bind,ro "$root/mnt/tests"
mount --bind "$volume" "$root/data"
mount -o remount,bind,ro "$root"
exec chroot --userspec="$user" "$root" env --chdir=/data "$@"
"""


class Container(BotProcess):
    """The bot in the image, with its Discord on loopback."""

    @classmethod
    async def start(
        cls, discord: LittleDiscord, folder: Path, *arguments: str, settings: Mapping[str, str] = {}
    ) -> "Container":
        """Start it with the image's user and environment; the volume is in `folder`."""
        volume = folder / "volume"
        if not volume.exists():
            volume.mkdir(mode=0o700)
            os.chown(volume, *map(int, CONFIG["User"].split(":")))
        environment = dict(variable.split("=", 1) for variable in CONFIG["Env"])
        ours = {"DISCORD_TOKEN": TOKEN, "FRACAS_LOG_FORMAT": "json", "FRACAS_HEALTH_PORT": PORT, "PYTHONPATH": "/mnt"}
        with (folder / "out").open("ab") as out, (folder / "err").open("ab") as err:
            process = await asyncio.create_subprocess_exec(
                *("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", START, "sh"),
                *(str(IMAGE), str(volume), str(ROOT / "tests"), CONFIG["User"]),
                *("python3", "-m", "tests.live", *discord.addresses, *arguments),
                stdout=out,
                stderr=err,
                env={**environment, **ours, **settings},
            )
        return cls(process, folder)

    @property
    def volume(self) -> Path:
        return self._folder / "volume"

    def terminate(self) -> None:
        """Send SIGTERM to the first process within."""
        pid = self._process.pid
        (first,) = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        os.kill(int(first), signal.SIGTERM)


@pytest.mark.skipif("IMAGE_ROOT" not in os.environ, reason="run .deploy/try-image.sh, which builds the image")
async def test_from_nothing_to_a_first_answer_and_an_orderly_end(tmp_path: Path) -> None:
    size = image_bytes()
    assert size < MOST_BYTES
    async with contextlib.AsyncExitStack() as stack:
        discord = await open_discord(stack, {})
        syncing = await Container.start(discord, tmp_path, "sync")
        stack.push_async_callback(syncing.kill)
        assert await syncing.ended() == 0, syncing.err

        began = time.monotonic()
        bot = await Container.start(discord, tmp_path)
        stack.push_async_callback(bot.kill)
        await bot.signed_in(discord)
        live = at_the_table(discord, bot)
        asked = await live.ann.slash("aacalc", battle="6 tanks vs 10 inf", wait=False)
        await discord.until(lambda: "10 infantry" in asked.text)
        seconds = time.monotonic() - began
        assert seconds < FIRST_ANSWER
        assert await healthy()

        begun = await live.ann.slash("aa battle", setup="6 tanks vs 10 inf", attacker=live.ann, defender=live.ben)
        await live.ann.press(begun.message, "Next round")
        assert not compiled_again(bot.volume), "the kernels are those of the image"

        stopping = time.monotonic()
        assert await bot.stop() == 0, bot.err
        assert bot.events("stopping")
        assert not await healthy()
        expect_nothing_wrong(live)
    took = f"first answer after {seconds:.1f} s, end after {time.monotonic() - stopping:.1f} s"
    print(f"\n{size / 1e6:.0f} MB; {took}")  # noqa: T201  # which pytest shows with -s


def image_bytes() -> int:
    return sum(file.lstat().st_size for file in IMAGE.rglob("*") if file.is_file() and not file.is_symlink())


def compiled_again(volume: Path) -> list[str]:
    (delivered,) = IMAGE.glob("opt/fracas/lib/python3*/site-packages/sim/__pycache__/kernels-*")
    return differences(filecmp.dircmp(delivered, volume / ".cache" / "fracas" / delivered.name, ignore=[]))


def differences(compared: "filecmp.dircmp[str]") -> list[str]:
    """Return the files that are in one folder alone, or differ."""
    found = compared.left_only + compared.right_only + compared.diff_files
    return found + [name for below in compared.subdirs.values() for name in differences(below)]


async def healthy() -> bool:
    """Return what the image's health check says."""
    kind, program, *arguments = CONFIG["Healthcheck"]["Test"]
    assert (kind, program) == ("CMD", "python3")
    asking = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, stderr=asyncio.subprocess.DEVNULL, env={**os.environ, "FRACAS_HEALTH_PORT": PORT}
    )
    return await asking.wait() == 0
