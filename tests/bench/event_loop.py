"""How long a large battle holds the event loop: `python -m tests.bench.event_loop`, by hand, on an idle machine.

Two rosters of 500 meet in Marked for Death: the real bot in the simulated Discord, with worker processes and a database
file. For each thing that a player does, prints the longest stretch (in ms of the loop's own processor time) in which
the loop serves nobody else. The simulated Discord runs in the same loop, so a part of it is Discord's.
"""

import asyncio
import gc
import tempfile
import time
from asyncio import events
from collections.abc import Awaitable
from pathlib import Path

import pytest
import simcord
from simcord import InteractionResult

from bot.__main__ import GC_THRESHOLDS
from bot.app import Fracas
from bot.store.database import Database
from sim.jobs.warm_up import warm_up
from sim.marked_for_death.export import roster_csv
from sim.workers import PoolLimits, PoolSimulator
from tests.bot.conftest import COMPILING, answer, button, fix_seed, text_of
from tests.sim.marked_for_death.builders import mixed_crowd

TARGET = 20
"""Milliseconds that no stretch may exceed."""


class Stopwatch:
    """Times every callback of the event loop."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._longest = 0.0
        run = events.Handle._run

        def timed(handle: events.Handle) -> None:
            began = time.thread_time()
            run(handle)
            self._longest = max(self._longest, time.thread_time() - began)

        patch.setattr(events.Handle, "_run", timed)  # every callback passes here

    async def print(self, what: str, done: Awaitable[InteractionResult]) -> InteractionResult:
        """Await what a player does and print the longest callback on the way."""
        self._longest = 0.0
        began = time.perf_counter()
        result = await done
        print(f"{what:<34}{1e3 * self._longest:>8.1f}{TARGET:>8}{time.perf_counter() - began:>8.1f}", flush=True)
        return result


async def fight(env: simcord.Env, fighters: int, watch: Stopwatch) -> None:
    """Fight a battle of so many fighters on each side, and do with it what players do."""
    guild = env.create_guild()
    channel = guild.create_text_channel("battles")
    ann = guild.add_member(env.create_user("ann"))
    roster = "roster.csv", roster_csv(mixed_crowd(fighters))
    print(f"\n{f'{fighters} v {fighters}':<34}{'ms':>8}{'target':>8}{'s':>8}")

    async def press(label: str) -> None:
        await watch.print(label, ann.click(panel, custom_id=button(panel, label)))

    async def verify() -> None:
        verdict = answer(await watch.print("/battle verify", ann.slash(channel, "battle verify", number=1)))
        assert text_of(verdict).startswith("### ✅ Match: #1"), text_of(verdict)

    panel = answer(await watch.print("/mfd start", ann.slash(channel, "mfd start", heroes=roster, villains=roster)))
    for number in range(1, 4):
        await press(f"Fight round {number}")
    await verify()
    await watch.print("/battle undo", ann.slash(channel, "battle undo"))
    await press("Fight to the end")
    await verify()
    await watch.print("/battle log", ann.slash(channel, "battle log", number=1))


async def main() -> None:
    """Measure and print everything; takes half a minute."""
    gc.set_threshold(*GC_THRESHOLDS)
    simulator = PoolSimulator(PoolLimits(), warm_up)
    with tempfile.TemporaryDirectory() as place:
        db = await Database.open(Path(place) / "fracas.db")
        bot = Fracas(simulator=simulator, db=db)
        env = simcord.Env(bot, settle_timeout=COMPILING)
        patch = pytest.MonkeyPatch()
        fix_seed(patch)
        try:
            await env.start()
            await bot.tree.sync()
            watch = Stopwatch(patch)
            await fight(env, 50, watch)  # everything is loaded and filled once
            await fight(env, 500, watch)
        finally:
            await env.shutdown()
            await db.close()
            await simulator.close()


if __name__ == "__main__":
    asyncio.run(main())
