"""A program as the bot is one, `python -m PACKAGE`: it asks its workers."""

import asyncio
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

from sim.workers.pool import PoolSimulator
from sim.workers.queue import ClosedError, PoolLimits
from tests.sim.workers.jobs import Forever
from tests.sim.workers.waiting import pid_in


async def closed_early(pid_file: Path) -> None:
    """Close while a job runs."""
    simulator = PoolSimulator(PoolLimits(wall_seconds=60))
    running = asyncio.create_task(simulator.run(Forever(pid_file)))
    await pid_in(pid_file)
    await simulator.close()
    with suppress(ClosedError):
        await running


async def interrupted(pid_file: Path, wall_seconds: float = 60) -> None:
    """Run until Ctrl-C."""
    simulator = PoolSimulator(PoolLimits(wall_seconds=wall_seconds))
    print("starting", flush=True)
    try:
        await simulator.run(Forever(pid_file))
    finally:
        await simulator.close()


async def killed(pid_file: Path) -> None:
    """Begin a job and die."""
    running = asyncio.create_task(interrupted(pid_file, wall_seconds=5))
    await pid_in(pid_file)
    os.kill(os.getpid(), signal.SIGKILL)
    await running


if __name__ == "__main__":
    # As at a terminal: what a shell starts in the background ignores Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    mode = {"closed_early": closed_early, "interrupted": interrupted, "killed": killed}[sys.argv[1]]
    try:
        asyncio.run(mode(Path(sys.argv[2])))
    except KeyboardInterrupt:
        sys.exit(130)
