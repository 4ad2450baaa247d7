"""A machine of a cluster, as a program: `python -m tests.sim.workers.machine scheduler|worker ADDRESS …`."""

import argparse
import asyncio
import signal
from pathlib import Path

from sim.workers import PoolLimits, PoolSimulator
from sim.workers.dask_settings import SchedulerPlace, Tls, configure
from tests.sim.workers import jobs

PACKAGES = ("sim", "tests")
RELEASE = "fracas of the tests"


def tls_in(folder: Path | None, name: str) -> Tls | None:
    """Return the files of a machine by its name."""
    if folder is None:
        return None
    return Tls(folder / "authority.pem", folder / f"{name}.pem", folder / f"{name}.key")


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("role", choices=("scheduler", "worker"))
    parser.add_argument("address")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--release", default=RELEASE)
    parser.add_argument("--wall", type=float, default=60.0)
    parser.add_argument("--tls", type=Path)
    given = parser.parse_args()
    configure()
    from sim.workers import cluster_worker  # noqa: PLC0415 - imports distributed

    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    place = SchedulerPlace(given.address, tls_in(given.tls, given.role))
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
