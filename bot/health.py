"""Health pages and metrics over HTTP, and the sampler of the event loop's lag."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST

from bot.listening import WebListener
from bot.logging_setup import event
from bot.metrics import Metrics
from bot.store.errors import UnavailableError

log = logging.getLogger("fracas.health")

HOST = "127.0.0.1"
CHECK_SECONDS = 2.0
SAMPLE_SECONDS = 0.25

Check = Callable[[], Awaitable[bool]]


@dataclass(eq=False)
class HealthServer:
    """Answers `/healthz`, `/readyz` and `/metrics`.

    `/healthz` is alive: an answer shows that the process lives and its event loop turns. `/readyz` asks the `checks`,
    what players can't be answered without: one that answers False, raises, or takes longer than `check_seconds` makes
    it 503. What fails there comes back by itself, so only `/healthz` is a reason to start anew.

    `port`: 1-65535, 0 for any free one, or None for no server at all; `host`: the address to listen at. `measure` is
    awaited before the metrics are shown.
    """

    port: int | None
    metrics: Metrics
    _: KW_ONLY
    version: str
    checks: Mapping[str, Check]
    measure: Check | None = None
    host: str = HOST
    check_seconds: float = CHECK_SECONDS
    _listener: WebListener | None = field(default=None, init=False)
    _sampling: asyncio.Task[None] | None = field(default=None, init=False)

    @property
    def addresses(self) -> list[tuple[str, int]]:
        """Where the server listens: (host, port), or nothing when it doesn't."""
        return [] if self._listener is None else self._listener.addresses

    async def start(self) -> None:
        """Begin to listen, unless the port is None.

        Raises `OSError` when the port is taken or not allowed.
        """
        if self.port is None:
            return
        app = web.Application()
        pages = {"/healthz": self._healthz, "/readyz": self._readyz, "/metrics": self._show_metrics}
        app.add_routes([web.get(path, page) for path, page in pages.items()])
        listener = WebListener(app, self.host, self.port, "health pages")
        await listener.start()
        self._listener = listener
        self._sampling = asyncio.create_task(self._sample_lag())
        event(log, "health-started", port=self.addresses[0][1])

    async def close(self) -> None:
        """Stop listening; does nothing when nothing listens."""
        if self._sampling is not None:
            self._sampling.cancel()
        if self._listener is not None:
            await self._listener.close()

    async def _sample_lag(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + SAMPLE_SECONDS
            await asyncio.sleep(SAMPLE_SECONDS)
            self.metrics.lag.observe(max(0.0, loop.time() - due))

    async def _healthz(self, _request: web.Request) -> web.Response:
        return web.json_response({"status": "ok", "version": self.version})

    async def _readyz(self, _request: web.Request) -> web.Response:
        answers = await asyncio.gather(*(self._ask(name, check) for name, check in self.checks.items()))
        found = dict(zip(self.checks, answers, strict=True))
        ready = all(answers)
        body = {"status": "ok" if ready else "failing", "version": self.version, **found}
        return web.json_response(body, status=200 if ready else 503)

    async def _ask(self, name: str, check: Check) -> bool:
        try:
            async with asyncio.timeout(self.check_seconds):
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
