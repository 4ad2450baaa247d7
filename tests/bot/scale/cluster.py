"""A cluster on loopback, for tests."""

import asyncio
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from bot.scale.cluster import ClusterSettings, ClusterSimulator, Reach
from bot.scale.dask_setup import SchedulerPlace, Tls
from sim.workers import PoolLimits
from tests.bot.scale.machine import PACKAGES, RELEASE
from tests.sim.workers import jobs

PATIENCE = 120.0
"""Seconds for processes to start on a busy machine; nothing is measured by it."""

Machine = subprocess.Popen[str]


class Cluster:
    """Starts machines, and the bot's simulators that use them."""

    def __init__(self, tls: Tls | None = None) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.tls = tls
        self.address = f"{'tls' if tls else 'tcp'}://127.0.0.1:{self.port}"
        self.reached: list[Reach] = []
        self._machines: list[Machine] = []
        self._simulators: list[ClusterSimulator] = []

    async def scheduler(self) -> Machine:
        """Start the scheduler, and wait until it listens."""
        scheduler = self._start("scheduler")
        assert scheduler.stdout is not None
        async with asyncio.timeout(PATIENCE):
            assert await asyncio.to_thread(scheduler.stdout.readline) == "there\n"
        return scheduler

    def worker(self, *options: str) -> Machine:
        """Start a worker, with one process unless the options say otherwise."""
        return self._start("worker", *options)

    async def simulator(self, processes: int, wall_seconds: float = 30.0, tls: Tls | None = None) -> ClusterSimulator:
        """Start a bot's simulator with two workers here, and wait until it sees so many processes there."""
        place = SchedulerPlace(self.address, tls or self.tls)
        limits = PoolLimits(workers=2, wall_seconds=wall_seconds, cost_seconds=60, memory_bytes=1 << 30)
        made = ClusterSimulator(ClusterSettings(place, RELEASE, PACKAGES, self.reached.append), limits, jobs.warm_up)
        self._simulators.append(made)
        await made.start()
        await self.has(made, processes)
        return made

    async def has(self, simulator: ClusterSimulator, processes: int) -> None:
        """Wait until a simulator sees so many processes of the cluster."""
        async with asyncio.timeout(PATIENCE):
            while simulator.queue.in_cluster != processes:  # noqa: ASYNC110 - it is told from outside
                await asyncio.sleep(0.05)

    async def seen(self, is_it: Callable[[Reach], bool]) -> None:
        """Wait until a simulator has told of such a reach."""
        async with asyncio.timeout(PATIENCE):
            while not any(map(is_it, self.reached)):  # noqa: ASYNC110 - likewise
                await asyncio.sleep(0.05)

    async def close(self) -> None:
        """End everything, hard."""
        for simulator in self._simulators:
            await simulator.close()
        for machine in self._machines:
            machine.kill()
            machine.communicate()

    def _start(self, role: str, *options: str) -> Machine:
        command = [sys.executable, "-m", "tests.bot.scale.machine", role, self.address, *options]
        if self.tls is not None:
            command.append("--tls")
        machine = subprocess.Popen(command, cwd=Path(__file__).parents[3], stdout=subprocess.PIPE, text=True)
        self._machines.append(machine)
        return machine
