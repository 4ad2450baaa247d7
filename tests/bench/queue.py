"""How long players wait for a busy or a starting bot: `python -m tests.bench.queue`, by hand, on an idle machine.

Real workers, real questions, no Discord. Prints, in seconds: twenty people of one server who ask a small `/aacalc` at
once; people who ask small ones while six others ask a slow `/aa need` without a break; the first `/aacalc` after a
start without compiled kernels and with them, from the moment the workers are started.
"""

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable

from sim.axis_allies.answers import CalcRequest
from sim.axis_allies.parse import parse_army, parse_question
from sim.axis_allies.requests import PurchaseRequest
from sim.jobs.warm_up import STOPGAP, preload, warm_up
from sim.workers.pool import PoolSimulator
from sim.workers.queue import BusyError, Caller, PoolLimits

SLOW_ASKERS = 6
BESIDE_SECONDS = 30.0
PAUSE_SECONDS = 0.5
SERVER = 1


def small(number: int) -> CalcRequest:
    """Return a small question, another one for each number."""
    return CalcRequest.of(parse_question(f"{6 + number % 40} tanks vs {10 + number // 40} inf"))


def slow(number: int) -> PurchaseRequest:
    """Return a question that takes all the time it is allowed."""
    return PurchaseRequest(
        attacker=parse_army(f"{1 + number} inf"), defender=parse_army("90 inf, 20 tanks"), chance=0.95
    )


class Stopwatch:
    """Notes how long answers take, and counts refusals."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self.refused = 0

    async def time(self, answer: Awaitable[object]) -> None:
        """Await an answer."""
        began = time.perf_counter()
        try:
            await answer
        except BusyError:
            self.refused += 1
        else:
            self.waits.append(time.perf_counter() - began)

    def show(self, what: str) -> None:
        """Print a row of the table."""
        waits = self.waits
        figures = f"{statistics.median(waits):>9.2f}{max(waits):>9.2f}" if waits else f"{'–':>9}{'–':>9}"
        print(f"{what:<44}{len(waits):>9}{self.refused:>9}{figures}", flush=True)


async def twenty_at_once(simulator: PoolSimulator) -> None:
    """Let twenty people of one server ask."""
    watch = Stopwatch()
    await asyncio.gather(*(watch.time(simulator.run(small(number), Caller(number, SERVER))) for number in range(20)))
    watch.show("twenty at once")


async def quick_beside_slow(simulator: PoolSimulator) -> None:
    """Let six people ask slow questions without a break, and others quick ones."""
    slow_watch, quick_watch = Stopwatch(), Stopwatch()
    end = time.perf_counter() + BESIDE_SECONDS

    async def ask_slowly(user: int) -> None:
        while time.perf_counter() < end:
            # Without a break, but also without spinning where it is refused at once.
            await asyncio.gather(slow_watch.time(_settled(simulator, user)), asyncio.sleep(0.1))

    askers = [asyncio.create_task(ask_slowly(user)) for user in range(SLOW_ASKERS)]
    asked = []
    number = 100
    while time.perf_counter() < end:
        await asyncio.sleep(PAUSE_SECONDS)
        number += 1
        asked.append(asyncio.create_task(quick_watch.time(simulator.run(small(number), Caller(number, SERVER)))))
    await asyncio.gather(*asked, *askers)
    quick_watch.show("quick beside slow")
    slow_watch.show("the slow ones themselves")


async def _settled(simulator: PoolSimulator, user: int) -> None:
    await asyncio.gather(simulator.run(slow(user), Caller(user, SERVER)), return_exceptions=True)


async def cold_start(what: str) -> None:
    """Ask a question as soon as the workers are told to start; then let them get ready."""
    first, ready = Stopwatch(), Stopwatch()
    simulator = PoolSimulator(PoolLimits(), warm_up, STOPGAP, preload())
    try:
        await simulator.start()
        asked = first.time(simulator.run(small(0), Caller(1, SERVER)))
        await asyncio.gather(asked, ready.time(simulator.until_warm()))
        first.show(f"first after a start {what}")
        ready.show("  until all is ready")
    finally:
        await simulator.close()


async def busy() -> None:
    """Ask workers that are ready."""
    simulator = PoolSimulator(PoolLimits(), warm_up, STOPGAP, preload())
    try:
        await simulator.start()
        for number in range(1000, 1004):
            await simulator.run(small(number))
        await twenty_at_once(simulator)
        await quick_beside_slow(simulator)
    finally:
        await simulator.close()


def main() -> None:
    """Measure and print everything; takes two minutes. Each start is one of a new program."""
    print(f"{'':<44}{'answered':>9}{'refused':>9}{'median':>9}{'worst':>9}", flush=True)
    with tempfile.TemporaryDirectory() as place:
        environment = os.environ | {"NUMBA_CACHE_DIR": place}
        for scene in ("without kernels", "with kernels", "busy"):
            subprocess.run([sys.executable, "-m", "tests.bench.queue", scene], env=environment, check=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            main()
        case ["busy"]:
            asyncio.run(busy())
        case [start]:
            asyncio.run(cold_start(start))
