"""`fracas worker` and `fracas scheduler`: the machines of a cluster, and dask's scheduler with its settings."""

import asyncio
import logging
from urllib.parse import urlsplit

from bot.cli import CommandParser, stop_at_signals
from bot.config import OperatorError, Settings, load_settings
from bot.listening import is_loopback
from bot.logging_setup import configure, event
from bot.resources import local_simulator
from bot.scale import dask_setup
from bot.scale.cluster import scheduler_place
from sim.jobs.kernel_cache import use_kernel_cache
from sim.jobs.release import release

_log = logging.getLogger("fracas.cluster")


def work(parser: CommandParser) -> None:
    """Work for bots on other machines until SIGINT or SIGTERM."""
    parser.parse_args()
    settings = load_settings()
    configure(settings)
    use_kernel_cache()
    asyncio.run(_work(settings, scheduler_place(settings)))


async def _work(settings: Settings, place: dask_setup.SchedulerPlace) -> None:
    dask_setup.configure()
    from bot.scale import cluster_worker  # noqa: PLC0415 - an extra, and it must be configured first

    def tell(there: bool) -> None:
        if there:
            event(_log, "cluster_joined", scheduler=place.address, processes=settings.workers, release=release())
        else:
            event(_log, "cluster_left", level=logging.WARNING, scheduler=place.address)

    pool = local_simulator(settings)
    try:
        await cluster_worker.serve(place, pool, settings.workers, release(), stop_at_signals(), tell)
    except OSError as error:
        raise OperatorError(f"The scheduler at {place.address} can't be worked for ({error}).") from None
    finally:
        await pool.close()


def schedule(parser: CommandParser) -> None:
    """Hand the bots' jobs to the workers until SIGINT or SIGTERM."""
    parser.add_argument(
        "--listen", metavar="ADDRESS", help="where to listen, such as tcp://0.0.0.0:8786 (default: FRACAS_CLUSTER)"
    )
    parser.add_argument(
        "--insecure",
        action="store_true",
        help="listen without TLS, although other machines can connect: anyone who reaches the port can calculate there,"
        " read jobs and answers, and stop the cluster",
    )
    arguments = parser.parse_args()
    settings = load_settings()
    configure(settings)
    place = scheduler_place(settings)
    listen = arguments.listen or place.address
    address = urlsplit(listen if "://" in listen else f"tcp://{listen}")
    is_closed = address.scheme == "tls" or is_loopback(address.hostname or "")  # strangers can't get in
    if not (arguments.insecure or is_closed):
        raise OperatorError(
            f"{listen} is open to other machines, without TLS; use tls://, or --insecure where only your own reach it."
        )
    asyncio.run(_schedule(place, listen))


async def _schedule(place: dask_setup.SchedulerPlace, listen: str) -> None:
    dask_setup.configure()
    from bot.scale import cluster_worker  # noqa: PLC0415 - an extra, and it must be configured first

    try:
        await cluster_worker.schedule(
            place, listen, stop_at_signals(), lambda: event(_log, "scheduler_started", address=listen)
        )
    except (OSError, ValueError) as error:
        raise OperatorError(f"The scheduler can't listen at {listen} ({error}).") from None
