"""The simulator of the running bot: worker processes that can be stopped one at a time."""

import asyncio
import logging
import multiprocessing
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextvars import Context
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import resource_tracker

from pebble import ProcessExpired, ProcessPool
from pebble.pool.process import PoolManager
from typing_extensions import override

from sim.workers import Simulator, worker
from sim.workers import queue as q
from sim.workers.queue import R
from sim.workers.worker import Packages

_LOST_SECONDS = 120.0
"""How much longer than its limit a job may stay away before the pool counts as stuck; a worker's warm-up fits in."""

_READY_SECONDS = 300.0
"""How long a job that is too slow for the stopgap waits for the warm workers."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Stopgap:
    """Serves jobs where warming up takes long, as with a compiler.

    Workers prepared by `warm_up`, which is quick, take the jobs; meanwhile one process alone runs `rehearsal`, which
    leaves on disk what makes the real warm-up quick, and ends with the memory it took. All of it only if `is_needed`.
    """

    warm_up: worker.WarmUp
    rehearsal: worker.WarmUp
    is_needed: Callable[[], bool]


class PoolSimulator(Simulator):
    """Runs jobs in worker processes.

    A job over its time limit is stopped alone; a worker that dies is replaced, and so is a pool that breaks. Belongs to
    one event loop. `warm_up` runs in every new worker before its first job; it must be a module-level function. Its
    module and the modules in `preload` are imported once, in the process that all workers come from.

    With a `stopgap`, nobody waits for a warm-up that takes long. `packages`: as of a Simulator.
    """

    def __init__(
        self,
        limits: q.PoolLimits | None = None,
        warm_up: worker.WarmUp | None = None,
        stopgap: Stopgap | None = None,
        preload: Sequence[str] = (),
        packages: Packages | None = None,
    ) -> None:
        # To cancel a job in the queue costs nothing, one in a pool costs a worker: no more go there than there are.
        super().__init__(limits, packages)
        self._pool = _Pool(self.limits, warm_up, preload, packages)
        self._stopgap: _Pool | None = None
        self._earlier: tuple[_Pool, ...] = ()
        if stopgap is not None and stopgap.is_needed():
            self._stopgap = _Pool(self.limits, stopgap.warm_up, preload, packages)
            alone = replace(self.limits, workers=1)
            self._earlier = self._stopgap, _Pool(alone, stopgap.rehearsal, preload, packages)
        self._getting_ready: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to start and warm all workers; returns at once, and jobs may come at once. Optional."""
        self._serving().ensure_launched()

    @override
    async def is_ready(self) -> bool:
        """Return whether a worker is there; a pool that broke is replaced. ClosedError."""
        pool = self._serving()
        launch = pool.ensure_launched()
        return pool.ready.is_set() and launch.done() and _usable(launch)

    @override
    def delay_reason(self, caller: q.Caller | None) -> str:
        return super().delay_reason(caller) if self._pool.ready.is_set() else q.STARTING

    @override
    async def close(self) -> None:
        """Stop all workers at once; jobs still running or waiting end in ClosedError. May be called again."""
        if self._getting_ready is not None:
            self._getting_ready.cancel()
        await asyncio.gather(*(pool.close() for pool in (*self._earlier, self._pool)))

    async def answer(self, payload: bytes) -> bytes:
        """Return what a worker answers to a pickled job from elsewhere, or why it doesn't, as `worker.answer` does.

        Whoever asks keeps the queue, and asks warm workers only.
        """
        try:
            return await self._pool.work(payload)
        except Exception as error:  # noqa: BLE001 - raised again where the job comes from
            return worker.failed(error, self.packages)

    @override
    async def work(self, payload: bytes, place: int) -> bytes | None:
        """Return what a worker answers; None if the stopgap is too slow for the job."""
        pool = self._serving()
        try:
            return await pool.work(payload)
        except q.OverrunError:
            if pool is self._pool:
                raise
            return None

    async def until_warm(self) -> None:
        """Wait for the warm workers, however long they take."""
        await self._pool.ready.wait()

    @override
    async def wait_for_better(self) -> None:
        """Wait for the warm workers: a job too slow for the stopgap may be quick for them."""
        try:
            async with asyncio.timeout(_READY_SECONDS):
                await self.until_warm()
        except TimeoutError:
            raise q.StartingError from None

    def _serving(self) -> "_Pool":
        """Return the pool that takes the next job."""
        if self._stopgap is None or self._pool.ready.is_set():
            return self._pool
        if self._getting_ready is None:
            self._getting_ready = asyncio.create_task(self._get_ready())
        return self._stopgap

    async def _get_ready(self) -> None:
        """Start the stopgap, rehearse, and warm the workers; close what served until then when its last job is done."""
        stopgap, rehearsal = self._earlier
        for pool in (stopgap, rehearsal, self._pool):  # one after the other: each has the processor to itself
            pool.ensure_launched()
            await pool.ready.wait()
            if pool is rehearsal:  # the workers need the memory that it took
                await pool.close()
        await stopgap.idle.wait()
        await stopgap.close()


class _Pool:
    """Worker processes of one kind, started when they are first asked for, replaced when they break.

    `ready` is set when the first worker has been ready once; `idle` while no job is at work.
    """

    def __init__(
        self, limits: q.PoolLimits, warm_up: worker.WarmUp | None, preload: Sequence[str], packages: Packages | None
    ) -> None:
        self.ready = asyncio.Event()
        self.idle = asyncio.Event()
        self.idle.set()
        self._busy = 0
        self._limits = limits
        self._packages = packages
        self._start = partial(_start, limits, warm_up, preload)
        self._launch: asyncio.Task[ProcessPool] | None = None
        self._replies: set[asyncio.Future[bytes]] = set()
        self._retiring: set[asyncio.Task[None]] = set()
        self._closed = False

    async def close(self) -> None:
        """Stop all workers at once; jobs still running or waiting end in ClosedError."""
        self._closed = True
        if self._launch is not None:
            await asyncio.wait((self._launch,))
            self._retire()
        if self._retiring:
            await asyncio.wait(self._retiring)

    async def work(self, payload: bytes) -> bytes:
        """Return what a worker answers to a pickled job; raise the player's error for what kept it from answering."""
        self._busy += 1
        self.idle.clear()
        try:
            reply = await self._schedule(payload)
            self._replies.add(reply)
            try:
                await asyncio.wait((reply,), timeout=self._limits.wall_seconds + _LOST_SECONDS)
                if not reply.done():
                    self._retire()
                return self._read_reply(reply)
            finally:
                self._replies.discard(reply)
                reply.cancel()  # ends the job if nobody waits for it any more
        finally:
            self._busy -= 1
            if not self._busy:
                self.idle.set()

    async def _schedule(self, payload: bytes) -> asyncio.Future[bytes]:
        launch = self.ensure_launched()
        try:
            pool = await asyncio.shield(launch)
        except BrokenProcessPool as error:
            raise self._lost(repr(error)) from error
        if launch is not self._launch:
            raise self._lost("its pool was given up before it began")
        wall = self._limits.wall_seconds
        try:
            future = pool.schedule(worker.work, args=(payload, wall, self._packages), timeout=wall)
        except RuntimeError as error:  # the pool broke this very moment
            raise self._lost(repr(error)) from error
        reply = asyncio.wrap_future(future)
        # Retrieved, or asyncio logs that it never was.
        reply.add_done_callback(lambda reply: reply.cancelled() or reply.exception())
        return reply

    def _read_reply(self, reply: asyncio.Future[bytes]) -> bytes:
        """Return what the worker sent; raise the player's error for what kept it from sending."""
        if reply.cancelled() or not reply.done():
            raise self._lost("its pool was given up")
        match reply.exception():
            case None:
                return reply.result()
            case TimeoutError() | ProcessExpired(exitcode=worker.OVERRAN):
                raise q.OverrunError(self._limits.wall_seconds)
            case ProcessExpired(exitcode=worker.OUT_OF_MEMORY):
                raise q.MemoryLimitError(self._limits.memory_bytes)
            case ProcessExpired() as error:
                raise self._lost(f"worker {error.pid} ended with status {error.exitcode}") from error
            case BrokenProcessPool() as error:
                raise self._lost(repr(error)) from error
            case error:  # SystemExit and its like, which must not end this process
                raise RuntimeError(f"a job ended in {error!r}") from error

    def _lost(self, why: str) -> q.ClosedError | q.WorkerLostError:
        if self._closed:
            return q.ClosedError()
        _log.warning("a job was lost: %s", why)
        return q.WorkerLostError()

    def ensure_launched(self) -> asyncio.Task[ProcessPool]:
        """Return the task that starts the pool, or has started it; a pool that broke is replaced."""
        if self._closed:
            raise q.ClosedError
        if self._launch is not None and self._launch.done() and not _usable(self._launch):
            self._retire()
        if self._launch is None:
            loop = asyncio.get_running_loop()

            def first_ready(_idle: object) -> None:
                if not loop.is_closed():
                    loop.call_soon_threadsafe(self.ready.set)

            self._launch = asyncio.create_task(_in_thread(partial(self._start, first_ready)))
        return self._launch

    def _retire(self) -> None:
        """Give up the pool, if there is one, and whatever it still runs; a thread stops its workers."""
        launch, self._launch = self._launch, None
        for reply in self._replies:
            reply.cancel()
        if launch is not None and not launch.cancelled() and launch.exception() is None:
            stopping = asyncio.create_task(_in_thread(partial(_stop, launch.result())))
            self._retiring.add(stopping)
            stopping.add_done_callback(self._retiring.discard)


async def _in_thread(function: Callable[[], R]) -> R:
    """Return what `function` returns, called in a thread that doesn't inherit our context.

    Under simcord the context decides whether the clock runs, and multiprocessing waits by that clock.
    """
    return await asyncio.to_thread(Context().run, function)


def _usable(launch: asyncio.Task[ProcessPool]) -> bool:
    return not launch.cancelled() and launch.exception() is None and launch.result().active


class _PatientManager(PoolManager):
    """Reads all that was sent before it tells a worker's end: one may die as soon as it has said which job it took.

    pebble reads in one thread and looks for the dead in another: if that came first, the whole pool would break, or the
    job stay until its time is up. It also takes the workers' locks away before it stops them, and one that is still
    being made would complain of that on stderr.
    """

    def __init__(self, *of: object) -> None:
        super().__init__(*of)  # type: ignore[arg-type] # as pebble has it
        self._read = threading.Event()

    @override
    def process_next_message(self, timeout: float) -> None:
        super().process_next_message(timeout)
        self._read.set()

    @override
    def handle_worker_expiration(self, expiration: tuple[int, int]) -> None:
        all_read = False
        while self.context.alive and not all_read:
            all_read = not self.worker_manager.pool_channel.poll(0)  # type: ignore[union-attr] # it has begun
            self._read.clear()  # the last message may have been taken and not be noted yet
            all_read &= self._read.wait(1.0)
        super().handle_worker_expiration(expiration)

    @override
    def stop(self) -> None:
        self.worker_manager.force_stop_workers()  # type: ignore[no-untyped-call] # pebble leaves both untyped
        super().stop()  # type: ignore[no-untyped-call]


def _start(
    limits: q.PoolLimits,
    warm_up: worker.WarmUp | None,
    preload: Sequence[str],
    ready: Callable[[object], None],
) -> ProcessPool:
    """Start a pool; blocks until the fork server is up, which takes as long as its imports.

    `ready` is called, in some thread, whenever a worker has warmed up for the first time.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([worker.__name__, *([warm_up.__module__] if warm_up else []), *preload])
    pool = ProcessPool(
        max_workers=limits.workers,
        initializer=worker.prepare,
        initargs=(limits.memory_bytes, warm_up),
        context=context,
    )
    pool._pool_manager = _PatientManager(pool._context, context)  # noqa: SLF001  # there is no public way
    resource_tracker.ensure_running()  # its start would unblock the signal again
    # No Ctrl-C in this thread, and so in the processes that it starts: they have no handler of their own yet.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        for _ in range(limits.workers):
            pool.schedule(worker.idle).add_done_callback(ready)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return pool


def _stop(pool: ProcessPool) -> None:
    pool.stop()  # type: ignore[no-untyped-call] # pebble leaves it untyped
    pool.join()
