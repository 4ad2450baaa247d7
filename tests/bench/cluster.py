"""What a cluster is worth: `python -m tests.bench.cluster [WORKERS]`, by hand, on an idle machine with as many cores.

Starts a scheduler and workers of one process each on loopback, by the commands of `fracas`, and asks what
`/mka simulate` with 200 games asks: of one worker, then of all of them (default: 4, or one for each core if there are
fewer). Prints the least seconds of each and the ratio, what a job of nothing takes here and there, and how late the
bot's event loop was. The reports must be those of this process.
"""

import asyncio
import os
import pickle
import statistics
import subprocess
import sys
import time
from contextlib import ExitStack

from bot.metrics import Metrics
from bot.result_cache import CachingSimulator
from bot.scale.cluster import ClusterSimulator, Reach
from bot.scale.dask_setup import SchedulerPlace
from sim.boss_fight.requests import DeckRequest
from sim.core.staged_job import answer
from sim.jobs import packages
from sim.jobs.kernel_cache import use_kernel_cache
from sim.jobs.release import release
from sim.jobs.warm_up import STOPGAP, preload, warm_up
from sim.mad_killer_agents.constants import AiKind
from sim.mad_killer_agents.simulate import SimulateRequest
from sim.mad_killer_agents.terrain import Drawing
from sim.workers.queue import HERE, THERE, PoolLimits
from tests.bench.parts import in_parts, least_seconds
from tests.live.process import port_of_its_own
from tests.sim.workers.waiting import until

TRIPS = 200
LAG_SECONDS = 0.002
STUCK_SECONDS = 600.0

QUESTION = SimulateRequest(
    players=(AiKind.MARSHAL,) * 2, drawing=Drawing(width=12, height=12), rounds=20, games=200, seed=1
)


class Lag:
    """How late the event loop wakes a sleeper."""

    def __init__(self) -> None:
        self.late: list[float] = []

    async def sample(self) -> None:
        """Look all the time."""
        while True:
            began = time.perf_counter()
            await asyncio.sleep(LAG_SECONDS)
            self.late.append(time.perf_counter() - began - LAG_SECONDS)

    def __str__(self) -> str:
        thousandth = sorted(self.late)[-1 - len(self.late) // 1000]
        return f"99.9 % {thousandth * 1000:.0f} ms, worst {max(self.late) * 1000:.0f} ms"


async def trip(simulator: ClusterSimulator, place: int) -> float:
    """Return the milliseconds that a job of nothing takes at a place, the median."""
    nothing = pickle.dumps(DeckRequest(deck="hero: V"))
    times = []
    for _ in range(TRIPS):
        began = time.perf_counter()
        await simulator.work(nothing, place)
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1000


async def measure(workers: int, stack: ExitStack) -> None:
    """Start everything, measure and print."""
    address = f"tcp://127.0.0.1:{port_of_its_own()}"

    def start(command: str) -> None:
        limits = {"FRACAS_WORKERS": "1", "FRACAS_JOB_SECONDS": "60", "FRACAS_LOG_LEVEL": "ERROR"}
        environment = os.environ | {"FRACAS_CLUSTER": address} | limits
        program = subprocess.Popen([sys.executable, "-m", "bot", command], env=environment)
        stack.callback(program.wait)
        stack.callback(program.terminate)

    reached: list[Reach] = []
    place = SchedulerPlace(address)
    limits = PoolLimits(workers=1, wall_seconds=60, cost_seconds=60)
    simulator = ClusterSimulator(place, release(), packages(), reached.append, limits, warm_up, STOPGAP, preload())
    caching = CachingSimulator(simulator, Metrics("bench"))
    expected = answer(QUESTION)
    try:
        start("scheduler")
        start("worker")
        await simulator.start()
        await simulator.until_warm()
        await until(lambda: simulator.queue.workers[THERE] == 1, 0.1, STUCK_SECONDS)
        lag = Lag()
        sampling = asyncio.create_task(lag.sample())
        (one,) = await least_seconds(in_parts(QUESTION), caching, expected=expected)
        for _ in range(workers - 1):
            start("worker")
        await until(lambda: simulator.queue.workers[THERE] == workers, 0.1, STUCK_SECONDS)
        (all_of_them,) = await least_seconds(in_parts(QUESTION), caching, expected=expected)
        sampling.cancel()
        ways = [await trip(simulator, place) for place in (HERE, THERE)]
    finally:
        await simulator.close()
    print(f"1 worker   {one:>7.2f} s")
    print(f"{workers} workers  {all_of_them:>7.2f} s, {one / all_of_them:.2f} times the work")
    print(f"a job of nothing: {ways[HERE]:.1f} ms here, {ways[THERE]:.1f} ms there")
    print(f"the event loop was late: {lag}")


def main() -> None:
    """Measure; takes some minutes."""
    use_kernel_cache()
    workers = int(sys.argv[1]) if sys.argv[1:] else min(4, os.cpu_count() or 1)
    with ExitStack() as stack:
        asyncio.run(measure(workers, stack))


if __name__ == "__main__":
    main()
