"""`fracas worker`: a machine of the cluster, which works for bots on other machines."""

import asyncio
import logging
import signal
from collections.abc import Sequence

from bot.cli.options import CommandError, parser_of
from bot.config import Settings, SettingsError, load_settings
from bot.logging_setup import configure, event
from bot.simulators import local_simulator, scheduler_place
from sim.jobs.kernel_cache import use_kernel_cache
from sim.jobs.release import release
from sim.workers import dask_settings

_log = logging.getLogger("fracas.cluster")


def main(argv: Sequence[str]) -> int:
    """Work until SIGINT or SIGTERM."""
    parser_of("worker").parse_args(argv)
    settings = load_settings()
    configure(settings)
    use_kernel_cache()
    asyncio.run(_work(settings, expected_place(settings)))
    return 0


def expected_place(settings: Settings) -> dask_settings.SchedulerPlace:
    """Return where the scheduler is; SettingsError if that isn't set."""
    place = scheduler_place(settings)
    if place is None:
        raise SettingsError("FRACAS_CLUSTER is not set; it must be the address of the scheduler.")
    return place


def stop_at_signals() -> asyncio.Event:
    """Return what SIGINT and SIGTERM set."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    return stop


async def _work(settings: Settings, place: dask_settings.SchedulerPlace) -> None:
    dask_settings.configure()
    from sim.workers import cluster_worker  # noqa: PLC0415 - an extra, and it must be configured first

    def tell(there: bool) -> None:
        if there:
            event(_log, "cluster_joined", scheduler=place.address, processes=settings.workers, release=release())
        else:
            event(_log, "cluster_left", level=logging.WARNING, scheduler=place.address)

    pool = local_simulator(settings)
    try:
        await cluster_worker.serve(place, pool, settings.workers, release(), stop_at_signals(), tell)
    except OSError as error:
        raise CommandError(f"The scheduler at {place.address} can't be worked for ({error}).") from None
    finally:
        await pool.close()
