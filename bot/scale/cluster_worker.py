"""A machine of the cluster: a worker of dask.distributed that hands its jobs to the processes of a local pool.

So a job has the same limits as on the bot's machine, by the same code, and ends alone. dask's own process only passes
bytes on. Import it after `dask_setup.configure`.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from distributed import Reschedule, Scheduler, Worker, get_worker
from distributed.diagnostics.plugin import WorkerPlugin
from typing_extensions import override

from bot.scale.dask_setup import SchedulerPlace, guard
from sim.workers.pool import PoolSimulator

_CLOSE_SECONDS = 10.0
_HEALTH_PAGE = "127.0.0.1:0"  # dask has one in any case


def key_of(number: str) -> str:
    """Return the name by which dask knows a job."""
    return f"fracas-{number}"


async def answer(number: str, payload: bytes) -> bytes:
    """Answer a pickled job; the function that dask calls."""
    plugin: Any = get_worker().plugins[_Jobs.name]
    answered: bytes = await plugin.answer(key_of(number), payload)
    return answered


class _Jobs(WorkerPlugin):
    """The jobs at work; one that dask lets go of, because nobody waits for it any more, is ended."""

    name = "fracas"

    def __init__(self, pool: PoolSimulator) -> None:
        self._pool = pool
        self._running: dict[str, asyncio.Task[bytes]] = {}

    async def answer(self, key: str, payload: bytes) -> bytes:
        running = self._running[key] = asyncio.create_task(self._pool.answer(payload))
        try:
            await asyncio.wait((running,))
            if running.cancelled():
                raise Reschedule  # on another worker, if somebody still waits for it
            return running.result()
        finally:
            running.cancel()
            del self._running[key]

    @override
    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:
        if start == "executing" and finish == "released" and key in self._running:
            self._running[key].cancel()

    @override
    def teardown(self, worker: Worker) -> None:
        for running in self._running.values():
            running.cancel()


async def serve(
    place: SchedulerPlace,
    pool: PoolSimulator,
    processes: int,
    release: str,
    stop: asyncio.Event,
    tell: Callable[[bool], None],
) -> None:
    """Work for a scheduler until `stop`, once the pool is warm; wait for it when it isn't there, as long as it takes.

    `release`: what a bot must ask for to get this worker. `tell` gets True when the scheduler has taken the worker on,
    False when it is lost.
    """
    guard()
    await pool.start()
    if not await _before(stop, pool.until_warm()):
        return
    while not stop.is_set():
        worker: Any = Worker(  # dask has few types
            place.address,
            nthreads=processes,
            resources={release: processes},
            security=place.security(),
            memory_limit=0,  # the processes of the pool have limits
            dashboard_address=_HEALTH_PAGE,
            plugins=(_Jobs(pool),),
        )
        try:
            if await _before(stop, worker.start()):
                tell(True)  # noqa: FBT003 - that it is there
                if await _before(stop, worker.finished()):
                    tell(False)  # noqa: FBT003 - that it isn't
        finally:
            await worker.close(timeout=_CLOSE_SECONDS)


async def schedule(place: SchedulerPlace, listen: str, stop: asyncio.Event, ready: Callable[[], None]) -> None:
    """Be the scheduler, listening at an address such as tcp://0.0.0.0:8786, until `stop`. OSError: it can't be had."""
    guard()
    scheduler: Any = Scheduler(host=listen, security=place.security(), dashboard_address=_HEALTH_PAGE)
    try:
        await scheduler.start()
    except RuntimeError as error:  # dask's word for whatever went wrong
        raise error.__cause__ or error from None
    try:
        ready()
        await stop.wait()
    finally:
        await scheduler.close()


async def _before(stop: asyncio.Event, awaited: Any) -> bool:  # noqa: ANN401 - an awaitable of anything
    """Await something unless `stop` comes first; return whether it came."""
    waiting = asyncio.ensure_future(awaited)
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait((waiting, stopping), return_when=asyncio.FIRST_COMPLETED)
        if waiting.done():
            waiting.result()
        return not stop.is_set()
    finally:
        waiting.cancel()
        stopping.cancel()
