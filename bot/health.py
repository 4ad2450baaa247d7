"""Reports the bot's state to the health pages, the metrics and the service manager.

systemd's `Type=notify` and `WatchdogSec=` hear that the bot is up and that its event loop turns. Without NOTIFY_SOCKET
in the environment, as outside systemd, nothing is told.
"""

import asyncio
import itertools
import logging
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import KW_ONLY, dataclass
from functools import partial
from pathlib import Path

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST

from bot.app import Fracas
from bot.listening import WebListener
from bot.logging_setup import event
from bot.metrics import Metrics
from bot.store import DatabaseLostError, DiskFullError, UnavailableError
from bot.store.database import Database
from bot.store.transactions import PanelRepository
from sim.jobs.release import version

log = logging.getLogger("fracas.health")
_watchdog_log = logging.getLogger("fracas.watchdog")

HOST = "127.0.0.1"
CHECK_SECONDS = 2.0
SAMPLE_SECONDS = 0.25
_BEATS = 3
"""Messages in the time that the watchdog allows for one."""

Check = Callable[[], Awaitable[bool]]


@dataclass(eq=False)
class HealthServer:
    """Answers `/healthz`, `/readyz` and `/metrics`.

    `/healthz` is alive: an answer shows that the process lives and its event loop turns. `/readyz` asks the `checks`,
    what players can't be answered without: one that answers False, raises, or takes longer than `CHECK_SECONDS` makes
    it 503. What fails there comes back by itself, so only `/healthz` is a reason to start anew.

    `port`: 1-65535, or 0 for any free one; `host`: the address to listen at. `measure` is awaited before the metrics
    are shown.
    """

    port: int
    metrics: Metrics
    _: KW_ONLY
    version: str
    checks: Mapping[str, Check]
    measure: Check | None = None
    host: str = HOST

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[tuple[str, int]]:
        """Listen within the block, and measure the event loop's lag; yields the address.

        Raises `OSError` when the port is taken or not allowed.
        """
        app = web.Application()
        pages = {"/healthz": self._healthz, "/readyz": self._readyz, "/metrics": self._show_metrics}
        app.add_routes([web.get(path, page) for path, page in pages.items()])
        async with WebListener(app, self.host, self.port, "health pages").listening() as address:
            sampling = asyncio.create_task(self._sample_lag())
            event(log, "health-started", port=address[1])
            try:
                yield address
            finally:
                sampling.cancel()

    async def _sample_lag(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + SAMPLE_SECONDS
            await asyncio.sleep(SAMPLE_SECONDS)
            self.metrics.lag.observe(max(0.0, loop.time() - due))

    async def _healthz(self, _request: web.Request) -> web.Response:
        return web.json_response({"status": "ok", "version": self.version})

    async def _readyz(self, _request: web.Request) -> web.Response:
        answers = await asyncio.gather(*itertools.starmap(self._ask, self.checks.items()))
        found, ready = dict(zip(self.checks, answers, strict=True)), all(answers)
        body = {"status": "ok" if ready else "failing", "version": self.version, **found}
        return web.json_response(body, status=200 if ready else 503)

    async def _ask(self, name: str, check: Check) -> bool:
        try:
            async with asyncio.timeout(CHECK_SECONDS):
                return bool(await check())
        except UnavailableError:
            return False  # which is told once
        except Exception as error:  # noqa: BLE001  # a check that breaks has failed, whatever broke it
            event(log, "health-check-failed", level=logging.WARNING, check=name, reason=repr(error))
            return False

    async def _show_metrics(self, _request: web.Request) -> web.Response:
        if self.measure is not None:
            await self._ask("measure", self.measure)  # what can't be measured mustn't hide what was counted
        return web.Response(body=self.metrics.render(), headers={"Content-Type": CONTENT_TYPE_LATEST})


def health_server(bot: Fracas, port: int, host: str = HOST) -> HealthServer:
    """Make the server of a bot's health pages."""
    db = bot.services[Database]
    waiting: dict[int, float] = {}
    """The battles with changes that no panel shows yet: when they were first seen so."""

    def is_hit_by(trouble: type[UnavailableError]) -> bool:
        return isinstance(db.availability.trouble, trouble)

    for reason, trouble in {"lost": DatabaseLostError, "full": DiskFullError}.items():
        bot.metrics.unavailable.labels(reason).set_function(partial(is_hit_by, trouble))

    async def connected() -> bool:
        return bot.connected

    async def database() -> bool:
        # While it is lost, the bot looks every few seconds whether it is back.
        return not is_hit_by(DatabaseLostError) and await db.answers()

    async def disk() -> bool:
        return not is_hit_by(DiskFullError)

    async def measure() -> bool:
        if db.path is not None:
            log = db.path.with_name(f"{db.path.name}-wal")
            for name, file in {"database": db.path, "wal": log}.items():
                bot.metrics.database.labels(name).set(await asyncio.to_thread(_size, file))
        if not is_hit_by(DatabaseLostError):
            now, pending = bot.monotonic(), await bot.services[PanelRepository].pending_revisions()
            since = {battle: waiting.get(battle, now) for battle in pending}
            waiting.clear()
            waiting.update(since)
            bot.metrics.outbox.set(len(waiting))
            bot.metrics.outbox_age.set(now - min(waiting.values(), default=now))
        return True

    checks = {"discord": connected, "database": database, "disk": disk, "workers": bot.simulator.is_ready}
    return HealthServer(port, bot.metrics, version=version(), checks=checks, measure=measure, host=host)


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:  # there is no log before the first write
        return 0


@asynccontextmanager
async def watched(environment: Mapping[str, str] = os.environ) -> AsyncIterator[None]:
    """Say that the bot is ready, then within the block that it lives, and at the end that it stops.

    WATCHDOG_USEC: how long the manager waits for a sign of life before it starts the bot anew. The signs come from the
    event loop: one that hangs gives none.
    """
    address = environment.get("NOTIFY_SOCKET")
    if not address:
        yield
        return
    if address.startswith("@"):
        address = f"\0{address[1:]}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ours:
        ours.settimeout(0)

        def tell(message: bytes) -> None:
            try:
                ours.sendto(message, address)
            except OSError as error:  # the manager is busy, or starts anew itself
                event(_watchdog_log, "watchdog_unheard", level=logging.WARNING, reason=str(error))

        tell(b"READY=1")
        seconds = int(environment.get("WATCHDOG_USEC", "0")) / 1_000_000

        async def beat() -> None:
            while seconds:
                tell(b"WATCHDOG=1")
                await asyncio.sleep(seconds / _BEATS)

        beating = asyncio.create_task(beat())
        try:
            yield
        finally:
            beating.cancel()
            await asyncio.wait({beating})
            tell(b"STOPPING=1")
