"""`fracas scheduler`: dask's scheduler with the settings that Fracas needs; it hands the bots' jobs to the workers."""

import asyncio
import logging
from collections.abc import Sequence
from urllib.parse import urlsplit

from bot.cli.options import CommandError, parser_of
from bot.cli.worker import expected_place, stop_at_signals
from bot.config import load_settings
from bot.listening import is_loopback
from bot.logging_setup import configure, event
from sim.workers import dask_settings

_log = logging.getLogger("fracas.cluster")


def main(argv: Sequence[str]) -> int:
    """Schedule until SIGINT or SIGTERM."""
    parser = parser_of("scheduler")
    parser.add_argument(
        "--listen", metavar="ADDRESS", help="where to listen, such as tcp://0.0.0.0:8786 (default: FRACAS_CLUSTER)"
    )
    parser.add_argument(
        "--insecure",
        action="store_true",
        help="listen without TLS, although other machines can connect: anyone who reaches the port can calculate there,"
        " read jobs and answers, and stop the cluster",
    )
    arguments = parser.parse_args(argv)
    settings = load_settings()
    configure(settings)
    place = expected_place(settings)
    listen = arguments.listen or place.address
    if not (arguments.insecure or _is_closed(listen)):
        raise CommandError(
            f"{listen} is open to other machines, without TLS; use tls://, or --insecure where only your own reach it."
        )
    asyncio.run(_schedule(place, listen))
    return 0


def _is_closed(listen: str) -> bool:
    """Return whether strangers can't get in: by TLS, or because only this machine reaches the address."""
    address = urlsplit(listen if "://" in listen else f"tcp://{listen}")
    return address.scheme == "tls" or is_loopback(address.hostname or "")


async def _schedule(place: dask_settings.SchedulerPlace, listen: str) -> None:
    dask_settings.configure()
    from sim.workers import cluster_worker  # noqa: PLC0415 - an extra, and it must be configured first

    try:
        await cluster_worker.schedule(
            place, listen, stop_at_signals(), lambda: event(_log, "scheduler_started", address=listen)
        )
    except (OSError, ValueError) as error:
        raise CommandError(f"The scheduler can't listen at {listen} ({error}).") from None
