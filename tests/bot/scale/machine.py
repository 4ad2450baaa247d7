"""A machine of a cluster, as a program: `python -m tests.bot.scale.machine scheduler|worker ADDRESS …`."""

import argparse
import asyncio
import signal
from pathlib import Path

from bot.scale.dask_setup import SchedulerPlace, Tls, configure
from sim.workers.pool import PoolSimulator
from sim.workers.queue import PoolLimits
from tests.sim.workers import jobs

PACKAGES = ("sim", "tests")
RELEASE = "fracas of the tests"


CERTIFICATES = Path(__file__).parent / "certificates"
"""Those of a machine and of a stranger, each signed by another authority; valid for a hundred years."""


def tls_of(who: str) -> Tls:
    """Return the files of somebody who trusts the cluster's authority."""
    return Tls(CERTIFICATES / "authority.pem", CERTIFICATES / f"{who}.pem", CERTIFICATES / f"{who}.key")


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("role", choices=("scheduler", "worker"))
    parser.add_argument("address")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--release", default=RELEASE)
    parser.add_argument("--wall", type=float, default=60.0)
    parser.add_argument("--tls", action="store_true")
    given = parser.parse_args()
    configure()
    from bot.scale import cluster_worker  # noqa: PLC0415 - imports distributed

    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    place = SchedulerPlace(given.address, tls_of("machine") if given.tls else None)
    if given.role == "scheduler":
        await cluster_worker.schedule(place, given.address, stop, lambda: print("there", flush=True))
        return
    limits = PoolLimits(workers=given.processes, wall_seconds=given.wall, memory_bytes=1 << 30)
    pool = PoolSimulator(limits, jobs.warm_up, packages=PACKAGES)
    try:
        await cluster_worker.serve(
            place,
            pool,
            given.processes,
            given.release,
            stop,
            lambda there: print("there" if there else "lost", flush=True),
        )
    finally:
        await pool.close()


if __name__ == "__main__":
    asyncio.run(main())
