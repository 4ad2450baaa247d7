"""The simulator of a bot with a cluster: small jobs here, the others on machines that a dask scheduler knows.

Without the cluster everything is done here, as by the pool alone.
"""

import asyncio
import logging
import ssl
import threading
from collections.abc import Callable, Sequence
from concurrent import futures
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any
from uuid import uuid4

from typing_extensions import override

from bot.config import Settings, SettingsError
from bot.logging_setup import event
from bot.scale.dask_setup import SchedulerPlace, Tls, configure, guard
from sim.jobs.release import release
from sim.workers import worker
from sim.workers.pool import PoolSimulator, Stopgap
from sim.workers.queue import THERE, ClosedError, PoolLimits, WorkerLostError
from sim.workers.worker import Packages

_log = logging.getLogger("fracas.cluster")
_CONNECT_SECONDS, _ANSWER_SECONDS, _CLOSE_SECONDS = 5.0, 3.0, 3.0
"""How long the scheduler may take to let us in, to tell which workers there are, and to let us go."""

_PAUSE_SECONDS, _LOOK_SECONDS = 2.0, 1.0
"""Between two attempts to connect, and between two looks at the workers."""

_WAY_SECONDS = 4.0
"""How much longer than its limit a job may stay away; then it is done here."""


@dataclass(frozen=True, slots=True)
class Reach:
    """What a bot has of the cluster: how many processes, `why` none, and the workers of other releases with theirs."""

    processes: int
    why: str = ""
    strangers: tuple[tuple[str, str], ...] = ()


class ClusterSimulator(PoolSimulator):
    """A pool, and a cluster for parts and for jobs that cost more than 0.2 s.

    A job that the cluster loses is done here: when the scheduler is gone, or stays away with the job's answer.

    `release`: what workers must have to get its jobs. `packages`: whose types may come from there. `tell` is called in
    the event loop whenever the reach changes.
    """

    def __init__(
        self,
        place: SchedulerPlace,
        release: str,
        packages: Packages,
        tell: Callable[[Reach], None],
        limits: PoolLimits | None = None,
        warm_up: worker.WarmUp | None = None,
        stopgap: Stopgap | None = None,
        preload: Sequence[str] = (),
    ) -> None:
        super().__init__(limits, warm_up, stopgap, preload, packages)
        self._tell = tell
        self._link = _Link(place, release, self.limits.wall_seconds + _WAY_SECONDS)

    @override
    async def start(self) -> None:
        await super().start()
        self._link.start(self._changed)

    @override
    async def close(self) -> None:
        await self._link.close()
        await super().close()

    def _changed(self, reach: Reach) -> None:
        self.queue.resize_cluster(reach.processes)
        self._tell(reach)

    @override
    async def work(self, payload: bytes, place: int) -> bytes | None:
        if place == THERE:
            return await self._link.work(payload)
        return await super().work(payload, place)


class _Link:
    """The connection to the scheduler, in a thread with an event loop of its own: no code of dask holds up the bot's.

    `limit`: the seconds that a job may stay away.
    """

    def __init__(self, place: SchedulerPlace, release: str, limit: float) -> None:
        self._place = place
        self._release = release
        self._limit = limit
        self._thread: threading.Thread | None = None
        self._closed = False
        self._runner: asyncio.Runner
        self._loop: asyncio.AbstractEventLoop
        self._living: asyncio.Task[None]
        # Of the thread alone:
        self._client: Any = None
        self._gone: asyncio.Future[None]  # done when the jobs under way have to be done here
        self._reach: Reach | None = None

    def start(self, changed: Callable[[Reach], None]) -> None:
        """Connect, and stay connected; `changed` is called in the caller's event loop."""
        home = asyncio.get_running_loop()

        def tell(reach: Reach) -> None:
            if reach != self._reach:
                self._reach = reach
                with suppress(RuntimeError):  # the program is over
                    home.call_soon_threadsafe(changed, reach)

        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._loop = self._runner.get_loop()
        self._living = self._loop.create_task(self._live(tell))
        self._thread = threading.Thread(target=self._run, name="cluster", daemon=True)
        self._thread.start()

    async def close(self) -> None:
        """Disconnect; jobs under way end in ClosedError."""
        if self._thread is None or self._closed:
            return
        self._closed = True
        self._loop.call_soon_threadsafe(self._living.cancel)
        await asyncio.to_thread(self._thread.join, _CLOSE_SECONDS)

    async def work(self, payload: bytes) -> bytes | None:
        """Return what the cluster answers to a pickled job; None if it has to be done here. WorkerLostError."""
        if self._closed:
            raise ClosedError
        asked = asyncio.run_coroutine_threadsafe(self._ask(payload), self._loop)
        try:
            answered = await asyncio.wrap_future(asked)
        except futures.CancelledError:  # by the end of the thread
            answered = None
        if answered is None and self._closed:
            raise ClosedError
        return answered

    # From here on in the thread.

    def _run(self) -> None:
        async def until_closed() -> None:
            with suppress(asyncio.CancelledError):
                await self._living

        with self._runner:
            self._runner.run(until_closed())

    async def _live(self, tell: Callable[[Reach], None]) -> None:
        while not self._closed:  # for dask swallows a cancellation now and then
            why = "the connection broke"
            try:
                async with _client(self._place) as client:
                    await self._watch(client, tell)
            except Exception as error:  # noqa: BLE001 - whatever it is, the bot works without a cluster
                why = _words(error)
            tell(Reach(0, why))
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _watch(self, client: Any, tell: Callable[[Reach], None]) -> None:  # noqa: ANN401 - dask has few types
        """Take jobs and look after the workers until the connection breaks."""
        loop = asyncio.get_running_loop()
        self._gone = loop.create_future()
        self._client = client
        try:
            while client.status == "running" and not self._closed:
                reach = await _reach(client, self._release)
                if not reach.processes:
                    self._gone.set_result(None)
                    self._gone = loop.create_future()
                tell(reach)
                await asyncio.sleep(_LOOK_SECONDS)
        finally:
            self._client = None
            self._gone.set_result(None)

    async def _ask(self, payload: bytes) -> bytes | None:
        from distributed import KilledWorker  # noqa: PLC0415 - an extra

        from bot.scale import cluster_worker  # noqa: PLC0415 - it imports distributed

        if self._client is None:
            return None
        number = uuid4().hex
        future = self._client.submit(
            cluster_worker.answer,
            number,
            payload,
            key=cluster_worker.key_of(number),
            pure=False,
            resources={self._release: 1},
        )
        answering = asyncio.ensure_future(future.result())
        try:
            await asyncio.wait((answering, self._gone), timeout=self._limit, return_when=asyncio.FIRST_COMPLETED)
            return answering.result() if answering.done() else None
        except KilledWorker:  # as was the one before
            raise WorkerLostError from None
        except (futures.CancelledError, OSError):
            return None
        finally:
            answering.cancel()
            future.release()


async def look_at(place: SchedulerPlace, release: str) -> Reach:
    """Ask a scheduler once what a bot of this release would have of its cluster."""

    async def look() -> Reach:
        try:
            async with _client(place) as client:
                return await _reach(client, release)
        except Exception as error:  # noqa: BLE001 - whatever it is, the answer is that there is no cluster
            return Reach(0, _words(error))

    return await asyncio.to_thread(asyncio.run, look())  # that thread alone is guarded


def _client(place: SchedulerPlace) -> Any:  # noqa: ANN401 - dask has few types
    configure()
    distributed: Any = import_module("distributed")  # an extra; it takes half a second
    guard()
    return distributed.Client(
        place.address,
        timeout=_CONNECT_SECONDS,
        set_as_default=False,
        asynchronous=True,
        security=place.security(),
        name="fracas",
    )


def _words(error: Exception) -> str:
    return " ".join(f"{type(error).__name__} {error}".split())


async def _reach(client: Any, release: str) -> Reach:  # noqa: ANN401 - dask has few types
    """Read what the scheduler tells of its workers."""
    async with asyncio.timeout(_ANSWER_SECONDS):
        known = await client.scheduler.identity(n_workers=-1)
    running = {at: one["resources"] for at, one in known["workers"].items() if one["status"] == "running"}
    processes = sum(int(resources.get(release, 0)) for resources in running.values())
    strangers = sorted((at, ", ".join(resources)) for at, resources in running.items() if release not in resources)
    return Reach(processes, "" if processes else "no worker of this release is there", tuple(strangers))


def scheduler_place(settings: Settings) -> SchedulerPlace:
    """Return where the cluster's scheduler is; SettingsError if that isn't set, or the settings don't fit."""
    address = settings.cluster
    files = {
        "FRACAS_CLUSTER_CA": settings.cluster_ca,
        "FRACAS_CLUSTER_CERT": settings.cluster_cert,
        "FRACAS_CLUSTER_KEY": settings.cluster_key,
    }
    named = [name for name, file in files.items() if file is not None]
    if address is None:
        if named:
            raise SettingsError(f"{named[0]} is set, but FRACAS_CLUSTER isn't.")
        raise SettingsError("FRACAS_CLUSTER is not set; it must be the address of the scheduler.")
    if find_spec("distributed") is None:
        raise SettingsError("FRACAS_CLUSTER needs the extra package: pip install 'fracas[cluster]'.")
    if not address.startswith("tls:"):
        if named:
            raise SettingsError(
                f"{named[0]} is set, but FRACAS_CLUSTER is {address!r}; with TLS it begins with tls://."
            )
        return SchedulerPlace(address)
    if missing := [name for name, file in files.items() if file is None]:
        raise SettingsError(f"FRACAS_CLUSTER is {address!r}, so {missing[0]} must name a PEM file.")
    tls = Tls(*filter(None, files.values()))
    _expect_usable(tls)
    return SchedulerPlace(address, tls)


def _expect_usable(tls: Tls) -> None:
    try:
        ssl.create_default_context(cafile=tls.authority)
    except OSError as error:
        raise SettingsError(f"FRACAS_CLUSTER_CA: {tls.authority} can't be used ({error.strerror or error}).") from None
    try:
        ssl.create_default_context().load_cert_chain(tls.certificate, tls.key)
    except OSError as error:
        files = f"{tls.certificate} with {tls.key}"
        raise SettingsError(f"FRACAS_CLUSTER_CERT: {files} can't be used ({error.strerror or error}).") from None


class ClusterLog:
    """Logs what changes: whether the cluster is in reach, and each worker that can't be used, once."""

    def __init__(self) -> None:
        self._reached: bool | None = None
        self._refused: set[tuple[str, str]] = set()

    def __call__(self, reach: Reach) -> None:
        """Log what has changed."""
        before, self._reached = self._reached, bool(reach.processes)
        if self._reached and not before:
            event(_log, "cluster_reached", processes=reach.processes)
        elif not self._reached and before is not False:
            event(_log, "cluster_lost", level=logging.WARNING, reason=reach.why, instead="this machine's workers")
        for address, other in sorted(set(reach.strangers) - self._refused):
            sentence = f"it runs {other or 'something else'}, this bot {release()}: install the same on both"
            event(_log, "cluster_worker_refused", level=logging.WARNING, worker=address, reason=sentence)
        self._refused = set(reach.strangers)
