"""Health check and metrics over HTTP, on loopback only."""

import asyncio
import logging
import platform
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Literal

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from bot.logging_setup import event

log = logging.getLogger("fracas.health")

HOST = "127.0.0.1"
CHECK_SECONDS = 2.0
CLOSE_SECONDS = 1.0
JOB_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
MAX_NAMES = 100
OTHER = "other"

# A command with its groups, or a word of ours: no id begins with a letter.
_NAME = re.compile("[a-z][a-z0-9_-]{0,31}( [a-z][a-z0-9_-]{0,31}){0,2}")

Check = Callable[[], Awaitable[bool]]
Result = Literal["ok", "refused", "failed"]


class _Names:
    """Lets through the first MOST_NAMES names that look like one; the rest become "other".

    Every label value costs memory for good, here and in whatever collects it.
    """

    def __init__(self) -> None:
        self._known: set[str] = set()

    def __call__(self, name: str) -> str:
        if name not in self._known:
            if len(self._known) >= MAX_NAMES or not _NAME.fullmatch(name):
                return OTHER
            self._known.add(name)
        return name


class Metrics:
    """The metrics of one bot, in a registry of their own.

    Names (of commands, clicks, jobs, reasons) are words of the program, never ids or what players typed;
    what doesn't look like a word, and each name after the first 100 of its sort, counts as "other".
    """

    def __init__(self, version: str) -> None:
        self.registry = CollectorRegistry()
        registry = self.registry
        self._commands = Counter("fracas_commands", "Commands answered.", ["name", "result"], registry=registry)
        self._clicks = Counter("fracas_clicks", "Component clicks answered.", ["kind", "result"], registry=registry)
        self._jobs = Histogram(
            "fracas_job_seconds",
            "Time from asking the workers to their answer.",
            buckets=JOB_SECONDS,
            registry=registry,
        )
        self._refused = Counter("fracas_jobs_refused", "Jobs refused or stopped.", ["reason"], registry=registry)
        self._latency = Gauge("fracas_latency_seconds", "The gateway's heartbeat latency.", registry=registry)
        self._latency.set(float("nan"))  # not measured is not 0 seconds
        build = Gauge("fracas_build_info", "What is running; always 1.", ["version", "python"], registry=registry)
        build.labels(version, platform.python_version()).set(1)
        self._command_names, self._click_kinds, self._reasons = _Names(), _Names(), _Names()

    def command(self, name: str, result: Result) -> None:
        """Count a command by its full name, such as "battle verify"."""
        self._commands.labels(self._command_names(name), result).inc()

    def click(self, kind: str, result: Result) -> None:
        """Count a click on a button, a select or a form by the component's kind."""
        self._clicks.labels(self._click_kinds(kind), result).inc()

    def job(self, seconds: float) -> None:
        """Count a calculation that took `seconds`, waiting for a worker included."""
        self._jobs.observe(seconds)

    def job_refused(self, reason: str) -> None:
        """Count a calculation that was refused or stopped, by a word such as "cost", "time" or "memory"."""
        self._refused.labels(self._reasons(reason)).inc()

    def latency_from(self, source: Callable[[], float]) -> None:
        """Ask `source` for the gateway's latency in seconds whenever the metrics are read; nan while there is none."""
        self._latency.set_function(source)

    def render(self) -> bytes:
        """Return everything counted, in the Prometheus text format (`CONTENT_TYPE_LATEST`)."""
        return generate_latest(self.registry)


class HealthServer:
    """Answers `/healthz` and `/metrics` on 127.0.0.1.

    `checks` are what Fracas can't work without: one that answers False, raises, or takes longer than
    `check_seconds` makes `/healthz` answer 503. `notes` are asked in the same way and only reported, for what
    comes back by itself, such as the connection to Discord.
    """

    def __init__(
        self,
        port: int | None,
        metrics: Metrics,
        *,
        version: str,
        checks: Mapping[str, Check],
        notes: Mapping[str, Check] | None = None,
        check_seconds: float = CHECK_SECONDS,
    ) -> None:
        """Take `port` 1-65535, 0 for any free one, or None for no server at all."""
        self._port = port
        self._metrics = metrics
        self._version = version
        self._checks = dict(checks)
        self._notes = dict(notes or {})
        self._check_seconds = check_seconds
        self._runner: web.AppRunner | None = None

    @property
    def addresses(self) -> list[tuple[str, int]]:
        """Where the server listens: (host, port), or nothing when it doesn't."""
        return [] if self._runner is None else [(address[0], address[1]) for address in self._runner.addresses]

    async def start(self) -> None:
        """Begin to listen, unless the port is None.

        Raises `OSError` when the port is taken or not allowed.
        """
        if self._port is None:
            return
        app = web.Application()
        app.add_routes([web.get("/healthz", self._healthz), web.get("/metrics", self._show_metrics)])
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=CLOSE_SECONDS)
        await runner.setup()
        try:
            await web.TCPSite(runner, HOST, self._port).start()
        except BaseException:
            await runner.cleanup()
            raise
        self._runner = runner
        event(log, "health-started", port=self.addresses[0][1])

    async def close(self) -> None:
        """Stop listening; does nothing when nothing listens."""
        runner, self._runner = self._runner, None
        if runner is not None:
            await runner.cleanup()

    async def _healthz(self, _request: web.Request) -> web.Response:
        probes = self._checks | self._notes
        answers = await asyncio.gather(*(self._ask(name, check) for name, check in probes.items()))
        found = dict(zip(probes, answers, strict=True))
        well = all(found[name] for name in self._checks)
        body = {"status": "ok" if well else "failing", "version": self._version, **found}
        return web.json_response(body, status=200 if well else 503)

    async def _ask(self, name: str, check: Check) -> bool:
        try:
            async with asyncio.timeout(self._check_seconds):
                return bool(await check())
        except Exception as error:  # noqa: BLE001  # a check that breaks has failed, whatever broke it
            event(log, "health-check-failed", level=logging.WARNING, check=name, reason=repr(error))
            return False

    async def _show_metrics(self, _request: web.Request) -> web.Response:
        return web.Response(body=self._metrics.render(), headers={"Content-Type": CONTENT_TYPE_LATEST})
